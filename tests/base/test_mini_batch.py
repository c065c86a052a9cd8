"""Mini-batches: the loop of `learn_one`, whatever holds them."""

import pickle
import warnings
from collections.abc import Callable
from fractions import Fraction
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import compose, preprocessing
from scipy import sparse

from river_hier import Taxonomy, decision, linear_model
from river_hier.base.dataframes import read_batch
from river_hier.feature_extraction import LogTFIDF
from support.hypothesis_settings import n_examples
from support.public_api import learners
from support.strategies import multilabels, reals, taxonomies, trees

SINGLE, MULTI = learners("linear_model")
TYPED = list(chain(*learners("linear_model", "dtype")))
TREE = Taxonomy([("r", "a"), ("a", "b"), ("r", "c")])


def made(name: str, taxonomy: Any = TREE, **parameters: Any) -> Any:
    return getattr(linear_model, name)(taxonomy, **parameters)


def same(one: Any, many: Any, xs: list[dict[Any, float]]) -> None:
    """The same to the last bit."""
    assert pickle.dumps(one) == pickle.dumps(many)
    assert one._taxonomy == many._taxonomy
    assert one._features.names() == many._features.names()
    for label, w in one.weights.items():
        assert many.weights[label] == pytest.approx(w, abs=1e-9)
    for x in xs:
        assert one.score_one(x) == pytest.approx(many.score_one(x), abs=1e-9)


def loop(model: Any, xs: list[dict[Any, float]], ys: list[Any]) -> Any:
    for x, y in zip(xs, ys, strict=True):
        model.learn_one(x, y)
    return model


def polars(X: pd.DataFrame) -> Any:
    module = pytest.importorskip("polars")
    return module.DataFrame({str(name): X[name].to_list() for name in X.columns})


def pyarrow(X: pd.DataFrame) -> Any:
    module = pytest.importorskip("pyarrow")
    return module.table({str(name): X[name].to_list() for name in X.columns})


KINDS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "pandas": lambda X: X,
    "odd index": lambda X: X.set_axis([f"row {i % 3}" for i in range(len(X))], axis=0),
    "nullable": lambda X: X.convert_dtypes(),
    "object": lambda X: X.astype(object),
    "polars": polars,
    "pyarrow": pyarrow,
}


@st.composite
def batches(draw: st.DrawFn, ys: st.SearchStrategy[Any]) -> list[tuple[Any, list[Any]]]:
    """Batches of floats whose columns come and go, and their labels."""
    found = []
    for _ in range(draw(st.integers(1, 3))):
        columns = draw(st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=5))
        n = draw(st.integers(0, 8))
        cells = draw(st.lists(reals, min_size=n * len(columns), max_size=n * len(columns)))
        numbers = np.array(cells).reshape(n, len(columns)) + 0.0  # whole numbers know no -0.0
        X = pd.DataFrame(numbers, columns=columns)
        found.append((X, draw(st.lists(ys, min_size=n, max_size=n))))
    return found


def records(X: pd.DataFrame) -> list[dict[Any, float]]:
    return [dict(zip(X.columns, row, strict=True)) for row in X.to_numpy(dtype=float).tolist()]


PARAMETERS: list[dict[str, Any]] = [{}, {"intercept": 0.5}]
CAPPED = [*PARAMETERS, {"C": 0.1}]
FORGETFUL = [*PARAMETERS, {"forgetting": 0.9}]
VARIED = {
    "PathSoftmax": [*FORGETFUL, {"prior_variance": 0.5}],
    "HierarchicalSoftmax": [*FORGETFUL, {"prior_variance": 0.5}],
    **dict.fromkeys(["HAROW", "HRLS", "SHRLS"], FORGETFUL),
}


