"""Base class of the models that are trained on a list of examples."""

import abc
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

from river import base

from .._core import Labels, labels_of
from ..base.answer import SetAnswer, masked_nodes
from ..base.classifiers import SEVERAL
from ..base.predictor import Predictor, predict_labels_one, score_one
from ..taxonomy import Taxonomy, check_taxonomy
from .expansions import Examples, Floats, Mask


class BatchEstimator(Predictor, base.MultiLabelClassifier):
    """Base class of models that `fit` trains on a list of examples.

    After `fit`, `learn_one` does nothing, so River's loops evaluate the model as it is.
    """

    _kind = SEVERAL
    predict_labels_one = predict_labels_one

    def __init__(self, taxonomy: Taxonomy) -> None:
        check_taxonomy(taxonomy)
        self.taxonomy: Taxonomy = taxonomy
        self._trained: Any = None  # set by `fit`, in one assignment

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
        """Train on examples, and return the model. Anything learned before is replaced.

        The examples are pairs of features and a multilabel: `{label: bool}`, an iterable of labels,
        or one label. After an error, or an interrupt, the model is as it was.
        """

    @property
    def taxonomy_(self) -> Taxonomy:
        """The taxonomy as it is now."""
        return self.taxonomy

    _taxonomy = taxonomy_

    @property
    def _labels(self) -> Labels:
        return labels_of(self.taxonomy)

    def learn_one(self, x: Mapping[Any, Any], y: Any, w: float = 1.0) -> None:
        """Do nothing: the model is trained by `fit` only."""
        self._check_fitted()

    score_one = score_one

    def _answer(self, x: Mapping[Any, Any]) -> SetAnswer:
        scores = self._scores(x)
        return SetAnswer(self._labels, scores, own=lambda: masked_nodes(self._on(scores)))

    @abc.abstractmethod
    def _on(self, scores: Floats) -> Mask:
        """The nodes that are on."""

    @abc.abstractmethod
    def _scores(self, x: Mapping[Any, Any]) -> Floats:
        """The score of each node, in taxonomy order."""

    def _check_fitted(self) -> None:
        if self._trained is None:
            raise RuntimeError(
                f"{type(self).__name__} is trained on a list of examples, by `fit(examples)`, and "
                "that has not been done yet"
            )


def progress(steps: Iterable[int], name: str) -> Iterable[int]:
    """The steps, with a bar on stderr once they take two seconds, if tqdm is installed."""
    try:
        from tqdm import tqdm
    except ImportError:
        return steps
    return tqdm(steps, desc=name, delay=2, leave=False)
