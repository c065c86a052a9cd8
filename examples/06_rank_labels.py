"""Which labels come first, while examples are few?

An editor who files articles wants a short list of topics with the most likely ones on top, rather
than a yes or no for each. A label ranker learns exactly this: to rank relevant labels above the
others. `HMinOver` ranks the leaves of a taxonomy. The score of a leaf is the sum of the scores
along its path, so what is learned about one topic helps related ones. How much does that help?
"""

# %%
# Articles with one or two topics. Each topic has its own words, and shares others with its
# subject. The taxonomy represents this; a flat list of labels does not.
import random

from river import evaluate as river_evaluate

from river_hier import Taxonomy, batch, evaluate, linear_model, metrics

news = Taxonomy.from_nested(
    {
        "sport": {"ball game": ["football", "tennis"], "water sport": ["rowing", "sailing"]},
        "culture": {"music": ["opera", "jazz"], "stage": ["theatre", "ballet"]},
        "politics": {"at home": ["elections", "courts"], "abroad": ["treaties", "wars"]},
    },
    root="news",
)


def articles(n, seed):
    """Thirty words each: of every node on the way to a topic, and any words."""
    rng = random.Random(seed)
    for _ in range(n):
        topics = set(rng.sample(news.leaves, rng.choice([1, 1, 2])))
        nodes = sorted(news.closure(topics))
        words = [f"{rng.choice(nodes)} {rng.randrange(20)}" for _ in range(12)]
        words += [f"any {rng.randrange(200)}" for _ in range(18)]
        x: dict = {word: len(set(words)) ** -0.5 for word in words}
        yield x, topics


# %%
# River evaluates what `predict_one` returns; `Ranked` makes a model return scores, which ranking
# metrics need. The maximal loss is the distance, in edges, of the worst misordered pair of labels.
model = linear_model.HMinOver(news)
measures = metrics.OneAccuracy(news) + metrics.AveragePrecision(news) + metrics.MaximalLoss(news)
river_evaluate.progressive_val_score(articles(1000, seed=42), evaluate.Ranked(model), measures)
print("one pass over 1,000 articles", *measures, sep="\n  ")

# %%
# A threshold on the scores, which is learned as well, determines the number of predicted topics.
x, y = next(articles(1, seed=7))
scores, answer = model.score_one(x), model.predict_one(x)
print(f"\nan article on {' and '.join(sorted(y))}; the threshold is {model.threshold_one(x):.2f}")
for label in sorted(news.leaves, key=lambda label: -scores[label])[:4]:
    print(f"  {label:<10}{scores[label]:>7.2f}  {'on' if answer[label] else '-'}")

# %%
# Now with a fixed list of articles, which `BatchHMinOver` visits until all are ranked correctly.
# Flat is the same class with a flat taxonomy. Both are tested on 200 other articles, five times.
sizes, seeds = (10, 20, 40, 80, 160), range(5)
ways = (("with the tree", news, None), ("flat", news.flatten(), news.leaves))
test = list(articles(200, seed=42))
curves: dict = {"with the tree": [], "flat": []}
for n in sizes:
    for name, taxonomy, candidates in ways:
        both = metrics.MaximalLoss(news) + metrics.RankingLoss(news)
        for seed in seeds:
            ranker = batch.BatchHMinOver(taxonomy, candidates=candidates)
            ranker.fit(list(articles(n, seed)))
            for x, y in test:
                both.update(y, ranker.score_one(x))
        curves[name].append(both.get())

for i, measure in enumerate(("maximal loss, edges", "misordered pairs, %")):
    print(f"\n{measure:<24}" + "".join(f"{n:>7}" for n in sizes))
    for name, curve in curves.items():
        print(f"  {name:<22}" + "".join(f"{(1, 100)[i] * values[i]:>7.2f}" for values in curve))

# %%
# With the tree, both losses are lower for every number of articles, least so for the largest.
try:
    import matplotlib.pyplot as plt
except ImportError:
    print("\nInstall matplotlib to see this as a picture.")
else:
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
    styles = {"with the tree": ("#0072B2", "o-"), "flat": ("#D55E00", "s--")}
    for name, curve in curves.items():
        color, line = styles[name]
        for ax, values in zip(axes, zip(*curve, strict=True), strict=True):
            ax.plot(sizes, values, line, color=color, label=name)
    for ax in axes:  # after all curves have been drawn, since the highest point sets the scale
        ax.set(xlabel="articles to learn from", xscale="log", ylim=(0, None))
        ax.set_xticks(sizes, sizes)
        ax.minorticks_off()
    axes[0].set(ylabel="maximal loss (edges)")
    axes[1].set(ylabel="share of pairs misordered")
    axes[0].legend(frameon=False)
    plt.show()