@pytest.mark.slow(but=13)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", SINGLE + MULTI)
@given(data=st.data())
@n_examples(15)
def test_dataframes(name: str, kind: str, data: st.DataObject) -> None:
    single, sized = name in SINGLE, kind in ("polars", "pyarrow")  # by their columns
    taxonomy = data.draw(trees() if single else taxonomies())
    parameters = data.draw(st.sampled_from(VARIED.get(name, CAPPED if single else PARAMETERS)))
    one = made(name, data.draw(st.sampled_from([taxonomy, None])), **parameters)
    many = one.clone()
    labels = st.sampled_from(taxonomy.nodes) if single else multilabels(taxonomy)
    for X, ys in data.draw(batches(labels)):
        if sized and not len(X.columns):
            continue
        given_, xs = KINDS[kind](X), records(X)
        ys = ys if single else [list(y) if i % 2 else y for i, y in enumerate(ys)]
        loop(one, xs, ys)
        many.learn_many(given_, ys)
        same(one, many, xs)
        answers, likely = many.predict_many(given_), many.predict_proba_many(given_)
        asked = [many.predict_one(x) for x in xs]
        p = [many.predict_proba_one(x) for x in xs]
        n = len(many._taxonomy.nodes) - (not single)
        if sized and not n:
            continue  # they do not know how many rows they have
        assert type(likely) is type(given_)
        assert likely.shape == (len(xs), len(many.predict_proba_one({})))
        expected = [[v if single else v[True] for v in row.values()] for row in p]
        for row, chances in zip(np.array(likely), expected, strict=True):
            np.testing.assert_allclose(row.astype(float), chances, atol=1e-12)
        if not sized:
            assert answers.index.equals(given_.index)
            assert list(likely.columns) == list(many.predict_proba_one({}))
        if not single:
            assert type(answers) is type(given_)
            assert np.array(answers).tolist() == [list(y.values()) for y in asked]
        elif sized:
            assert list(map(str, np.array(answers))) == list(map(str, asked))
        else:
            assert answers.tolist() == asked


@pytest.mark.slow(but=6)
@pytest.mark.parametrize("shape", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array])
@pytest.mark.parametrize("name", SINGLE + MULTI)
@given(data=st.data())
@n_examples(15)
def test_sparse_rows(name: str, shape: Any, data: st.DataObject) -> None:
    one = made(name, **data.draw(st.sampled_from(PARAMETERS)))
    many = one.clone()
    ys = st.sampled_from("rabc") if name in SINGLE else multilabels(TREE)
    for X, y in data.draw(batches(ys)):
        cells = X.to_numpy() * (X.abs().to_numpy() > 1)
        columns = list(X.columns)
        xs = [{c: v for c, v in zip(columns, row, strict=True) if v} for row in cells.tolist()]
        given_ = shape(cells.reshape(len(X), len(columns)))
        loop(one, xs, y)
        many.learn_many(given_, y, columns=columns)
        same(one, many, xs)
        answers = many.predict_many(given_, columns=columns)
        assert isinstance(answers, pd.Series if name in SINGLE else pd.DataFrame)
        listed = answers.tolist() if name in SINGLE else answers.to_dict("records")
        assert listed == [many.predict_one(x) for x in xs]
        assert len(many.predict_proba_many(given_, columns=iter(columns))) == len(xs)


@pytest.mark.slow(but=2)
@pytest.mark.parametrize(
    ("name", "parameters"),
    [("HRLS", {}), ("HRLS", {"budget": 100}), ("SHRLS", {}), ("SHRLS", {"budget": 6})],
)
@pytest.mark.parametrize("n_words", [12, 3_000])
def test_batches_longer_than_what_a_system_takes_at_once(
    name: str, parameters: dict[str, Any], n_words: int
) -> None:
    """Words that are few lead to primal variables."""
    rng = np.random.default_rng(0)
    one, many = made(name, **parameters), made(name, **parameters)
    xs: list[dict[Any, float]] = []
    for n, first in ((1_100, 0), (150, 6), (100, 200), (1, 0), (90, 0), (90, 0)):
        columns = [f"w{j}" for j in range(first, first + n_words)]
        kept = rng.random((n, n_words)) < min(0.5, 8 / n_words)
        X = sparse.csr_array(np.where(kept, rng.random((n, n_words)), 0))
        rows = (X[[i]] for i in range(n))
        xs = [
            {columns[j]: v for j, v in zip(r.indices, r.data.tolist(), strict=True)} for r in rows
        ]
        ys = [{str(label)} for label in rng.choice(["a", "b", "c"], n)]
        loop(one, xs, ys)
        many.learn_many(X, ys, columns=columns)
        same(one, many, xs[:20])


