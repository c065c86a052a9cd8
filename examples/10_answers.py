"""What does a person get to read?

A news desk does not want 21 bits per article, but the most likely topics, a prediction that stops
where the model would only guess, and an explanation. All of these are available from any trained
model: the depth of a prediction is chosen when predicting.
"""

# %%
# Articles are bags of words. Each topic has its own words. Most words of an article come from its
# topic and the topics above it; the others are noise.
import random

from river import preprocessing

from river_hier import Taxonomy, decision, inspection, linear_model, metrics

news = Taxonomy.from_nested(
    {
        "sport": {"ball game": ["football", "tennis"], "water sport": ["rowing", "sailing"]},
        "culture": {"music": ["opera", "jazz"], "stage": ["theatre", "ballet"]},
        "politics": {"at home": ["elections", "courts"], "abroad": ["treaties", "wars"]},
    },
    root="news",
)


def article(rng):
    topic = rng.choice(news.leaves)
    words = [f"{rng.choice(news.path(topic)[1:])} {rng.randrange(12)}" for _ in range(7)]
    words += [f"{rng.choice(news.nodes[1:])} {rng.randrange(12)}" for _ in range(9)]
    return {word: float(words.count(word)) for word in words}, topic


rng = random.Random(42)
stream = [article(rng) for _ in range(3000)]
model = preprocessing.Normalizer() | decision.Tempered(linear_model.AveragedHieron(news))
for x, y in stream[:2000]:
    model.learn_one(x, y)

# %%
# A new article. Which labels are likely, and where does a prediction stop that must be right with
# a given probability? The parameters are passed through the pipeline.
x, y = next((x, y) for x, y in stream[2000:] if model.predict_one(x) != y)
print(f"true: {' > '.join(news.path(y))}\n")
for path, p in inspection.top_one(model, x, k=3):
    print(f"{p:>6.1%}  {' > '.join(path)}")
print()
for p in (0.4, 0.6, 0.8, 0.95):
    print(f"at least {p:.0%} sure: {model.predict_one(x, threshold=p)}")
print(f"at most one step down: {model.predict_one(x, max_depth=1)}")

# %%
# Is it worthwhile? For the other articles and several thresholds: how many predictions are true
# (an ancestor of the label counts as well), how deep they are, and their distance to the label.
print(f"\n{'':<12}{'true':>8}{'depth':>8}{'distance':>11}")
for threshold in (None, 0.5, 0.6, 0.7, 0.8, 0.9):
    error, true, depth = metrics.TreeInducedError(news), 0, 0
    for x_new, y_new in stream[2000:]:
        answer = model.predict_one(x_new, threshold=threshold)
        error.update(y_new, answer)
        true += answer in news.path(y_new)
        depth += news.depth(answer)
    name = "own rule" if threshold is None else f"p >= {threshold}"
    print(f"{name:<12}{true / 1000:>8.1%}{depth / 1000:>8.2f}{error.get():>11.3f}")

# %%
# Why? The words with the largest contributions at each node of the prediction and, before it, at
# the best node that was not chosen. A wrapper has no weights of its own, so the explanation is
# that of the model inside.
inside = preprocessing.Normalizer() | model["Tempered"].model
for label, why in inspection.explain_one(inside, x).items():
    words = ", ".join(f"{word} {part:+.2f}" for word, part in why.contributions[:3])
    mark = "->" if why.on else "  "
    print(f"{mark} {'  ' * news.depth(label)}{label}: {why.score:.2f}   {words}")

# %%
# The probability of each topic, including everything below it, as a plot.
try:
    import matplotlib.pyplot as plt

    from river_hier import plot
except ImportError:
    print("\nInstall matplotlib to see this as a picture.")
else:
    p = model.predict_proba_one(x)
    likely = {v: sum(p[u] for u in news.subtree(v)) for v in news}
    ax = plot.taxonomy(news, likely, label="probability of the topic or one below it")
    ax.set(title=f"An article on {y}", xlabel="coarse → fine", ylabel="topics")
    plt.show()
