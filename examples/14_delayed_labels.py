"""What does it cost when labels come late?

An article is filed at once, but its correct label is known only days later. Meanwhile the model
predicts many other articles without having learned from it. In a stationary stream this cost
occurs once, in a changing stream after each change. And a program that waits for days will
sometimes be stopped, so it must be able to continue from a saved state.
"""

# %%
# Articles about several topics of a tree; at step 1,000 the topics below topic 2 are exchanged.
# River's progressive validation has a parameter `delay`: each label arrives that many examples
# after its example, and the original prediction is scored.
import tempfile
from itertools import islice, pairwise
from pathlib import Path

from river import evaluate
from river import stream as river_stream

from river_hier import checkpoint, linear_model, metrics
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
# This cost occurs once and is no longer visible at the end of the stationary part. The drift
# causes it again, at a lower level, because most of what has been learned remains true. `paid` is
# the total loss per step of delay, before the drift and after it.
print(f"H-loss of the{'first 200':>17}{'200 before':>12}{'200 after':>12}{'last 200':>12}   paid")
for (name, delay), curve in curves.items():
    ends = 200, change, change + 200, n
    parts = [sum(curve[end // window - 4 : end // window]) / 4 for end in ends]
    both = zip(curve, curves[name, 0], strict=True)
    paid = [window * (late - early) / max(delay, 1) for late, early in both]
    row = f"{name:<9}{delay:>4} late" + "".join(f"{part:>12.3f}" for part in parts)
    print(f"{row}{sum(paid[: len(paid) // 2]):>10.2f}{sum(paid[len(paid) // 2 :]):>7.2f}")

# %%
# The same without River's loop, with `simulate_qa`: a question is an x without y, and its answer
# follows some time later. In the middle of the stream we save everything that is needed to
# continue: the model, the metric, the predictions for the waiting examples, and the position.
model, metric = linear_model.HAROW(tree), metrics.HLoss(tree)
state: dict = {"model": model, "metric": metric, "given": {}, "position": 0}


def follow(state, until):
    """Take in questions and answers from where the state is."""
    events = river_stream.simulate_qa(stream, moment=None, delay=200)
    for i, x, y, *_ in islice(events, state["position"], until):
        if y is None:
            state["given"][i] = state["model"].predict_one(x)
        else:
            state["metric"].update(y, state["given"].pop(i))
            state["model"].learn_one(x, y)
        state["position"] += 1


follow(state, until=n)
with tempfile.TemporaryDirectory() as folder:
    checkpoint.save(state, Path(folder, "middle"))
    again = checkpoint.load(Path(folder, "middle"))
print(f"\nafter {again['position']:,} events {len(again['given'])} answers wait for their labels")
for end in (state, again):
    follow(end, until=2 * n)
same = all(again["model"].score_one(x) == state["model"].score_one(x) for x, _ in stream.take(100))
print(f"at the end {state['metric']}, from the checkpoint {again['metric']}; same scores: {same}")

# %%
# The same as a plot.
try:
    import matplotlib.pyplot as plt
except ImportError:
    print("\nInstall matplotlib to see this as a picture.")
else:
    figure, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
    for delay, line in zip(delays, ("-", "--", ":"), strict=True):
        steps = range(window, n + 1, window)
        ax.plot(steps, curves["H-AROW", delay], line, label=f"{delay} late")
    ax.axvline(change, color="black", linewidth=0.8)
    ax.set(xlabel="examples seen", ylabel="H-loss of the last 50", ylim=(0, None))
    ax.legend(title="H-AROW")
    plt.show()
