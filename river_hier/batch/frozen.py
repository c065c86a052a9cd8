"""Models that are trained on a list of examples, and from then on only answer."""

from __future__ import annotations

import abc
from collections.abc import Iterator, Mapping
from typing import Any, Self

from river import base

from ..taxonomy import Label, Taxonomy, check_taxonomy
from .examples import Examples


class Frozen(base.MultiLabelClassifier):
    """A model trained by `fit`, which River's loops and `evaluate.regret` then take as it is.

    These call `learn_one` on every model, so after `fit` it does nothing; before, it is an error,
    as are predictions.
    """

    def __init__(self, taxonomy: Taxonomy) -> None:
        check_taxonomy(taxonomy)
        self.taxonomy = taxonomy

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"taxonomy": Taxonomy.flat(["a"])}

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
            "check_predict_one_before_any_learn",
            "check_radically_disappearing_features",
            "check_shuffle_features_no_impact",
        }

    @abc.abstractmethod
    def fit(self, examples: Examples) -> Self:
        """Train on examples, in place of any that it was trained on before.

        Parameters
        ----------
        examples
            Pairs `(x, y)` of a dictionary of features with finite values and a multilabel:
            `{label: bool}`, an iterable of labels, or one label. If one of them is wrong, or the
            training is interrupted, the model stays as it was.

        Returns
        -------
        The model itself.

        """

    def learn_one(self, x: Mapping[Any, Any], y: Any) -> None:
        """Learn nothing: the model is frozen.

        Parameters
        ----------
        x
            A dictionary of features.
        y
            A multilabel.

        """
        self._check_fitted()

    @abc.abstractmethod
    def score_one(self, x: Mapping[Any, Any]) -> dict[Label, float]:
        """The score of each label, a linear value.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        `{label: score}` for all nodes but the root.

        """

    @property
    @abc.abstractmethod
    def _fitted(self) -> bool:
        """Whether `fit` has been called."""

    def _check_fitted(self) -> None:
        if not self._fitted:
            raise RuntimeError(
                f"{type(self).__name__} is trained on a list of examples, by `fit(examples)`, and "
                "that has not been done yet"
            )
