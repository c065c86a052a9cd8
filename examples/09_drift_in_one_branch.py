"""Where has the stream changed?

One day the editors of a newspaper start to file articles on culture under other headings, while
sport and politics stay as they are. The loss of each branch shows where. A learner that weights all
examples equally needs as many new examples as it has seen old ones. Alternatively, it can forget
gradually, or reset this branch only. Which recovers soonest?
"""

# %%
# Articles on one or several topics. From the middle of the stream, the topics below "culture" are
# exchanged with their siblings: articles on jazz are filed under opera.
import matplotlib.pyplot as plt

from river_hier import Taxonomy, datasets, drift, linear_model, losses

sport = {"ball game": ["football", "tennis"], "water sport": ["rowing", "sailing"]}
culture = {"music": ["opera", "jazz"], "stage": ["theatre", "ballet"]}
politics = {"at home": ["elections", "courts"], "abroad": ["treaties", "wars"]}
news = Taxonomy.from_nested({"sport": sport, "culture": culture, "politics": politics}, root="news")
articles = datasets.synth.PrototypePaths(news, noise=0.04, seed=42)
n, change = 8_000, 4_000
stream = datasets.synth.SubtreeDrift(articles, drift_in="culture", drift_at=change)

# %%
# A branch is a taxonomy of its own, so it has its own H-loss, the mean of every 1,000 examples.
# `drift.BranchReset` has a detector at each inner node, and resets what is below it.
branches = {top: news.subset([top, *news.descendants(top)]) for top in news.children(news.root)}
learners: dict = {
    "H-PERC": linear_model.HPerceptron(news),
    "H-RLS": linear_model.HRLS(news),
    "H-RLS forgets": linear_model.HRLS(news, forgetting=0.995),
    "H-RLS resets": drift.BranchReset(linear_model.HRLS(news)),
}
curves = {name: {top: [0.0] * (n // 1000) for top in branches} for name in learners}
for name, model in learners.items():
    for step, (x, y) in enumerate(stream.take(n)):
        y_pred = model.predict_one(x)
        for top, branch in branches.items():
            answers = [{label: a[label] for label in branch.nodes[1:]} for a in (y, y_pred)]
            curves[name][top][step // 1000] += losses.h_loss(branch, *answers) / 1000
        model.learn_one(x, y)
    for top, curve in curves[name].items():
        print(f"{name:<14} {top:<9}" + "".join(f"{loss:>7.3f}" for loss in curve))
print("H-RLS was reset:", learners["H-RLS resets"].drifts_detected)

# %%
# Outside the branch nothing changes. Inside, H-PERC corrects every mistake; H-RLS, the better
# learner before, weights the whole past equally. With forgetting, the weight of the past halves
# every 139 examples. Resets recover soonest, and nothing is lost elsewhere.
figure, axes = plt.subplots(2, 2, figsize=(6.4, 6), sharex=True, sharey=True, layout="constrained")
for name, ax in zip(learners, axes.flat, strict=True):
    for (top, curve), line in zip(curves[name].items(), (":", "-", "--"), strict=True):
        ax.plot(range(1000, n + 1, 1000), curve, line, label=top)
    ax.axvline(change, color="black", linewidth=0.8)
    ax.set(title=name, xlabel="examples seen", ylabel="H-loss", ylim=(0, 1))
axes[0, 0].legend()
plt.show()
