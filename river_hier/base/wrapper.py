"""The base class of model wrappers."""

from collections.abc import Iterator
from operator import attrgetter
from typing import Any, cast

from river import base

from .._core import Batch, Nodes, repeats
from ..taxonomy import Edit, Evidence, Label, Taxonomy, TaxonomyLike, extended
from ..taxonomy.editing import check_current
from .answer import NONE, answer_of, answers_of, is_ours, labels_in, reads_anything, taxonomy_of
from .checks import checked_weight
from .classifiers import ONE, SEVERAL, is_multilabel, last_step, last_step_and_input, shown
from .predictor import Predictor, predict_labels_one, score_one
from .targets import whole


def learns_parts(model: Any) -> bool:
    """Whether a model, or a pipeline, learns from labels that are known in part."""
    return bool(getattr(last_step(model), "_learns_parts", True))


def check_one(model: Any, x: Any, y: Any, w: float) -> None:
    """Raise an error if a model, or that at the end of a pipeline, would refuse an example."""
    last, x = last_step_and_input(model, x)
    if is_ours(last):
        last._check_one(x, y, w)


class ModelWrapper(Predictor, base.Wrapper[Any], base.Estimator):
    """Base class of wrappers, which change a model's output or maintain the model.

    A wrapper is of the kind of its model, and predicts and learns as the model does. Those that
    change the answer define `_answer` and `_answers`; those that learn as well, from the answer
    before the model learns the label, define `_judge` and `_adjust`, which repeated examples do not
    reach.
    """

    _predicts_labels = True  # else scores or probabilities, for metrics only
    predict_labels_one = predict_labels_one
    score_one = score_one

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for kind in ("_Single", "_Multi"):  # the names of its kinds in pickles of 0.1.0
            setattr(cls, kind, cls)

    def __init__(self, model: Any) -> None:
        self.model = model

    _wrapped_model: Any = property(attrgetter("model"))
    _last: Any = property(lambda self: last_step(self.model))  # without the pipeline before it
    _kind: Any = property(lambda self: SEVERAL if is_multilabel(self._last) else ONE)
    _last_step: Any = _kind  # by which River's `isinstance` knows what the wrapper is
    _labels: Any = property(lambda self: labels_in(self.model))
    _never_predicted: Any = property(lambda self: getattr(self._last, "_never_predicted", NONE))
    _first_label: Any = property(lambda self: getattr(self._last, "_first_label", 0))
    _features: Any = property(lambda self: self.model._features if is_ours(self.model) else None)
    _learns_parts: Any = property(lambda self: learns_parts(self.model))
    _of_pipeline: Any = property(lambda self: reads_anything(self.model))

    def _answer(self, x: Any) -> Any:
        return answer_of(self.model, x)

    def _answers(self, X: Batch) -> Any:
        return answers_of(self.model, X)

    def _check_one(self, x: Any, y: Any, w: float) -> None:
        check_one(self.model, x, y, w)

    @property
    def taxonomy(self) -> TaxonomyLike:
        """The taxonomy of the model; `None` or an `OpenTaxonomy` if it is open."""
        return cast(TaxonomyLike, self._last.taxonomy)

    @property
    def taxonomy_(self) -> Taxonomy:
        """The current taxonomy of the model, with all labels that have arrived."""
        return taxonomy_of(self.model)

    _taxonomy = taxonomy_

    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0, **kwargs: Any) -> None:
        """Learn from one example, as the model does; other arguments are passed on to it.

        An example of weight 0 changes nothing.
        """
        if w != 1.0 and not (w := checked_weight(w)):
            return None
        if isinstance(y, Iterator):  # it is needed several times
            y = list(y)
        last, read = last_step_and_input(self.model, x)
        if last is not self.model and is_ours(last):  # before a transformer learns from x
            last._check_one(read, y, w)
        # Wrappers learn from whole labels, and once.
        if repeats() or isinstance(y := whole(self, y), Evidence):
            return self.model.learn_one(x, y, w=w, **kwargs)
        seen = self._judge(answer_of(last, read), y)
        self.model.learn_one(x, y, w=w, **kwargs)  # raises before anything is learned here
        self._adjust(seen, y, w)

    def _judge(self, answer: Any, y: Any) -> Any:
        """What the wrapper will learn from the model's answer before the model learns the label."""

    def _adjust(self, seen: Any, y: Any, w: float) -> None:
        """Learn from it."""

    @property
    def _inside(self) -> list[Any]:
        """The models inside, without the pipelines before them."""
        return [self._last]

    def adopt(self, taxonomy: Taxonomy | Edit) -> None:
        """Continue with a larger taxonomy, or an edited one, in the wrapper and in what is inside.

        Call this on the wrapper, not on the model inside it.
        """
        if isinstance(taxonomy, Edit):
            self._check_edit(taxonomy)
            self._follow(taxonomy)
            return
        taxonomy = extended(self._taxonomy, taxonomy)
        self._check_taxonomy(taxonomy)
        for model in self._inside:
            model.adopt(taxonomy)

    def _extend(self, taxonomy: Taxonomy, unseen: bool) -> None:
        for model in self._inside:
            model._extend(taxonomy, unseen)

    def _check_edit(self, edit: Edit) -> None:
        """Raise an error if this or a model inside cannot continue after an edit."""
        for model in self._inside:
            model._check_edit(edit)
        self._check_taxonomy(edit.after)

    def _follow(self, edit: Edit) -> None:
        """Continue after an edit that was checked."""
        for model in self._inside:
            model._follow(edit)
        self._edit(edit)

    def _edit(self, edit: Edit) -> None:
        """Change the wrapper's own state as the nodes change."""

    def forget(self, label: Label) -> None:
        """Reset a node and all nodes below it, in the model and in the wrapper."""
        inside = {name: vars(self)[name] for name in ("model", "models") if name in vars(self)}
        check_current(self._taxonomy, label, v := self._taxonomy.index(label))
        self._check_forget(v)
        for model in self._inside:
            model.forget(label)
        if v:
            self._forget(self._taxonomy._arrays.branch(v))
        else:
            vars(self).update(vars(self.clone()) | inside)

    def _check_forget(self, v: int) -> None:
        for model in self._inside:
            model._check_forget(v)

    def _check_taxonomy(self, taxonomy: Taxonomy) -> None:
        """Raise an error if the wrapper does not work in this taxonomy."""

    def _forget(self, nodes: Nodes) -> None:
        """Reset the wrapper's own state of a branch below the root, given its nodes."""

    def _learn_rows(self, X: Batch, ys: Any) -> None:
        own = type(self)
        delegates = own._adjust is ModelWrapper._adjust or repeats()
        if delegates and own.learn_one is ModelWrapper.learn_one and is_ours(self.model):
            self.model._learn_rows(X, ys)
        else:
            super()._learn_rows(X, ys)


def check_model(model: Any, *methods: str) -> None:
    """Raise an error unless this is a model in a taxonomy, with these methods."""
    last = inner = last_step(model)
    while (
        "score_one" in methods and isinstance(inner, ModelWrapper) and not hasattr(inner, "models")
    ):
        inner = last_step(inner._wrapped_model)  # whose scores they are
    missing = [m for m in methods if not callable(getattr(last, m, None)) or not hasattr(inner, m)]
    in_taxonomy = hasattr(last, "taxonomy") and getattr(last, "_predicts_labels", True)
    if isinstance(model, type) or missing or not in_taxonomy:
        wanted = " and ".join(f"`{m}`" for m in methods)
        raise TypeError(
            f"`model` must be a model in a taxonomy with {wanted}, "
            f"as those of linear_model are, got {shown(model)}"
        )
