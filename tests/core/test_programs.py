"""Random programs of odd names, values and labels.

Every learner runs beside a twin: the same learner without its compiled policy, by its rule in
Python, which is given x as plain Python reads it. Least squares have no rule in Python, and other
learners may have no compiled policy; their twin is the same class.
"""

import enum
import inspect
import math
import pickle
import random
import re
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from river_hier import Taxonomy, linear_model
from river_hier._core import FeatureIndex, distances_from, policies
from support.hypothesis_settings import n_examples
from support.makers import TABLE
from support.public_api import learners
from support.strategies import taxonomies, trees

NEAR = 1e-9
SINGLE, MULTI = learners("linear_model")


class Colour(enum.Enum):
    RED = 1


class Word(enum.StrEnum):
    A = "a"  # equal to the str


class Size(enum.IntEnum):
    ONE = 1  # equal to the int


class Key:
    """A name that equals other keys of the same content, and the str of it."""

    def __init__(self, text):
        self.text = text

    def __hash__(self):
        return hash(self.text)

    def __eq__(self, other):
        return other == self.text if isinstance(other, str) else self.same(other)

    def same(self, other):
        return isinstance(other, Key) and other.text == self.text

    def __repr__(self):
        return f"Key({self.text!r})"


NAMES = ["a", "b", "", "exactly 16 bytes", "a name of more than sixteen", "Öl"]
NAMES += ["日本語の名前です", "\ud800", "nul\0in it", "nul\0", "é" * 8, 0, 1, -1, 2**70, 1.5, -0.0]
NAMES += [True, None, (), (1, "a"), b"a", frozenset({"a"}), Colour.RED, Word.A, Size.ONE]
NAMES += [np.str_("b"), np.int64(7), 7, np.float64(1.5), Fraction(3, 2), Key("a"), Key("key")]
NAMES += ["key", object, ("nested", (1, (2.0, None)))]

ODD = [np.float64, np.float32, Fraction, Decimal, np.array, int]
ODD += [np.longdouble, lambda v: v > 0, lambda v: np.bool_(v > 0), lambda v: np.int8(4 * v)]
BAD = [math.nan, math.inf, -math.inf, "red", None, [1.0], 10**400, 1e200, 1j]
BAD += [np.datetime64("2026-01-01"), Fraction(10**400), Decimal("nan"), "1.5", np.float32("nan")]


def number(rng, bad):
    """A number of any kind; now and then something that is none."""
    if bad and rng.random() < 0.01:
        return rng.choice(BAD)
    if rng.random() < 0.1:
        return rng.randint(-4, 4)
    real = rng.gauss(0.0, 1.0)
    return rng.choice(ODD)(real) if rng.random() < 0.1 else real


def any_x(rng, bad=True):
    """A feature dict; now and then something that is none."""
    if bad and rng.random() < 0.05:
        return rng.choice([None, [1.0], "text", {}, {"a": 0.0}, {"b": 1e-170}])
    usual = rng.sample(NAMES[:6], rng.randint(0, 4))
    odd = rng.sample(NAMES, rng.randint(0, 4)) if rng.random() < 0.3 else []
    return {name: number(rng, bad) for name in usual + odd}


def in_numpy(label):
    """The label as an array would hold it, where it is a text or a whole number."""
    plain = type(label) is str or (type(label) is int and abs(label) < 2**63)
    return np.array([label])[0] if plain else label


FORMS = [list, set, frozenset, iter, tuple]
FORMS += [lambda y: [in_numpy(label) for label in y], lambda y: in_numpy(y[0]) if y else ()]
FORMS += [lambda y: dict.fromkeys(y, True), lambda y: dict.fromkeys(y, np.bool_(True))]
FORMS += [lambda y: {label: i % 2 == 0 for i, label in enumerate(y)}, lambda y: (v for v in y)]
FORMS += [lambda y: {label: i % 2 for i, label in enumerate(y)}, lambda y: y[0] if y else []]


def any_y(rng, labels, bad=True):
    """A multilabel in any form, as a function, because an iterator can be walked only once."""
    if bad and rng.random() < 0.1:
        wrong = ["unicorn", None, ["unicorn"], {"unicorn": False}, [[1]], 3.25]
        wrong += [{labels[0]: "yes"}, {labels[0]: math.nan}, dict.fromkeys([*labels, "x"], True)]
        y = rng.choice(wrong)
        return lambda: y
    some = rng.choices(labels, k=rng.randint(0, 4))
    if rng.random() < 0.2:
        return lambda: {label: label in some for label in labels}
    form = rng.choice(FORMS)
    return lambda: form(some)


# The twin of each learner with a compiled policy, where pickles find its class.
TWINS = {
    name: type(
        f"Slow{name}", (getattr(linear_model, name),), {"_policy": None, "__module__": __name__}
    )
    for name in policies
    if hasattr(linear_model, name)
}
globals().update({twin.__name__: twin for twin in TWINS.values()})


