"""Which answer costs least?

A score of a margin learner says yes or no, and a larger one says it louder; how often the learner
is right at that score is another matter. Once that is known, the best answer depends on what
mistakes cost, and it is rarely the one that asks each node on its own.
"""

# %%
# Articles in a taxonomy of news, on several topics at once, and very noisy.
from river_hier import Taxonomy, datasets, decision, linear_model, metrics, probabilistic

games = {"ball game": ["football", "tennis"], "water sport": ["rowing", "sailing"]}
arts = {"music": ["opera", "jazz"], "stage": ["theatre", "ballet"]}
news = Taxonomy.from_nested({"sport": games, "culture": arts, "politics": ["law", "war"]}, "news")
examples = list(datasets.synth.PrototypePaths(news, noise=0.16, seed=42).take(4000))
train, test = examples[:3000], examples[3000:]

# %%
# H-PERC learns its weights, and `Calibrated` along the way how far its scores can be trusted.
model = decision.Calibrated(linear_model.HPerceptron(news))
for x, y in train:
    model.learn_one(x, y)

# %%
# Are these probabilities frequencies? Of all the times that a topic was held for 60 to 70 % likely,
# it should have been on in 65 of 100. The scores as they come promise far more than they keep.
BINS = 10
said = {"as they come": model.model, "calibrated": model}
print("how often topics are on, by how likely they were said to be")
print(f"\n{'said':<14}" + "".join(f"{(i + 0.5) / BINS:>7.0%}" for i in range(BINS)))
reliability = {}
for name, speaker in said.items():
    counts, hits = [0] * BINS, [0] * BINS
    for x, y in test:
        for topic, p in speaker.predict_proba_one(x).items():
            i = min(int(p[True] * BINS), BINS - 1)
            counts[i] += 1
            hits[i] += y[topic]
    reliability[name] = [h / max(c, 1) for h, c in zip(hits, counts, strict=True)]
    print(f"{name:<14}" + "".join(f"{share:>7.0%}" for share in reliability[name]))

# %%
# Each loss has its best answer; the papers' rule asks each node on its own. H-AROW is the better
# learner, and deciding for the loss helps it as well.
print(f"\n{'':<32}{'zero-one':>10}{'H-loss':>10}{'difference':>12}")
for name, learner in (("H-PERC", linear_model.HPerceptron), ("H-AROW", linear_model.HAROW)):
    model = decision.Calibrated(learner(news))
    for x, y in train:
        model.learn_one(x, y)
    answers = {
        f"{name}, each node on its own": model.model,
        "  best for the zero-one loss": decision.ZeroOneBayes(model),
        "  best for the H-loss": decision.HLossBayes(model),
        "  best for the difference": decision.SymmetricDifferenceBayes(model),
    }
    for row, decider in answers.items():
        found = (
            metrics.ZeroOneLoss(news),
            metrics.HLoss(news),
            metrics.SymmetricDifferenceLoss(news),
        )
        for x, y in test:
            y_pred = decider.predict_one(x)
            for metric in found:
                metric.update(y, y_pred)
        print(f"{row:<32}{{:>10.3f}}{{:>10.3f}}{{:>12.3f}}".format(*(m.get() for m in found)))

# %%
# One label an example, and a tree whose distances are what mistakes cost: `TreeBayes` answers with
# the node nearest to all that a classifier holds for likely, be it an inner one.
tree = datasets.synth.PrototypeTree(branching=3, depth=3, noise=0.16, seed=42)
t = tree.taxonomy
classifier = probabilistic.LinearDiscriminant(t)
near = decision.TreeBayes(classifier, t)
print()
distances = {"the likeliest label": 0, "the nearest to all": 0}
for i, (x, y) in enumerate(tree.take(3000)):
    if i >= 2000:
        for name, decider in zip(distances, (classifier, near), strict=True):
            distances[name] += t.distance(y, decider.predict_one(x))
    classifier.learn_one(x, y)
for name, sum_ in distances.items():
    print(f"{name:<32}{sum_ / 1000:>10.3f} edges from the truth")

# %%
# The reliability as a picture.
try:
    import matplotlib.pyplot as plt
except ImportError:
    print("\nInstall matplotlib to see this as a picture.")
else:
    figure, axes = plt.subplots(figsize=(5.5, 5), layout="constrained")
    axes.plot([0, 1], [0, 1], color="#999999", lw=1, label="as often as said")
    for (name, shares), color in zip(reliability.items(), ("#D55E00", "#0072B2"), strict=True):
        axes.plot([(i + 0.5) / BINS for i in range(BINS)], shares, "o-", color=color, label=name)
    axes.set(xlabel="said to be on with probability", ylabel="share that was on")
    axes.set(xlim=(0, 1), ylim=(0, 1), title="Are probabilities frequencies?", aspect="equal")
    axes.legend(loc="upper left")
    plt.show()
