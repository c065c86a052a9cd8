"""The column of paths that made a taxonomy is a valid y, however its paths are spelled."""

import pickle
import tracemalloc
from typing import Any

import pandas as pd
import pytest
from river import naive_bayes

from river_hier import Below, OpenTaxonomy, Taxonomy, decision, drift, linear_model, losses, metrics
from river_hier._core import labels_of
from support.makers import SEVERAL, SINGLE

PATHS = ["a > b", "a > c", "d > e", "d"] * 3
MESSY = ["a >b", " a>c", "d > e > ", "> d"] * 3
ROWS = [{"x": float(i % 3), "y": float(i % 5), "z": float(i % 4)} for i in range(12)]
SAMPLE = ("Hieron", "LinearDiscriminant", "PerParent", "HAROW", "PerNode", "HLossBayes")
EVERY: dict[str, Any] = {
    **{name: make for name, make in (SINGLE | SEVERAL).items() if name in SAMPLE},
    "TreeBayes": lambda t: decision.TreeBayes(naive_bayes.GaussianNB(), t),
    "BranchReset": lambda t: drift.BranchReset(linear_model.HAROW(t)),
}
CLOSED = {"TreeBayes"}  # for closed taxonomies only


def tuples(paths: list[str]) -> list[Any]:
    return [tuple(name.strip() for name in path.split(">") if name.strip()) for path in paths]


def lists(paths: list[str]) -> list[Any]:
    return [[*names, None] for names in tuples(paths)]


def by_name(path: str) -> str:
    return path.split(" > ")[-1]


NAMES = Taxonomy.from_paths(PATHS, " > ")
TAXONOMIES: dict[str, Any] = {
    "strings, path": (Taxonomy.from_paths(PATHS, " > ", labels="path"), PATHS, MESSY),
    "strings, name": (NAMES, [*map(by_name, PATHS)], MESSY),
    "tuples, path": (Taxonomy.from_paths(tuples(PATHS), labels="path"), tuples(PATHS), None),
    "tuples, name": (Taxonomy.from_paths(tuples(PATHS)), [*map(by_name, PATHS)], tuples(MESSY)),
    "strings, path, as tuples": (Taxonomy.from_paths(PATHS, " > ", "path"), PATHS, tuples(MESSY)),
    "strings, path, as lists": (Taxonomy.from_paths(PATHS, " > ", "path"), PATHS, lists(MESSY)),
    "strings, name, as lists": (
        Taxonomy.from_paths(PATHS, " > "),
        [*map(by_name, PATHS)],
        lists(MESSY),
    ),
    "open, strings": (OpenTaxonomy(" > "), PATHS, MESSY),
    "open, strings, as tuples": (OpenTaxonomy(" > "), PATHS, tuples(MESSY)),
    "open, strings, as lists": (OpenTaxonomy(" > "), PATHS, lists(MESSY)),
    "open, tuples": (OpenTaxonomy(), tuples(PATHS), [(*path, "") for path in tuples(PATHS)]),
}


@pytest.mark.parametrize("kind", TAXONOMIES)
@pytest.mark.parametrize("name", EVERY)
def test_models_learn_from_paths(name: str, kind: str) -> None:
    t, labels, paths = TAXONOMIES[kind]
    if kind.startswith("open") and name in CLOSED:
        return
    model, other = EVERY[name](t), EVERY[name](t)
    for i, (x, y, path) in enumerate(zip(ROWS, labels, paths or labels, strict=True)):
        several = name in (*SEVERAL, "BranchReset") and (i % 2 or "lists" in kind)
        model.learn_one(x, {y} if several else y)
        other.learn_one(x, [path] if several else path)
    assert model.predict_proba_one(ROWS[0]) == other.predict_proba_one(ROWS[0])
    assert model.predict_one(ROWS[0]) == other.predict_one(ROWS[0])
    if not hasattr(model, "learn_many"):
        return
    X = pd.DataFrame(ROWS)
    model.learn_many(X, pd.Series(labels))
    several = name in (*SEVERAL, "BranchReset") and "lists" in kind  # a list is several labels
    other.learn_many(X, pd.Series([[path] if several else path for path in paths or labels]))
    assert model.predict_proba_one(ROWS[0]) == other.predict_proba_one(ROWS[0])


@pytest.mark.parametrize("kind", [kind for kind in TAXONOMIES if "open" not in kind])
def test_losses_and_metrics_take_paths(kind: str) -> None:
    t, labels, paths = TAXONOMIES[kind]
    for name, metric in (
        ("tree_induced_error", metrics.TreeInducedError),
        ("h_loss", metrics.HLoss),
        ("zero_one_loss", metrics.ZeroOneLoss),
    ):
        one, other = metric(t), metric(t)
        for y, path, guess in zip(labels, paths or labels, labels[1:] + labels[:1], strict=True):
            if isinstance(path, list):  # of several labels
                path = tuple(filter(None, path))
            loss = getattr(losses, name)
            assert loss(t, path, guess) == loss(t, y, guess) == loss(t, guess, path)
            one.update(y, guess)
            other.update(path, guess)
        assert one.get() == other.get() > 0


