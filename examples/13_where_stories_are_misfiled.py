"""Where in the tree are stories misfiled?

Stories of the Reuters corpus RCV1 have about three of 101 topics each, in four trees. Four learners
of Cesa-Bianchi, Gentile and Zaniboni (2006) file them. As in the paper, there are five groups of
stories in a ring, and each is learned and the next one tested. The H-loss counts a mistake only
where all topics above are right. Recorded with 15,926 of the stories; see `datasets.RCV1`.
"""

# %%
# PERC decides each topic by itself, the others from the top down. H-SVM is trained in batch.
import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from river_hier import batch, datasets, linear_model, metrics

stream = datasets.RCV1(Path(os.environ["RIVER_HIER_DATA"], "rcv1"), topics=101)
t, stories = stream.taxonomy, list(stream)
size = len(stories) // 5
groups = [stories[i * size : (i + 1) * size] for i in range(5)]
learners = {
    "PERC": lambda: linear_model.HPerceptron(t.flatten()),
    "H-PERC": lambda: linear_model.HPerceptron(t),
    "SH-RLS": lambda: linear_model.SHRLS(t),
    "H-SVM": lambda: batch.HSVM(t),
}
mistakes = {}  # per 100 stories: of each group, at each depth, topics wrongly on and missed
for name, learner in learners.items():
    found = []
    for train, test in zip(groups, groups[1:] + groups[:1], strict=True):
        model, by_depth = learner(), metrics.HLossByDepth(t)
        if isinstance(model, batch.HSVM):
            model.fit(train)
        else:
            for x, y in train:
                model.learn_one(x, y)
        for x, y in test:
            by_depth.update(y, model.predict_one(x))
        found.append([100 * np.array(pair) / size for pair in by_depth.get().values()])
    mistakes[name] = np.array(found)
    h_loss = mistakes[name].sum(axis=(1, 2)) / 100
    print(f"{name:<8} H-loss {h_loss.mean():.3f}, standard deviation {h_loss.std(ddof=1):.3f}")

# %%
# Most mistakes are at depth 2. SH-RLS makes as many as H-SVM, from a single pass: it misses more
# topics than the perceptrons there, but few are wrongly on.
figure, ax = plt.subplots(figsize=(6.4, 5), layout="constrained")
for i, (name, five) in enumerate(mistakes.items()):
    at, spread = np.arange(1, 5) + 0.2 * (i - 1.5), five.std(axis=0, ddof=1).T
    wrong, missed = five.mean(axis=0).T
    ax.bar(at, wrong, 0.18, yerr=spread[0], color=f"C{i}", label=name)
    ax.bar(at, -missed, 0.18, yerr=spread[1], color=f"C{i}")
ax.set_xticks(range(1, 5))
ax.axhline(0, color="black", linewidth=0.8)
ax.yaxis.set_major_formatter(lambda value, _: f"{abs(value):g}")
ax.set(xlabel="depth of the topic", ylabel="missed ← per 100 stories → wrongly on")
ax.legend()
plt.show()