@pytest.mark.parametrize("name", SINGLE + MULTI)
def test_many_columns_with_names_of_every_kind(name: str) -> None:
    """Some known, some not, some of columns without an entry; all are looked up beforehand."""
    rng = np.random.default_rng(2)
    kinds: list[Callable[[int], Any]] = [
        lambda i: f"w{i}",
        lambda i: f"a name that no slot of a table holds {i}",
        lambda i: f"ä{i}",
        lambda i: i,
        lambda i: i + 0.5,
        lambda i: ("a tuple", i),
    ]
    one, many = (made(name) for _ in range(2))
    for n_kinds in (1, 4, 6):
        columns = [kinds[i % n_kinds](i) for i in rng.permutation(60).tolist()]
        cells = rng.normal(size=(8, 60)) * (rng.random((8, 60)) < 0.2)
        ys = ["a", "b", "c", "r"] * 2
        y = ys if name in SINGLE else [{label} for label in ys]
        xs = [{c: v for c, v in zip(columns, row, strict=True) if v} for row in cells.tolist()]
        loop(one, xs, y)
        many.learn_many(sparse.csr_array(cells), y, columns=columns)
        same(one, many, xs)
        answers = many.predict_many(sparse.csr_array(cells), columns=columns)
        listed = answers.tolist() if name in SINGLE else answers.to_dict("records")
        assert listed == [many.predict_one(x) for x in xs]


def test_stored_zeros_are_features_and_twin_entries_are_added_up() -> None:
    X = sparse.csr_array(([0.0, 1.0, 2.0, 3.0], [2, 1, 1, 0], [0, 3, 4]), shape=(2, 3))
    for name in SINGLE + MULTI:
        one, many = made(name), made(name)
        loop(one, [{"y": 3.0, "z": 0.0}, {"x": 3.0}], ["b", "c"])
        many.learn_many(X, ["b", "c"], columns=["x", "y", "z"])
        same(one, many, [])
        assert X.nnz == 4, "X is left as it was"


@pytest.mark.parametrize("name", MULTI)
@given(data=st.data())
@n_examples(30)
def test_tables_of_labels(name: str, data: st.DataObject) -> None:
    taxonomy = data.draw(taxonomies())
    open_or_closed = data.draw(st.sampled_from([taxonomy, None]))
    labels = data.draw(st.permutations(taxonomy.nodes[1:]))
    labels = labels[: data.draw(st.integers(0, len(labels)))]
    n = data.draw(st.integers(0, 6))
    rows = [{*data.draw(multilabels(taxonomy))} for _ in range(n)]
    X = pd.DataFrame({"x": np.arange(n) - 2.5, "y": 1.0})
    closed = [taxonomy.closure(row) for row in rows]
    Y = np.array([[label in row for label in labels] for row in closed], dtype=bool)
    Y = Y.reshape(n, len(labels))
    columns = pd.Index(labels, dtype=object, tupleize_cols=False)
    one = loop(
        made(name, open_or_closed),
        records(X),
        [dict(zip(labels, row, strict=True)) for row in Y.tolist()],
    )
    for y, named in [
        (pd.DataFrame(Y, columns=columns), None),
        (pd.DataFrame(Y, columns=columns).astype(int), None),
        (pd.DataFrame(Y, columns=columns).astype(object), None),
        (Y, labels),
    ]:
        many = made(name, open_or_closed)
        many.learn_many(X, y, labels=named)
        same(one, many, records(X))
    if open_or_closed is not None:  # there a sparse y names only what is on
        many = made(name, taxonomy)
        many.learn_many(X, sparse.csr_array(Y), labels=labels)
        same(one, many, records(X))


