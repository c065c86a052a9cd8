"""What does it cost when labels come late?

An article is filed at once, but its correct label is known only days later. Meanwhile the model
predicts many other articles without having learned from it. In a stationary stream this cost
occurs once, in a changing stream after each change.
"""

# %%
# Articles about several topics of a tree; at step 1,000 the topics below topic 2 are exchanged.
# River's progressive validation has a parameter `delay`: each label arrives that many examples
# after its example, and the original prediction is scored.
from itertools import pairwise

import matplotlib.pyplot as plt
from river import evaluate

from river_hier import linear_model, metrics
from river_hier.datasets import synth

n, change, window = 2_000, 1_000, 50
tree = synth.PrototypeTree(branching=3, depth=3).taxonomy
articles = synth.PrototypePaths(tree, noise=0.04, seed=42)
stream = synth.SubtreeDrift(articles, drift_in="2", drift_at=change).take(n)
learners = {"H-PERC": linear_model.HPerceptron, "H-AROW": linear_model.HAROW}
delays = (0, 50, 200)


def losses(model, delay):
    """The H-loss of every 50 examples, one after the other."""
    metric = metrics.HLoss(tree)
    states = evaluate.iter_progressive_val_score(stream, model, metric, delay=delay, step=window)
    sums = [0.0, *(state["HLoss"].get() * state["Step"] for state in states)]
    return [(after - before) / window for before, after in pairwise(sums)]


curves = {(name, d): losses(learners[name](tree), d) for name in learners for d in delays}

# %%
# The first examples are predicted by an untrained model, and each step of delay adds one more.
# The drift causes this cost again, at a lower level, because most of what has been learned remains
# true. `paid` is the total loss per step of delay, before the drift and after it.
print(f"H-loss of the{'first 200':>17}{'200 before':>12}{'200 after':>12}{'last 200':>12}   paid")
for (name, delay), curve in curves.items():
    ends = 200, change, change + 200, n
    parts = [sum(curve[end // window - 4 : end // window]) / 4 for end in ends]
    both = zip(curve, curves[name, 0], strict=True)
    paid = [window * (late - early) / max(delay, 1) for late, early in both]
    row = f"{name:<9}{delay:>4} late" + "".join(f"{part:>12.3f}" for part in parts)
    print(f"{row}{sum(paid[: len(paid) // 2]):>10.2f}{sum(paid[len(paid) // 2 :]):>7.2f}")

# %%
# Twice the model runs behind by as many examples as the labels are late.
figure, ax = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
for delay, line in zip(delays, ("-", "--", ":"), strict=True):
    ax.plot(range(window, n + 1, window), curves["H-AROW", delay], line, label=f"{delay} late")
ax.axvline(change, color="black", linewidth=0.8)
ax.set(xlabel="examples seen", ylabel="H-loss of the last 50", ylim=(0, None))
ax.legend(title="H-AROW")
plt.show()
