"""Can any River classifier learn in a taxonomy?

Naive Bayes, trees, perceptrons: none of River's many classifiers knows about taxonomies. But
several of them can learn one together if each has a small task: to choose one of the children of
an inner node, or one of the nodes at a level. We use very different classifiers, mix them, and let
them stop where they are uncertain.
"""

# %%
# Outdoor images of 7 kinds, which are included in River. The taxonomy is ours: it says that grass
# and a path are more alike than grass and the sky.
from river import datasets as river_datasets
from river import evaluate, multiclass, naive_bayes, neighbors, preprocessing, tree
from river import linear_model as river_linear_model
from river import metrics as river_metrics

from river_hier import Taxonomy, local, metrics

*stream, (new_x, new_y) = river_datasets.ImageSegments().take(701)
kinds = {
    "sky": [],
    "foliage": [],
    "ground": ["grass", "path"],
    "building": ["brickface", "cement", "window"],
}
pictures = Taxonomy.from_nested({"picture": kinds})

# %%
# Any multiclass classifier or pipeline can be used. Here each is used by itself (as `PerParent`
# with a flat taxonomy, which has one parent), at every parent, and at every level.
one_vs_rest = multiclass.OneVsRestClassifier
classifiers = {
    "naive Bayes": naive_bayes.GaussianNB(),
    "Hoeffding tree": tree.HoeffdingTreeClassifier(),
    "logistic": one_vs_rest(river_linear_model.LogisticRegression()),
    "softmax": river_linear_model.SoftmaxRegression(),
    "passive-aggressive": one_vs_rest(river_linear_model.PAClassifier()),
}
pipelines = {name: preprocessing.StandardScaler() | last for name, last in classifiers.items()}
ways = {
    "by itself": lambda pipeline: local.PerParent(pipeline, pictures.flatten()),
    "per parent": lambda pipeline: local.PerParent(pipeline, pictures),
    "per level": lambda pipeline: local.PerLevel(pipeline, pictures),
}


def follow(model):
    """Edges between answer and truth, and accuracy, predicting before learning."""
    both = metrics.TreeInducedError(pictures) + river_metrics.Accuracy()
    evaluate.progressive_val_score(stream, model, both)
    return [metric.get() for metric in both]


print(f"{'edges / accuracy':<24}" + "".join(f"{way:>16}" for way in ways))
found = {}
for name, pipeline in pipelines.items():
    found[name] = {way: follow(local_model(pipeline)) for way, local_model in ways.items()}
    cells = (f"{f'{edges:.3f} / {hits:.1%}':>16}" for edges, hits in found[name].values())
    print(f"{name:<24}" + "".join(cells))

# %%
# The nodes may have different classifiers. A mapping assigns some; the root's is the default.
neighbours = preprocessing.StandardScaler() | neighbors.KNNClassifier(n_neighbors=5)
mixed = {"picture": pipelines["passive-aggressive"], "building": neighbours}
edges, hits = follow(local.PerParent(mixed, pictures))
print(f"{'  neighbours in building':<24}{'':>16}{f'{edges:.3f} / {hits:.1%}':>16}")

# %%
# With a threshold, the path ends where no child is probable enough. The prediction is less specific
# but safer: precision is the fraction of predicted nodes that are true, recall that of true nodes.
thresholds, curve = [0.0, 0.4, 0.5, 0.6, 0.7, 0.8], []
print(f"\n{'threshold':<24}{'precision':>16}{'recall':>16}")
for threshold in thresholds:
    model = local.PerParent(pipelines["softmax"], pictures, threshold)
    both = metrics.HPrecision(pictures) + metrics.HRecall(pictures)
    evaluate.progressive_val_score(stream, model, both)
    curve.append([metric.get() for metric in both])
    print(f"{threshold:<24}{{:>16.1%}}{{:>16.1%}}".format(*curve[-1]))
print(f"\nThe last of them, asked about one more picture: {new_y}\n{model.debug_one(new_x)}")

# %%
# On the left, the error of each classifier by itself and in the taxonomy; on the right, the
# thresholds.
try:
    import matplotlib.pyplot as plt
except ImportError:
    print("\nInstall matplotlib to see this as a picture.")
else:
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    for way, style in {"by itself": "ks", "per parent": "o", "per level": "^"}.items():
        x = [each[way][0] for each in found.values()]
        left.plot(x, list(found), style, fillstyle="none", markersize=9, label=way)
    left.set(xlabel="tree-induced error (edges)", ylabel="classifier", xlim=(0, 1), ylim=(5, -1))
    left.legend(frameon=False, loc="lower left")
    right.plot(*zip(*((recall, precision) for precision, recall in curve), strict=True), "o-")
    for threshold, (precision, recall) in zip(thresholds, curve, strict=True):
        right.annotate(f"{threshold}", (recall, precision), (5, 4), textcoords="offset points")
    right.set(xlabel="hierarchical recall", ylabel="hierarchical precision")
    right.set(title="What a threshold buys", xmargin=0.12, ymargin=0.12)
    plt.show()
