"""How far from the best possible is a learner?

A loss on its own says little, as labels may be random. Regret is the loss beyond that of a
comparator that knows more. If the learner finds out what it knows, regret levels off. How large can
it become at most? Two of the papers prove a bound.
"""

# %%
# The comparator of H-RLS and H-PERC knows the probabilities of labels. Examples near a boundary are
# left out: they would make the bound of H-RLS huge. The comparator of Hieron makes no mistake.
# Curves and bounds are means over three streams.
import matplotlib.pyplot as plt

from river_hier import Taxonomy, datasets, evaluate, linear_model, losses, plot

steps = [2**k for k in range(4, 14)]
chain = Taxonomy([("news", "sport"), ("sport", "tennis")])


def wide(labels):
    return labels.where(lambda x, y: min(map(abs, labels.scores(x).values())) >= 0.8)


def follow(examples, models, comparator, loss):
    states = evaluate.iter_regret(examples, models, comparator, loss, step=steps[0])
    return [state for state in states if state["Step"] in steps]


separable, random, theorems, corollaries = [], [], [], []
for seed in (0, 1, 4):
    labels = datasets.synth.LinearLabels(chain, n_features=2, seed=seed)
    models = {"H-PERC": linear_model.HPerceptron(chain), "H-RLS": linear_model.HRLS(chain)}
    clear = wide(labels).take(steps[-1])
    random.append(follow(clear, models, labels.reference, losses.h_loss))
    tree = datasets.synth.PrototypeTree(branching=2, depth=3, noise=1e-4, seed=seed)
    hieron = linear_model.Hieron(tree.taxonomy, C=float("inf"))  # in the bound, steps have no cap
    separable.append(follow(tree.take(8192), hieron, hieron, losses.tree_induced_error))
    theorems.append([evaluate.hrls_bound(chain, labels.weights, clear.take(n)) for n in steps])
    w = evaluate.hieron_weights(tree.taxonomy, tree.take(200))  # separate the examples
    corollaries.append(evaluate.hieron_bound(tree.taxonomy, w, tree.take(steps[-1])))
theorem = dict(zip(steps, (sum(bounds) / 3 for bounds in zip(*theorems, strict=True)), strict=True))
corollary = sum(corollaries) / 3
print(f"bounds: {theorem[steps[-1]]:,.0f} for H-RLS, {corollary:,.0f} for Hieron")
for name in models:
    end = sum(run[-1]["Regret"][name] for run in random) / 3
    print(f"{name}: {end:.1f} after {steps[-1]:,} examples")
print(f"Hieron: {sum(run[-1]['Loss'] for run in separable) / 3:.1f} after {steps[-1]:,} examples")

# %%
# The bounds hold. H-PERC has none of this kind: it follows even labels drawn against the odds.
figure, (top, bottom) = plt.subplots(2, 1, figsize=(6.4, 7), layout="constrained")
plot.regret({"Hieron": separable}, {"bound": corollary}, bottom, value="Loss", log=True)
plot.regret(random, {"bound of H-RLS": theorem}, top, log=True)
top.set(ylim=(0.3, 1e4), title="beyond the true probabilities")
bottom.set(title="beyond weights without a mistake", ylabel="regret so far")
plt.show()