def test_tables_of_labels_of_every_kind() -> None:
    X = pd.DataFrame({"x": [1.0, -2.0]})
    Y = pd.DataFrame({"b": [True, False], "c": [False, True]})
    one = loop(made("HPerceptron"), records(X), [{"b": True, "c": False}, {"b": False, "c": True}])
    for kind in KINDS.values():
        many = made("HPerceptron")
        many.learn_many(kind(X), kind(Y))
        same(one, many, records(X))
    many = made("HPerceptron")
    many.learn_many(X, pd.Series([["b"], {"c"}], index=[7, 7]))
    same(one, many, records(X))
    many = made("HPerceptron")
    many.learn_many(X, [iter(["b"]), ("c",)])
    same(one, many, records(X))


def test_columns_that_pandas_2_takes_for_positions() -> None:
    model = linear_model.HPerceptron(Taxonomy([("r", 7), ("r", 2.5)]))
    Y = pd.DataFrame([[True, False]], columns=pd.Index([7, 2.5], dtype=object), dtype=object)
    model.learn_many(pd.DataFrame({"x": [1.0]}), Y)
    assert model.predict_labels_one({"x": 1.0}) == [7]


ODD = [
    pd.DataFrame({"x": [True, False], "y": [1, 2]}),
    pd.DataFrame({"x": pd.Categorical([1, 2]), "y": [0.5, 1]}),
    pd.DataFrame({"x": np.array([0.1, 0.2], dtype=np.float32), "y": np.array([1, 2], np.uint8)}),
    pd.DataFrame({"x": pd.array([1, 2], dtype="Int64"), "y": pd.array([True, False], "boolean")}),
    pd.DataFrame({"x": [Fraction(1, 3), 10**3], "y": [np.float32(0.1), True]}),
    pd.DataFrame({"x": pd.arrays.SparseArray([1.0, 2.0], fill_value=1.0), "y": [1.0, 0.0]}),
    pd.DataFrame({1: [1.0, 2.0], ("a", 2): [0.0, 1.0], None: [2, 2]}),
    pd.DataFrame(index=[3, 4]),
    pd.DataFrame({"x": [1e-160, 1.0], "y": [0.0, 1e-170]}),
    pd.DataFrame({"x": [1e144, 0.0], "y": [0.0, 1e144]}),
]


@pytest.mark.parametrize("X", ODD, ids=range(len(ODD)))
@pytest.mark.parametrize("name", SINGLE + MULTI)
def test_cells_of_every_kind(name: str, X: pd.DataFrame) -> None:
    l2 = {"l2": 1e300} if name in ("HRLS", "SHRLS") else {}
    one, many = made(name, **l2), made(name, **l2)
    xs = [dict(zip(X.columns, row, strict=True)) for row in X.itertuples(index=False)]
    loop(one, xs or [{}, {}], ["b", "c"])
    many.learn_many(X, ["b", "c"])
    for x in xs:
        assert many.score_one(x) == pytest.approx(one.score_one(x), rel=1e-9, abs=1e-9)
    assert len(many.predict_many(X)) == 2


