"""What all models made of local classifiers share: where these come from, and how they learn."""

from __future__ import annotations

import abc
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from river import base

from ..taxonomy import Label, NodeMapping, Renamed, Taxonomy, TaxonomyLike, map_nodes
from ..taxonomy.open import initial_taxonomy
from .choice import Choice, Place, check_choice, chosen
from .classifier import LocalClassifier
from .threshold import Threshold, check_threshold


class LocalModel(base.Wrapper[Any], base.Estimator):
    """Classifiers at the places of a taxonomy, each made when it first has something to learn.

    A taxonomy that is given is closed: an unknown label is an error. With `None` the model
    starts from an open, flat taxonomy, to which labels are added as they arrive; the label of its
    root, `"root"`, is none of them. An `OpenTaxonomy` grows along labels that are paths.

    Labels are read before anything is learned. What x may be is up to the classifiers: where one
    of them refuses it, those that were asked before have learned it.
    """

    def __init__(self, classifier: Choice, taxonomy: TaxonomyLike, threshold: Threshold) -> None:
        self._taxonomy = initial_taxonomy(taxonomy)
        check_threshold(threshold)
        self.classifier = classifier
        self.taxonomy = taxonomy
        self.threshold = threshold
        self._local: dict[Place, LocalClassifier] = {}
        check_choice(classifier, self._top, self._check_classifier)
        if isinstance(taxonomy, Taxonomy):
            self._check_places(taxonomy)

    @property
    def classifiers(self) -> dict[Place, base.Estimator]:
        """The classifiers that have learned something, each at its place."""
        return {place: local.model for place, local in self._local.items()}

    def adopt(self, taxonomy: Taxonomy, renamed: Renamed | None = None) -> None:
        """Carry on with another taxonomy, keeping the classifiers and all they have learned.

        Nodes are known by their labels. A node that is new gets a classifier when it first has
        something to learn. The model is closed from then on; what is refused changes nothing.

        Parameters
        ----------
        taxonomy
            The taxonomy to carry on with, e.g. `model.taxonomy.extend([(parent, child)])`.
        renamed
            `{old label: None}` for nodes that are forgotten. A label that is not in the new
            taxonomy must be among them. `{old label: new label}` is for `PerNode` alone: where the
            classifiers answer with labels, they have learned the old ones.

        """
        change = map_nodes(self._taxonomy, taxonomy, renamed)
        self._check_places(taxonomy)
        self._local = self._carried(change)
        self._taxonomy = self.taxonomy = taxonomy

    @property
    def _wrapped_model(self) -> base.Estimator:
        return chosen(self.classifier, [self._top])

    def _teach(
        self,
        taxonomy: Taxonomy,
        lessons: Sequence[tuple[Place, Label]],
        x: Mapping[Any, Any],
        w: float | None,
        kwargs: dict[str, Any],
    ) -> None:
        """Let the classifier at each place learn x as one of its own classes.

        The taxonomy, which may have grown, and new classifiers are kept once all have learned.
        """
        local = {}
        for place, _ in lessons:
            local[place] = self._local.get(place) or self._made(taxonomy, place)
        for place, y in lessons:
            local[place].learn(x, y, w, kwargs)
        self._taxonomy = taxonomy
        self._local.update(local)

    def _made(self, taxonomy: Taxonomy, place: Place) -> LocalClassifier:
        """A fresh classifier for a place."""
        model = chosen(self.classifier, self._upwards(taxonomy, place))
        self._check_classifier(model)  # a function has not been asked before
        return LocalClassifier(model.clone())

    def _check_places(self, taxonomy: Taxonomy) -> None:
        """Raise an error if a mapping names a place that is not there."""
        if isinstance(self.classifier, Mapping):
            for place in self.classifier:
                self._check_place(taxonomy, place)

    # What a kind of model fills in

    @property
    @abc.abstractmethod
    def _top(self) -> Place:
        """The place above all others."""

    @abc.abstractmethod
    def _upwards(self, taxonomy: Taxonomy, place: Place) -> Iterable[Place]:
        """A place and those above it, the nearest first."""

    @abc.abstractmethod
    def _check_place(self, taxonomy: Taxonomy, place: Place) -> None:
        """Raise an error if there can be no such place."""

    @abc.abstractmethod
    def _carried(self, change: NodeMapping) -> dict[Place, LocalClassifier]:
        """The classifiers at the places of another taxonomy; or an error."""

    @staticmethod
    @abc.abstractmethod
    def _check_classifier(classifier: Any) -> None:
        """Raise an error if a classifier will not do."""