class Pair:
    """A learner and its twin."""

    def __init__(self, name, taxonomy, **parameters):
        self.name = name
        self.careful = True
        self.models = [
            cls(taxonomy, **parameters)
            for cls in (getattr(linear_model, name), TWINS.get(name, getattr(linear_model, name)))
        ]

    def call(self, method, x, *y):
        """The outcome, which must be the same of both; an error must leave no trace."""
        try:
            plain = oracles.read(x)
        except (TypeError, ValueError):
            plain = None
        outcomes = []
        for model, given_x in zip(self.models, (x, x if plain is None else plain), strict=True):
            before = pickle.dumps(model) if self.careful else b""
            try:
                outcomes.append(getattr(model, method)(given_x, *(make() for make in y)))
                assert plain is not None, "a bad x is refused"
            except (LookupError, TypeError, ValueError) as error:
                if not self.careful:
                    raise
                message = re.sub(r"0x[0-9a-f]+", "0x", str(error)).replace("Slow", "")
                outcomes.append((type(error).__name__, message))
                assert pickle.dumps(model) == before, "changed by a step that failed"
        same(*outcomes)
        return outcomes[0]

    def pickled(self):
        self.models = [pickle.loads(pickle.dumps(model)) for model in self.models]

    def rounding_decides(self, x, y=None):
        """Whether an answer or a step hangs on the last digits of a score."""
        try:
            scores = [list(model.score_one(x).values()) for model in self.models]
            if self.name in SINGLE:
                return tied(*scores) or (self.name == "AveragedHieron" and self.last_is_tied(x, y))
        except (LookupError, TypeError, ValueError):  # a bad x or y: no step
            return False
        return any(
            min(abs(a - edge) for edge in (0.0, 1.0, -1.0)) < NEAR and (a, b) != (0.0, 0.0)
            for a, b in zip(*scores, strict=True)
        )

    def last_is_tied(self, x, y):
        tree = self.models[0]._taxonomy
        margins = 0.0 if y is None else distances_from(tree.index(y), tree._arrays) ** 0.5
        lasts = [list(model.last.score_one(x).values()) for model in self.models]
        return tied(*((np.array(scores) + margins).tolist() for scores in lasts))


def tied(ours, theirs):
    """Whether the best are near each other, but not equal to the last bit."""
    rivals = [v for v, score in enumerate(ours) if max(ours) - score < NEAR]
    return len({ours[v] for v in rivals}) > 1 or len({theirs[v] for v in rivals}) > 1


def same(ours, theirs):
    """Equal in value, type and order; floats are near."""
    if isinstance(ours, Mapping):
        assert [*map(repr, ours)] == [*map(repr, theirs)]
        for one, other in zip(ours.values(), theirs.values(), strict=True):
            same(one, other)
    elif isinstance(ours, float):
        assert type(theirs) is float
        assert ours == pytest.approx(theirs, rel=NEAR, abs=NEAR, nan_ok=True)
    else:
        assert type(ours) is type(theirs)
        assert ours == theirs


def same_weights(pair):
    """Weights are near; rounding may or may not have made one zero."""
    ours, theirs = (model.weights for model in pair.models)
    for label in {**ours, **theirs}:
        names = [*ours[label], *theirs[label]]
        same(*({name: w[label].get(name, 0.0) for name in names} for w in (ours, theirs)))


def parameters_of(name):
    """Parameters of a learner, with values that change what it does."""
    return [{}, {"intercept": 0.5}, *TABLE[name].varied]


OF_ALL = {"taxonomy", "dtype", "intercept"}  # have tests of their own


