"""Taxonomies of paths, and paths in place of labels."""

import gzip
import pickle
import re
import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from river.naive_bayes import GaussianNB

import oracles
from river_hier import (
    OpenTaxonomy,
    Taxonomy,
    decision,
    linear_model,
    local,
    losses,
    metrics,
    probabilistic,
)
from river_hier.base.answer import SetAnswer
from river_hier.taxonomy import UnknownLabelError
from support.paths import DATA

SEPARATORS = [" > ", "/", " >> ", " ", "::"]
names = st.sampled_from(["a", "b", "c", "d d", "é"])
several = st.lists(st.lists(names, max_size=4).map(tuple), min_size=1, max_size=8)
spaces = st.sampled_from(["", " ", "\t", "\xa0"])


def expected(paths: Any, root: Any, label: Any) -> Taxonomy:
    """The taxonomy built from edges, by the oracle; `label` makes a label of a place."""
    parents = oracles.parents_of_paths(paths, root)
    tops = [place for place, parent in parents.items() if parent == root]
    edges = [
        (root if parent == root else label(parent), label(place))
        for place, parent in parents.items()
        if len(tops) > 1 or parent != root
    ]
    return Taxonomy(edges) if edges else Taxonomy.flat([], root=label(tops[0]))


@given(several)
def test_labels_are_names_or_paths(paths: list[tuple[str, ...]]) -> None:
    assume(any(paths))
    by_path = Taxonomy.from_paths(paths, labels="path")
    assert by_path == expected(paths, "root", lambda place: place)
    assert by_path._arrays.is_tree
    twice = oracles.names_in_two_places(paths)
    if twice:
        with pytest.raises(ValueError, match=r'is in two places, .*labels="path"') as caught:
            Taxonomy.from_paths(paths)
        assert any(f"the name {name!r} is in two" in str(caught.value) for name in twice)
    else:
        assert Taxonomy.from_paths(paths) == expected(paths, "root", lambda place: place[-1])


@given(several, st.sampled_from(SEPARATORS), st.data())
def test_strings_are_the_same_paths(
    paths: list[tuple[str, ...]], separator: str, data: st.DataObject
) -> None:
    """Also with other whitespace, empty names at the end, and a separator in front."""
    paths = [tuple(name.replace(" ", "_") for name in path) for path in paths]
    assume(any(paths))
    written = [separator.join(path) for path in paths]
    by_path = Taxonomy.from_paths(written, separator, labels="path")
    assert by_path == expected(paths, "root", separator.join)
    assert by_path == Taxonomy.from_paths(
        by_path.nodes[by_path.root == "root" :], separator, "path"
    )
    if not oracles.names_in_two_places(paths):
        by_name = Taxonomy.from_paths(written, separator)
        assert by_name == Taxonomy.from_paths(paths)
    else:
        by_name = by_path
    for path, text in zip(paths, written, strict=True):
        mess = data.draw(st.lists(spaces, min_size=2 * len(path), max_size=2 * len(path)))
        if not path or separator == " ":
            continue
        bare = separator.strip()
        messy = bare.join(
            before + name + after
            for name, before, after in zip(path, mess[::2], mess[1::2], strict=True)
        )
        messy = data.draw(st.sampled_from(["", bare, f" {bare}"])) + messy
        messy += data.draw(st.sampled_from(["", bare, f" {bare} {bare}"]))
        assert by_path.nodes[by_path.index(messy)] == text
        assert by_name.index(messy) == by_name.index(text if by_name is by_path else path[-1])
        assert messy in by_path
        assert Taxonomy.from_paths([*written, messy], separator, "path") == by_path


@given(several)
def test_nested(paths: list[tuple[str, ...]]) -> None:
    assume(any(paths))
    nested: dict[str, Any] = {}
    for path in paths:
        below = nested
        for name in path:
            below = below.setdefault(name, {})
    t = Taxonomy.from_nested(nested, labels="path")
    again = Taxonomy.from_paths(paths, labels="path")
    assert set(t.edges) == set(again.edges)
    assert t.root == again.root
    joined = Taxonomy.from_nested(nested, separator="/", labels="path")
    assert joined._arrays.parents == t._arrays.parents
    assert joined.nodes[1:] == tuple("/".join(label) for label in t.nodes[1:])
    if oracles.names_in_two_places(paths):
        with pytest.raises(ValueError, match=r'is in two places, .*labels="path"'):
            Taxonomy.from_nested(nested)


COLUMN = ["a > b", "a > c", "", "d > b > e", "a > b"]
TWO = [*COLUMN[:2], None, *COLUMN[2:]]
BY_PATH = Taxonomy.from_paths(COLUMN, " > ", labels="path")


