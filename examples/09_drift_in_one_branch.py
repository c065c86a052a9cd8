"""Where has the stream changed?

One day the editors of a newspaper start to file articles on culture under other headings, while
sport and politics stay as they are. A loss for the whole taxonomy shows that something is wrong, a
loss for each branch shows where, and one of River's drift detectors per branch shows when.
Recovering is another matter: a learner that weights all examples equally needs as many new
examples as it has seen old ones. Alternatively, it can forget gradually, or reset this branch
only.
"""

# %%
# Articles on one or several topics. From the middle of the stream, the topics below "culture" are
# exchanged with their siblings: articles on jazz are filed under opera.
from river import drift as river_drift

from river_hier import Taxonomy, datasets, drift, linear_model, losses

news = Taxonomy.from_nested(
    {
        "sport": {"ball game": ["football", "tennis"], "water sport": ["rowing", "sailing"]},
        "culture": {"music": ["opera", "jazz"], "stage": ["theatre", "ballet"]},
        "politics": {"at home": ["elections", "courts"], "abroad": ["treaties", "wars"]},
    },
    root="news",
)
articles = datasets.synth.PrototypePaths(news, noise=0.04, seed=42)
n, change = 8_000, 4_000
stream = datasets.synth.SubtreeDrift(articles, drift_in="culture", drift_at=change)

# %%
# A branch is a taxonomy of its own, so it has its own H-loss. We average it over every 1,000
# examples. The detector gets the loss of each example, and signals an increase.
# `drift.BranchReset` has its own detectors, one at each inner node, and resets the branch.
branches = {top: news.subset([top, *news.descendants(top)]) for top in news.children(news.root)}
learners: dict = {
    "H-PERC": linear_model.HPerceptron(news),
    "H-RLS": linear_model.HRLS(news),
    "H-RLS forgets": linear_model.HRLS(news, forgetting=0.995),
    "H-RLS resets": drift.BranchReset(linear_model.HRLS(news)),
}
curves = {(name, top): [0.0] * (n // 1000) for name in learners for top in branches}
alarms: dict = {key: [] for key in curves}
for name, model in learners.items():
    detectors = {top: river_drift.PageHinkley(mode="up") for top in branches}
    for step, (x, y) in enumerate(stream.take(n)):
        y_pred = model.predict_one(x)
        for top, branch in branches.items():
            answers = [{label: a[label] for label in branch.nodes[1:]} for a in (y, y_pred)]
            loss = losses.h_loss(branch, *answers)
            curves[name, top][step // 1000] += loss / 1000
            detectors[top].update(loss)
            if detectors[top].drift_detected:
                alarms[name, top].append(step)
        model.learn_one(x, y)

# %%
# Outside the branch nothing changes, since each node learns independently from labels that stay
# the same. Inside, H-PERC corrects every mistake, as far as the new headings can be learned at
# all: articles filed under music itself no longer resemble those filed below it. H-RLS, the
# better learner before the drift, weights the whole past equally, so the new examples must first
# outnumber the old ones. With forgetting, the weight of the past halves every 139 examples.
# Resets recover fastest, provided that the detector gives an alarm, and nothing is lost
# elsewhere.
moments = {"before": change // 1000 - 1, "right after": change // 1000, "at the end": -1}
print(f"H-loss; the drift begins at step {change:,}")
print(" " * 23 + "".join(f"{head:>13}" for head in [*moments, "first alarm"]))
for (name, top), curve in curves.items():
    values = "".join(f"{curve[i]:>13.3f}" for i in moments.values())
    alarm = f"{alarms[name, top][0]:,}" if alarms[name, top] else "none"
    print(f"{f'{name}, {top}':<23}{values}{alarm:>13}")
print("H-RLS was reset:", learners["H-RLS resets"].drifts_detected)

# %%
# The same as a plot.
try:
    import matplotlib.pyplot as plt
except ImportError:
    print("\nInstall matplotlib to see this as a picture.")
else:
    figure, axes = plt.subplots(1, 4, figsize=(11, 3.4), sharey=True, layout="constrained")
    styles = {"sport": ("#009E73", ":"), "culture": ("#D55E00", "-"), "politics": ("#0072B2", "--")}
    ends = range(1000, n + 1, 1000)
    for name, ax in zip(learners, axes, strict=True):
        for top, (color, line) in styles.items():
            ax.plot(ends, curves[name, top], line, color=color, label=top)
        ax.axvline(change, color="black", linewidth=0.8)
        ax.set(title=name, xlabel="examples seen", ylim=(0, 1))
        ax.grid(alpha=0.3)
    axes[0].set_ylabel("H-loss on the last 1,000")
    axes[0].legend()
    plt.show()