def bushy(n, n_parents, star=0):
    """A large taxonomy, a tree or a DAG, in which `star` nodes hang under the root."""
    rng = np.random.default_rng(n)
    edges = [("root", f"n{v}") for v in range(1, max(star, 3))]
    for v in range(max(star, 3), n):
        above = sorted(set(rng.integers(max(1, v // 8), v, size=n_parents).tolist()))
        edges += [(f"n{p}", f"n{v}") for p in above]
    return Taxonomy(edges)


LARGE = [bushy(140, 1), bushy(300, 1, star=90), bushy(150, 2), bushy(129, 1, star=129)]


def constant(value):
    return lambda: value


VERBS = ["learn_one"] * 6 + ["predict_one"] * 3 + ["score_one", "predict_proba_one", "pickle"]
MULTI_VERBS = [*VERBS, *["predict_labels_one"] * 2]


def run(pair, labels, seed, n):
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
            pair.call(verb, x)
        elif not pair.rounding_decides(x, y() if verb == "learn_one" else None):
            pair.call(verb, x, *([y] if verb == "learn_one" else []))
    same_weights(pair)


@pytest.mark.parametrize("name", SINGLE + MULTI)
@given(data=st.data(), seed=st.integers(0, 2**32))
@n_examples(40)
def test_programs(name, data, seed):
    taxonomy = data.draw(trees() if name in SINGLE else taxonomies())
    given_ = data.draw(st.sampled_from(parameters_of(name))).items()
    parameters = {key: value(taxonomy) if callable(value) else value for key, value in given_}
    run(Pair(name, taxonomy, **parameters), list(taxonomy.nodes), seed, 30)


@pytest.mark.parametrize("name", SINGLE + MULTI)
def test_programs_use_every_parameter(name):
    parameters = {*inspect.signature(getattr(linear_model, name)).parameters} - OF_ALL
    untried = parameters.difference(*parameters_of(name))
    assert not untried, (
        f"tests/support/makers.py: add to `varied` of {name} a dictionary with a value of each "
        f"parameter that is missing: {untried}"
    )


@pytest.mark.parametrize("name", SINGLE + MULTI)
@given(seed=st.integers(0, 2**32))
@n_examples(8)
def test_programs_with_plain_labels(name, seed):
    taxonomy = Taxonomy([(0, 1), (0, "a"), (1, 12), (1, 10**30), ("a", "ab"), ("a", -1), (-1, "")])
    run(Pair(name, taxonomy), [*taxonomy.nodes, True], seed, 40)


@pytest.mark.parametrize("name", SINGLE + MULTI)
@given(seed=st.integers(0, 2**32))
@n_examples(15)
def test_programs_that_bring_new_labels(name, seed):
    labels = ["a", "b", 3, ("t", 1), None, True, 1, "root", b"x"]
    run(Pair(name, None), labels, seed, 30)


def examples(taxonomy, n, n_features, seed):
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
@pytest.mark.parametrize("name", TWINS)
@pytest.mark.parametrize("which", range(len(LARGE)))
def test_streams_in_large_taxonomies(name, which):
    taxonomy = LARGE[which]
    if name in SINGLE and not taxonomy._arrays.is_tree:
        pytest.skip("trees only")
    pair = Pair(name, taxonomy)
    run(pair, list(taxonomy.nodes), which, 30)
    pair.careful = False  # nothing is wrong with these
    stream = examples(taxonomy, 200, 150, seed=which)
    for step, (x, y) in enumerate(stream):
        label = y[0] if y else taxonomy.root
        if step % 3 == 0:
            pair.call("predict_one", x)
        pair.call("learn_one", x, constant(label if name in SINGLE else y))
        if step % 97 == 96:
            pair.pickled()
    for x, _ in stream[:20]:
        pair.call("score_one", x)


@pytest.mark.parametrize("name", ["HPerceptron", "Hieron"])
def test_a_row_of_postings_turns_dense(name):
    """One feature, more and more nodes: beyond a fifth of them the row becomes dense."""
    nodes = range(199)
    taxonomy = Taxonomy([("r", f"n{v}") for v in nodes] + [(f"n{v}", f"m{v}") for v in nodes])
    pair = Pair(name, taxonomy)
    for v in range(150):
        x = {"common": 1.0 + v / 64, f"own {v}": 1.0}
        pair.call("learn_one", x, constant(f"m{v}"))
        if v % 29 == 0:
            pair.call("score_one", {"common": 1.0, f"own {v}": 0.5})
            pair.pickled()


def bytes_of_a_row(n):
    """What one feature takes that n of 399 nodes have a weight for."""
    model = linear_model.Hieron(Taxonomy.flat(range(1, 400)))
    for v in range(n):
        model.learn_one({"common": 1.0 + v / 64}, 1 + v)
    assert np.count_nonzero(list(model.score_one({"common": 1.0}).values())) == n
    found = model._state.n_bytes
    return found


def test_a_feature_of_few_nodes_takes_little_memory():
    assert bytes_of_a_row(1) < 300
    assert bytes_of_a_row(300) < 300 * 12, "that is what a list of them would take"


ALL = [*NAMES, math.nan]  # equal to itself by identity only: a pickle makes another one


@given(names=st.lists(st.lists(st.sampled_from(ALL), max_size=5, unique_by=id), max_size=12))
def test_rows_are_given_in_order_of_appearance(names):
    features, table = FeatureIndex(), dict[Any, int]()
    for some in names:
        x = dict.fromkeys(some, 0.5)
        assert features.find(x).rows.tolist() == [table[name] for name in x if name in table]
        assert len(features) == len(table)
        for name in x:
            table.setdefault(name, len(table))
        assert features.insert(x).rows.tolist() == [table[name] for name in x]
        assert [*map(id, features.names())] == [*map(id, table)]
    for name in ALL:
        assert features.row(name) == table.get(name)


@pytest.mark.parametrize("how", ["short", "long", "int", "mixed"])
def test_tables_of_many_names(how):
    make = {
        "short": lambda i: f"n{i}",
        "long": lambda i: f"a long name before the number {i}",
        "int": lambda i: i * 1024,
        "mixed": lambda i: f"é{i}" if i % 3 else (i if i % 2 else np.str_(f"s{i}")),
    }
    n = 8_000
    names = [make[how](i) for i in range(n)]
    features = FeatureIndex()
    for i in range(0, n, 50):
        features.insert(dict.fromkeys(names[i : i + 50], 1.0))
    again = [str(name) if isinstance(name, str) else name for name in names]
    assert features.find(dict.fromkeys(again, 1.0)).rows.tolist() == list(range(n))
    assert features.find({"never": 1.0, -7: 1.0, "a": 2.0}).rows.tolist() == []
