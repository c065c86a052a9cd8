"""What the comparators share: they are trained on a list of examples, and then only predict."""

from __future__ import annotations

import abc
from collections.abc import Iterable, Mapping
from typing import Any, Self

from river import base

Examples = Iterable[tuple[Mapping[Any, Any], Any]]


class Frozen(base.Estimator):
    """A model that is trained by `fit` and does not learn afterwards."""

    @abc.abstractmethod
    def fit(self, examples: Examples) -> Self:
        """Train on examples, whatever the model was trained on before.

        Parameters
        ----------
        examples
            Pairs `(x, y)`, as `learn_one` of a learner takes them. An error in one of them, or an
            interruption, leaves the model as it was.

        Returns
        -------
        The model itself.

        """

    def learn_one(self, x: Mapping[Any, Any], y: Any) -> None:
        """Refused: the model is trained by `fit`."""
        raise NotImplementedError(
            f"{type(self).__name__} is trained by `fit(examples)`, not one example at a time"
        )

    def _unit_test_skips(self) -> set[str]:
        """River's checks that learn one example at a time, or predict without training."""
        return {
            "check_bounded_memory_growth",
            "check_clone_is_independent",
            "check_disappearing_features",
            "check_emerging_features",
            "check_learn_one",
            "check_no_state_aliasing_with_input",
            "check_pickling",
            "check_radically_disappearing_features",
            "check_shuffle_features_no_impact",
        }
