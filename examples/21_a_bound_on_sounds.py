"""What does a bound say on sounds?

A theorem on `Hieron` assumes weights without errors. Where there are none, the losses of a
comparator are added, and its norm is a price. How large is what the bound then allows, and how
large the error? Recorded with 3,668 segments of speech by twelve speakers of TIMIT.
"""

# %%
# Segments have mean cepstra, standardised, of norm 1. Steps are capped by the C for which the bound
# has the best constants: one over the root of the largest distance, 7.
import os
from pathlib import Path

import matplotlib.pyplot as plt
from river import preprocessing
from river.evaluate import progressive_val_score

from river_hier import datasets, evaluate, linear_model, metrics

folder = Path(os.environ["RIVER_HIER_DATA"], "timit")
corpus = datasets.TIMITSegments(folder, sentences=("si", "sx"))
t, segments, cap = corpus.taxonomy, list(corpus), 7**-0.5
scaler = preprocessing.StandardScaler()
for x, _ in segments:
    scaler.learn_one(x)
unit = scaler | preprocessing.Normalizer()
stream = [(unit.transform_one(x), y) for x, y in segments]
metric = metrics.TreeInducedError(t)
error = progressive_val_score(stream, linear_model.Hieron(t, C=cap), metric.clone()).get()

# %%
# The comparators answer as Hieron does: with the label of the largest sum along its path.
norms, found, bounds = [], [], []


def answer(w, x):
    sums = {t.root: 0.0}
    for parent, v in t.edges:
        sums[v] = sums[parent] + sum(w[v][name] * value for name, value in x.items())
    return max(sums, key=sums.__getitem__)


print(f"\nnorm^2  in hindsight  bound of Hieron, whose error is {error:.2f}")
for C in (0.003, 0.01, 0.03, 0.1, 0.3, 1):
    w, best = evaluate.hieron_weights(t, stream, C, n_passes=20), metric.clone()
    for x, y in stream:
        best.update(y, answer(w, x))
    norms.append(sum(a * a for u in w.values() for a in u.values()))
    found.append(best.get())
    bounds.append(evaluate.hieron_bound(t, w, stream, cap) / len(stream))
    print(f"{norms[-1]:6.0f}{found[-1]:14.2f}{bounds[-1]:7.2f}")
# %%
# The bound is above 7, which no answer exceeds: on such sounds it says nothing about one pass.
_, ax = plt.subplots(figsize=(6.4, 4), layout="constrained")
ax.semilogx(norms, bounds, "o-", label="bound of Hieron")
ax.semilogx(norms, found, "s--", label="comparator in hindsight")
ax.axhline(error, color="C2", linestyle=":", label="Hieron")
ax.set(xlabel="squared norm of the comparator", ylabel="tree-induced error", ylim=0)
ax.legend()
plt.show()