@pytest.mark.parametrize("y", [None, float("nan"), pd.NA, pd.NaT, "", " > "])
@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("taxonomy", ["closed", "open", None])
def test_missing_labels_are_errors(name: str, y: Any, taxonomy: Any) -> None:
    if isinstance(y, str) and taxonomy != "closed":
        return  # the root, or a name
    there = {"closed": Taxonomy.from_paths(PATHS, " > "), "open": OpenTaxonomy(" > "), None: None}
    if name in CLOSED and taxonomy != "closed":
        return
    model = EVERY[name](there[taxonomy])
    model.learn_one(ROWS[0], "a > b")
    before = model.predict_proba_one(ROWS[0])
    with pytest.raises(
        (ValueError, TypeError), match=r"missing|not a path|cannot be|is not in|is None"
    ):
        model.learn_one(ROWS[1], y)
    assert model.predict_proba_one(ROWS[0]) == before


@pytest.mark.parametrize("separator", [None, " > "])
@pytest.mark.parametrize("name", [name for name in EVERY if name not in CLOSED])
def test_the_levels_of_new_labels_are_limited(name: str, separator: Any) -> None:
    model = EVERY[name](OpenTaxonomy(separator, max_depth=3))
    known, deep, other = "a > b > c", "a > b > c > d", "e > b > c > d"
    y = [known, deep, other] if separator else tuples([known, deep, other])
    model.learn_one(ROWS[0], y[0])
    before = pickle.dumps(model)
    for label in y[1:]:
        for asked in (label, Below(label)):
            with pytest.raises(
                (ValueError, TypeError), match=r"4 levels, and `max_depth` is 3|whole"
            ):
                model.learn_one(ROWS[1], asked)
        if hasattr(model, "learn_many"):
            with pytest.raises(ValueError, match=r"row 0: label .* has 4 levels"):
                model.learn_many(pd.DataFrame(ROWS[:2]), [label, y[0]])
        assert pickle.dumps(model) == before
    model.adopt(model.taxonomy_.extend([(y[0], y[1])]))
    model.learn_one(ROWS[1], y[1])
    metric = metrics.TreeInducedError(OpenTaxonomy(separator, max_depth=3))
    with pytest.raises(ValueError, match="4 levels"):
        metric.update(y[1], y[0])
    assert len(metric.taxonomy_) == 1


def test_deep_paths_take_no_memory() -> None:
    """They are read before it is known whether there are such labels."""
    deep = " > a" * 16_000
    closed, there = Taxonomy.from_paths(PATHS, " > ", labels="path"), OpenTaxonomy(" > ")
    tracemalloc.start()
    assert deep not in closed
    assert closed.nearest(deep) == "a"
    with pytest.raises(ValueError, match="16,000 levels"):
        there.path(deep)
    assert tracemalloc.get_traced_memory()[1] < 5e6
    tracemalloc.stop()


def test_where_labels_are_paths_a_tuple_is_one_and_a_list_is_several() -> None:
    for there in (OpenTaxonomy(" > "), Taxonomy.from_paths(PATHS, " > ", labels="path")):
        one, several, batch = (linear_model.HAROW(there) for _ in range(3))
        one.learn_one(ROWS[1], ("a", "b"))
        several.learn_one(ROWS[1], ["a", "d"])
        on = [{v for v, p in m.predict_one(ROWS[1]).items() if p} for m in (one, several)]
        assert on == [{"a", "a > b"}, {"a", "d"}]
        batch.learn_many(pd.DataFrame(ROWS[1:2]), [("a", "b")])
        assert batch.predict_one(ROWS[1]) == one.predict_one(ROWS[1])
        with pytest.raises(ValueError, match=r"'a > b' in .* is not a name without '>'"):
            several.learn_one(ROWS[1], ("a > b", "d"))
        single = linear_model.Hieron(there)
        single.learn_one(ROWS[1], Below(["a", "b"]))
        assert single.predict_one(ROWS[1]) == "a > b"
    ambiguous = Taxonomy.from_paths(["a > b", "b"], " > ", labels="path")
    assert ambiguous.closure(("a", "b")) == {"root", "a", "a > b"}
    assert labels_of(ambiguous).closure(("a", "b")) == {0, 1, 3}
    assert ambiguous.closure(["a", "b"]) == {"root", "a", "b"}
