"""What is the regret on real news?

On real data nobody knows the best classifier. H-SVM is a hard comparator if it is fitted in batch
to the very labels on which it is scored, and a fair one on as many other stories. How fast does the
loss of one pass beyond theirs grow? Recorded with three streams of 4,096 stories of RCV1.
"""

# %%
# The learners see each story once, and are scored before they learn it. "Other stories" are those
# of the stream before.
import os
from pathlib import Path

import matplotlib.pyplot as plt

from river_hier import batch, datasets, evaluate, linear_model, metrics, plot

corpus = datasets.RCV1(Path(os.environ["RIVER_HIER_DATA"], "rcv1"))
t, stories, size = corpus.taxonomy, list(corpus), 4096
steps = [2**k for k in range(6, 13)]

streams = [stories[i * size : (i + 1) * size] for i in range(3)]
machines = [batch.HSVM(t).fit(stream) for stream in streams]
runs = []
for i, stream in enumerate(streams):
    learners = {
        "H-PERC": linear_model.HPerceptron(t),
        "H-AROW": linear_model.HAROW(t),
        "SH-RLS": linear_model.SHRLS(t),
    }
    fitted = {"H-SVM on other stories": machines[i - 1], "H-SVM in hindsight": machines[i]}
    states = evaluate.iter_regret(
        stream, learners | fitted, fitted, metrics.HLoss(t), step=steps[0]
    )
    runs.append([state for state in states if state["Step"] in steps])
for name in runs[0][-1]["Loss"]:
    print(f"{name:<23}H-loss {sum(run[-1]['Loss'][name] for run in runs) / size / 3:.3f}")

# %%
# Below, the regret of SH-RLS. Beyond the fair comparator it levels off: in the second half, it is
# 0.04 a story. Beyond the hard one it keeps growing, if less than with every story. Bands are 95%
# confidence intervals of the mean over the three streams.
of_one = [[{**state, "Regret": state["Regret"]["SH-RLS"]} for state in run] for run in runs]
figure, (top, bottom) = plt.subplots(2, 1, figsize=(6.4, 8), layout="constrained")
plot.regret(runs, value="Loss", ax=top, log=True)
plot.regret(of_one, {"one a story": {s: s for s in steps}}, bottom, log=True)
bottom.set(title="SH-RLS beyond H-SVM")
plt.show()
