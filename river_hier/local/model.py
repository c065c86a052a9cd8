"""The base class of models made of local classifiers, and their `classifier` parameter."""

import abc
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn, cast

from river import base

from .._core import Labels, labels_of
from ..base.answer import NONE
from ..base.checks import check_whole, checked_weight, number
from ..base.classifiers import check_weight_taken, shown, takes_weights
from ..base.predictor import Predictor
from ..base.targets import whole
from ..taxonomy import Edit, Label, Taxonomy, TaxonomyLike, UnknownLabelError, extended
from ..taxonomy.open import initial_taxonomy

Position = Any  # of a local classifier: a node, by its label, or a level, by its depth
# For type checkers a River pipeline is an estimator; it is a classifier at run time only.
EstimatorSpec = (
    base.Estimator | Mapping[Position, base.Estimator] | Callable[[Position], base.Estimator]
)


def estimator_at(spec: EstimatorSpec, lineage: Iterable[Position]) -> base.Estimator:
    """The classifier for the first of these positions, which its ancestors follow."""
    if isinstance(spec, base.Estimator):
        return spec
    if isinstance(spec, Mapping):
        return next(spec[position] for position in lineage if position in spec)
    return spec(next(iter(lineage)))


def check_spec(spec: Any, top: Position, check: Callable[[Any], None]) -> None:
    """Raise an error unless `classifier` is one of the three and names one for the top position."""
    if isinstance(spec, Mapping):
        if top not in spec:
            raise ValueError(
                f"`classifier` has none for {top!r}; it is needed for all positions that are not "
                "named and have no named ancestor"
            )
        for classifier in spec.values():
            check(classifier)
    elif callable(spec) and not inspect.isclass(spec):
        check(spec(top))
    else:
        check(spec)


Threshold = float | Callable[[Label, float], bool]


class LocalClassifier(NamedTuple):
    """The classifier at a position."""

    model: Any  # River's signatures do not say which keywords a model takes
    takes_weights: bool


