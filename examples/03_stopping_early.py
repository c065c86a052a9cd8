"""Can a model stop early when it is unsure?

A label at the bottom of a taxonomy is informative but easily wrong; its ancestors are less
informative but safer. Multilabel models predict coherent sets of nodes: `sport` alone is a valid
prediction, `sport > ball game` is more specific. So a model can be specific where it is certain,
and stop where it is not. Where should it stop?
"""

# %%
# Articles in a taxonomy of news. Labels are drawn top-down, and the probability of each node is
# linear in the features. Many true paths end early, and no model can predict all of them.
from itertools import islice

from river import evaluate

from river_hier import Taxonomy, datasets, linear_model, metrics

news = Taxonomy.from_nested(
    {
        "sport": {"ball game": ["football", "tennis"], "water sport": ["rowing", "sailing"]},
        "culture": {"music": ["opera", "jazz"], "stage": ["theatre", "ballet"]},
        "politics": {"at home": ["elections", "courts"], "abroad": ["treaties", "wars"]},
    },
    root="news",
)
articles = datasets.synth.LinearLabels(news, n_features=2, seed=42)
stream = articles.take(2000)

# %%
# H-RLS visits a node only if its parent is on, so it stops where no child is on. How often is it
# right at each depth, and how many mistakes does it make there whose ancestors are all right?
model = linear_model.HRLS(news)
by_depth = metrics.DepthAccuracy(news) + metrics.HLossByDepth(news)
evaluate.progressive_val_score(stream, model, by_depth)
print(news, *by_depth, sep="\n\n")


# %%
# Its probabilities express its certainty. No node is more probable than its parent, so the nodes
# above a threshold form a coherent prediction. The higher the threshold, the earlier it stops.
def at_least(threshold, p):
    return frozenset(label for label in p if p[label][True] >= threshold)


x, y = next(islice(articles, 2003, None))  # an article that the model has not seen
p = model.predict_proba_one(x)
answers = [news.closure(y), *(at_least(t, p) for t in (0.3, 0.6, 0.9))]
print(f"\n{'an article':<15}{'true':>8}{'p':>8}{'p >= 0.3':>11}{'p >= 0.6':>11}{'p >= 0.9':>11}")
for label in sorted(frozenset.union(*answers) - {news.root}, key=news.path):
    true, *shown = ("on" if label in answer else "-" for answer in answers)
    name = "  " * (news.depth(label) - 1) + label
    print(f"{name:<15}{true:>8}{p[label][True]:>8.2f}" + "".join(f"{on:>11}" for on in shown))

# %%
# Over the whole stream, predicting before learning. Precision is the fraction of predicted nodes
# that are true, recall the fraction of true nodes that are predicted, F1 their harmonic mean.
thresholds = [t / 10 for t in range(1, 10)]
rules = {"own rule": None} | {f"p >= {t}": t for t in thresholds}
scores = {r: metrics.HPrecision(news) + metrics.HRecall(news) + metrics.HF1(news) for r in rules}
ends = {rule: [0] * (news.height + 1) for rule in rules}  # predictions by depth
model = linear_model.HRLS(news)
for x, y in stream:
    p, own = model.predict_proba_one(x), news.closure(model.predict_one(x))
    for rule, threshold in rules.items():
        answer = at_least(threshold, p) if threshold else own
        scores[rule].update(y, answer)
        ends[rule][max(map(news.depth, answer), default=0)] += 1
    model.learn_one(x, y)

print(f"\n{'':<12}{'precision':>11}{'recall':>9}{'F1':>8}{'mean depth':>13}")
for rule, score in scores.items():
    depth = sum(d * n for d, n in enumerate(ends[rule])) / sum(ends[rule])
    print(f"{rule:<12}{{:>11.1%}}{{:>9.1%}}{{:>8.1%}}{depth:>13.2f}".format(*score.get()))

# %%
# Each threshold is a point on the left: predicting fewer nodes increases the precision. The
# model's own rule is one compromise among these. On the right, the depth of the predictions.
try:
    import matplotlib.pyplot as plt
except ImportError:
    print("\nInstall matplotlib to see this as a picture.")
else:
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    precision, recall, _ = zip(*(score.get() for score in scores.values()), strict=True)
    left.plot(recall[1:], precision[1:], "o-", color="#0072B2", label="a threshold on p")
    left.plot(recall[0], precision[0], "*", color="#D55E00", ms=13, label="the model's own rule")
    for threshold, *at in zip(thresholds, recall[1:], precision[1:], strict=True):
        left.annotate(f"{threshold}", at, xytext=(5, 4), textcoords="offset points")
    left.set(xlabel="hierarchical recall", ylabel="hierarchical precision")
    left.set(xlim=(0, 1.03), ylim=(0, 1.03), title="What stopping early buys")
    left.legend(loc="lower left")
    shares = [[n / sum(ends[rule]) for n in ends[rule][::-1]] for rule in [*rules][1:]]
    styles = {"colors": ["#08519c", "#4292c6", "#9ecae1", "#a0a0a0"]}
    styles["labels"] = ["depth 3", "depth 2", "depth 1", "nothing"]
    right.stackplot(thresholds, *zip(*shares, strict=True), **styles)
    right.set(xlabel="threshold on p", ylabel="share of the answers", title="Where answers end")
    right.set(xlim=(0.1, 0.9), ylim=(0, 1))
    right.legend(reverse=True, loc="lower left", bbox_to_anchor=(1.02, 0.3))
    plt.show()
