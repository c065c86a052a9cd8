"""What does a bound say on real news?

Who is best in hindsight depends on C: with 47,236 words, some weights err nowhere. Their cost is
their norm, which the perceptron's bound adds to their hinge loss. Here are support vector machines
without a bias, fitted to 4,096 stories of RCV1, from small norms to large ones. Recorded.
"""

# %%
# The machines are those of each topic below its parent, as in H-RLS.
import os
from itertools import islice
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from river.evaluate import progressive_val_score
from sklearn.feature_extraction import DictVectorizer
from sklearn.svm import LinearSVC

from river_hier import datasets, evaluate, linear_model, losses, metrics

corpus = datasets.RCV1(Path(os.environ["RIVER_HIER_DATA"], "rcv1"))
t, size = corpus.taxonomy, 4096
stream = list(islice(corpus, size))
words = DictVectorizer()
X = words.fit_transform([x for x, _ in stream])
Y = {t.root: np.ones(size, bool)} | {v: np.array([y[v] for _, y in stream]) for v in t.nodes[1:]}


def in_hindsight(C):  # weights of each topic, from the stories whose parent topic is on
    w = dict.fromkeys(t.nodes[1:], np.zeros(X.shape[1]))
    for v in w:
        seen = Y[t.parent(v)]
        if len(set(Y[v][seen])) == 2:
            svm = LinearSVC(loss="hinge", C=C, fit_intercept=False, max_iter=20_000, random_state=0)
            w[v] = svm.fit(X[seen], Y[v][seen]).coef_[0]
    return w


loss = progressive_val_score(stream, linear_model.HPerceptron(t), metrics.HLoss(t)).get()
# %%
# The bound is least at a medium norm, and several times what H-PERC loses: it holds for all labels.
norms, found, bounds = [], [], []
print(f"\nnorm^2  H-loss in hindsight  bound of H-PERC, whose H-loss is {loss:.3f}")
for C in (0.03, 0.1, 0.3, 1, 3, 10):
    w = in_hindsight(C)
    named = {v: {words.feature_names_[j]: u[j] for j in u.nonzero()[0]} for v, u in w.items()}
    on = {v: X @ u >= 0 for v, u in w.items()}
    answers = (t.truncate([v for v in on if on[v][i]]) for i in range(size))  # type: ignore[index]
    found.append(np.mean([losses.h_loss(t, y, next(answers)) for _, y in stream]))
    norms.append(sum(u @ u for u in w.values()))
    bounds.append(evaluate.hperceptron_bound(t, named, stream) / size)
    print(f"{norms[-1]:6,.0f}{found[-1]:21.3f}{bounds[-1]:17.2f}")
_, ax = plt.subplots(figsize=(6.4, 4), layout="constrained")
ax.semilogx(norms, bounds, "o-", label="bound of H-PERC")
ax.semilogx(norms, found, "s--", label="comparator in hindsight")
ax.axhline(loss, color="C2", linestyle=":", label="H-PERC")
ax.set(xlabel="squared norm of the comparator", ylabel="H-loss of a story", ylim=0)
ax.legend()
plt.show()
