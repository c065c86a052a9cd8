"""Models that follow an edit of their taxonomy: what they keep, exactly or as a start."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_hier import OpenTaxonomy, Taxonomy, feature_extraction, linear_model, stream
from river_hier._core import learned_before
from river_hier.base.classifiers import last_step
from river_hier.datasets import synth
from river_hier.taxonomy import Below, Not, UnknownLabelError
from support.hypothesis_settings import n_examples
from support.makers import TABLE, that
from support.strategies import features, reals, trees

T = Taxonomy.from_nested({"r": {"a": {"b": ["c", "d"], "e": None}, "f": ["g", "h"], "i": None}})
STREAM = synth.PrototypePaths(T, noise=0.3, seed=3)
DATA = [(x, y) for x, y in STREAM.take(160)]
LOCAL = {"PerParent", "PerLevel", "PerNode", "PerParent naive", "TreeBayes naive"}
NAMES = [name for name in that("adopt", "taxonomy") if name not in LOCAL]
RENAMES = [{"rename": "b", "to": "B"}, {"rename": "g", "to": "G"}, {"rename": "r", "to": "R"}]
ONLY_RENAMES = ["HMinOver", "kernel HRLS", "kernel SHRLS"]
REST = [name for name in NAMES if name not in ONLY_RENAMES]
PATHS = ["Hieron", "AveragedHieron", "PathSoftmax", "kernel Hieron", "Averaged", "Tempered"]


def label(y: Any) -> Any:
    """The deepest label of a multilabel of one path."""
    return max((v for v, on in y.items() if on), key=T.depth, default="r")


def learned(name: str, data: Any = DATA[:120], t: Any = T, f: Any = lambda v: v) -> Any:
    model = TABLE[name](t)
    for x, y in data:
        model.learn_one(x, TABLE[name].y(f(label(y))))
    return model


def answers(name: str, model: Any) -> Any:
    return [[getattr(model, m)(x) for m in TABLE[name].methods] for x, _ in DATA[120:]]


def renamed(value: Any, labels: Any) -> Any:
    """An answer with other labels."""
    if isinstance(value, dict):
        return {labels.get(k, k): renamed(v, {}) for k, v in value.items()}
    if isinstance(value, list | set | frozenset):
        return type(value)(renamed(v, labels) for v in value)
    return labels.get(value, value) if isinstance(value, str) else value


@pytest.mark.slow(but=12)
@pytest.mark.parametrize("name", NAMES)
def test_a_rename_changes_no_number(name: str) -> None:
    model = learned(name)
    before, other = answers(name, model), copy.deepcopy(model)
    edit = T.edit(RENAMES)
    model.adopt(edit)
    assert model.taxonomy_ is edit.after
    assert answers(name, model) == renamed(before, edit.labels)
    for x, y in DATA[120:140]:
        y = label(y)
        other.learn_one(x, TABLE[name].y(y))
        model.learn_one(x, TABLE[name].y(edit.labels.get(y, y)))
    assert answers(name, model) == renamed(answers(name, other), edit.labels)


@pytest.mark.parametrize("name", ["Replayed", "Replayed HAROW"])
def test_stored_examples_are_learned_in_the_edited_tree(name: str) -> None:
    model = learned(name, DATA[:15])
    model.learn_one(DATA[0][0], Below("b"))  # evidence is not kept
    edit = T.edit([{"move": "b", "to": "f"}, {"merge": ["g"], "to": "h"}], old_labels=False)
    inside, buffer = copy.deepcopy(model.model), model._buffer[:-1]
    assert len(buffer) == 9
    model.adopt(edit)
    inside.adopt(edit)
    for (x, _, w), (_, y) in zip(buffer, DATA[6:15], strict=True):
        y = edit.labels.get(label(y), label(y))
        inside.learn_one(x, edit.after.path(y)[1:] if "HAROW" in name else y, w=w)
    assert answers(name, model) == answers(name, inside)
    known = [(x, y) for x, y, _ in model._buffer]
    model.adopt(edit.after.edit([{"rename": "b", "to": "B"}]))
    if "HAROW" not in name:
        assert [y for _, y, _ in model._buffer] == ["B" if y == "b" else y for _, y in known]


def test_stored_evidence_stays_if_names_change() -> None:
    model = learned("Replayed", DATA[:5])
    for y in (Below("b"), Not("c")):
        model.learn_one(DATA[0][0], y)
    other = copy.deepcopy(model)
    model.adopt(T.edit([{"rename": "c", "to": "C"}]))
    for m in (model, other):
        for x, _ in DATA[10:20]:
            m.learn_one(x, "h")
    assert answers("Replayed", model) == renamed(answers("Replayed", other), {"c": "C"})
    # A name that another node has now would be read as that one.
    model.learn_one(DATA[0][0], Not("b"))
    model.adopt(model.taxonomy_.edit([{"rename": "b", "to": "B"}, {"rename": "g", "to": "b"}]))
    assert not any(isinstance(y, Not) for _, y, _ in model._buffer)


@pytest.mark.parametrize("start", [None, OpenTaxonomy()])
@pytest.mark.parametrize("name", ["Replayed", "Replayed HAROW"])
def test_stored_examples_in_open_taxonomies(name: str, start: Any) -> None:
    """Where the root, also under another name, is no label that could be learned."""
    model, labels = TABLE[name](start), ["a", "b", "c"]
    labels = labels if start is None else [(label,) for label in labels]
    for i in range(12):
        model.learn_one({"x": float(i)}, TABLE[name].y(labels[i % 3]))
    changes = [
        {"rename": model.taxonomy_.root, "to": "R"},
        {"split": labels[0], "to": ["a1", "a2"]},
    ]
    model.adopt(model.taxonomy_.edit([*changes, {"move": labels[1], "to": labels[2]}]))
    for i in range(12):
        model.learn_one({"x": float(i)}, TABLE[name].y(labels[i % 3]))
    if start is None:
        model.adopt(model.taxonomy_.edit([{"retire": "b"}, {"retire": "c"}, {"retire": "a1"}]))
        kept = [y for _, y, _ in model._buffer]
        assert sorted(map(len, kept)) == ([0] * 7 + [1] * 3 if "HAROW" in name else [1] * 3)


def test_stored_examples_keep_their_weights_and_teach_no_temperature() -> None:
    model = stream.Replayed(linear_model.PathSoftmax(T), 2, 10)
    for k, (x, y) in enumerate(DATA[:30]):
        model.learn_one(x, label(y), w=0.5 + k % 3)
    edit = T.edit([{"move": "b", "to": "f"}])
    inside, buffer = copy.deepcopy(model.model), list(model._buffer)
    model.adopt(edit)
    inside.adopt(edit)
    with learned_before:
        for x, y, w in buffer:
            inside.learn_one(x, y, w=w)
    for x, _ in DATA[30:40]:
        assert model.predict_proba_one(x) == inside.predict_proba_one(x)


CHANGES = [
    {"move": "b", "to": "f"},
    {"merge": ["g"], "to": "h"},
    {"retire": "i"},
    {"rename": "c", "to": "C"},
    {"split": "d", "to": ["d1", "d2"]},
]


@pytest.mark.slow(but=12)
@pytest.mark.parametrize("name", NAMES)
def test_a_model_follows_an_edit_or_refuses_it_unchanged(name: str) -> None:
    model, edit = learned(name), T.edit(CHANGES)
    before = answers(name, model)
    wrong = Taxonomy.flat(["x"]).edit([])
    with pytest.raises(ValueError, match="the edit is one of another taxonomy"):
        model.adopt(wrong)
    if name in ONLY_RENAMES:
        with pytest.raises(TypeError, match="an edit that renames nodes only"):
            model.adopt(edit)
        assert answers(name, model) == before
        return
    model.adopt(edit)
    gone = {"g", "i", "c"}
    again = pickle.loads(pickle.dumps(model))
    for method, answer in zip(
        TABLE[name].methods, zip(*answers(name, model), strict=True), strict=True
    ):
        for one in answer:
            labels = one if isinstance(one, dict | set | list) else [one]
            assert gone.isdisjoint(labels), method
            assert set(edit.after.nodes).issuperset({*labels} - {None})
    for x, y in DATA[:40]:  # with labels of before
        for m in (model, again):
            m.learn_one(x, TABLE[name].y(label(y)))
    assert str(answers(name, again)) == str(answers(name, model))


@pytest.mark.parametrize("name", sorted(LOCAL))
def test_local_models_refuse_edits(name: str) -> None:
    model = learned(name)
    with pytest.raises(TypeError, match="cannot follow an edit"):
        model.adopt(T.edit(RENAMES))
    assert model.taxonomy_ is T


@st.composite
def moves(draw: Any, t: Taxonomy) -> list[Any]:
    """Nodes that go below others."""
    steps: list[Any] = []
    for v in draw(st.lists(st.sampled_from(t.nodes[1:]), max_size=4)):
        to = draw(st.sampled_from(t.nodes))
        try:
            t.edit([*steps, {"move": v, "to": to}])
        except ValueError:
            continue
        steps.append({"move": v, "to": to})
    return steps


@pytest.mark.parametrize("name", PATHS)
@given(trees(min_nodes=3), st.data())
@n_examples(25)
def test_a_move_changes_no_score_in_learners_of_paths(name: str, t: Taxonomy, data: Any) -> None:
    model = TABLE[name](t)
    examples = st.tuples(features(reals), st.sampled_from(t.nodes))
    for x, y in data.draw(st.lists(examples, max_size=12)):
        model.learn_one(x, y)
    xs = data.draw(st.lists(features(reals), min_size=1, max_size=3))
    before = [(model.score_one(x), model.predict_proba_one(x)) for x in xs]
    model.adopt(t.edit(data.draw(moves(t))))
    for x, (scores, p) in zip(xs, before, strict=True):
        assert model.score_one(x) == pytest.approx(scores, rel=1e-9, abs=1e-9)
        assert model.predict_proba_one(x) == pytest.approx(p, rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("name", ["PathSoftmax", "HierarchicalSoftmax"])
def test_a_split_leaf_and_its_children_have_equal_shares(name: str) -> None:
    """All other labels keep their probabilities, up to the temperature of `PathSoftmax`."""
    model, edit = learned(name), T.edit([{"split": "d", "to": ["d1", "d2", "d3"]}])
    asked = [x for x, _ in DATA[120:]]
    known = [(model.score_one(x), model.predict_proba_one(x)) for x in asked]
    model.adopt(edit)
    for x, (before, old) in zip(asked, known, strict=True):
        score, p = model.score_one(x), model.predict_proba_one(x)
        assert score["d1"] == pytest.approx(score["d"]) == score["d3"]
        if name == "HierarchicalSoftmax":
            parts = [p[v] for v in ("d", "d1", "d2", "d3")]
            assert parts == pytest.approx([old["d"] / 4.0] * 4)
            assert p["c"] == pytest.approx(old["c"])
        else:
            parts = np.logaddexp.reduce([score[v] for v in ("d", "d1", "d2", "d3")])
            assert parts == pytest.approx(before["d"])
            assert score["c"] == pytest.approx(before["c"])


def test_what_stores_sums_or_examples_is_as_if_the_tree_had_always_been_new() -> None:
    """Up to frequencies in `LinearDiscriminant`, and metrics that were estimated before."""
    edit = T.edit([{"move": "b", "to": "f"}, {"merge": ["g"], "to": "h"}, {"retire": "e"}])
    now = edit.after
    pairs = {}
    for name in ("DiscriminantNeighbors", "LinearDiscriminant", "ExtraTrees"):
        model = learned(name)
        model.adopt(edit)
        pairs[name] = model, learned(name, t=now)
    near, always = pairs["DiscriminantNeighbors"]
    assert (near._stored.nodes == always._stored.nodes).all()
    trees, always = pairs["ExtraTrees"]
    assert trees._forest.saved()[-1][1] == always._forest.saved()[-1][1]
    model, always = pairs["LinearDiscriminant"]
    for part in (
        lambda m: m._n,
        lambda m: m._sums,
        lambda m: np.triu(m._whole_scatter()),
        lambda m: m._free,
    ):
        assert np.allclose(part(model), part(always))


@pytest.mark.parametrize("name", ["HAROW", "HPerceptron", "SHRLS", "HRLS"])
def test_a_node_keeps_its_own_score_wherever_it_goes(name: str) -> None:
    model = learned(name)
    before = [model.score_one(x) for x, _ in DATA[120:]]
    model.adopt(T.edit([{"move": "b", "to": "f"}, {"move": "i", "to": "a"}]))
    for (x, _), scores in zip(DATA[120:], before, strict=True):
        assert model.score_one(x) == pytest.approx(scores)


@pytest.mark.parametrize("name", REST)
def test_a_retired_label_is_refused_once_old_labels_are_no_longer_read(name: str) -> None:
    model = learned(name)
    model.adopt(T.edit([{"retire": "i"}]))
    x = DATA[0][0]
    model.learn_one(x, TABLE[name].y("i"))
    model.adopt(model.taxonomy_.edit([], old_labels=False))
    with pytest.raises(UnknownLabelError):
        model.learn_one(x, TABLE[name].y("i"))


@pytest.mark.parametrize("name", that("adopt", "taxonomy", "forget", "open"))
def test_a_forgotten_branch_is_off_until_its_next_example(name: str) -> None:
    model = learned(name)
    model.forget("b")
    for x in [{}, *(x for x, _ in DATA[120:])]:
        if "answers" not in TABLE[name].refuses:
            on = model.predict_one(x)
            assert {"b", "c", "d"}.isdisjoint(
                [v for v in on if on[v]] if isinstance(on, dict) else [on]
            )
    model.learn_one(DATA[0][0], TABLE[name].y("c"))
    assert "c" not in {model.taxonomy_.nodes[v] for v in last_step(model)._labels.unseen}


def test_the_names_of_the_children_of_a_split_leaf_count() -> None:
    t = Taxonomy.from_nested({"shop": {"clothes": None, "toys": None}})
    model = feature_extraction.TextViews() | linear_model.PathSoftmax(t, margin=1)
    for _ in range(5):
        model.learn_one("a warm wool hat", "clothes")
        model.learn_one("a long silk skirt", "clothes")
        model.learn_one("a paper kite", "toys")
    edit = t.edit([{"split": "clothes", "to": ["hats", "silk_skirts"]}])
    assert edit.new == ("hats", "silk_skirts")
    stream.learn_names(model, edit)
    assert model["PathSoftmax"].taxonomy is edit.after
    assert model.predict_one("hats") == "hats"
    assert model.predict_one("a long silk skirt") == "silk_skirts"
    assert model.predict_one("a paper kite") == "toys"


def test_open_taxonomies_stay_open() -> None:
    for start, (u, v, w) in (
        (OpenTaxonomy("/"), ("a/x", "b/y", "a/z")),
        (None, ("x", "y", "z")),
    ):
        model = linear_model.PathSoftmax(start)
        for _ in range(3):
            model.learn_one({"p": 1.0}, u)
            model.learn_one({"q": 1.0}, v)
        change = {"rename": "a", "to": "A"} if start else {"rename": "x", "to": "A"}
        model.adopt(model.taxonomy_.edit([change]))
        model.learn_one({"p": 1.0}, u)
        assert model.predict_one({"p": 1.0}) == ("A/x" if start else "A")
        for _ in range(3):
            model.learn_one({"r": 1.0}, w)
        assert model.predict_one({"r": 1.0}) == ("A/z" if start else "z")


def vectors(model: Any, names: Any) -> Any:
    """`{label: [weight of each feature]}`: what scores are made of."""
    zero = model.score_one({})
    rows = {name: model.score_one({name: 1.0}) for name in names}
    return {v: [rows[name].get(v, 0.0) - zero.get(v, 0.0) for name in names] for v in zero}


def variance(model: Any, column: int, name: Any) -> float:
    vector = model._state.preview({name: 1.0})
    constant = model._state.preview({})
    return float(
        model._state.variances(vector, np.array([column]))[0]
        - model._state.variances(constant, np.array([column]))[0]
    )


@pytest.mark.parametrize("name", ["Hieron", "HPerceptron", "PathSoftmax", "HAROW"])
@given(trees(min_nodes=4), st.data())
@n_examples(40)
def test_for_each_feature_a_merged_label_has_the_weight_of_one_part(
    name: str, t: Taxonomy, data: Any
) -> None:
    """That of the part which is surest of the feature or, without variances, the largest one."""
    row = TABLE[name]
    model = row(t)
    ys = st.sampled_from(t.nodes)
    for x, y in data.draw(st.lists(st.tuples(features(reals), ys), min_size=1, max_size=12)):
        model.learn_one(x, row.y(y))
    leaves = [v for v in t.leaves if v != t.root]
    parts = data.draw(st.lists(st.sampled_from(leaves), min_size=1, max_size=3, unique=True))
    names = sorted(model._features.names(), key=str)
    before = vectors(model, names)
    per_node = model._state.vectors
    sure = {
        v: [variance(model, per_node * t.index(v), f) for f in names]
        for v in parts
        if model.second_order
    }
    edit = t.edit([{"merge": parts, "to": parts[0]}])
    model.adopt(edit)
    after = vectors(model, names)
    for i, feature in enumerate(names):
        for v in set(edit.after) & set(before):
            if v not in parts:
                assert after[v][i] == pytest.approx(before[v][i], abs=1e-9)
        if model.second_order:
            best = min(sure[v][i] for v in parts)
            some = [before[v][i] for v in parts if sure[v][i] <= best + 1e-12]
        else:
            best = max(abs(before[v][i]) for v in parts)
            some = [before[v][i] for v in parts if abs(before[v][i]) >= best - 1e-12]
        assert any(after[parts[0]][i] == pytest.approx(w, abs=1e-9) for w in some), feature


@pytest.mark.parametrize("name", ["PathSoftmax", "HAROW", "LinearDiscriminant"])
def test_what_had_no_example_before_has_none_after(name: str) -> None:
    model = learned(name)
    model.adopt(T.extend([("f", "new")]))
    model.adopt(model.taxonomy_.edit([{"move": "new", "to": "a"}, {"move": "b", "to": "f"}]))
    for x, _ in DATA[120:]:
        p = model.predict_proba_one(x)["new"]
        assert (p[True] if isinstance(p, dict) else p) == 0.0


def test_what_wrappers_count_goes_with_the_nodes() -> None:
    edit = T.edit([{"move": "b", "to": "f"}, {"merge": ["g"], "to": "h"}])
    calibrated, noisy = learned("Calibrated"), learned("NoisyLabels")
    n, counts, before = noisy._n, dict(noisy._counts), calibrated._calibration.saved()[1]
    for model in (calibrated, noisy):
        model.adopt(edit)
    after = calibrated._calibration.saved()[1]
    for v in set(edit.after) - {"h"}:
        assert (after[edit.after.index(v)] == before[T.index(v)]).all()
    assert noisy._n == n
    assert noisy._counts["c"] == pytest.approx(counts["c"])
    assert noisy._counts["h"][0] == pytest.approx(counts["g"][0] + counts["h"][0])
    total = sum(counts[v][0] for v in "bcdfgh" if v in counts)
    assert noisy._counts["f"][1] == pytest.approx(total)


def test_a_label_that_was_retired_into_the_root_of_an_open_flat_taxonomy_is_refused() -> None:
    model = linear_model.PathSoftmax()
    for y in "abab":
        model.learn_one({"x": 1.0}, y)
    model.adopt(model.taxonomy_.edit([{"retire": "b"}]))
    with pytest.raises(ValueError, match=r"'b' was retired, .* leave out its examples"):
        model.learn_one({"x": 1.0}, "b")
    model.adopt(model.taxonomy_.edit([], old_labels=False))
    model.learn_one({"x": 1.0}, "b")
    assert model.predict_one({"x": 1.0}) == "b"


@pytest.mark.parametrize("separator", [None, "/"])
def test_a_new_label_below_an_old_name_is_one_below_the_new_name(separator: Any) -> None:
    """Also where that one is there already."""
    path = "/".join if separator else tuple
    model = linear_model.PathSoftmax(OpenTaxonomy(separator))
    model.learn_one({"p": 1.0}, path("ax"))
    model.adopt(model.taxonomy_.edit([{"rename": path("a"), "to": path("b")}]))
    model.learn_one({"q": 1.0}, path("bn"))
    model.learn_one({"q": 1.0}, path("an"))
    assert model.taxonomy_.index(path("an")) == model.taxonomy_.index(path("bn"))


def test_a_retired_top_of_an_open_taxonomy_is_refused() -> None:
    model = linear_model.PathSoftmax(OpenTaxonomy("/"))
    for y in ("a/x", "junk"):
        model.learn_one({y: 1.0}, y)
    model.adopt(model.taxonomy_.edit([{"retire": "junk"}]))
    before = pickle.dumps(model)
    for y in ("junk", "junk/new"):
        with pytest.raises(ValueError, match="label 'junk' was retired"):
            model.learn_one({"p": 1.0}, y)
    assert pickle.dumps(model) == before


def test_old_labels_are_not_forgotten() -> None:
    """They would be those of what they have become."""
    t = Taxonomy.from_nested({"shop": {"men": ["caps", "hats"], "women": ["skirts"]}})
    model = stream.Replayed(linear_model.PathSoftmax(t))
    model.learn_one({"p": 1.0}, "hats")
    model.adopt(t.edit([{"retire": "caps"}]))
    for one in (model, model.model):
        with pytest.raises(ValueError, match="label 'caps' has become 'men': name that"):
            one.forget("caps")
