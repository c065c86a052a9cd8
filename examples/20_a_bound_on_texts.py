"""What does a bound say on news and medical abstracts?

With thousands of words, some weights err nowhere in hindsight. Their price is their norm, which the
bound of H-PERC adds to their hinge loss. How far is it above what H-PERC really loses? Recorded
with support vector machines without a bias, from small norms to large ones.
"""

# %%
# There is one for each label below its parent. Two empty texts are added, one of each class.
import os

import matplotlib.pyplot as plt
import numpy as np
from river.evaluate import progressive_val_score
from sklearn.feature_extraction import DictVectorizer
from sklearn.svm import LinearSVC

from river_hier import datasets, evaluate, linear_model, losses, metrics
from river_hier.feature_extraction import STOP_WORDS, LogTFIDF

data, found, names = os.environ["RIVER_HIER_DATA"], dict[str, tuple](), DictVectorizer()
svm = LinearSVC(loss="hinge", fit_intercept=False, max_iter=20_000, random_state=0)


def show(title, t, stream, costs):
    loss = progressive_val_score(stream, linear_model.HPerceptron(t), metrics.HLoss(t)).get()
    print(f"\n{title}, H-loss {loss:.2f}\nnorm^2  in hindsight  bound")
    X, found[title] = names.fit_transform([{}, {}, *(x for x, _ in stream)]), (loss, [])
    Y = {v: np.array([True, False, *(y.get(v, True) for _, y in stream)]) for v in t}
    seen = {v: [0, 1, *Y[t.parent(v)].nonzero()[0]] for v in t.nodes[1:]}
    for C in costs:
        w = {v: svm.set_params(C=C).fit(X[i], Y[v][i]).coef_[0] for v, i in seen.items()}
        named = {v: {names.feature_names_[j]: u[j] for j in u.nonzero()[0]} for v, u in w.items()}
        on = {v: X[2:] @ u >= 0 for v, u in w.items()}
        answers = (t.truncate([v for v in on if on[v][i]]) for i in range(len(stream)))
        best = np.mean([losses.h_loss(t, y, next(answers)) for _, y in stream])
        bound = evaluate.hperceptron_bound(t, named, stream) / len(stream)
        found[title][1].append((sum(u @ u for u in w.values()), best, bound))
        print("{:6,.0f}{:14.2f}{:7.2f}".format(*found[title][1][-1]))


# %%
# Bounds are least at a medium norm, and several times what H-PERC loses: they hold for all labels.
news = datasets.RCV1(f"{data}/rcv1").take(4096)
show("RCV1", news.taxonomy, list(news), (0.03, 0.1, 0.3, 1, 3, 10))
abstracts, words = datasets.OHSUMED(f"{data}/ohsumed", "A"), LogTFIDF(["title", "body"], STOP_WORDS)
t = abstracts.taxonomy.subset({v for _, y in abstracts for v in y if y[v]})
for x, _ in abstracts:
    words.learn_one(x)
records = [(words.transform_one(x), {v: y[v] for v in t.nodes[1:]}) for x, y in abstracts]
show("OHSUMED", t, records, (0.03, 0.1, 0.3, 1, 3))  # with 10, all margins are met as with 3
_, axes = plt.subplots(2, 1, figsize=(6.4, 8), layout="constrained")
for ax, (title, (loss, rows)) in zip(axes, found.items(), strict=True):
    norms, *curves = zip(*rows, strict=True)
    ax.semilogx(norms, np.transpose(curves), "o-", label=["in hindsight", "bound"], subs=[])
    ax.axhline(loss, color="C2", linestyle=":", label="H-PERC")
    ax.set(title=title, xlabel="squared norm of the comparator", ylabel="H-loss", ylim=0)
    ax.set_xticks(norms[:-1], [f"{norm:,.0f}" for norm in norms[:-1]])
axes[0].legend()
plt.show()
