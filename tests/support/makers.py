"""The table of all public models: how to make each in a taxonomy, and what it refuses.

A new model is a row here. The tests of the whole package take their models from this table.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from river import linear_model as river_linear_model
from river import naive_bayes, preprocessing

from river_hier import (
    decision,
    drift,
    ensemble,
    evaluate,
    forest,
    induction,
    kernel,
    linear_model,
    local,
    probabilistic,
    stream,
)
from river_hier.base.classifiers import last_step

Make = Callable[[Any], Any]  # a model from a taxonomy; a wrapper from a model
LOGISTIC = river_linear_model.LogisticRegression()
SOFTMAX = river_linear_model.SoftmaxRegression()


@dataclass(frozen=True)
class Row:
    """A model that is made in a taxonomy, or a wrapper around that of another row."""

    make: Make
    several: bool = False  # labels
    refuses: dict[str, str] = field(default_factory=dict)  # joints, and what is said of them
    inside: "Row | None" = None  # that of the model in a wrapper
    late: str = ""  # why a class that comes late needs more examples than an early one
    # Values of each parameter of a linear learner, or functions of the taxonomy.
    varied: tuple[dict[str, Any], ...] = ()

    def __call__(self, taxonomy):
        return self.make(self.inside(taxonomy) if self.inside else taxonomy)

    def y(self, label):
        """A label as the model learns it."""
        return {label} if self.several else label

    @property
    def methods(self):
        """Those that answer for one x."""
        if "answers" in self.refuses:
            return ["predict_one"]
        scores = [] if "scores" in self.refuses else ["score_one"]
        return ["predict_one", "predict_proba_one", *scores, *["predict_labels_one"] * self.several]


# The joints that some models refuse: a DAG, an open taxonomy, weights, `adopt`, `forget`, batches
# or those that are their loop, merging, a pipeline inside, scores; answers that are no labels. All
# others must work.
TREE = {"dag": "has 2 parents"}
CLOSED = {"open": "`taxonomy` must be a Taxonomy"}
READ = {"bad x": "a classifier of River reads it"}
WEIGHTS = {"weights": "takes no weights"}
MERGE = {"merge": "must be models that can be merged"}
FORGET = {"forget": "has no attribute 'forget'"}
KERNEL = {"merge": "must be models that can be merged", "forget": "cannot forget a branch"}
ANSWERS = {"answers": "numbers of labels"}
BATCH = {"batch": "has no attribute 'learn_many'"}
LOOP = {"loop": "blocks of rows, whose features it scales alike"}
SCORES = {"scores": "has no attribute 'score_one'"}
ADOPT = {"adopt": "has no attribute 'adopt'"}
PIPELINE = {"pipeline": "put the average into the pipeline"}
SQUARES = "every example in which the class is off counts"
FREQUENCIES = "the classifiers estimate frequencies from all examples"
MANY = "neighbours of an early class are many"


def one(make, *refuses, late="", varied=()):
    return Row(make, False, TREE | _all(refuses), None, late, varied)


def several(make, *refuses, late="", varied=()):
    return Row(make, True, _all(refuses), None, late, varied)


def around(inside, make, *refuses, late=""):
    """A wrapper, of the kind of the model inside, which refuses all that this one refuses."""
    refused = inside.refuses | _all(refuses)
    return Row(make, inside.several, refused, inside, late or inside.late)


def _all(parts):
    return {joint: said for part in parts for joint, said in part.items()}


def pool(*names):
    return lambda t: ensemble.LogarithmicPool([LEARNERS[name](t) for name in names])


LEARNERS = {
    "Hieron": one(linear_model.Hieron, varied=[{"C": 0.1}]),
    "AveragedHieron": one(
        linear_model.AveragedHieron, varied=[{"C": 0.1}, {"from_first_round": True}]
    ),
    "PathSoftmax": one(
        linear_model.PathSoftmax,
        varied=[{"prior_variance": 0.5}, {"forgetting": 0.9}, {"margin": 1.0}],
    ),
    "HierarchicalSoftmax": one(
        linear_model.HierarchicalSoftmax, varied=[{"prior_variance": 0.5}, {"forgetting": 0.9}]
    ),
    "LinearDiscriminant": one(probabilistic.LinearDiscriminant),
    "NewtonSoftmax": one(probabilistic.NewtonSoftmax, MERGE),
    "DiscriminantNeighbors": one(probabilistic.DiscriminantNeighbors, MERGE, late=MANY),
    "ExtraTrees": one(lambda t: forest.ExtraTrees(t, n_trees=10), MERGE, late=MANY),
    "kernel Hieron": one(kernel.Hieron, MERGE),
    "kernel AveragedHieron": one(kernel.AveragedHieron, MERGE),
    "PerParent": one(
        lambda t: local.PerParent(SOFTMAX.clone(), t), READ, MERGE, FORGET, WEIGHTS, SCORES
    ),
    "PerLevel": one(
        lambda t: local.PerLevel(SOFTMAX.clone(), t),
        *(READ, MERGE, FORGET, WEIGHTS, SCORES),
        late=FREQUENCIES,
    ),
    "DensePool": one(lambda t: ensemble.DensePool(t, n_components=20), MERGE, LOOP),
    "HPerceptron": several(linear_model.HPerceptron),
    "HAROW": several(linear_model.HAROW, varied=[{"r": 0.1}, {"forgetting": 0.9}]),
    "HRLS": several(
        linear_model.HRLS,
        MERGE,
        late=SQUARES,
        varied=[{"l2": 0.3}, {"budget": 3}, {"forgetting": 0.7}],
    ),
    "SHRLS": several(
        linear_model.SHRLS,
        MERGE,
        late=SQUARES,
        varied=[
            {"l2": 0.3},
            {"threshold": 0.1},
            {"budget": 3},
            {"forgetting": 0.7},
            {"intercept": 0.5, "budget": 4},
        ],
    ),
    "HMinOver": several(
        linear_model.HMinOver,
        MERGE,
        varied=[
            {"margin": 3.0},
            {"t": lambda t: {v: 0.5 + i % 3 for i, v in enumerate(t.nodes)}},
            {"t": 0.5, "candidates": lambda t: t.nodes[1:]},
        ],
    ),
    "kernel HRLS": several(kernel.HRLS, KERNEL, late=SQUARES),
    "kernel SHRLS": several(kernel.SHRLS, KERNEL, late=SQUARES),
    "MultilabelExtraTrees": several(
        lambda t: forest.MultilabelExtraTrees(t, n_trees=10), MERGE, late=MANY
    ),
    "PerNode": several(lambda t: local.PerNode(LOGISTIC.clone(), t), READ, MERGE, FORGET, SCORES),
}
POOLS = {
    "LogarithmicPool": one(pool("PathSoftmax", "LinearDiscriminant"), MERGE),
    "LogarithmicPool HAROW": several(pool("HAROW", "HPerceptron"), MERGE),
}
# Wrappers; those of models of either kind come twice.
WRAPPERS = {
    "Averaged": around(LEARNERS["Hieron"], linear_model.Averaged, PIPELINE),
    "Averaged HAROW": around(LEARNERS["HAROW"], linear_model.Averaged, PIPELINE),
    "Tempered": around(LEARNERS["Hieron"], decision.Tempered),
    "Selective": around(LEARNERS["PathSoftmax"], decision.Selective, MERGE),
    "Selective HAROW": around(LEARNERS["HAROW"], decision.Selective, MERGE),
    "Selective foreign": around(
        LEARNERS["PathSoftmax"], lambda m: decision.Selective(m, foreign=0.2), MERGE
    ),
    "TreeBayes": around(
        LEARNERS["Hieron"],
        lambda m: decision.TreeBayes(decision.Tempered(m), last_step(m).taxonomy),
        *(CLOSED, FORGET, SCORES),
    ),
    "Calibrated": around(LEARNERS["HAROW"], decision.Calibrated),
    "HLossBayes": around(LEARNERS["HAROW"], lambda m: decision.HLossBayes(decision.Calibrated(m))),
    "HFBetaBayes": around(LEARNERS["HAROW"], decision.HFBetaBayes, TREE),
    "ZeroOneBayes": around(LEARNERS["HAROW"], decision.ZeroOneBayes),
    "SymmetricDifferenceBayes": around(
        LEARNERS["HAROW"],
        lambda m: decision.SymmetricDifferenceBayes(decision.Calibrated(m)),
    ),
    "NoisyLabels": around(LEARNERS["PathSoftmax"], decision.NoisyLabels, MERGE),
    "BranchReset": around(LEARNERS["Hieron"], drift.BranchReset, MERGE),
    "BranchReset HAROW": around(LEARNERS["HAROW"], drift.BranchReset, MERGE),
    "Replayed": around(LEARNERS["Hieron"], lambda m: stream.Replayed(m, 2, 10), MERGE),
    "Replayed HAROW": around(LEARNERS["HAROW"], lambda m: stream.Replayed(m, 2, 10), MERGE),
    "Ranked": around(LEARNERS["HAROW"], evaluate.Ranked, ANSWERS, MERGE),
    "Probabilities": around(LEARNERS["HAROW"], evaluate.Probabilities, ANSWERS, MERGE),
}
# Decompositions into two classes, whose taxonomies are their own.
OWN = READ | {"taxonomy": "must be a full binary tree"}
DECOMPOSITIONS = {
    name: one(
        lambda _, make=make: make(naive_bayes.GaussianNB()),
        *(OWN, MERGE, FORGET, ADOPT, BATCH, WEIGHTS, SCORES),
    )
    for name, make in (
        ("BinaryDecomposition", induction.BinaryDecomposition),
        ("SoftBinaryDecomposition", induction.SoftBinaryDecomposition),
    )
}
# Classifiers of River inside, and pipelines.
PIPELINES = {
    "Calibrated pipeline": several(
        lambda t: decision.Calibrated(preprocessing.Normalizer() | linear_model.HAROW(t)),
        READ,
    ),
    "SymmetricDifferenceBayes pipeline": several(
        lambda t: decision.SymmetricDifferenceBayes(
            preprocessing.Normalizer() | decision.Calibrated(linear_model.HAROW(t))
        ),
        READ,
    ),
    "TreeBayes naive": one(
        lambda t: decision.TreeBayes(naive_bayes.GaussianNB(), t),
        *(CLOSED, READ, MERGE, FORGET, WEIGHTS, SCORES),
        late=FREQUENCIES,
    ),
    "PerParent naive": one(
        lambda t: local.PerParent(naive_bayes.GaussianNB(), t),
        *(READ, MERGE, FORGET, WEIGHTS, SCORES),
        late=FREQUENCIES,
    ),
}
TABLE = LEARNERS | WRAPPERS | POOLS | DECOMPOSITIONS | PIPELINES
# Wrappers around what has parts itself: a detector, and a pool.
NESTED = {
    f"{name} of {inside}": around(TABLE[inside], row.make, row.refuses)
    for name, row in WRAPPERS.items()
    for inside in ("BranchReset", "BranchReset HAROW", "LogarithmicPool", "LogarithmicPool HAROW")
    if TABLE[inside].several is row.several and name != inside and "pipeline" not in row.refuses
}


def that(*refuse):
    """The names of the models that refuse none of these joints."""
    return [name for name, row in TABLE.items() if row.refuses.keys().isdisjoint(refuse)]


def of_kind(several):
    """The models of a kind that predict labels, in closed and in open taxonomies."""
    names = that("taxonomy", "open", "answers")
    return {name: TABLE[name] for name in names if TABLE[name].several is several}


SINGLE, SEVERAL = of_kind(False), of_kind(True)
