"""Can any River classifier learn in a taxonomy?

Naive Bayes, trees, perceptrons: River has many classifiers, and none of them knows a taxonomy. But
a taxonomy can be learned by several of them, each with one small question: at every inner node, or
at every level, which of the nodes below is it? We give this to classifiers that are good at very
different things, mix them, and let them stop where they are unsure.
"""

# %%
# Outdoor pictures, 7 kinds, which come with River. The taxonomy is ours: some are easily mistaken.
from river import datasets, evaluate, multiclass, naive_bayes, neighbors, preprocessing, tree
from river import linear_model as river_linear_model
from river import metrics as river_metrics

from river_hier import Taxonomy, local, metrics

stream = datasets.ImageSegments()
pictures = Taxonomy.from_nested(
    {
        "picture": {
            "sky": [],
            "foliage": [],
            "ground": ["grass", "path"],
            "building": ["brickface", "cement", "window"],
        }
    }
)
print(pictures)


def follow(model):
    """Edges between answer and truth, and accuracy, predicting before learning."""
    both = metrics.TreeInducedError(pictures) + river_metrics.Accuracy()
    evaluate.progressive_val_score(stream, preprocessing.StandardScaler() | model, both)
    return [metric.get() for metric in both]


# %%
# The classifiers as they are, and the same ones at every parent and at every level. In a flat
# taxonomy there is one parent, so that is the classifier by itself.
one_vs_rest = multiclass.OneVsRestClassifier
classifiers = {
    "naive Bayes": naive_bayes.GaussianNB(),
    "Hoeffding tree": tree.HoeffdingTreeClassifier(),
    "logistic": one_vs_rest(river_linear_model.LogisticRegression()),
    "softmax": river_linear_model.SoftmaxRegression(),
    "passive-aggressive": one_vs_rest(river_linear_model.PAClassifier()),
}
found = {
    name: {
        "by itself": follow(local.PerParent(classifier, pictures.flatten())),
        "per parent": follow(local.PerParent(classifier, pictures)),
        "per level": follow(local.PerLevel(classifier, pictures)),
    }
    for name, classifier in classifiers.items()
}
print(f"\n{'edges / accuracy':<20}" + "".join(f"{way:>16}" for way in found["softmax"]))
for name, ways in found.items():
    cells = (f"{f'{edges:.3f} / {hits:.1%}':>16}" for edges, hits in ways.values())
    print(f"{name:<20}" + "".join(cells))

# %%
# The nodes need not agree on a classifier. A mapping names some; the root's serves all the others.
mixed = {
    "picture": classifiers["passive-aggressive"],
    "building": neighbors.KNNClassifier(n_neighbors=5),
}
edges, hits = follow(local.PerParent(mixed, pictures))
print(f"\n{'neighbours inside building':<36}{f'{edges:.3f} / {hits:.1%}':>16}")

# %%
# With a threshold the way ends where no child is likely enough. The answer is coarser, and safer.
thresholds = [0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99]
precision, recall = [], []
print(f"\n{'threshold':<12}{'precision':>11}{'recall':>9}")
for threshold in thresholds:
    model = local.PerParent(classifiers["logistic"], pictures, threshold)
    both = metrics.HPrecision(pictures) + metrics.HRecall(pictures)
    evaluate.progressive_val_score(stream, preprocessing.StandardScaler() | model, both)
    precision.append(both[0].get())
    recall.append(both[1].get())
    print(f"{threshold:<12}{precision[-1]:>11.1%}{recall[-1]:>9.1%}")
