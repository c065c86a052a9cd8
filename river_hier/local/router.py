"""Models that follow one path: at each node they ask where an example goes next."""

from __future__ import annotations

import abc
import functools
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from river import base
from river import linear_model as river_linear_model

from ..base.classifiers import probabilities
from ..base.truncation import truncatable
from ..taxonomy import Label, NodeMapping, Taxonomy, TaxonomyLike
from ..taxonomy.open import with_labels
from .choice import Choice, Place, check_multiclass
from .classifier import LocalClassifier
from .model import LocalModel
from .threshold import Threshold, reaches

Said = dict[Label, float]


class RoutingModel(LocalModel, base.Classifier):
    """A classifier whose labels are the nodes of a tree, the root and inner nodes included.

    At an inner node an example goes on to one of the children, or its way ends there, for which
    the class is the node itself. So a node where no example has ended is an answer only if the
    threshold makes it one, or if nothing is known of what is below.
    """

    def __init__(
        self,
        classifier: Choice,
        taxonomy: TaxonomyLike = None,
        threshold: Threshold = 0.0,
    ) -> None:
        super().__init__(classifier, taxonomy, threshold)
        self._taxonomy.check_tree()

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"classifier": river_linear_model.SoftmaxRegression()}

    @property
    def _multiclass(self) -> bool:
        return True

    def learn_one(
        self, x: Mapping[Any, Any], y: Label, w: float | None = None, **kwargs: Any
    ) -> None:
        """Learn from one example.

        Parameters
        ----------
        x
            A dictionary of features, as the classifiers take it.
        y
            The label, any node of the taxonomy.
        w
            A weight, for the classifiers that take one.
        kwargs
            Passed on to the classifiers.

        """
        taxonomy = self._taxonomy
        if not isinstance(self.taxonomy, Taxonomy):
            taxonomy = with_labels(self.taxonomy, taxonomy, [y])
        path = taxonomy.path(y)
        steps = list(pairwise(path))
        if taxonomy.children(path[-1]):
            steps.append((path[-1], path[-1]))  # it could go on, but ends here
        lessons = [(self._place(taxonomy, here), there) for here, there in steps]
        self._teach(taxonomy, lessons, x, w, kwargs)

    @truncatable
    def predict_one(self, x: Mapping[Any, Any], **kwargs: Any) -> Any:
        """Predict the label of x, going from the root to the likeliest next node and on.

        That need not be the label with the largest probability in `predict_proba_one`: a child
        may be the likeliest and yet share what it has among many below.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        The label.

        """
        return self._way(x, {})[-1][0]

    def predict_proba_one(self, x: Mapping[Any, Any], **kwargs: Any) -> dict[Any, float]:
        """A distribution over all nodes: that the label is this very node, none below it.

        Parameters
        ----------
        x
            A dictionary of features.
        kwargs
            Passed on to the classifiers.

        Returns
        -------
        `{label: probability}`, the root included; the sum is 1.

        """
        return self._walk(x, kwargs)[1]

    def predict_marginals_one(self, x: Mapping[Any, Any], **kwargs: Any) -> dict[Any, float]:
        """The probability of each node that the label is the node or below it.

        A pipeline does not pass this on: ask `pipeline["PerParent"]` about what the steps before
        make of x, or let the classifier be a pipeline itself.

        Parameters
        ----------
        x
            A dictionary of features.
        kwargs
            Passed on to the classifiers.

        Returns
        -------
        `{label: probability}`; the root's is 1, and none is above its parent's.

        """
        return self._walk(x, kwargs)[0]

    def debug_one(self, x: Mapping[Any, Any], decimals: int = 3) -> str:
        """Explain the prediction for x.

        Parameters
        ----------
        x
            A dictionary of features.
        decimals
            How many decimals to print.

        Returns
        -------
        A text: the nodes on the way, and for each the probabilities of the next one; the node's
        own is that of ending there.

        """
        way = self._way(x, {})
        rule = "the way goes on to the likeliest child if it is likely enough"
        lines = [f"Prediction: {way[-1][0]!r}; {rule}"]
        for depth, (here, said) in enumerate(way):
            if not self._taxonomy.children(here):
                break
            likely = sorted(said, key=lambda label: -said[label])
            shares = ", ".join(f"{label!r} {said[label]:.{decimals}f}" for label in likely)
            lines.append(f"{'  ' * depth}{here!r}: {shares}")
        return "\n".join(lines)

    def _way(self, x: Mapping[Any, Any], kwargs: dict[str, Any]) -> list[tuple[Label, Said]]:
        """The nodes from the root to the answer, each with the probabilities of the next one."""
        ask = self._asker(x, kwargs)
        here = self._taxonomy.root
        way = [(here, self._next(here, ask))]
        while True:
            said = way[-1][1]
            there = max(said, key=said.__getitem__)
            if there == here or not reaches(self.threshold, there, said[there]):
                return way
            here = there
            way.append((here, self._next(here, ask)))

    def _walk(self, x: Mapping[Any, Any], kwargs: dict[str, Any]) -> tuple[Said, Said]:
        """Of each node the probability that the way leads to it, and that it ends there."""
        ask = self._asker(x, kwargs)
        reached, ended = dict.fromkeys(self._taxonomy, 0.0), dict.fromkeys(self._taxonomy, 0.0)
        reached[self._taxonomy.root] = 1.0
        for here, p in reached.items():  # parents come before their children
            if p:
                for there, share in self._next(here, ask).items():
                    (ended if there == here else reached)[there] = p * share
        return reached, ended

    def _asker(self, x: Mapping[Any, Any], kwargs: dict[str, Any]) -> Callable[[Place], Said]:
        """Asks the classifier at a place, the same one not twice."""
        return functools.cache(lambda place: probabilities(self._local[place].model, x, kwargs))

    def _next(self, here: Label, ask: Callable[[Place], Said]) -> Said:
        """The probabilities of the next node, given that the way has come here.

        What the classifier says of nodes that cannot be next does not count. Where it says nothing,
        because it has not learned anything, the way ends.
        """
        children = self._taxonomy.children(here)
        place = self._place(self._taxonomy, here)
        if children and place in self._local:
            said = ask(place)
            shares = {there: float(said.get(there, 0.0)) for there in (here, *children)}
            shares = {there: p for there, p in shares.items() if p > 0.0}
            if total := sum(shares.values()):
                return {there: p / total for there, p in shares.items()}
        return {here: 1.0}

    def _carried(self, change: NodeMapping) -> dict[Place, LocalClassifier]:
        change.after.check_tree()
        for label, sources in zip(change.after.nodes, change.sources, strict=True):
            for u in sources:
                if change.before.nodes[u] != label:
                    raise ValueError(
                        f"{type(self).__name__} cannot rename {change.before.nodes[u]!r} to "
                        f"{label!r}: its classifiers have learned to answer with the old label"
                    )
        return {p: local for p, local in self._local.items() if self._is_place(change.after, p)}

    @staticmethod
    def _check_classifier(classifier: Any) -> None:
        check_multiclass(classifier)

    # What a kind of model fills in

    @abc.abstractmethod
    def _is_place(self, taxonomy: Taxonomy, place: Any) -> bool:
        """Whether a classifier can stand there."""

    @abc.abstractmethod
    def _place(self, taxonomy: Taxonomy, here: Label) -> Place:
        """Where the classifier stands that is asked for the next node after this one."""