@pytest.mark.parametrize("private", [True, False])
def test_sparse_columns(private: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not private:  # a version of pandas without this method
        monkeypatch.delattr(pd.DataFrame, "_iter_column_arrays")
    column = pd.arrays.SparseArray
    X = pd.DataFrame({"a": column([1, 0, 2]), "b": column([True, False, False])})
    X["c"] = column([0.0, 0.5, 0.0], fill_value=0.0)
    X["d"] = column([0.0, 3.0, 4.0], fill_value=0.0, kind="block")
    batch = read_batch(X, None)
    assert list(batch) == [{"a": 1.0, "b": 1.0}, {"c": 0.5, "d": 3.0}, {"a": 2.0, "d": 4.0}]
    X["e"] = column([1.0, 1.0, 2.0], fill_value=1.0)
    batch = read_batch(X, None)
    assert batch.row(0) == {"a": 1.0, "b": 1.0, "c": 0.0, "d": 0.0, "e": 1.0}


BAD_X = [
    (pd.DataFrame({"x": [1.0, np.nan]}), ValueError, r"row 1: feature 'x' is nan"),
    (
        pd.DataFrame({"x": [1.0, 2.0], "y": [0.0, -np.inf]}),
        ValueError,
        r"row 1: feature 'y' is -inf",
    ),
    (pd.DataFrame({"x": [1.0, "red"]}), ValueError, r"row 1: feature 'x' is 'red' \(str\), not a"),
    (pd.DataFrame({"x": pd.Categorical(["red", "blue"])}), ValueError, r"row 0: .* 'red' \(str\)"),
    (pd.DataFrame({"x": pd.array([1, None], "Int64")}), ValueError, r"row 1: feature 'x' is <NA>"),
    (
        pd.DataFrame({"x": pd.to_datetime(["2026-01-01"] * 2)}),
        ValueError,
        r"row 0: .* not a number",
    ),
    (
        pd.DataFrame({"x": pd.to_timedelta([1, 2])}),
        ValueError,
        r"row 0: feature 'x' .* not a number",
    ),
    (pd.DataFrame({"x": [1.0, 1e200]}), ValueError, r"row 1: .* squared norm of x overflows"),
    (
        pd.DataFrame({"x": pd.Series([0, 10**400], dtype=object)}),
        ValueError,
        r"row 1: feature 'x' is too large for a float",
    ),
    (pd.DataFrame([[1.0, 2.0]] * 2, columns=["x", "x"]), ValueError, r"column 'x' comes twice"),
    (pd.DataFrame({"x": [1.0]}), ValueError, r"X has 1 rows and y has 2; each row needs"),
    (np.ones(2), TypeError, r"an array X must be a matrix of numbers, got 1 dimensions of float"),
    (np.array([["1"]] * 2), TypeError, r"must be a matrix of numbers, got 2 dimensions of <U1"),
    (np.array([[1.0], [np.inf]]), ValueError, r"row 1: feature 0 is inf; values must be finite"),
    ([{"x": 1.0}] * 2, TypeError, r"X must be a dataframe .* got list; .*`learn_one`"),
]


def assert_ended(model: Any, before: bytes, error: Exception) -> None:
    """A batch of two rows ended before the refused one, and learned the row before that."""
    n = vars(error)["n_learned"]
    assert n == ("row 1" in str(error))
    assert (pickle.dumps(model) == before) == (n == 0)


@pytest.mark.parametrize(("X", "error", "message"), BAD_X, ids=range(len(BAD_X)))
def test_bad_x(X: Any, error: type[Exception], message: str) -> None:
    for name in SINGLE + MULTI:
        for taxonomy in (TREE, None):
            model = loop(made(name, taxonomy), [{"x": 1.0}, {"x": -1.0}], ["b", "c"])
            before = pickle.dumps(model)
            with pytest.raises(error, match=message) as refused:
                model.learn_many(X, ["b", "c"] if taxonomy else ["b", "brand new"])
            assert_ended(model, before, refused.value)
            if "has 2" not in message:
                for call in (model.predict_many, model.predict_proba_many):
                    with pytest.raises(error, match=message):
                        call(X)


@pytest.mark.parametrize("kind", [polars, pyarrow])
def test_a_label_that_is_a_tuple_comes_as_text(kind: Callable[[pd.DataFrame], Any]) -> None:
    X = kind(pd.DataFrame({"x": [1.0, -1.0]}))
    model = linear_model.Hieron(Taxonomy.flat([("c",), ("d",)], root=("r",)))
    model.learn_many(X, [("c",), ("d",)])
    answers = model.predict_many(X)
    assert list(map(str, np.array(answers))) == ["('c',)", "('d',)"]


def test_bad_x_of_other_kinds() -> None:
    nulls = pd.DataFrame({"x": [1.0, None], "y": [True, False]}).astype(object)
    nulls = nulls.where(nulls.notna(), None)
    dates = pd.DataFrame({"x": pd.to_datetime(["2026-01-01"]).date, "y": [1.5]})
    model = made("Hieron")
    for kind in (polars, pyarrow):
        with pytest.raises(ValueError, match=r"row 1: feature 'x' is None"):
            model.learn_many(kind(nulls), ["b", "c"])
        with pytest.raises(ValueError, match=r"row 0: feature 'x' is datetime.date"):
            model.learn_many(kind(dates), ["b"])
    twins = pytest.importorskip("pyarrow").table([[1.0], [2.0]], names=["x", "x"])
    with pytest.raises(ValueError, match="column 'x' comes twice"):
        model.learn_many(twins, ["b"])
    X = sparse.csr_array(np.array([[1.0, 0.0], [0.0, np.nan]]))
    with pytest.raises(ValueError, match=r"row 1: feature 'y' is nan"):
        model.learn_many(X, ["b", "c"], columns=["x", "y"])
    for name, cells in (("u", np.eye(2)), ("v", np.ones((2, 2)))):  # in two rows, and in one
        with pytest.raises(ValueError, match=f"column '{name}' comes twice"):
            model.learn_many(sparse.csr_array(cells), ["b", "c"], columns=[name, name])
    with pytest.raises(ValueError, match=r"`columns` must name each column of X, got 1 names"):
        model.learn_many(X, ["b", "c"], columns=["x"])
    with pytest.raises(TypeError, match=r"`columns` are the names of a sparse X"):
        model.learn_many(nulls, ["b", "c"], columns=["x", "y"])
    with pytest.raises(ValueError, match=r"row 0: feature 'x' is 1j"):
        model.learn_many(sparse.csr_array(np.array([[1j]])), ["b"], columns=["x"])


BAD_Y: list[tuple[list[str], Any, type[Exception], str]] = [
    (SINGLE + MULTI, ["b"], ValueError, r"X has 2 rows and y has 1"),
    (SINGLE + MULTI, ["b", None], ValueError, r"row 1: .*None"),
    (SINGLE + MULTI, 3, TypeError, r"y must be a series or a sequence of labels, got int"),
    (SINGLE + MULTI, "bc", TypeError, r"y must be a series .* got str"),
    (SINGLE, ["b", ["c", "?"]], TypeError, r"row 1: y is \['c', '\?'\], and .* learns one label"),
    (SINGLE, ["b", {"c"}], TypeError, r"row 1: y is {'c'}, and .* linear_model.HAROW or HPerc"),
    (SINGLE, pd.DataFrame({"b": [1], "c": [0]}), TypeError, "y must be a series .* got DataFrame"),
    (SINGLE, {"b": 1, "c": 2}, TypeError, r"y must be a series .* got dict"),
    (MULTI, ["b", {"b": True, "r": "no"}], ValueError, r"row 1: "),
    (MULTI, pd.DataFrame({"b": [1, 2]}), ValueError, r"row 1: label 'b' is 2.0: it must be True"),
    (MULTI, pd.DataFrame({"b": [True, None]}), ValueError, r"row 1: label 'b' is None"),
    (MULTI, pd.DataFrame({"b": [1.0, np.nan]}), ValueError, r"row 1: label 'b' is nan"),
    (MULTI, pd.DataFrame([[True, True]] * 2, columns=["b", "b"]), ValueError, "'b' comes twice"),
    (MULTI, pd.DataFrame({"b": [True]}), ValueError, r"X has 2 rows and y has 1"),
    (MULTI, np.ones((2, 1), dtype=bool), TypeError, r"a matrix y has no names .* `labels`"),
]


@pytest.mark.parametrize(("names", "y", "error", "message"), BAD_Y, ids=range(len(BAD_Y)))
def test_bad_y(names: list[str], y: Any, error: type[Exception], message: str) -> None:
    X = pd.DataFrame({"x": [1.0, 2.0], "new": [1.0, 2.0]})
    for name in names:
        for taxonomy in (TREE, None):
            model = loop(made(name, taxonomy), [{"x": 1.0}, {"x": -1.0}], ["b", "c"])
            before = pickle.dumps(model)
            with pytest.raises(error, match=message) as refused:
                model.learn_many(X, y)
            assert_ended(model, before, refused.value)


def test_labels_that_the_taxonomy_refuses() -> None:
    X = pd.DataFrame({"x": [1.0, 2.0], "new": [1.0, 2.0]})
    for name in SINGLE + MULTI:
        closed, grows = made(name), made(name, None)
        for y in (["b", "unicorn"], pd.Series(["b", "unicorn"])):
            with pytest.raises(ValueError, match=r"row 1: label 'unicorn' is not in the taxonomy"):
                closed.learn_many(X, y)
        with pytest.raises(ValueError, match=r"row 1: label 'root' names the root"):
            grows.learn_many(X, ["b", "root"])
    for name in MULTI:
        for y in ([{"b"}, {"b": True, "a": False}], pd.DataFrame({"b": [0, 1], "a": [0, 0]})):
            with pytest.raises(ValueError, match=r"row 1: label 'b' is on but its ancestor 'a'"):
                made(name).learn_many(X, y)
        with pytest.raises(ValueError, match=r"row 0: label 'unicorn' is not in the taxonomy"):
            made(name).learn_many(X, pd.DataFrame({"unicorn": [True, False]}))


@pytest.mark.parametrize("name", ["HRLS", "SHRLS"])
def test_least_squares_refuse_a_row_beside_which_l2_is_lost(name: str) -> None:
    for taxonomy in (TREE, None):
        model = made(name, taxonomy, l2=1e-6)
        before = pickle.dumps(model)
        with pytest.raises(ValueError, match=r"row 1: `l2` = 1e-06 is lost in rounding") as refused:
            model.learn_many(pd.DataFrame({"x": [1.0, 2000.0]}), ["b", "c"])
        assert_ended(model, before, refused.value)


@pytest.mark.parametrize("name", TYPED)
@pytest.mark.parametrize("parameters", PARAMETERS)
def test_small_floats(name: str, parameters: dict[str, Any]) -> None:
    X = pd.DataFrame({"x": [1.0, 0.1, -0.3], "y": [2.5, 1e-30, 1.0]})
    for taxonomy in (TREE, None):
        one, many = (made(name, taxonomy, dtype="float32", **parameters) for _ in range(2))
        loop(one, records(X), ["b", "c", "a"])
        many.learn_many(X, ["b", "c", "a"])
        same(one, many, records(X))
        before = pickle.dumps(many)
        with pytest.raises(ValueError, match=r"row 0: the squared norm of x is .*float32"):
            many.learn_many(pd.DataFrame({"x": [1e20, 1.0]}), ["b" if taxonomy else "new", "b"])
        for call in (many.predict_many, many.predict_proba_many):
            with pytest.raises(ValueError, match=r"the squared norm of x is .*float32"):
                call(pd.DataFrame({"x": [1.0, 1e20]}))
        assert pickle.dumps(many) == before


@pytest.mark.parametrize("name", MULTI)
def test_labels_of_several_types_and_dataframes_that_hold_one(name: str) -> None:
    X = pd.DataFrame({"x": [1.0, -1.0]})
    model = made(name, Taxonomy.flat([7, "8", ("t",)]))
    model.learn_many(X, [[7], [("t",)]])
    assert list(model.predict_many(X).columns) == [7, "8", ("t",)]
    assert pyarrow(X) is None or model.predict_many(pyarrow(X)).column_names == ["7", "8", "('t',)"]
    twins = made(name, Taxonomy.flat([7, "7"]))
    with pytest.raises(ValueError, match="two labels are written '7'"):
        twins.predict_many(polars(X))


@pytest.mark.parametrize("name", ["Hieron", "HAROW", "HRLS", "Calibrated"])
def test_columns_that_a_trained_model_has_never_seen_are_refused(name: str) -> None:
    wrapped = name == "Calibrated"
    model = decision.Calibrated(made("HAROW")) if wrapped else made(name)
    X = pd.DataFrame([[1.0, 0.0], [0.0, 1.0]], columns=["e0", "e1"])
    model.predict_many(X.to_numpy())  # it has learned nothing
    model.learn_many(X, ["b", "c"] if name in SINGLE else [{"b"}, {"c"}])
    for other in (X.to_numpy(), X.rename(columns={"e0": "0", "e1": "1"})):
        for call in (model.predict_many, model.predict_proba_many):
            with pytest.raises(ValueError, match=r"knows none of the columns .* learned 'e0', .*"):
                call(other)
    with pytest.warns(UserWarning, match="X has 2 columns and lacks 1 of the 2 that the model has"):
        assert len(model.predict_many(X.to_numpy(), columns=["e1", "new"])) == 2


@pytest.mark.parametrize("name", [*SINGLE, *MULTI])
def test_sparse_matrices_of_another_width(name: str) -> None:
    """Their columns are numbers, which other matrices may not share."""
    model, y = made(name), ["b", "c"] if name in SINGLE else [{"b"}, {"c"}]
    X = sparse.csr_array(np.eye(2, 3))
    model.learn_many(X, y)
    for other in (np.eye(2), np.eye(2, 4)):
        width = rf"a sparse X has {other.shape[1]} columns, and the model has learned from 3; with"
        for call in (model.predict_many, model.predict_proba_many):
            with pytest.warns(UserWarning, match=width):
                call(sparse.csr_array(other))
    with pytest.warns(UserWarning, match="has 5 columns, and the model has learned from 3; with"):
        model.learn_many(sparse.csr_array(np.eye(2, 5)), y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict_many(X, columns=["u", "v", "w"])
        model.predict_many(sparse.csr_array(np.eye(2, 5)))


@pytest.mark.parametrize("name", ["Hieron", "HAROW"])
def test_rows_of_y_in_another_order_are_refused(name: str) -> None:
    """By the indices of X and y; indices that do not belong together say nothing."""
    model, names = made(name), ["b", "c", "b"]
    X = pd.DataFrame(np.eye(3), columns=["u", "v", "w"], index=[5, 3, 4])
    labels = names if name in SINGLE else [{v} for v in names]
    y, before = pd.Series(labels, index=X.index), pickle.dumps(model)
    for wrong in (y.sort_index(), y.iloc[::-1]):
        with pytest.raises(ValueError, match=r"another order: its index is \[\d, \d, \d\], .*loc"):
            model.learn_many(X, wrong)
        assert pickle.dumps(model) == before
    for fine in (y, y.sort_index().loc[X.index], y.reset_index(drop=True), y.to_numpy(), labels):
        model.learn_many(X, fine)


def test_a_list_of_texts_gets_an_array() -> None:
    texts, y = ["a bear", "a cat"], ["b", "c"]
    for kind in (linear_model.PathSoftmax, linear_model.HAROW):
        model = LogTFIDF() | kind()
        model.learn_many(texts * 20, y * 20)
        for X in (texts, np.array(texts)):
            found = model.predict_many(X), model.predict_proba_many(X)
            assert [type(answer) for answer in found] == [np.ndarray] * 2
        series = pd.Series(texts, index=[7, 8])
        assert model.predict_many(series).index.tolist() == [7, 8]
        assert (np.asarray(model.predict_many(series)) == found[0]).all()


def test_a_union_of_words_and_numbers_is_sparse_and_does_not_warn() -> None:
    t = Taxonomy.flat(["shirt", "boot"])
    rows = [
        ("wool shirt", 3.0, "shirt"),
        ("rubber boot", 0.0, "boot"),
        ("silk shirt", 2.0, "shirt"),
    ]

    def make() -> Any:
        numbers = compose.Select("price") | preprocessing.StandardScaler()
        return (LogTFIDF(on="title") + numbers) | linear_model.PathSoftmax(t)

    one, many = make(), make()
    for title, price, y in rows:
        many.learn_many(pd.DataFrame({"title": [title], "price": [price]}), [y])
        one.learn_one({"title": title, "price": price}, y)
    X = pd.DataFrame(rows[:2], columns=["title", "price", "y"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        p = many.predict_proba_many(X)
    for i, (title, price, _) in enumerate(rows[:2]):
        assert p.iloc[i].to_dict() == pytest.approx(
            one.predict_proba_one({"title": title, "price": price})
        )
