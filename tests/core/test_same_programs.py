"""The same random programs on both backends: same answers, same errors, same state."""

from __future__ import annotations

import inspect
import math
import pickle
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_hier import Taxonomy, linear_model
from support.backends import learn, namespace, native_only, running_on
from support.both_backends import MULTI, NAMES, SINGLE, BothBackends, any_x, any_y, same_weights
from support.hypothesis_settings import n_examples
from support.strategies import taxonomies, trees

pytestmark = native_only

ALL = [*NAMES, math.nan]  # equal to itself by identity only: a pickle makes another one

# Parameters of the learners, with values that change what they do.
PARAMETERS: dict[str, list[dict[str, Any]]] = {
    "Hieron": [{}, {"C": 0.1}, {"intercept": 0.5}],
    "AveragedHieron": [{}, {"C": 0.1}, {"intercept": 0.5}],
    "HPerceptron": [{}, {"intercept": 2.0}, {"n_features": 2, "intercept": 2.0}],
    "HAROW": [
        {},
        {"r": 0.1},
        {"forgetting": 0.9},
        {"intercept": 0.5},
        {"dtype": "float16"},
        {"dtype": "float16", "seed": 3, "forgetting": 0.9},
    ],
    "PathSoftmax": [{}, {"prior_variance": 0.5}, {"forgetting": 0.9}, {"intercept": 0.5}],
    "HRLS": [
        {},
        {"l2": 0.3},
        {"budget": 3},
        {"forgetting": 0.7},
        {"intercept": 0.5},
    ],
    "SHRLS": [
        {},
        {"threshold": 0.1},
        {"l2": 0.3},
        {"budget": 3},
        {"forgetting": 0.7},
        {"intercept": 0.5, "budget": 4},
    ],
}
OF_ALL = {"taxonomy", "n_features", "dtype", "intercept"}  # have tests of their own


