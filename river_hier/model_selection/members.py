"""The members of a selection, and the parts that they share: transformers and learners."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from river import base, compose

from ..base.wrapper import ModelWrapper

Inputs = dict[int, Any]  # the input of each part, by number; that of number 0 is x itself


class Transformation(NamedTuple):
    """A transformer, the number of its input, and whether it learns, and takes weights."""

    source: int
    transformer: Any
    learns: bool
    takes_weights: bool


class Member(NamedTuple):
    """A model without its first transformers, and the numbers of its input and its learner."""

    source: int
    model: Any
    learner: int


class Work(NamedTuple):
    """The numbers of the transformers and learners that some members need, in order."""

    transformers: list[int]
    learners: list[int]


class Members:
    """Models that share their equal parts, so that each part transforms or learns once.

    Parts are equal if their pickles are, so those with different parameters, states or seeds are
    not shared. The first transformers of pipelines are shared and, after the same transformers, the
    learners, inside wrappers, too. The models are changed in place.
    """

    def __init__(self, models: list[Any]) -> None:
        self.transformers: list[Transformation] = []  # number 1 is the first
        sources = [self._share_transformers(model) for model in models]
        learners: dict[Any, Any] = {}
        names = []
        for source, model in zip(sources, models, strict=True):
            learner = learner_of(_rest(model))
            names.append((source, _identity(learner)))
            learners.setdefault(names[-1], learner)
        for (source, _), learner in list(learners.items()):
            if _only_observes(learner):
                inner = learner_of(learner.model)
                if (name := (source, _identity(inner))) in learners:
                    learners[name] = inner
        for i, name in enumerate(names):
            models[i] = _with_learner(models[i], learners[name])
        rests = [(source, _rest(model)) for source, model in zip(sources, models, strict=True)]
        self.learners: list[tuple[int, Any]] = _outermost(rests)
        self.members: list[Member] = [
            Member(source, model, self._learner_number(learner_of(model)))
            for source, model in rests
        ]

    def _share_transformers(self, model: Any) -> int:
        """Replace the first transformers of a pipeline; return the number of the last one."""
        source = 0
        for name in _first_transformers(model):
            transformer = model.steps[name]
            found = [(t.source, _identity(t.transformer)) for t in self.transformers]
            if (new := (source, _identity(transformer))) not in found:
                found.append(new)
                learn = type(transformer).learn_one
                learns = learn is not base.Transformer.learn_one
                weighted = "w" in inspect.signature(learn).parameters
                self.transformers.append(Transformation(source, transformer, learns, weighted))
            number = found.index(new) + 1
            model.steps[name] = self.transformers[number - 1].transformer
            model._plan = None  # River's cache of the steps
            source = number
        return source

    def _learner_number(self, learner: Any) -> int:
        return next(i for i, (_, outer) in enumerate(self.learners) if _contains(outer, learner))

    def work(self, members: Iterable[int], done: Work | None = None) -> Work:
        """The parts that these members need in order to learn, except those of `done`."""
        learners = sorted({self.members[i].learner for i in members})
        sources = {self.members[i].source for i in members}
        sources |= {self.learners[n][0] for n in learners}
        for number in range(len(self.transformers), 0, -1):  # each after those that need it
            if number in sources:
                sources.add(self.transformers[number - 1].source)
        transformers = sorted(sources - {0})
        if done is not None:
            learners = [n for n in learners if n not in done.learners]
            transformers = [n for n in transformers if n not in done.transformers]
        return Work(transformers, learners)

    def transform(self, x: Any, work: Work) -> Inputs:
        """The inputs of all parts."""
        inputs = {0: x}
        for number in work.transformers:
            step = self.transformers[number - 1]
            inputs[number] = step.transformer.transform_one(inputs[step.source])
        return inputs

    def predict(
        self, inputs: Inputs, members: Iterable[int], predict: Callable[[Any, Any], Any]
    ) -> dict[int, Any]:
        """The predictions of some members."""
        some = [(i, self.members[i]) for i in members]
        return {i: predict(model, inputs[source]) for i, (source, model, _) in some}

    def learn(self, inputs: Inputs, y: Any, w: float, work: Work, kwargs: dict[str, Any]) -> None:
        """Let each part learn, as in a pipeline; transformed inputs are reused where possible.

        `inputs` is changed: afterwards, it has the inputs from which the learners have learned.
        """
        changed = set()
        for number in work.transformers:
            source, transformer, learns, takes_weights = self.transformers[number - 1]
            if learns:
                if takes_weights and w != 1.0:
                    transformer.learn_one(inputs[source], w=w)
                else:
                    transformer.learn_one(inputs[source])
            if learns or source in changed or number not in inputs:
                inputs[number] = transformer.transform_one(inputs[source])
                changed.add(number)
        for number in work.learners:
            source, learner = self.learners[number]
            if w == 1.0:
                learner.learn_one(inputs[source], y, **kwargs)
            else:
                learner.learn_one(inputs[source], y, w=w, **kwargs)


def learner_of(model: Any) -> Any:
    """The part of a model that learns: the model without wrappers that only predict."""
    while _is_wrapper(model) and type(model).learn_one is ModelWrapper.learn_one:
        model = model.model
    return model


def _is_wrapper(model: Any) -> bool:
    # A pipeline is an instance of its last step's class; a selection has several models inside.
    return issubclass(type(model), ModelWrapper) and not hasattr(model, "_members")


def _layers(model: Any) -> Iterator[Any]:
    """A model, and the models inside its wrappers and pipelines, from the outside in."""
    while True:
        yield model
        if _is_wrapper(model):
            model = model.model
        elif isinstance(model, compose.Pipeline):
            model = model._last_step
        else:
            return


def parts_of(models: Iterable[Any]) -> tuple[list[Any], list[Any]]:
    """The wrappers in models, and the models in a taxonomy inside them, each once."""
    parts = {id(part): part for model in models for part in _layers(model)}.values()
    wrappers = [part for part in parts if _is_wrapper(part)]
    others = [part for part in parts if not _is_wrapper(part)]
    return wrappers, [part for part in others if not isinstance(part, compose.Pipeline)]


def _first_transformers(model: Any) -> list[str]:
    """The names of those steps at the start of a pipeline that can be shared."""
    names: list[str] = []
    if isinstance(model, compose.Pipeline):
        for name, step in list(model.steps.items())[:-1]:
            if (
                not isinstance(step, base.Transformer)
                or isinstance(step, compose.TransformerUnion)
                or step._supervised
            ):
                break
            names.append(name)
    return names


def _rest(model: Any) -> Any:
    """A model without the transformers that can be shared."""
    if not (first := _first_transformers(model)):
        return model
    steps = list(model.steps.items())[len(first) :]
    return compose.Pipeline(*steps) if len(steps) > 1 else steps[0][1]


def _with_learner(model: Any, learner: Any) -> Any:
    """The model, with another object as the part that learns."""
    if isinstance(model, compose.Pipeline):
        rest = _rest(model)
        if not isinstance(rest, compose.Pipeline):
            model.steps[list(model.steps)[-1]] = _with_learner(rest, learner)
            model._plan = None
        return model
    if learner_of(model) is model:
        return learner
    model.model = _with_learner(model.model, learner)
    return model


def _only_observes(learner: Any) -> bool:
    """Whether it is a wrapper whose model learns as it would by itself."""
    return _is_wrapper(learner) and bool(learner._only_observes)


def _contains(outer: Any, learner: Any) -> bool:
    """Whether a learner learns whenever the outer one does, just as it would by itself."""
    while outer is not learner and _only_observes(outer):
        outer = learner_of(outer.model)
    return outer is learner


def _outermost(rests: list[tuple[int, Any]]) -> list[tuple[int, Any]]:
    """The learners that no other one contains, with the numbers of their inputs."""
    found: list[tuple[int, Any]] = []
    for source, model in rests:
        learner = learner_of(model)
        if not any(_contains(other, learner) for _, other in found):
            found = [(s, other) for s, other in found if not _contains(learner, other)]
            found.append((source, learner))
    parts = [id(part) for _, learner in found for part in _layers(learner)]
    if len(set(parts)) < len(parts):
        raise ValueError(
            "`models` must be separate models, but two of them have the same object inside, which "
            "would learn every example twice; clone it"
        )
    return found


def _identity(part: Any) -> Any:
    """What equal parts have in common: their pickle, or the object if it has none."""
    try:
        return pickle.dumps(part)
    except Exception:
        return id(part)
