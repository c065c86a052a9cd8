"""Which answer costs least?

The sign of a score is a yes or no, and its size expresses some confidence, but not how often the
learner is right at that score. Once this is known, the best prediction depends on the cost of
mistakes, and it is rarely the one that decides each node separately.
"""

# %%
# Articles in a taxonomy of news, on several topics at once, with much noise.
from river_hier import Taxonomy, datasets, decision, evaluate, linear_model, metrics, probabilistic

games = {"ball game": ["football", "tennis"], "water sport": ["rowing", "sailing"]}
arts = {"music": ["opera", "jazz"], "stage": ["theatre", "ballet"]}
news = Taxonomy.from_nested({"sport": games, "culture": arts, "politics": ["law", "war"]}, "news")
examples = list(datasets.synth.PrototypePaths(news, noise=0.16, seed=42).take(4000))
train, test = examples[:3000], examples[3000:]

# %%
# `Calibrated` learns, while H-PERC learns its weights, how reliable the scores are.
model = decision.Calibrated(linear_model.HPerceptron(news))
for x, y in train:
    model.learn_one(x, y)

# %%
# Do these probabilities match frequencies? Of the topics with a probability between 60 and 70 %,
# about 65 in 100 should be on. The raw scores are far too confident.
models = {"as they come": model.model, "calibrated": model}
print("the frequency of topics by their probability")
reliability = {}
for name, source in models.items():
    table, error = metrics.Reliability(news), metrics.CalibrationError(news)
    for x, y in test:
        probabilities = evaluate.Probabilities(source).predict_one(x)
        table.update(y, probabilities)
        error.update(y, probabilities)
    reliability[name] = [row[:2] for row in table.get().values()]
    print(f"\n{name}: {error}\n{table}")

# %%
# Each loss has its own best prediction; the rule of the papers decides each node separately.
# H-AROW is the better learner, and decoding improves it as well. The probabilities are estimates,
# so decoding for one loss may be slightly better in another one, as in three places here.
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
        kinds = metrics.ZeroOneLoss, metrics.HLoss, metrics.SymmetricDifferenceLoss
        found = [kind(news) for kind in kinds]
        for x, y in test:
            y_pred = decider.predict_one(x)
            for metric in found:
                metric.update(y, y_pred)
        print(f"{row:<32}{{:>10.3f}}{{:>10.3f}}{{:>12.3f}}".format(*(m.get() for m in found)))

# %%
# One label per example, and a tree whose distances are the costs of mistakes: `TreeBayes`
# predicts the node with the least expected distance, which may be an inner one.
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
# Reliability as a plot.
try:
    import matplotlib.pyplot as plt
except ImportError:
    print("\nInstall matplotlib to see this as a picture.")
else:
    figure, axes = plt.subplots(figsize=(5.5, 5), layout="constrained")
    axes.plot([0, 1], [0, 1], color="#999999", lw=1, label="perfectly calibrated")
    for (name, rows), color in zip(reliability.items(), ("#D55E00", "#0072B2"), strict=True):
        axes.plot(*zip(*rows, strict=True), "o-", color=color, label=name)
    axes.set(xlabel="probability", ylabel="frequency")
    axes.set(xlim=(0, 1), ylim=(0, 1), title="Are probabilities frequencies?", aspect="equal")
    axes.legend(loc="upper left")
    plt.show()
