"""All that is public, found by walking the package: a test of each of them meets the next one, too.

Estimators are made from their own `_unit_test_params`, as River's checks make them.
"""

import inspect

from river import base
from river.active.base import ActiveLearningClassifier

import river_hier
from river_hier import Taxonomy
from river_hier.batch.estimator import BatchEstimator
from river_hier.datasets import synth
from river_hier.feature_extraction import RandomFourierFeatures

# Labels that River's datasets have too, so that whatever `_unit_test_params` gives knows them.
LABELS = ["sky", "path", "grass", "cement"]
TREE = Taxonomy.from_nested({"up": ["sky"], "down": {"ground": ["path", "grass"], "wall": []}})
PLAIN = synth.PrototypeTree(branching=2, depth=2, noise=0.04, seed=1)

# The streams of `datasets.synth`, from a seed.
STREAMS = {
    "Appearing": lambda seed: synth.Appearing(synth.PrototypePaths(TREE, seed=seed), {"sky": 50}),
    "Edited": lambda seed: synth.Edited(
        synth.PrototypePaths(TREE, seed=seed), TREE.edit([{"move": "sky", "to": "ground"}]), 20
    ),
    "LinearLabels": lambda seed: synth.LinearLabels(TREE, seed=seed, drift_at=20, drift_width=99),
    "PrototypePaths": lambda seed: synth.PrototypePaths(TREE, seed=seed),
    "PrototypeTree": lambda seed: synth.PrototypeTree(branching=2, depth=3, seed=seed),
    "SubtreeDrift": lambda seed: synth.SubtreeDrift(PLAIN, "root", 20, drift_width=300, seed=seed),
}


def public():
    """Every public class and function, by its name with the module's."""

    def walk(prefix, module):
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.ismodule(thing):
                yield from walk(f"{prefix}{name}.", thing)
            else:
                yield f"{prefix}{name}", thing

    return walk("", river_hier)


def estimators(**parameters):
    """A fresh estimator of every public class that learns one example at a time.

    With parameters, of those classes that have all of them.
    """
    found = {}
    for name, cls in public():
        if not inspect.isclass(cls) or not issubclass(cls, base.Estimator):
            continue
        if inspect.isabstract(cls) or issubclass(cls, BatchEstimator | ActiveLearningClassifier):
            continue  # samplers answer with pairs, and count their questions: tests/test_active.py
        if parameters.keys() <= inspect.signature(cls).parameters.keys():
            found[name] = cls(**next(iter(cls._unit_test_params())) | parameters)
    return found


def in_taxonomy(model, taxonomy):
    """A copy of an estimator that has not learned, in this taxonomy; so are the models it wraps."""
    names = inspect.signature(type(model)).parameters
    if "taxonomy" in names:
        return model.clone({"taxonomy": taxonomy})
    inner = {}
    for name in names:
        value = getattr(model, name)
        if isinstance(value, base.Classifier | base.MultiLabelClassifier):
            inner[name] = in_taxonomy(value, taxonomy)
        elif isinstance(value, list):
            inner[name] = [in_taxonomy(one, taxonomy) for one in value]
    return model.clone(inner)


def learners(package, *parameters):
    """The names of the learners of a package that are made from a taxonomy, by kind.

    Those of a single label, and those of multilabels; with names of parameters, those that have
    all of them.
    """
    single, multi = [], []
    for name, model in estimators().items():
        home, _, cls = name.rpartition(".")
        known = inspect.signature(type(model)).parameters.keys()
        if home == package and {"taxonomy", *parameters} <= known:
            (single if one_label(model) else multi).append(cls)
    return single, multi


def one_label(model):
    """Whether an example has one label; multilabel models take a set of them."""
    return not isinstance(model, base.MultiLabelClassifier)


def dense(model, rng):
    """An example of few numbers, all of them there, and none below 0."""
    y = rng.choice(LABELS)
    x = {i: abs(rng.gauss(float(LABELS.index(y) == i), 0.5)) for i in range(4)}
    return x, y if one_label(model) else {y}


def text(model, rng, n_names=3):
    """An example of few of `5 n_names` names, which say what the label is; counts of words."""
    y = rng.choice(LABELS)
    x = {f"{y} {rng.randrange(n_names)}": 1 for _ in range(4)}
    x |= {f"any {rng.randrange(n_names)}": 1 for _ in range(4)}
    return x, y if one_label(model) else {y}


def step(model, x, y):
    """Answer if the model can, then learn."""
    if isinstance(model, RandomFourierFeatures):
        return model.transform_one(x)
    if isinstance(model, base.Transformer):  # of texts
        words = " ".join(map(str, x))
        answer = model.transform_one(words)
        model.learn_one(words)
        return answer
    answer = model.predict_one(x) if hasattr(model, "predict_one") else None
    model.learn_one(x, y)
    return answer