@pytest.mark.parametrize(
    "column",
    [
        iter(TWO),
        np.array(COLUMN),
        np.array(TWO, dtype=object),
        pd.Series([*COLUMN, np.nan]),
        pd.Series([*COLUMN, pd.NA, pd.NaT]),
        pd.Series(TWO, dtype="string"),
        pd.Series(TWO, dtype="str"),
        pd.Series(TWO, dtype="category"),
        pd.Series(TWO, dtype=pd.ArrowDtype(pa.string())),
        pd.Index(COLUMN),
        pl.Series(TWO),
        pl.Series(TWO, dtype=pl.Categorical),
        pa.array(TWO),
        pa.chunked_array([TWO[:2], TWO[2:]]),
        pa.array(TWO).dictionary_encode(),
    ],
)
def test_columns_of_strings(column: Any) -> None:
    assert Taxonomy.from_paths(column, " > ", labels="path") == BY_PATH


ROWS = [["a", "b"], ["a", "c"], [], ["d", "b", "e"]]
FRAME = pd.DataFrame({"one": ["a", "a", "d", None], "two": ["b", "c", "b", None], "three": pd.NA})


@pytest.mark.parametrize(
    "column",
    [
        ROWS,
        [*ROWS, None],
        map(iter, ROWS),
        pd.Series([*ROWS, None]),
        pd.Series([np.array(row, dtype=object) for row in ROWS]),
        pd.Series(COLUMN).str.split(" > "),
        pl.Series([*ROWS, None]),
        pa.array([*ROWS, None]),
        [("a", "b", ""), ("a", "c", None), ("d", "b", "e"), ("d", "b", float("nan"))],
    ],
)
def test_columns_of_lists(column: Any) -> None:
    t = Taxonomy.from_paths(column, labels="path")
    assert t.nodes == ("root", ("a",), ("d",), ("a", "b"), ("a", "c"), ("d", "b"), ("d", "b", "e"))


def test_columns_with_one_level_each() -> None:
    t = Taxonomy.from_paths(FRAME.itertuples(index=False), labels="path")
    assert t.nodes == ("root", ("a",), ("d",), ("a", "b"), ("a", "c"), ("d", "b"))
    assert t == Taxonomy.from_paths(zip(FRAME.one, FRAME.two, strict=True), labels="path")
    assert [t.index(row) for row in FRAME[:3].itertuples(index=False)] == [3, 4, 5]


@pytest.mark.parametrize("labels", ["name", "path"])
def test_columns_of_levels_are_paths_with_a_separator_too(labels: str) -> None:
    paths = ["a > b", "a > c", "d"]
    t = Taxonomy.from_paths(paths, " > ", labels=labels)
    levels = pd.DataFrame({"one": ["a ", "a", "d"], "two": ["b", "c", None]})
    for same in (levels, pl.DataFrame(levels), levels.to_numpy(), levels.to_numpy().tolist()):
        assert Taxonomy.from_paths(same, " > ", labels=labels) == t
    assert t.nearest(["a", "c", "e"]) == t.nodes[t.index("a > c")]
    assert t.path(["a", "c"]) == t.path("a > c")
    assert [("a", "c") in t, ["a", "d"] in t] == [True, False]


def test_dataframes_are_not_imported() -> None:
    code = (
        "import sys; from river_hier.taxonomy import Taxonomy\n"
        "before = set(sys.modules); Taxonomy.from_paths([('a', 'b', None)])\n"
        "assert not {'polars', 'pyarrow'} & (set(sys.modules) - before)"
    )
    subprocess.run([sys.executable, "-P", "-c", code], check=True)


