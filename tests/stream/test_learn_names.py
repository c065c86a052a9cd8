"""Names that models learn before the first examples of labels."""

import copy
import pickle

import numpy as np
import pytest

from river_hier import (
    OpenTaxonomy,
    Taxonomy,
    decision,
    drift,
    ensemble,
    feature_extraction,
    linear_model,
    metrics,
    probabilistic,
)
from river_hier import stream as names
from river_hier.base.classifiers import is_multilabel, last_step
from river_hier.stream import Replayed, learn_names

T = Taxonomy.from_nested({"shop": {"clothes": ["wool_hat", "silk_shirt"], "shoes": ["boots"]}})
LATER = T.extend([("shoes", "open_sandals"), ("clothes", "99")])
TEXTS = [("warm hat of wool", "wool_hat"), ("white silk shirt", "silk_shirt"), ("boots", "boots")]


def encoder(texts):
    """Counts of letters."""
    return np.array([[text.count(c) for c in "abcdefghijklmnopqrstuvwxyz"] for text in texts])


def views(on=None, model=linear_model.PathSoftmax, t=T, **parameters):
    return feature_extraction.TextViews(on) | model(t, **parameters)


MODELS = {
    "pipeline": views,
    "several labels": lambda: views(model=linear_model.HAROW),
    "pool": lambda: ensemble.make_views(T, texts=[None], encoder=encoder),
    "pool behind words": lambda: feature_extraction.LogTFIDF() | ensemble.LogarithmicPool(
        [linear_model.PathSoftmax(T), probabilistic.LinearDiscriminant(T)]
    ),
    "Selective": lambda: decision.Selective(views()),
    "Selective inside": lambda: (
        feature_extraction.TextViews() | decision.Selective(linear_model.PathSoftmax(T))
    ),
    "Calibrated": lambda: decision.Calibrated(views(model=linear_model.HAROW)),
    "Replayed": lambda: Replayed(views()),
    "BranchReset": lambda: drift.BranchReset(views()),
    "DensePool": lambda: feature_extraction.Embedding(encoder=encoder) | ensemble.DensePool(T),
}  # fmt: skip


def best(model, x):
    found = model.score_one(x)
    return max((v for v in (*T.leaves, "open_sandals") if v in found), key=found.get)


@pytest.mark.parametrize("name", MODELS)
def test_labels_are_predicted_before_their_first_examples(name):
    model = MODELS[name]()
    assert learn_names(model) == ()
    assert [best(model, x) for x, _ in TEXTS] == [y for _, y in TEXTS]
    for x, y in TEXTS * 3:
        model.learn_one(x, y)
    assert learn_names(model, LATER) == ("99",)
    assert best(model, "sandals that are open") == "open_sandals"
    if not is_multilabel(last_step(model)):
        assert model.predict_proba_one("99")["99"] == 0.0
    model.learn_one("size 99", "99")
    assert pickle.loads(pickle.dumps(model)).predict_one("open") == model.predict_one("open")


def test_an_open_taxonomy_stays_open():
    start = OpenTaxonomy("/")
    tree = Taxonomy.from_paths(["clothes/wool hat", "shoes/boots"], "/", labels="path")
    model = views(t=start)
    tree = start.with_labels(Taxonomy._of(("",), ((),), start._format), tree.nodes[1:])
    learn_names(model, tree)
    assert model.predict_one("a hat") == "clothes/wool hat"
    model.learn_one("tulips", "garden/flowers")
    learn_names(model, start.with_labels(model["PathSoftmax"].taxonomy_, ["garden/watering can"]))
    assert model.predict_one("a watering can") == "garden/watering can"
    model.learn_one("a spade", "garden/tools")


def test_a_name_is_learned_until_the_first_example():
    model, twin = views(), views()
    learn_names(model)
    learn_names(twin)
    for v in (model, twin):
        v["PathSoftmax"].adopt(LATER)
        v.learn_one("sandals", "open_sandals")
    before = pickle.dumps(model["PathSoftmax"].score_one({"sandals": 1.0, "open": 1.0}))
    assert learn_names(model) == ("99",)
    assert pickle.dumps(model["PathSoftmax"].score_one({"sandals": 1.0, "open": 1.0})) == before


def test_words_of_names_are_counted_once_and_nothing_else_is_adjusted():
    model = ensemble.make_views(T, texts=["title"], encoder=encoder)
    coefficients = model.coefficients
    temperature = list(model.models[0]["PathSoftmax"]._state.learned[:2])
    learn_names(model, on="title", descriptions={"boots": "of leather"})
    assert model.models[0]["TextViews"].n == 5
    assert model.models[0]["TextViews"].dfs["leather"] == 1
    assert (model.coefficients == coefficients).all()
    assert model.models[0]["PathSoftmax"]._state.learned[:2] == temperature


def test_the_steps_are_those_of_a_loop():
    """Words are counted, all names are learned once, and those of leaves nine times more."""
    model, words, other = views(), feature_extraction.TextViews(), linear_model.PathSoftmax(T)
    learn_names(model)
    for x, _ in T.names():
        words.learn_one(x)
        words.transform_one(x)
    for k in range(10):
        for x, v in T.names():
            if k == 0 or v in T.leaves:
                other.learn_one(words.transform_one(x), v)
    x = words.transform_one("warm silk boots")
    assert model["PathSoftmax"].score_one(x) == pytest.approx(other.score_one(x))


def test_late_names_weigh_more(monkeypatch):
    """As in texts that are longer than a name, by which the weight of each word is smaller."""
    model, found = views(margin=1.0), []
    for _ in range(20):
        for x, y in TEXTS:
            model.learn_one(x, y)
    for scale in (0.5, names.LATE, 1.0):
        monkeypatch.setattr(names, "LATE", scale)
        learn_names(late := copy.deepcopy(model), LATER)
        found.append(late.predict_proba_one("white open boots")["open_sandals"])
    assert found[0] > 1.05 * found[1] > 1.1 * found[2]


def test_bad_input_changes_nothing():
    model = views()
    for wrong, message in (
        ({"descriptions": {"hats": "of wool"}}, "label 'hats' is not in the taxonomy"),
        ({"taxonomy": Taxonomy([("shop", "boots")])}, "is not in the new taxonomy"),
        ({"on": "title", "taxonomy": LATER}, "expected text, got"),
    ):
        with pytest.raises(ValueError, match=message):
            learn_names(model, **wrong)
        assert model["TextViews"].n == 0
        assert model["PathSoftmax"].taxonomy_ is T
        assert model.predict_proba_one("hat") == views().predict_proba_one("hat")
    with pytest.raises(TypeError, match="must be a model in a taxonomy"):
        learn_names(metrics.HLoss(T))