class LocalModel(Predictor, base.Wrapper[Any], base.Estimator):
    """Classifiers at the positions of a taxonomy, created when they first learn.

    If a classifier raises an error for x, those before it have already learned from it.
    """

    def __init__(
        self, classifier: EstimatorSpec, taxonomy: TaxonomyLike = None, threshold: Threshold = 0.5
    ) -> None:
        self._taxonomy = initial_taxonomy(taxonomy)
        if not callable(threshold) and not 0.0 <= number(threshold) <= 1.0:
            raise ValueError(
                "`threshold` must be between 0 and 1, or a function of a node and its probability, "
                f"got {threshold!r}"
            )
        self.classifier = classifier
        self.taxonomy: TaxonomyLike = taxonomy
        self.threshold = threshold
        self._local: dict[Position, LocalClassifier] = {}
        check_spec(classifier, self._top, self._check_classifier)
        if isinstance(taxonomy, Taxonomy):
            self._check_positions(taxonomy)

    @property
    def _labels(self) -> Labels:
        return labels_of(self._taxonomy)

    _unseen = NONE  # nodes that were added, and have had no example since

    @property
    def taxonomy_(self) -> Taxonomy:
        """The current taxonomy, with all labels that have arrived."""
        return cast(Taxonomy, self._taxonomy)

    @property
    def classifiers(self) -> dict[Position, base.Estimator]:
        """The classifiers that have learned, by their nodes or, in `PerLevel`, by their depths."""
        return {position: local.model for position, local in self._local.items()}

    def adopt(self, taxonomy: Taxonomy | Edit) -> None:
        """Continue with a larger taxonomy, keeping what the classifiers have learned.

        It has new nodes, e.g. `model.taxonomy_.extend([(parent, child)])`. From then on the model
        is closed. If an error is raised, nothing changes. An `Edit` is refused: the classifiers,
        which are River's, keep their labels.
        """
        if isinstance(taxonomy, Edit):
            raise self._check_edit(taxonomy)
        larger: Taxonomy = extended(self._taxonomy, taxonomy)
        self._check_positions(larger)
        self._extend(larger, unseen=bool(self._local))
        self.taxonomy = larger

    def _check_edit(self, edit: Edit) -> NoReturn:
        raise TypeError(
            f"{type(self).__name__} cannot follow an edit, as its classifiers keep their labels; "
            "train a new model"
        )

    def _extend(self, taxonomy: Taxonomy, unseen: bool) -> None:
        if unseen:
            self._unseen |= frozenset(range(len(self._taxonomy), len(taxonomy)))
        self._taxonomy = taxonomy

    @property
    def _wrapped_model(self) -> base.Estimator:
        return estimator_at(self.classifier, [self._top])

    def learn_one(self, x: Mapping[Any, Any], y: Any, w: float = 1.0, **kwargs: Any) -> None:
        """Learn from one example.

        Parameters
        ----------
        x
            A dictionary of features, as the classifiers take it.
        y
            The label, any node of the taxonomy; for `PerNode` a multilabel: `{label: bool}`, an
            iterable of labels, or one label. In an open taxonomy a tuple is one label.
        w
            The weight of the example, at least 0.
        kwargs
            Passed on to the classifiers.

        """
        if w != 1.0 and not (w := checked_weight(w)):
            return
        taxonomy, targets, local = self._read(y, w)
        for position, y in targets:
            model, takes_w = local[position]
            model.learn_one(x, y, **(kwargs | {"w": w} if takes_w else kwargs))
        self._extend(taxonomy, unseen=bool(self._unseen))
        self._local.update(local)
        self._record(targets)

    def _check_one(self, x: Any, y: Any, w: float) -> None:
        self._read(y, w)

    def _check_forget(self, v: int) -> NoReturn:
        raise TypeError(f"{type(self).__name__} cannot forget; train a new model")

    def _read(self, y: Any, w: float) -> tuple[Any, Any, dict[Position, LocalClassifier]]:
        """What the classifiers of an example learn, and these, which may be new."""
        check_whole(self, y := whole(self, y))
        taxonomy, targets = self._targets(y)
        local = {p: self._local.get(p) or self._new_local(taxonomy, p) for p, _ in targets}
        for classifier in local.values():
            check_weight_taken(classifier.model, classifier.takes_weights, w)
        return taxonomy, targets, local

    def debug_one(self, x: Mapping[Any, Any], decimals: int = 3) -> str:
        """Explain the prediction for x as text, with this many decimals.

        It has the prediction and, for each node visited, the probabilities that decided.
        """
        return "\n".join(self._debug_lines(x, decimals))

    def _new_local(self, taxonomy: Taxonomy, position: Position) -> LocalClassifier:
        model = estimator_at(self.classifier, self._lineage(taxonomy, position))
        self._check_classifier(model)  # it may come from a function
        return LocalClassifier(model.clone(), takes_weights(model))

    def _is_enough(self, label: Label, probability: float) -> bool:
        if callable(self.threshold):
            return bool(self.threshold(label, probability))
        return probability >= self.threshold

    def _check_positions(self, taxonomy: Taxonomy) -> None:
        if isinstance(self.classifier, Mapping):
            for position in self.classifier:
                self._check_position(taxonomy, position)

    def _record(self, targets: Sequence[tuple[Position, Any]]) -> None:
        """Record that these targets have been learned."""

    @property
    def _top(self) -> Position:
        """The position above all others."""
        return self._taxonomy.root

    def _lineage(self, taxonomy: Taxonomy, position: Position) -> Iterable[Position]:
        """A position and its ancestors, the nearest first."""
        return (position, *reversed(taxonomy.ancestors(position)))

    def _check_position(self, taxonomy: Taxonomy, position: Position) -> None:
        """Raise an error if no classifier can have this position."""
        if taxonomy._arrays.number(position) is None:  # a path is not enough
            raise UnknownLabelError(position, taxonomy.nodes)

    @staticmethod
    def _check_classifier(classifier: Any) -> None:
        """Raise an error unless this is a River classifier, or a pipeline that ends in one."""
        if not isinstance(classifier, base.Classifier):
            raise TypeError(
                "`classifier` must be a River classifier, a mapping to classifiers or a function "
                f"that returns one, got {shown(classifier)}"
            )

    @abc.abstractmethod
    def _targets(self, y: Any) -> tuple[Taxonomy, Sequence[tuple[Position, Any]]]:
        """The taxonomy with the labels of y, and what the classifier at each position learns."""

    @abc.abstractmethod
    def _debug_lines(self, x: Mapping[Any, Any], decimals: int) -> Iterable[str]:
        """The lines of `debug_one`."""
