"""What does a person get to read?

A desk that receives articles does not want 21 bits, but the likeliest topics, an answer that stops
where the model would only guess, and a reason. All of that is asked of a model that has learned
already: how deep an answer goes is decided when it is given, as often as you like.
"""

# %%
# Articles are bags of words. Each topic has words of its own, most words of an article come from
# its topic and from those above it, and the others say nothing.
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
# One article more. Which labels are likely, and where does an answer stop that must be right with
# some probability? The keywords go through the pipeline as they are.
x, y = next((x, y) for x, y in stream[2000:] if model.predict_one(x) != y)
print(f"true: {' > '.join(news.path(y))}\n")
for path, p in inspection.top_one(model, x, k=3):
    print(f"{p:>6.1%}  {' > '.join(path)}")
print()
for p in (0.4, 0.6, 0.8, 0.95):
    print(f"at least {p:.0%} sure: {model.predict_one(x, threshold=p)}")
print(f"at most one step down: {model.predict_one(x, max_depth=1)}")

# %%
# Does it pay? The other articles, with thresholds: how many answers are true, which an ancestor of
# the label is, too, how deep they go, and how far from the label they are.
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
# Why? The words that speak for each node of the answer, and before it the best that lost. What is
# built around a model has no weights, so the reasons are those of the model inside.
inside = preprocessing.Normalizer() | model["Tempered"].model
for label, why in inspection.explain_one(inside, x).items():
    words = ", ".join(f"{word} {part:+.2f}" for word, part in why.parts[:3])
    mark = "->" if why.on else "  "
    print(f"{mark} {'  ' * news.depth(label)}{label}: {why.score:.2f}   {words}")

# %%
# The probability of each topic, with all that is below it, as a picture.
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