def bushy(n: int, n_parents: int, star: int = 0) -> Taxonomy:
    """A large taxonomy, a tree or a DAG, in which `star` nodes hang under the root."""
    rng = np.random.default_rng(n)
    edges = [("root", f"n{v}") for v in range(1, max(star, 3))]
    for v in range(max(star, 3), n):
        above = sorted(set(rng.integers(max(1, v // 8), v, size=n_parents).tolist()))
        edges += [(f"n{p}", f"n{v}") for p in above]
    return Taxonomy(edges)


LARGE = [bushy(140, 1), bushy(300, 1, star=90), bushy(150, 2), bushy(129, 1, star=129)]


def constant(value: Any) -> Callable[[], Any]:
    return lambda: value


VERBS = ["learn_one"] * 6 + ["predict_one"] * 3 + ["score_one", "predict_proba_one", "pickle"]
MULTI_VERBS = [*VERBS, *["predict_labels_one"] * 2]


def run(pair: BothBackends, labels: list[Any], seed: int, n: int) -> None:
    """n random calls; those in which rounding alone would decide are left out."""
    rng = random.Random(seed)
    for _ in range(n):
        verb = rng.choice(VERBS if pair.name in SINGLE else MULTI_VERBS)
        x, y = any_x(rng), any_y(rng, labels)
        if pair.name in SINGLE:
            y = constant(rng.choice([*labels, *labels, "unicorn", None]))
        if verb == "pickle":
            pair.pickled()
        elif verb == "score_one":
            pair.call(verb, constant(x))
        elif not pair.rounding_decides(x, y() if verb == "learn_one" else None):
            pair.call(verb, constant(x), *([y] if verb == "learn_one" else []))
        stored = [getattr(model, "n_stored", None) for model in pair.models.values()]
        assert stored[0] == stored[1]
    same_weights(pair)


@pytest.mark.parametrize("name", SINGLE + MULTI)
@given(data=st.data(), seed=st.integers(0, 2**32))
@n_examples(40)
def test_programs(name: str, data: st.DataObject, seed: int) -> None:
    taxonomy = data.draw(trees() if name in SINGLE else taxonomies())
    parameters = data.draw(st.sampled_from(PARAMETERS.get(name, [{}])))
    run(BothBackends(name, taxonomy, **parameters), list(taxonomy.nodes), seed, 30)


@pytest.mark.parametrize("name", SINGLE + MULTI)
def test_programs_use_every_parameter(name: str) -> None:
    parameters = {*inspect.signature(getattr(linear_model, name)).parameters} - OF_ALL
    untried = parameters.difference(*PARAMETERS.get(name, [{}]))
    assert not untried, (
        "tests/core/test_same_programs.py: add to PARAMETERS a dictionary with a value of "
        f"each parameter of {name} that is missing: {untried}"
    )


@pytest.mark.parametrize("name", SINGLE + MULTI)
@given(seed=st.integers(0, 2**32))
@n_examples(8)
def test_programs_with_plain_labels(name: str, seed: int) -> None:
    taxonomy = Taxonomy([(0, 1), (0, "a"), (1, 12), (1, 10**30), ("a", "ab"), ("a", -1), (-1, "")])
    run(BothBackends(name, taxonomy), [*taxonomy.nodes, True], seed, 40)


@pytest.mark.parametrize("name", SINGLE + MULTI)
@given(seed=st.integers(0, 2**32))
@n_examples(15)
def test_programs_that_bring_new_labels(name: str, seed: int) -> None:
    labels = ["a", "b", 3, ("t", 1), None, True, 1, "root", b"x"]
    run(BothBackends(name, None), labels, seed, 30)


@pytest.mark.slow(but=4)
@pytest.mark.parametrize("name", SINGLE + MULTI)
@pytest.mark.parametrize("which", range(4))
def test_programs_on_large_taxonomies(name: str, which: int) -> None:
    taxonomy = LARGE[which]
    if name in SINGLE and not taxonomy.is_tree:
        pytest.skip("trees only")
    run(BothBackends(name, taxonomy), list(taxonomy.nodes), which, 30)


def examples(taxonomy: Taxonomy, n: int, n_features: int, seed: int) -> list[tuple[Any, Any]]:
    """Generic sparse examples; some names are odd, and some numbers are not floats."""
    rng = np.random.default_rng(seed)
    stream = []
    for _ in range(n):
        chosen = rng.integers(0, n_features, size=6).tolist()
        names = [NAMES[j] if j < len(NAMES) else f"feature {j}" for j in chosen]
        x = {name: float(value) for name, value in zip(names, rng.normal(size=6), strict=True)}
        if rng.random() < 0.1:
            x = {name: np.float64(value) for name, value in x.items()}
        size = int(rng.integers(0, 4))
        y = [taxonomy.nodes[v] for v in rng.integers(1, len(taxonomy), size=size).tolist()]
        stream.append((x, y))
    return stream


@pytest.mark.slow(but=4)
@pytest.mark.parametrize("name", SINGLE + MULTI)
@pytest.mark.parametrize("which", range(len(LARGE) + 2))
def test_long_generic_streams(name: str, which: int) -> None:
    small = [Taxonomy([("r", "a"), ("a", "b"), ("a", "c"), ("r", "d")]), bushy(30, 2)]
    taxonomy = [*small, *LARGE][which]
    if name in SINGLE and not taxonomy.is_tree:
        pytest.skip("trees only")
    n = 60 if len(taxonomy) > 100 else 200
    n = n if name.endswith("RLS") else 300
    pair = BothBackends(name, taxonomy)
    pair.careful = False  # nothing is wrong with these
    stream = examples(taxonomy, n, 150, seed=which)
    for step, (x, y) in enumerate(stream):
        label = y[0] if y else taxonomy.root
        if step % 3 == 0:
            pair.call("predict_one", constant(x))
        pair.call("learn_one", constant(x), constant(label if name in SINGLE else y))
        if step % 97 == 96:
            pair.pickled()
    for x, _ in stream[:20]:
        pair.call("score_one", constant(x))


def bytes_of_a_row(n: int) -> int:
    """What one feature takes that n of 399 nodes have a weight for."""
    k, taxonomy = namespace("native"), Taxonomy.flat(range(1, 400))
    w, features, labels = k.Weights(400), k.FeatureIndex(), k.Labels(taxonomy)
    for v in range(n):
        x = {"common": 1.0 + v / 64}
        learn(k, linear_model.Hieron(taxonomy), w, features, labels, x, 1 + v)
    assert np.count_nonzero(w.scores(features.find({"common": 1.0}))) == n
    found: int = w.n_bytes
    return found


@pytest.mark.parametrize("name", ["HPerceptron", "Hieron"])
def test_a_row_of_postings_turns_dense(name: str) -> None:
    """One feature, more and more nodes: beyond a fifth of them the row becomes dense."""
    nodes = range(199)
    taxonomy = Taxonomy([("r", f"n{v}") for v in nodes] + [(f"n{v}", f"m{v}") for v in nodes])
    pair = BothBackends(name, taxonomy)
    for v in range(150):
        x = {"common": 1.0 + v / 64, f"own {v}": 1.0}
        pair.call("learn_one", constant(x), constant(f"m{v}"))
        pair.call("predict_one", constant({"common": 1.0, f"own {v // 2}": 0.5}))
        if v % 10 == 0:
            pair.call("score_one", constant({"common": 1.0, f"own {v}": 0.5}))
            pair.pickled()
    assert bytes_of_a_row(1) < 300
    assert bytes_of_a_row(300) < 300 * 12, "that is what a list of them would take"


@given(names=st.lists(st.lists(st.sampled_from(ALL), max_size=5, unique_by=id), max_size=12))
def test_rows_are_given_in_order_of_appearance(names: list[list[Any]]) -> None:
    ours, theirs = (namespace(backend).FeatureIndex() for backend in ("numpy", "native"))
    table: dict[Any, int] = {}
    for some in names:
        x = dict.fromkeys(some, 0.5)
        expected = [table[name] for name in x if name in table]
        for features in (ours, theirs):
            assert features.find(x).rows.tolist() == expected
            assert len(features) == len(table)
        for name in x:
            table.setdefault(name, len(table))
        for features in (ours, theirs):
            assert features.insert(x).rows.tolist() == [table[name] for name in x]
            assert [*map(id, features.names())] == [*map(id, table)]
        assert pickle.dumps(ours) == pickle.dumps(theirs)
    for name in ALL:
        assert ours.row(name) == theirs.row(name) == table.get(name)


@pytest.mark.parametrize("how", ["short", "long", "int", "mixed"])
def test_tables_of_many_names(how: str) -> None:
    make: dict[str, Callable[[int], Any]] = {
        "short": lambda i: f"n{i}",
        "long": lambda i: f"a long name before the number {i}",
        "int": lambda i: i * 1024,
        "mixed": lambda i: f"é{i}" if i % 3 else (i if i % 2 else np.str_(f"s{i}")),
    }
    n = 8_000
    names = [make[how](i) for i in range(n)]
    for backend in ("numpy", "native"):
        features = namespace(backend).FeatureIndex()
        for i in range(0, n, 50):
            features.insert(dict.fromkeys(names[i : i + 50], 1.0))
        again = [str(name) if isinstance(name, str) else name for name in names]
        assert features.find(dict.fromkeys(again, 1.0)).rows.tolist() == list(range(n))
        assert features.find({"never": 1.0, -7: 1.0, "a": 2.0}).rows.tolist() == []


@given(taxonomy=taxonomies(), seed=st.integers(0, 2**32))
def test_answers_are_dicts_of_bools_in_taxonomy_order(taxonomy: Taxonomy, seed: int) -> None:
    pair, rng = BothBackends("HPerceptron", taxonomy), random.Random(seed)
    x = any_x(rng, bad=False)
    pair.call("learn_one", constant(x), any_y(rng, list(taxonomy.nodes), bad=False))
    for backend, model in pair.models.items():
        with running_on(backend):
            answer = model.predict_one(x)
            assert [*map(id, answer)] == [*map(id, taxonomy.nodes[1:])]
            assert all(type(on) is bool for on in answer.values())
            answer.clear()  # it is the caller's
            assert len(model.predict_one(x)) == len(taxonomy) - 1