@pytest.mark.parametrize(
    ("paths", "separator", "error", "message"),
    [
        (["a//b"], "/", ValueError, "path 0: 'a//b' has no name at level 2 of 3; only names at"),
        (["a", "//b"], "/", ValueError, "path 1: '//b' has no name at level 1 of 2"),
        ([("a", " ", "b")], None, ValueError, r"path 0: \('a', ' ', 'b'\) has no name at level 2"),
        ([(None, "b")], None, ValueError, "has no name at level 1 of 2"),
        ([("a", float("nan"), "b")], None, ValueError, "has no name at level 2 of 3"),
        ([("a", pd.NA, "b")], None, ValueError, "has no name at level 2 of 3"),
        (["a/b"], None, TypeError, "path 0: 'a/b' is not a tuple or list of names; `separator` is"),
        ([b"a/b"], None, TypeError, r"path 0: b'a/b' is not a tuple or list of names$"),
        ([{"a", "b"}], None, TypeError, "is not a tuple or list of names"),
        ([{"a": "b"}], None, TypeError, "is not a tuple or list of names"),
        ([3], None, TypeError, "path 0: 3 is not a tuple or list of names"),
        (
            ["a", ("a/b",)],
            "/",
            ValueError,
            r"path 1: 'a/b' in \('a/b',\) is not a name without '/'",
        ),
        ([("a", 3)], "/", ValueError, r"path 0: 3 in \('a', 3\) is not a name without '/'"),
        (
            [3],
            "/",
            TypeError,
            "path 0: 3 is not a tuple or list of names, or a string such as 'a/b'",
        ),
        ([("a", [])], None, TypeError, r"label \[\] is not hashable"),
        ("a/b", "/", TypeError, "`paths` must be an iterable of paths, got str"),
        (None, "/", TypeError, "`paths` must be an iterable of paths, got NoneType"),
        ({"a": "b"}, "/", TypeError, "`paths` must be an iterable of paths, got dict"),
        (pa.table({"a": ["b/c"]}), "/", ValueError, r"path 0: 'b/c' in \('b/c',\) is not a name"),
        ([], "/", ValueError, r"`paths` holds no name; .* Taxonomy.flat\(\[\]\)"),
        ([None, "", " ", "/", float("nan")], "/", ValueError, "`paths` holds no name"),
        (["a"], "", ValueError, "`separator` must not be empty"),
        (["a"], 7, TypeError, "`separator` must be a string or None, got 7"),
    ],
)
@pytest.mark.parametrize("labels", ["name", "path"])
def test_bad_paths(
    paths: Any, separator: Any, labels: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        Taxonomy.from_paths(paths, separator, labels)


def test_the_error_names_both_places() -> None:
    for paths, one, other in (
        (["x > a > b", "x > c > a"], "x > a", "x > c > a"),
        (["a > a"], "a", "a > a"),
        (["a > b", "b"], "a > b", "b"),
        (["a > b > a"], "a", "a > b > a"),
    ):
        message = f"in two places, {one!r} and {other!r}; labels="
        with pytest.raises(ValueError, match=re.escape(message)):
            Taxonomy.from_paths(paths, " > ")
    with pytest.raises(ValueError, match=r"path 1: .* \('a', 'b'\) and \('c', 'b'\)"):
        Taxonomy.from_paths([("a", "b"), ("c", "b")])
    with pytest.raises(ValueError, match='`labels` must be "name" or "path", got \'paths\''):
        Taxonomy.from_paths([("a", "b")], labels="paths")


@pytest.mark.parametrize(
    ("nested", "error", "message"),
    [
        ({"a": {"b / c": None}}, ValueError, r"'b / c' in \('b / c',\) is not a name without '/'"),
        ({"a": {"": None}}, ValueError, "'' must be one name"),
        ({"a": ["b", None]}, ValueError, "None must be one name"),
        ({"a": 3}, TypeError, "the value of 'a' is 3"),
    ],
)
def test_bad_nested(nested: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Taxonomy.from_nested(nested, separator="/", labels="path")


def test_the_separator_is_given_with_its_spaces() -> None:
    """Or else labels would differ from the strings of the user."""
    for paths, separator in ((["a", "a >> b"], ">>"), (["a", "a>>b", "c>>d"], " >> ")):
        with pytest.raises(ValueError, match=f"is written with other spaces around '{separator}'"):
            Taxonomy.from_paths(paths, separator, labels="path")
        assert Taxonomy.from_paths(paths, separator).depth("b") > 0
    mixed = Taxonomy.from_paths(["a>>b", "a >> c"], " >> ", labels="path")
    assert mixed.nodes == ("a", "a >> b", "a >> c")


def test_a_path_stands_for_the_label_at_its_end() -> None:
    t = Taxonomy.from_paths(["x/a/b", "x/c", "d"], "/")
    assert [
        t.nodes[t.index(y)]
        for y in ("x/a/b", "x / a", " b ", "d", "root/d", ("x", "a"), ["x", "c"])
    ] == [*("b", "a", "b", "d", "d", "a", "c")]
    assert t.closure("x/a") == t.closure(["x/a"]) == t.closure({"x/a": True, " b": False})
    for path, message in (
        ("a/b", "'a/b' is not a path here: 'a' is not at the top"),
        ("x/b", "'x/b' is not a path here: 'b' is not below 'x'"),
        (("x", "b"), r"\('x', 'b'\) is not a path here: 'b' is not below 'x'"),
        ("x/?/b", "'x/.*/b' is not a path here: '.' is not below 'x'"),
    ):
        assert path not in t
        with pytest.raises(ValueError, match=message):
            t.index(path)
    for path in ("x/?", "/", "", ("x", "?"), [], None, float("nan"), pd.NA, 7):
        assert path not in t
        with pytest.raises(UnknownLabelError):
            t.index(path)
    with pytest.raises(UnknownLabelError, match="<NA> is a missing value; leave out examples"):
        t.index(pd.NA)
    animals = Taxonomy([("animal", "bird"), ("bird", "owl")])
    assert animals.index(("animal", "bird", "owl")) == animals.index("owl") == 2


def test_a_path_that_contradicts_itself() -> None:
    t = Taxonomy.from_paths(["x/a/b", "x/c"], "/", labels="path")
    with pytest.raises(ValueError, match="'x/a/b' is on but its ancestor 'x/a' is False"):
        t.closure({"x / a/b": True, "x/ a": False})
    with pytest.raises(ValueError, match="'x/c' is given twice"):
        t.closure({"x/c": True, "x /c": False})
    assert t.closure({"x/c": True, "x /c": True}) == {"x", "x/c"}


def test_tuples_are_one_label_where_labels_are_tuples() -> None:
    t = Taxonomy.from_paths([("a", "b"), ("c", "b")], labels="path")
    assert t.closure(("a ", "b")) == {"root", ("a",), ("a", "b")}
    assert t.closure([("a", "b"), ("c",)]) == {"root", ("a",), ("a", "b"), ("c",)}
    with pytest.raises(UnknownLabelError, match=r"label \('a', 'x'\) is not in"):
        t.closure(("a", "x"))
    # Where labels are names, a tuple of them is several labels; of a path this is the same.
    t = Taxonomy.from_paths([("a", "b"), ("c", "d")])
    assert t.closure(("a", "b")) == t.closure("b")
    assert t.closure(("b", "d")) == set(t)


def test_changes_keep_the_format() -> None:
    t = Taxonomy.from_paths(["a/b", "c/d"], "/", labels="path")
    for changed in (
        t.extend([("a", "a/x")]),
        t.subset(["a/b", "c/d"]),
        t.flatten(),
        pickle.loads(pickle.dumps(t)),
    ):
        assert changed.index(" a / b") == changed.index("a/b")
    by_name = Taxonomy.from_paths(["a/b", "c/d"], "/")
    assert by_name.flatten().index("a/b") == by_name.flatten().index("b")


def test_values_of_labels_may_be_given_by_paths() -> None:
    t = Taxonomy.from_paths(["a/b", "a/c", "d"], "/", labels="path")
    for costs in ({"a/b": 5.0}, {"a / b": 5.0}):
        assert losses.h_loss(t, ["a/b"], ["a"], costs) == 5.0
        metric = metrics.HLoss(t, costs)
        metric.update("a/b", "a/c")
        assert metric.get() == 6.0
        model = decision.HLossBayes(linear_model.HAROW(t), costs)
        p = np.array([1.0, 0.6, 0.4, 0, 0])
        assert model._answer({}).rule(SetAnswer(model._labels), p)
    scores = {"a/b": 0.5, "d": 0.4}
    spaced = {"a / b": 0.5, " d": 0.4}
    assert losses.one_accuracy(t, "a/b", spaced) == losses.one_accuracy(t, "a/b", scores) == 1.0
    one, other = metrics.CalibrationError(t), metrics.CalibrationError(t)
    one.update("a/b", scores)
    other.update("a /b", spaced)
    assert one.get() == other.get() > 0
    with pytest.raises(UnknownLabelError, match="'d ' is not in the taxonomy"):
        local.PerNode({"root": GaussianNB(), "d ": GaussianNB()}, t)
    with pytest.raises(UnknownLabelError, match="'a ' is not in the taxonomy"):
        local.PerParent({"root": GaussianNB(), "a ": GaussianNB()}, t)


def test_open_taxonomies_read_paths_alike() -> None:
    there = OpenTaxonomy(" > ")
    t = there.with_labels(Taxonomy.flat([], root=""), ["a > b", "c", " > a>b > ", "c >d"])
    assert t.nodes == ("", "a", "a > b", "c", "c > d")
    assert t.index("a>b") == 2
    assert there.with_labels(t, ["c>d", "", "a >"]) is t


def test_products() -> None:
    file = DATA / "products" / "products.csv.gz"
    if not file.exists():
        pytest.skip("no data/products")
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        paths = pd.read_csv(lines).product_category_tree.str.strip('[]"')
    with pytest.raises(ValueError, match=r"path 7: the name 'Shirts' is in two places"):
        Taxonomy.from_paths(paths, " >> ")
    t = Taxonomy.from_paths(paths, " >> ", labels="path")
    assert (len(t), len(t.leaves), t.height, t._arrays.is_tree) == (6742, 4373, 8, True)
    assert [t.depth(y) for y in paths[:3]] == [y.count(">>") + 1 for y in paths[:3]]
    spelled = [y for y in paths if t._arrays.number(y) is None]
    assert len(spelled) == 9
    assert all(y in t for y in spelled)


@pytest.mark.parametrize(
    "paths",
    [["/a/b", "/a"], ["a/b/", "a/c/"], [" a/b"], ["a / b", "a/b"], ["a/b", "a / b"]],
    ids=str,
)
def test_one_path_that_contains_its_label_shows_that_the_separator_is_right(
    paths: list[str],
) -> None:
    t = Taxonomy.from_paths(paths, separator="/", labels="path")
    for path in paths:
        assert t.nodes[t.index(path)] == path.replace(" ", "").strip("/")


LEVELS = [["men", "shirts", None], ["men", "shoes", "boots"], ["women", "shirts", ""]]


@pytest.mark.parametrize(
    "table",
    [
        LEVELS,
        np.array([[name or "" for name in path] for path in LEVELS]),
        pd.Series(LEVELS),
        pd.DataFrame(LEVELS),
        pd.DataFrame(LEVELS).fillna(np.nan),
        pl.DataFrame(LEVELS, orient="row"),
        pa.Table.from_pandas(pd.DataFrame(LEVELS)),
    ],
)
def test_tables_of_levels(table: Any) -> None:
    t = Taxonomy.from_paths(table, labels="path")
    assert t.leaves == (("men", "shirts"), ("women", "shirts"), ("men", "shoes", "boots"))
    model = probabilistic.LinearDiscriminant(t)
    model.learn_many(np.eye(3), table)
    assert model.predict_many(np.eye(3)).tolist() == [t.leaves[i] for i in (0, 2, 1)]


@pytest.mark.parametrize("labels", ["name", "path"])
def test_rare_categories(labels: str) -> None:
    paths = ["a > b > c", "a > b > c", "a > b > d", "a > e", "f > g"]
    t = Taxonomy.from_paths(paths, " > ", labels, min_count=2)
    label = {"name": lambda path: path[-1], "path": lambda path: path}[labels]
    assert t.nodes == ("root", *map(label, ["a", "a > b", "a > b > c"]))  # no other root
    nearest = ["a > b > c", "a > b > c", "a > b", "a", "root"]
    assert [t.nearest(path) for path in paths] == [*map(label, nearest[:-1]), "root"]
    assert t.nearest("f > b > c") == "root"  # not the b that is below a
    assert t.nearest(" a>b > new") == label("a > b")
    if labels == "name":
        t = Taxonomy.from_paths(["a > b", "c > d"], separator=" > ")
        assert t.nearest("c > b") == "c"  # not b, which is below a
    assert Taxonomy.from_paths(paths, " > ", labels, "all", min_count=2).root == "all"
    assert Taxonomy.from_paths(paths, " > ", labels, min_count=1) == Taxonomy.from_paths(
        paths, " > ", labels
    )
    for bad in (0, 1.5):
        with pytest.raises(ValueError, match="`min_count` must be an integer of at least 1, got"):
            Taxonomy.from_paths(paths, " > ", labels, min_count=bad)
    with pytest.raises(ValueError, match="no category has `min_count` paths, 9; choose a smaller"):
        Taxonomy.from_paths(paths, " > ", labels, min_count=9)


def test_a_separator_that_never_occurs() -> None:
    with pytest.warns(UserWarning, match=r"' > ' occurs in no path, .* flat: 'a / b', ...") as seen:
        Taxonomy.from_paths(["a / b", "a / c"], " > ", "path")
    assert seen[0].filename == __file__


def test_new_children_of_paths_are_paths() -> None:
    paths = ["Home > Garden > Pots", "Home > Kitchen"]
    t = Taxonomy.from_paths(paths, separator=" > ", labels="path")
    edges = [("Home > Garden", "Hoses"), ("Hoses", "Long"), ("Home", "Home > Bath")]
    assert t.extend(edges).nodes[len(t) :] == (
        "Home > Garden > Hoses",
        "Home > Bath",
        "Home > Garden > Hoses > Long",
    )
    t = Taxonomy.from_paths([("a", "b"), ("c",)], labels="path")
    assert t.extend([(("a",), "x"), (t.root, "z"), (("a",), ("a", "y"))]).nodes[len(t) :] == (
        ("a", "x"),
        ("a", "y"),
        ("z",),
    )
