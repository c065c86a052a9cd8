"""How does your own taxonomy get in?

Tables of labels have a column for the parent, or one for each depth. Each of these forms is one
line away from a `Taxonomy`. But tables may have mistakes, and some things belong in two places.
Which mistakes are detected, which are not, and how does a model treat an entry with two parents?
"""

# %%
# Musical instruments in three forms. Of a dataframe, the pairs are `zip(df.above, df.name)`.
import matplotlib.pyplot as plt

from river_hier import Taxonomy, datasets, linear_model, plot

families = {"strings": ["violin", "piano"], "winds": ["oboe", "organ"], "keyboards": ["celesta"]}
levels = [(family, one) for family, each in families.items() for one in each]
pairs = [*(("instrument", family) for family in families), *levels]
tree = Taxonomy(pairs)  # (parent, child)
same = Taxonomy.from_parents({child: parent for parent, child in pairs})
again = Taxonomy.from_paths(levels, root="instrument")
print(f"{tree}, three times: {tree == same == again}")


# %%
# A cycle is refused, and so is an undeclared label. A misspelt parent becomes a second root, and
# both are joined under a new node, `root`; if you specify the root, this is an error instead.
def result(function, *arguments, **keywords):
    try:
        return function(*arguments, **keywords)
    except ValueError as error:
        return error


misspelt = [*pairs, ("string", "cello")]
print("\na cycle:         ", result(Taxonomy, [*pairs, ("violin", "instrument")]))
print("an unknown label:", result(linear_model.HAROW(tree).learn_one, {"bow": 1}, ["violn"]))
print("a misspelt one:  ", result(Taxonomy, misspelt))
print("the root named:  ", result(Taxonomy, misspelt, root="instrument"))

# %%
# A piano has strings and keys, an organ pipes and keys. With both as parents, the taxonomy is a
# DAG. A multilabel model visits such a node only if all its parents are on.
dag = Taxonomy([*pairs, ("keyboards", "piano"), ("keyboards", "organ")])
stream = list(datasets.synth.PrototypePaths(dag, noise=0.09, seed=42).take(3000))
for name, taxonomy in {"tree": tree, "DAG": dag}.items():
    model, contradictions = linear_model.HAROW(taxonomy), 0
    errors = dict.fromkeys(taxonomy.nodes[1:], 0.0)
    for x, y in stream:
        answer = model.predict_one(x)
        on = {label for label in y if answer[label]} | {dag.root}
        contradictions += dag.closure(on) != on
        for label in y:
            errors[label] += 100 * (answer[label] != y[label]) / len(stream)
        model.learn_one(x, y)
    print(f"{name}: {contradictions} of 3,000 answers lack a parent of what they contain")

# %%
# The mistakes of the model with the DAG. Dashed lines lead to the second parent of a node.
ax = plot.taxonomy(dag, errors, label="wrong answers about a node (%)")
ax.set(xlabel="coarse → fine", ylabel="instruments")
plt.show()
