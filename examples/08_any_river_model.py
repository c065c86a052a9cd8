"""Can any River classifier learn in a taxonomy?

Naive Bayes, trees, perceptrons: none of River's many classifiers knows about taxonomies. But
several of them can learn one together if each has a small task: to choose one of the children of
an inner node, or one of the nodes at a level. Does this bring the answers closer to the truth?
"""

# %%
# Outdoor images of 7 kinds, which are included in River. The taxonomy is ours: it says that grass
# and a path are more alike than grass and the sky.
import matplotlib.pyplot as plt
from river import datasets as river_datasets
from river import evaluate, multiclass, naive_bayes, neighbors, preprocessing, tree
from river import linear_model as river_linear_model
from river import metrics as river_metrics

from river_hier import Taxonomy, local, metrics

stream = list(river_datasets.ImageSegments().take(700))
ground, building = ["grass", "path"], ["brickface", "cement", "window"]
kinds = {"sky": [], "foliage": [], "ground": ground, "building": building}
pictures = Taxonomy.from_nested({"picture": kinds})

# %%
# Any multiclass classifier or pipeline can be used: by itself (`PerParent` with a flat taxonomy,
# which has one parent), at every parent, and at every level. In the last row, `mixed` has a
# classifier of its own for a node; that of the root is the default.
one_vs_rest = multiclass.OneVsRestClassifier
passive = one_vs_rest(river_linear_model.PAClassifier())
classifiers: dict = {
    "naive Bayes": naive_bayes.GaussianNB(),
    "Hoeffding tree": tree.HoeffdingTreeClassifier(),
    "logistic": one_vs_rest(river_linear_model.LogisticRegression()),
    "softmax": river_linear_model.SoftmaxRegression(),
    "passive-aggressive": passive,
    "neighbours": neighbors.KNNClassifier(n_neighbors=5),
}
scaled = {name: preprocessing.StandardScaler() | last for name, last in classifiers.items()}
mixed = {"picture": scaled["passive-aggressive"], "building": scaled["neighbours"]}
errors: dict = {"by itself": {}, "per parent": {}, "per level": {}}
for way, found in errors.items():
    make = local.PerLevel if way == "per level" else local.PerParent
    taxonomy = pictures.flatten() if way == "by itself" else pictures
    for name, one in (scaled | ({"mixed": mixed} if way == "per parent" else {})).items():
        both = metrics.TreeInducedError(pictures) + river_metrics.Accuracy()
        evaluate.progressive_val_score(stream, make(one, taxonomy), both)
        found[name], hits = (metric.get() for metric in both)
        print(f"{name:<20}{way:<12}{found[name]:>7.3f} edges from the truth, {hits:>6.1%} right")

# %%
# The taxonomy brings all of them closer to the truth but for the neighbours, which are the closest.
figure, ax = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
for (way, found), style in zip(errors.items(), ("ks", "o", "^"), strict=True):
    ax.plot(list(found.values()), list(found), style, fillstyle="none", markersize=9, label=way)
ax.set(xlabel="tree-induced error (edges)", ylabel="classifier", xlim=(0, 1))
ax.legend()
plt.show()
