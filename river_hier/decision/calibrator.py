"""The base class of calibrators, and how they recognise examples that were learned before."""

from __future__ import annotations

import abc
from collections.abc import Iterator
from typing import Any, NamedTuple

from .._core import digests
from ..base.checks import checked_weight
from ..base.classifiers import shown
from ..base.explanation import Floats
from ..base.unseen import Unseen
from ..base.wrapper import ModelWrapper, check_model
from ..taxonomy import Taxonomy

MOST = 2**12  # maximum number of examples remembered
ALPHABET = 16  # if examples occur more often on average, repetitions do not count as passes
DENSE = 20  # features are dense if one in so many pairs of neighbours has the same names


class Sighting(NamedTuple):
    """The hash values of an example; `Sightings.add` remembers them."""

    names: int
    whole: int
    dense: bool
    sampled: bool
    first: bool


class Sightings:
    """Recognises examples by hash values of x, in bounded memory: O(features of x) per step.

    Sparse examples are recognised by the names of their features, since weights such as tf-idf
    change with time. Dense examples, which have the same names as their neighbours in the stream,
    are recognised by names and values.

    Of a long stream, only a sample is remembered: the examples whose hash value is a multiple of a
    power of two. An example is in the sample in every pass or in none, so an example that is not
    remembered is never mistaken for a new one.
    """

    def __init__(self) -> None:
        self.seen: set[int] = set()
        self.n: int = 0  # sightings in the sample
        self.every: int = 1  # the sample has the hash values that are multiples of this
        self.dense: bool = False
        self.last: tuple[int, int] = 0, 0  # `names` and `whole` of the latest example
        self.steps: int = 0  # number of examples
        self.alike: int = 0  # of those with the names of their neighbour

    def look(self, x: Any) -> Sighting:
        """Whether x is in the sample and, if so, whether it occurs for the first time."""
        names, whole = digests(x)
        alike = self._like_the_last(names, whole)
        dense = self.dense or (alike and (self.alike + 1) * DENSE > self.steps)
        key = whole if dense else names
        sampled = key % self.every == 0
        known = key in self.seen and self.n <= ALPHABET * len(self.seen)
        return Sighting(names, whole, dense, sampled, sampled and not known)

    def add(self, sighting: Sighting) -> None:
        """Remember an example that has been learned."""
        names, whole, dense, sampled, _ = sighting
        self.steps += 1
        self.alike += self._like_the_last(names, whole)
        if dense and not self.dense:  # start again, with the neighbour
            self.dense, self.seen, self.n, self.every = True, {self.last[1]}, 1, 1
        self.last = names, whole
        if not sampled:
            return
        self.seen.add(whole if dense else names)
        self.n += 1
        if len(self.seen) > MOST:
            self.every *= 2
            self.seen = {key for key in self.seen if key % self.every == 0}
            self.n //= 2

    def _like_the_last(self, names: int, whole: int) -> bool:
        return names == self.last[0] and whole != self.last[1]


class Calibrator(ModelWrapper):
    """Base class of wrappers that learn probabilities from the scores of examples still unknown.

    The scores of an example are those that the model gives before it first learns from it.
    """

    _only_observes = True
    _repeats = False  # whether repeated examples are used, too
    _kind: Any  # the base class of the models
    _wanted: str  # the end of the error message for other models

    def __init__(self, model: Any) -> None:
        check_model(model, "score_one", "predict_one")
        super().__init__(model)
        if not isinstance(self._last, self._kind):
            raise TypeError(f"`model` must predict {self._wanted}".format(shown(model)))
        self._sightings = Sightings()

    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0, **kwargs: Any) -> None:
        """Learn from one example, after computing the scores the model gives to it.

        Parameters
        ----------
        x
            A dictionary of features.
        y
            The target, as the model takes it.
        w
            The weight of the example, at least 0. An example of weight 0 changes nothing.
        kwargs
            Passed on to the model.

        """
        if w != 1.0 and not (w := checked_weight(w)):
            return
        if isinstance(y, Iterator):  # it is needed twice
            y = list(y)
        before, unseen, sighting = self._taxonomy, self._never_predicted, self._sightings.look(x)
        used = sighting.sampled and (sighting.first or self._repeats)
        scores = self._scores_one(x) if used else None
        self.model.learn_one(x, y, w=w, **kwargs)  # raises before anything is learned here
        self._sightings.add(sighting)
        if scores is not None:
            self._calibrate(scores, y, w, before, unseen, sighting.first)

    @abc.abstractmethod
    def _calibrate(
        self, scores: Floats, y: Any, w: float, before: Taxonomy, unseen: Unseen, first: bool
    ) -> None:
        """Learn from the scores that the nodes had before the step."""
