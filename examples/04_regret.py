"""How far from the best possible is a learner?

A loss on its own says little: labels may be so random that no model can do much better. Regret is
the loss of a learner beyond that of a reference that knows the true model. If the learner finds
the true model, its regret flattens out; otherwise it grows linearly. And if the true model changes
in the middle of the stream, the regret grows again.
"""

# %%
# Labels drawn top-down, with probabilities that the stream knows. So the stream provides the
# reference, which makes the best decision at every node, and the expected loss of any prediction,
# which does not depend on chance. One stream is stationary. The other has the same first half,
# but in the middle all its weights are replaced.
from river_hier import Taxonomy, datasets, evaluate, linear_model, metrics

news = Taxonomy.from_nested(
    {
        "sport": {"ball game": ["football", "tennis"], "water sport": ["rowing", "sailing"]},
        "culture": {"music": ["opera", "jazz"], "stage": ["theatre", "ballet"]},
    },
    root="news",
)
n = 4000
streams = {
    "no drift": datasets.synth.LinearLabels(news, n_features=5, seed=42),
    "drift": datasets.synth.LinearLabels(news, n_features=5, seed=42, drift_at=n // 2),
}
learners = {"H-PERC": linear_model.HPerceptron, "H-RLS": linear_model.HRLS}

# %%
# Two learners: a perceptron per node, whose only memory are its weights, and least squares, which
# weights all past examples equally. `iter_regret` is River's `iter_progressive_val_score` for a
# learner and a reference.
curves = {}
for kind, stream in streams.items():
    for name, learner in learners.items():
        loss = metrics.HLoss(news)  # a node costs 1 if it is wrong and its ancestors are right
        states = evaluate.iter_regret(stream.take(n), learner(news), stream.reference, loss, 100)
        curves[name, kind] = list(states)

# %%
# The regret per example in each quarter of the stream. It may be negative: the best decision at
# every node is not always the prediction with the least expected H-loss.
ends = [n // 4, n // 2, 3 * n // 4, n]
print(f"{'regret an example, up to step':<30}" + "".join(f"{end:>10,}" for end in ends))
for (name, kind), curve in curves.items():
    regret = {0: 0.0} | {state["Step"]: state["Regret"] for state in curve}
    means = [(regret[end] - regret[end - n // 4]) / (n // 4) for end in ends]
    print(f"{f'{name}, {kind}':<30}" + "".join(f"{mean:>+10.3f}" for mean in means))

# %%
# For H-RLS without drift, a theorem bounds the regret. The bound holds for the worst case, and a
# single example close to the decision boundary of one node makes it huge.
last = curves["H-RLS", "no drift"][-1]
stream = streams["no drift"]
bound = evaluate.hrls_bound(news, stream.weights, stream.take(n))
print(f"\nexpected H-loss of H-RLS without drift, {n:,} examples")
print(f"  the reference     {last['Comparator']:>9,.1f}")
print(f"  H-RLS             {last['Loss']:>9,.1f}")
print(f"  regret            {last['Regret']:>9,.1f}")
print(f"  regret, at most   {bound:>9.1e}  (Cesa-Bianchi et al., 2006, Theorem 2)")

# %%
# The curve of a learner that has found the true model is level. It rises if the learner cannot
# find it, or has to find a new one.
try:
    import matplotlib.pyplot as plt
except ImportError:
    print("\nInstall matplotlib to see this as a picture.")
else:
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), sharey=True, layout="constrained")
    styles = {"H-PERC": ("#D55E00", "--"), "H-RLS": ("#0072B2", "-")}
    panels = dict(zip(streams, axes, strict=True))
    for (name, kind), curve in curves.items():
        color, line = styles[name]
        steps, regrets = zip(*((s["Step"], s["Regret"]) for s in curve), strict=True)
        panels[kind].plot(steps, regrets, line, color=color, label=name)
    for kind, ax in panels.items():
        ax.set(title=kind, xlabel="examples seen")
        ax.grid(alpha=0.3)
    panels["drift"].axvline(n // 2, color="black", linestyle=":")
    panels["drift"].annotate("all weights change ", (n // 2, 800), ha="right")
    axes[0].legend(loc="upper left")
    axes[0].set_ylabel("regret so far (expected H-loss)")
    plt.show()
