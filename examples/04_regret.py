"""How far from the best possible is a learner?

A loss on its own says little: labels may be so random that no model can do much better. Regret is
the loss of a learner beyond that of a comparator that knows more. If the learner finds what the
comparator knows, its regret levels off; otherwise it grows with every example. Two of the papers
prove how large it can become at most.
"""

# %%
# Labels that are drawn top-down, with probabilities that the stream knows. It provides the
# comparator, which has the true weights, and expected losses, without the chance of the labels.
# Examples near the boundary of a node would make the bound huge, so they are left out. Least
# squares, H-RLS, have a bound; perceptrons, H-PERC, follow even labels drawn against the odds.
from river import dummy

from river_hier import Taxonomy, datasets, evaluate, linear_model, losses, stream

steps = [2**k for k in range(4, 14)]
chain = Taxonomy([("news", "sport"), ("sport", "tennis")])


class Clear(list):
    """Examples with a margin of at least 0.8 at each node, and what the stream knows of them."""

    def __init__(self, labels):
        self.taxonomy, self.probabilities = labels.taxonomy, labels.probabilities
        for x, y in labels:
            if min(abs(score) for score in labels.scores(x).values()) >= 0.8:
                self.append((x, y))
            if len(self) == steps[-1]:
                break


def follow(examples, model, comparator, loss):
    states = evaluate.iter_regret(examples, model, comparator, loss, step=steps[0])
    return [state for state in states if state["Step"] in steps]


multilabel: dict[str, list] = {"H-PERC": [], "H-RLS": []}
for seed in (0, 1, 4):
    labels = datasets.synth.LinearLabels(chain, n_features=2, seed=seed)
    examples = Clear(labels)
    for name, learner in zip(
        multilabel, (linear_model.HPerceptron, linear_model.HRLS), strict=True
    ):
        run = follow(examples, learner(chain), labels.reference, losses.h_loss)
        multilabel[name].append(run)
theorem = {step: evaluate.hrls_bound(chain, labels.weights, examples[:step]) for step in steps}

# %%
# Hieron, on prototypes of the nodes of a tree with hardly any noise, where some weights make no
# mistake. So the best fixed weights in hindsight have no loss; Hieron finds them in two passes.
single: dict[str, list] = {"the last label": [], "Hieron": []}
for seed in (0, 1, 4):
    tree = datasets.synth.PrototypeTree(branching=2, depth=3, noise=1e-4, seed=seed)
    t, W, first = tree.taxonomy, tree.prototypes, list(tree.take(steps[-1]))
    best = linear_model.Hieron(t)
    for x, y in stream.replay(first, times=2):
        best.learn_one(x, y)
    rivals: list = [dummy.NoChangeClassifier(), linear_model.Hieron(t)]
    for name, model in zip(single, rivals, strict=True):
        single[name].append(follow(tree.take(steps[-1]), model, best, losses.tree_induced_error))
weights = {  # they separate the labels by the margins that the theorem needs
    v: {i: 2.2 * (w - W[u][i]) - 1.1 * W[t.root][i] for i, w in W[v].items()} for u, v in t.edges
}
corollary = evaluate.hieron_bound(t, weights, first)

# %%
# Means over three streams: the bounds hold, far above what is measured. They could fail: the
# learner that repeats the last label exceeds Hieron's, and H-PERC is on its way to that of H-RLS.
print(f"{steps[-1]:,} examples{'loss':>18}{'comparator':>12}{'regret':>9}{'at most':>9}")
for name, runs in {**multilabel, **single}.items():
    keys = ("Loss", "Comparator", "Regret")
    means = [sum(run[-1][key] for run in runs) / len(runs) for key in keys]
    bound = {"H-RLS": theorem[steps[-1]], "Hieron": corollary}.get(name)
    cells = f"{means[0]:>18,.1f}{means[1]:>12,.1f}{means[2]:>9,.1f}"
    print(f"{name:<14}{cells}" + (f"{bound:>9,.0f}" if bound else ""))

# %%
# With both axes logarithmic, a regret that grows by the same amount with every example is a
# straight line, and bounds that grow with log T flatten out.
try:
    import matplotlib.pyplot as plt

    from river_hier import plot
except ImportError:
    print("\nInstall matplotlib to see this as a picture.")
else:
    layout = "LR\nHH"
    figure, axes = plt.subplot_mosaic(layout, figsize=(6.6, 6.4), layout="constrained")
    plot.regret(multilabel, value="Loss", ax=axes["L"])
    plot.regret(multilabel, {"Theorem 2": theorem}, axes["R"], log=True)
    plot.regret(single, {"Corollary 1": corollary}, axes["H"], log=True)
    axes["L"].set_title("H-RLS: expected H-loss")
    axes["R"].set_ylim(0.3, 3e5)  # room for the legend
    axes["R"].legend(loc="upper left", frameon=False)
    axes["R"].set_title("regret")
    axes["H"].set_title("Hieron: tree-induced error beyond the best weights")
    plt.show()
