"""A learner on both backends at once: every call is made on either, and the outcomes compared."""

from __future__ import annotations

import enum
import math
import pickle
import random
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from river_hier import Taxonomy, linear_model
from river_hier._core import distances_from
from support.backends import running_on
from support.public_api import learners

NEAR, LOOSE = 1e-9, 1e-4
SINGLE, MULTI = learners("linear_model")
MULTI.remove("HMinOver")  # it has no compiled part


class Colour(enum.Enum):
    RED = 1


class Word(enum.StrEnum):
    A = "a"  # equal to the str


class Size(enum.IntEnum):
    ONE = 1  # equal to the int


class Key:
    """A name that equals other keys of the same content, and the str of it."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __hash__(self) -> int:
        return hash(self.text)

    def __eq__(self, other: object) -> bool:
        return other == self.text if isinstance(other, str) else self.same(other)

    def same(self, other: object) -> bool:
        return isinstance(other, Key) and other.text == self.text

    def __repr__(self) -> str:
        return f"Key({self.text!r})"


NAMES: list[Any] = ["a", "b", "", "exactly 16 bytes", "a name of more than sixteen", "Öl"]
NAMES += ["日本語の名前です", "\ud800", "nul\0in it", "nul\0", "é" * 8, 0, 1, -1, 2**70, 1.5, -0.0]
NAMES += [True, None, (), (1, "a"), b"a", frozenset({"a"}), Colour.RED, Word.A, Size.ONE]
NAMES += [np.str_("b"), np.int64(7), 7, np.float64(1.5), Fraction(3, 2), Key("a"), Key("key")]
NAMES += ["key", object, ("nested", (1, (2.0, None)))]

ODD: list[Callable[[float], Any]] = [np.float64, np.float32, Fraction, Decimal, np.array, int]
ODD += [np.longdouble, lambda v: v > 0, lambda v: np.bool_(v > 0), lambda v: np.int8(4 * v)]
BAD: list[Any] = [math.nan, math.inf, -math.inf, "red", None, [1.0], 10**400, 1e200, 1j]
BAD += [np.datetime64("2026-01-01"), Fraction(10**400), Decimal("nan"), "1.5", np.float32("nan")]


def number(rng: random.Random, bad: bool) -> Any:
    """A number of any kind; now and then something that is none."""
    if bad and rng.random() < 0.01:
        return rng.choice(BAD)
    if rng.random() < 0.1:
        return rng.randint(-4, 4)
    real = rng.gauss(0.0, 1.0)
    return rng.choice(ODD)(real) if rng.random() < 0.1 else real


def any_x(rng: random.Random, bad: bool = True) -> Any:
    """A feature dict; now and then something that is none."""
    if bad and rng.random() < 0.05:
        return rng.choice([None, [1.0], "text", {}, {"a": 0.0}, {"b": 1e-170}])
    usual = rng.sample(NAMES[:6], rng.randint(0, 4))
    odd = rng.sample(NAMES, rng.randint(0, 4)) if rng.random() < 0.3 else []
    return {name: number(rng, bad) for name in usual + odd}


def in_numpy(label: Any) -> Any:
    """The label as an array would hold it, where it is a text or a whole number."""
    plain = type(label) is str or (type(label) is int and abs(label) < 2**63)
    return np.array([label])[0] if plain else label


FORMS: list[Callable[[list[Any]], Any]] = [list, set, frozenset, iter, tuple]
FORMS += [lambda y: [in_numpy(label) for label in y], lambda y: in_numpy(y[0]) if y else ()]
FORMS += [lambda y: dict.fromkeys(y, True), lambda y: dict.fromkeys(y, np.bool_(True))]
FORMS += [lambda y: {label: i % 2 == 0 for i, label in enumerate(y)}, lambda y: (v for v in y)]
FORMS += [lambda y: {label: i % 2 for i, label in enumerate(y)}, lambda y: y[0] if y else []]


def any_y(rng: random.Random, labels: list[Any], bad: bool = True) -> Callable[[], Any]:
    """A multilabel in any form, as a function, because an iterator can be walked only once."""
    if bad and rng.random() < 0.1:
        wrong: list[Any] = ["unicorn", None, ["unicorn"], {"unicorn": False}, [[1]], 3.25]
        wrong += [{labels[0]: "yes"}, {labels[0]: math.nan}, dict.fromkeys([*labels, "x"], True)]
        y = rng.choice(wrong)
        return lambda: y
    some = rng.choices(labels, k=rng.randint(0, 4))
    if rng.random() < 0.2:
        return lambda: {label: label in some for label in labels}
    form = rng.choice(FORMS)
    return lambda: form(some)


class BothBackends:
    """The same learner on both backends."""

    def __init__(self, name: str, taxonomy: Taxonomy | None, **parameters: Any) -> None:
        self.name = name
        self.taxonomy = taxonomy
        self.careful = True
        self.near = LOOSE if "memory" in parameters else NEAR  # conjugate gradients stop early
        self.models = {}
        for backend in ("numpy", "native"):
            with running_on(backend):
                self.models[backend] = getattr(linear_model, name)(taxonomy, **parameters)

    def call(self, method: str, *arguments: Callable[[], Any]) -> Any:
        """The outcome, which must be the same on both; an error must leave no trace."""
        outcomes = []
        for backend, model in self.models.items():
            with running_on(backend):
                before = pickle.dumps(model) if self.careful else b""
                try:
                    outcomes.append(getattr(model, method)(*(make() for make in arguments)))
                except Exception as error:
                    if not self.careful:
                        raise
                    message = re.sub(r"0x[0-9a-f]+", "0x", str(error))
                    outcomes.append((type(error).__name__, message))
                    untouched = pickle.dumps(model) == before
                else:
                    untouched = True
                assert untouched, f"{backend} has been changed by a step that failed"
        same(*outcomes, near=self.near)
        return outcomes[0]

    def pickled(self) -> None:
        """Both go through a pickle, each into the other backend."""
        theirs = dict(zip(["native", "numpy"], self.models.values(), strict=True))
        for backend, model in theirs.items():
            data = pickle.dumps(model)
            with running_on(backend):
                self.models[backend] = pickle.loads(data)

    def scores(self, x: Any) -> list[list[float]]:
        found = []
        for backend, model in self.models.items():
            with running_on(backend):
                found.append(list(model.score_one(x).values()))
        return found

    def rounding_decides(self, x: Any, y: Any = None) -> bool:
        """Whether an answer or a step hangs on the last digits of a score."""
        try:
            ours, theirs = self.scores(x)
            if self.name in SINGLE:
                last = self.name == "AveragedHieron" and self._last_is_tied(x, y)
                return tied(ours, theirs) or last
        except Exception:  # a bad x or y: no step
            return False
        return any(
            min(abs(a - edge) for edge in (0.0, 1.0, -1.0)) < self.near and (a, b) != (0.0, 0.0)
            for a, b in zip(ours, theirs, strict=True)
        )

    def _last_is_tied(self, x: Any, y: Any) -> bool:
        margins = 0.0
        model = self.models["numpy"]
        if y is not None:
            tree = model._taxonomy
            margins = distances_from(tree.index(y), tree._arrays) ** 0.5
        found = []
        for backend, model in self.models.items():
            with running_on(backend):
                found.append((np.array(list(model.last.score_one(x).values())) + margins).tolist())
        return tied(*found)


def tied(ours: list[float], theirs: list[float]) -> bool:
    """Whether the best are near each other, but not equal to the last bit on both backends."""
    rivals = [v for v, score in enumerate(ours) if max(ours) - score < NEAR]
    return len({ours[v] for v in rivals}) > 1 or len({theirs[v] for v in rivals}) > 1


def same(ours: Any, theirs: Any, near: float = NEAR) -> None:
    """Equal in value, type and order; floats are near."""
    if isinstance(ours, Mapping):
        assert [*map(repr, ours)] == [*map(repr, theirs)]
        for one, other in zip(ours.values(), theirs.values(), strict=True):
            same(one, other, near)
    elif isinstance(ours, float):
        assert type(theirs) is float
        assert ours == pytest.approx(theirs, rel=near, abs=near, nan_ok=True)
    else:
        assert type(ours) is type(theirs)
        assert ours == theirs


def same_weights(pair: BothBackends) -> None:
    """Weights are near; rounding may or may not have made one zero."""
    ours, theirs = (model.weights for model in pair.models.values())
    for label in {**ours, **theirs}:
        names = [*ours[label], *theirs[label]]
        both = [{name: w[label].get(name, 0.0) for name in names} for w in (ours, theirs)]
        same(*both, near=pair.near)
