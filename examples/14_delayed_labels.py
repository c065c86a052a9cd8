"""What does it cost when labels come late?

An article is filed at once, and somebody says days later under what it should have been. Until
then many other articles have come, and the model has answered them all without that lesson. On a
steady stream one waits for it once; whenever the stream changes one waits again. And as a program
that waits for days will be stopped at times, it needs a place to go on from.
"""

# %%
# Articles about several topics of a tree; at step 1,000 those below topic 2 change their names with
# each other. River's progressive validation takes a `delay`: each label comes that many examples
# after its example, while answers are scored as they were given.
import tempfile
from itertools import islice, pairwise
from pathlib import Path

from river import evaluate
from river import stream as streams

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
# The first examples are answered by a model that knows nothing; each step of delay adds one of
# them. It is paid once: at the end of the steady part nobody remembers it. The drift is paid for
# again, at a lower price, as most of what was learned is true still. `paid` is what is lost in all
# for each step of delay, before the drift and after it.
print(f"H-loss of the{'first 200':>17}{'200 before':>12}{'200 after':>12}{'last 200':>12}   paid")
for (name, delay), curve in curves.items():
    ends = 200, change, change + 200, n
    parts = [sum(curve[end // window - 4 : end // window]) / 4 for end in ends]
    both = zip(curve, curves[name, 0], strict=True)
    paid = [window * (late - early) / max(delay, 1) for late, early in both]
    row = f"{name:<9}{delay:>4} late" + "".join(f"{part:>12.3f}" for part in parts)
    print(f"{row}{sum(paid[: len(paid) // 2]):>10.2f}{sum(paid[len(paid) // 2 :]):>7.2f}")

# %%
# Without River's loop it is the same story told by `simulate_qa`: a question, x without y, and some
# time later its answer. In the middle of the stream we save all that a program must know in order
# to go on: the model, the metric, the answers given to those that wait, and the position.
model, metric = linear_model.HAROW(tree), metrics.HLoss(tree)
state: dict = {"model": model, "metric": metric, "given": {}, "position": 0}


def follow(state, until):
    """Take in questions and answers from where the state is."""
    events = streams.simulate_qa(stream, moment=None, delay=200)
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
# The same as a picture.
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
