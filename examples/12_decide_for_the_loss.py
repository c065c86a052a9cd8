"""Which answer costs least?

The sign of a score is a yes or no, and its size expresses some confidence, but not how often the
learner is right at that score. Once this is known, the best prediction depends on the cost of
mistakes, and it is rarely the one that decides each node separately.
"""

# %%
# Articles in a taxonomy of news, on several topics at once, with much noise. `Calibrated` learns,
# while the learner learns its weights, how reliable the scores are.
import matplotlib.pyplot as plt

from river_hier import Taxonomy, datasets, decision, evaluate, linear_model, metrics

games = {"ball game": ["football", "tennis"], "water sport": ["rowing", "sailing"]}
arts = {"music": ["opera", "jazz"], "stage": ["theatre", "ballet"]}
news = Taxonomy.from_nested({"sport": games, "culture": arts, "politics": ["law", "war"]}, "news")
examples = list(datasets.synth.PrototypePaths(news, noise=0.16, seed=42).take(4000))
train, test = examples[:3000], examples[3000:]
models = {
    "H-PERC": decision.Calibrated(linear_model.HPerceptron(news)),
    "H-AROW": decision.Calibrated(linear_model.HAROW(news)),
}

# %%
# Each loss has its own best prediction; the rule of the papers decides each node separately. The
# probabilities are estimates, so decoding for one loss may be slightly better in another one.
kinds = metrics.ZeroOneLoss, metrics.HLoss, metrics.SymmetricDifferenceLoss
print(f"{'':<32}{'zero-one':>10}{'H-loss':>10}{'difference':>12}")
for name, model in models.items():
    for x, y in train:
        model.learn_one(x, y)
    deciders = {
        f"{name}, each node on its own": model.model,
        "  best for the zero-one loss": decision.ZeroOneBayes(model),
        "  best for the H-loss": decision.HLossBayes(model),
        "  best for the difference": decision.SymmetricDifferenceBayes(model),
    }
    for row, decider in deciders.items():
        found = [kind(news) for kind in kinds]
        for x, y in test:
            for metric, y_pred in zip(found, [decider.predict_one(x)] * 3, strict=True):
                metric.update(y, y_pred)
        print(f"{row:<32}{{:>10.3f}}{{:>10.3f}}{{:>12.3f}}".format(*(m.get() for m in found)))

# %%
# Do the probabilities match frequencies? Of the topics with a probability between 60 and 70 %,
# about 65 in 100 should be on. The raw scores of H-PERC are far too confident.
figure, ax = plt.subplots(figsize=(5.5, 5), layout="constrained")
ax.plot([0, 1], [0, 1], color="#999999", lw=1, label="perfectly calibrated")
calibrated = models["H-PERC"]
for name, source in {"as they come": calibrated.model, "calibrated": calibrated}.items():
    table = metrics.Reliability(news)
    for x, y in test:
        table.update(y, evaluate.Probabilities(source).predict_one(x))
    ax.plot(*zip(*(row[:2] for row in table.get().values()), strict=True), "o-", label=name)
ax.set(xlabel="probability", ylabel="frequency", xlim=(0, 1), ylim=(0, 1), aspect="equal")
ax.legend()
plt.show()
