"""The base class of model wrappers."""

from collections.abc import Iterator, Mapping
from operator import attrgetter
from typing import Any, Self, cast

from river import base

from .._core import Batch, Nodes, repeats
from ..taxonomy import Below, Label, Taxonomy, TaxonomyLike, extended
from .checks import checked_weight
from .classifiers import is_multilabel, last_step, shown
from .predictor import MultiLabelPredictor, Predictor, SingleLabelPredictor, open_for_river
from .protocol import inner, inner_and_input, is_ours
from .targets import without_below


def of_model(name: str) -> Any:
    """The attribute of the model inside."""
    return property(lambda self: getattr(inner(self.model), name))


def for_one(name: str) -> Any:
    """The method of the model inside, given x as it reaches it."""

    def call(self: Any, x: Any, *args: Any) -> Any:
        model, x = inner_and_input(self.model, x)
        return getattr(model, name)(x, *args)

    return call


def learns_below(model: Any) -> bool:
    """Whether a model, or a pipeline, learns from labels `Below` inner nodes."""
    return bool(getattr(last_step(model), "_learns_below", True))


class ModelWrapper(Predictor, base.Wrapper[Any], base.Estimator):
    """Base class of wrappers, which change a model's output or maintain the model.

    Learning is delegated to the model; those that learn as well, from what the model answers before
    it learns, define `_observe`, which does not see repeated examples.
    """

    _predicts_labels = True  # else scores or probabilities, for metrics only

    def __init__(self, model: Any) -> None:
        self.model = model

    _wrapped_model: Any = property(attrgetter("model"))

    _features: Any = property(lambda self: self.model._features if is_ours(self.model) else None)
    _last: Any = property(lambda self: last_step(self.model))  # without the pipeline before it
    _learns_below: Any = property(lambda self: learns_below(self.model))
    _first = of_model("_first")
    _labels = of_model("_labels")
    _never_predicted = of_model("_never_predicted")
    _of_pipeline = of_model("_of_pipeline")
    _probabilities = of_model("_probabilities")
    _read_targets = of_model("_read_targets")
    _scores_many = of_model("_scores_many")
    _scores_one = for_one("_scores_one")
    _probabilities_one = for_one("_probabilities_one")
    _check_one = for_one("_check_one")

    @property
    def taxonomy(self) -> TaxonomyLike:
        """The taxonomy of the model; `None` or an `OpenTaxonomy` if it is open."""
        return cast(TaxonomyLike, self._last.taxonomy)

    @property
    def taxonomy_(self) -> Taxonomy:
        """The current taxonomy of the model, with all labels that have arrived."""
        return cast(Taxonomy, inner(self.model)._taxonomy)

    _taxonomy = taxonomy_

    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0, **kwargs: Any) -> None:
        """Learn from one example, as the model does; other arguments are passed on to it.

        An example of weight 0 changes nothing.
        """
        if w != 1.0 and not (w := checked_weight(w)):
            return None
        # Wrappers learn from whole labels, and once.
        if repeats() or type(y := without_below(self, y)) is Below:
            return self.model.learn_one(x, y, w=w, **kwargs)
        if isinstance(y, Iterator):  # it may be needed twice
            y = list(y)
        return self._observe(x, y, w, **kwargs)

    def _observe(self, x: dict[Any, Any], y: Any, w: float, **kwargs: Any) -> None:
        """Learn from an example with a whole label, which can be read twice."""
        self.model.learn_one(x, y, w=w, **kwargs)

    def adopt(self, taxonomy: Taxonomy) -> None:
        """Continue with a larger taxonomy. Call this on the wrapper, not on the model inside it."""
        taxonomy = extended(self._taxonomy, taxonomy)
        self._check_taxonomy(taxonomy)
        self._last.adopt(taxonomy)

    def _extend(self, taxonomy: Taxonomy, unseen: bool) -> None:
        self._last._extend(taxonomy, unseen)

    def forget(self, label: Label) -> None:
        """Reset a node and all nodes below it, in the model and in the wrapper."""
        inside = {name: vars(self)[name] for name in ("model", "models") if name in vars(self)}
        for model in inside.get("models", [self.model]):
            last_step(model).forget(label)
        if v := self._taxonomy.index(label):
            self._forget(self._taxonomy._arrays.branch(v))
        else:
            vars(self).update(vars(self.clone()) | inside)

    def _check_taxonomy(self, taxonomy: Taxonomy) -> None:
        """Raise an error if the wrapper does not work in this taxonomy."""

    def _forget(self, nodes: Nodes) -> None:
        """Reset the wrapper's own state of a branch below the root, given its nodes."""

    def _learn_rows(self, X: Batch, ys: Any) -> None:
        own = type(self)
        delegates = own._observe is ModelWrapper._observe or repeats()
        if delegates and own.learn_one is ModelWrapper.learn_one and is_ours(self.model):
            self.model._learn_rows(X, ys)
        else:
            super()._learn_rows(X, ys)


class TransparentWrapper(ModelWrapper):
    """Base class of wrappers, of models of either kind, that predict as the model inside.

    A subclass `W` that is of no kind itself gets one of each, `W._Single` and `W._Multi`, with its
    name: `W(model)` is of that of the model, so River takes it for what it is.
    """

    _Single: Any
    _Multi: Any

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if issubclass(cls, SingleLabelPredictor | MultiLabelPredictor):
            return
        made: Any = type(cls)
        for name, kind in (("_Single", SingleLabelPredictor), ("_Multi", MultiLabelPredictor)):
            place = {"__module__": cls.__module__, "__qualname__": f"{cls.__qualname__}.{name}"}
            setattr(cls, name, made(cls.__name__, (cls, kind), place | {"__doc__": cls.__doc__}))

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        given = kwargs.get("model", kwargs.get("models", args[0] if args else None))
        if given is None and cls in (cls._Single, cls._Multi):  # a copy
            return super().__new__(cls)
        first = given[0] if isinstance(given, list | tuple) and given else given
        of_kind = cls._Multi if is_multilabel(last_step(first)) else cls._Single
        return object.__new__(of_kind) if issubclass(of_kind, cls) else of_kind(*args, **kwargs)

    @open_for_river
    def predict_proba_one(self, x: dict[Any, Any]) -> Any:
        """The model's probabilities for x, a dictionary of features."""
        return self.model.predict_proba_one(x)

    @open_for_river
    def score_one(self, x: dict[Any, Any]) -> dict[Label, float]:
        """The model's scores for x, a dictionary of features."""
        return cast("dict[Label, float]", self.model.score_one(x))

    def _predict(self, x: Mapping[Any, Any]) -> Any:
        return self.model.predict_one(x)

    _nodes_on = for_one("_predicted_nodes")
    _softmax = for_one("_softmax")
    _labels_of = of_model("_labels_of")
    _masks = of_model("_masks")


def check_model(model: Any, *methods: str) -> None:
    """Raise an error unless this is a model in a taxonomy, with these methods."""
    last = last_step(model)
    missing = [m for m in methods if not callable(getattr(last, m, None))]
    in_taxonomy = hasattr(last, "taxonomy") and getattr(last, "_predicts_labels", True)
    if isinstance(model, type) or missing or not in_taxonomy:
        wanted = " and ".join(f"`{m}`" for m in methods)
        raise TypeError(
            f"`model` must be a model in a taxonomy with {wanted}, "
            f"as those of linear_model are, got {shown(model)}"
        )
