"""What a model learns besides the stream: names of labels before it, and examples once more."""

import copy
import random
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

import numpy as np
from river import compose

from . import linear_model
from ._core import Nodes, learned_before, repeats
from .base.answer import is_ours, labels_in, taxonomy_of
from .base.checks import check_integer, checked_weight
from .base.classifiers import is_multilabel, last_step, last_step_and_input
from .base.targets import says_nothing, whole
from .base.wrapper import ModelWrapper, check_model, check_one
from .taxonomy import Edit, Evidence, Label, Taxonomy, closure_mask, extended
from .taxonomy.open import stated

__all__ = ["Replayed", "learn_names", "replay"]

ROUNDS = 10  # times that a name is learned, in all but the first one those of leaves
STEPS = 100_000  # for which the rounds of many names are fewer
LATE = 0.8  # the scale of late ones, so that a name in a longer text weighs as much as an example

Example = TypeVar("Example")


def replay(
    stream: Iterable[Example], times: int = 3, buffer_size: int = 10_000, seed: int | None = None
) -> Iterator[Example]:
    """Yield each example several times, as in several passes over a stream.

    A new example is yielded as soon as it is read, and then stored in a buffer. When the buffer is
    full, random examples in it are yielded until one has been yielded `times` times and is removed;
    the rest is yielded after the end of the stream, so that with a larger buffer than the stream
    the first pass is in order and the others are shuffled together.

    Use several passes only for learning, not in `river.evaluate.progressive_val_score`, whose model
    would have learned from the examples that are yielded again. Temperatures, calibration and pools
    learn from those, too, and become too sure: for them, use `Replayed`.

    Parameters
    ----------
    stream
        Examples of any kind, which are read once: a dataset, a generator, a list of pairs.
    times
        How often each example is yielded, at least 1.
    buffer_size
        The maximum number of examples in memory.
    seed
        Seed of the random order.

    Returns
    -------
    An iterator over `times` as many examples as in the stream.

    Notes
    -----
    An example takes O(times) time on average. A larger buffer gives a larger gain in accuracy.

    Examples
    --------
    >>> from river_hier import linear_model
    >>> from river_hier.datasets import synth
    >>> from river_hier.stream import replay

    >>> data = synth.PrototypeTree(branching=3, depth=3, noise=0.16, seed=42)
    >>> train, test = data.take(500), list(data.take(2500))[500:]

    >>> for times in (1, 3):
    ...     model = linear_model.AveragedHieron(data.taxonomy)
    ...     for x, y in replay(train, times, seed=1):
    ...         model.learn_one(x, y)
    ...     print(sum(model.predict_one(x) == y for x, y in test) / len(test))
    0.443
    0.505
    """
    check_integer("times", times, 1)
    check_integer("buffer_size", buffer_size, 1)
    return _replayed(stream, times, buffer_size, random.Random(seed))


def _replayed(
    stream: Iterable[Example], times: int, buffer_size: int, rng: random.Random
) -> Iterator[Example]:
    buffer: list[tuple[Example, int]] = []  # examples, and how often each is still to be yielded

    def old() -> Example:
        i = rng.randrange(len(buffer))
        example, left = buffer[i]
        if left > 1:
            buffer[i] = example, left - 1
        else:
            buffer[i] = buffer[-1]
            buffer.pop()
        return example

    for example in stream:
        yield example
        if times > 1:
            buffer.append((example, times - 1))
        while len(buffer) == buffer_size:
            yield old()
    while buffer:
        yield old()


def learn_names(
    model: Any,
    taxonomy: Taxonomy | Edit | None = None,
    on: Hashable | None = None,
    descriptions: Mapping[Label, str] | None = None,
) -> tuple[Label, ...]:
    """Teach a model the names of its labels, so that it predicts them before their first examples.

    Before its first example, a model learns the names of all labels; later, those of new ones, as a
    larger taxonomy has them, until they have an example. Of texts that a name describes, a third to
    a half is then right at once. Words count once; temperatures, calibration and the coefficients
    of pools do not learn from names. A name is learned ten times, of many labels at least once.

    Parameters
    ----------
    model
        A model in a taxonomy behind transformers of texts, or a pool or wrapper of such pipelines.
    taxonomy
        A larger taxonomy, or an edit, which the model adopts; an open one stays open.
    on
        The feature that holds the text, as in `Taxonomy.names`.
    descriptions
        `{label: text}`, as there.

    Returns
    -------
    The labels that are left out, since they have no text.

    Examples
    --------
    >>> from river_hier import Taxonomy, feature_extraction, linear_model
    >>> from river_hier.stream import learn_names

    >>> t = Taxonomy.from_nested({"shop": {"clothes": ["wool_hat", "silk_shirt"], "shoes": None}})
    >>> model = feature_extraction.TextViews() | linear_model.PathSoftmax(t, margin=1)
    >>> learn_names(model)
    ()
    >>> model.predict_one("a warm woollen hat")
    'wool_hat'

    >>> learn_names(model, t.extend([("shoes", "rubber boots"), ("shoes", "404")]))
    ('404',)
    >>> model.predict_proba_one("boots for rain")["rubber boots"]
    0.81
    """
    check_model(model, "learn_one", "predict_one")
    last, before = last_step(model), taxonomy_of(model)
    edit = taxonomy if isinstance(taxonomy, Edit) else None
    after: Taxonomy = before
    if isinstance(taxonomy, Edit):
        after = taxonomy.after
    elif taxonomy is not None:
        after = extended(before, taxonomy)
    names = after.names(on, descriptions)
    late = labels_in(model).has_learned
    scale = LATE if late else 1.0
    new = {before.nodes[v] for v in labels_in(model).unseen}
    new |= {*(after.nodes[len(before) :] if edit is None else edit.new)}
    if late:
        names[:] = [(x, label) for x, label in names if label in new]
    with compose.learn_during_predict():  # words are counted
        for x, _ in names:
            list(_inputs(model, x))
    if edit or (after is not before and isinstance(last.taxonomy, Taxonomy)):
        last.adopt(edit or after)
    elif after is not before:
        last._extend(after, unseen=late)
    with learned_before:
        for k in range(min(ROUNDS, max(1, STEPS // max(len(names), 1)))):
            for x, label in names:
                if k == 0 or not after.children(label):
                    y = {label} if is_multilabel(last) else label
                    for part, read in _inputs(model, x):
                        part.learn_one({i: scale * value for i, value in read.items()}, y)
    return tuple(label for label in names.left_out if not late or label in new)


def _inputs(model: Any, x: Any) -> Iterator[tuple[Any, Any]]:
    """The models behind the last transformers, in pools and wrappers too, and what they read."""
    last, x = last_step_and_input(model, x)
    if getattr(last, "_of_pipeline", False):
        for inside in getattr(last, "models", None) or [last._wrapped_model]:
            yield from _inputs(inside, x)
    else:
        yield last, x


class Replayed(ModelWrapper):
    """A model that learns each example several times, as in several passes over the stream.

    A new example is learned as soon as it arrives, and once more after each `buffer_size / (times -
    1)` examples that follow it, until it has been learned `times` times. The latest `buffer_size`
    examples are stored for that; the last ones of a stream have been learned less often. Unlike
    with `replay`, the model can be evaluated by `progressive_val_score`.

    Parameters
    ----------
    model
        A model in a taxonomy, single-label or multilabel, or a pipeline that ends in one.
    times
        How often each example is learned, at least 1.
    buffer_size
        The number of examples in memory, at least `times - 1`.

    Notes
    -----
    A step takes `times` steps of the model; predictions are the model's. Temperatures, calibration,
    the coefficients of pools and the words of texts, around it or inside, learn from an example
    when it arrives only. `forget` empties the buffer. After an edit of more than names, all stored
    examples are learned once more, with the labels that theirs have become; evidence, such as
    `Below`, is dropped. Other transformers that learn stand in front: `scaler | Replayed(model)`.

    Examples
    --------
    >>> from river import evaluate
    >>> from river_hier import linear_model, metrics
    >>> from river_hier.datasets import synth
    >>> from river_hier.stream import Replayed

    >>> data = synth.PrototypeTree(branching=3, depth=3, noise=0.16, seed=42)
    >>> for times in (1, 2):
    ...     model = Replayed(linear_model.AveragedHieron(data.taxonomy), times)
    ...     metric = metrics.TreeInducedError(data.taxonomy)
    ...     evaluate.progressive_val_score(data.take(2000), model, metric)
    TreeInducedError: 1.039
    TreeInducedError: 1.0205
    """

    def __init__(self, model: Any, times: int = 2, buffer_size: int = 1_000) -> None:
        check_model(model, "learn_one", "predict_one")
        check_integer("times", times, 1)
        check_integer("buffer_size", buffer_size, max(1, times - 1))
        super().__init__(model)
        self.times = times
        self.buffer_size = buffer_size
        self._buffer: list[tuple[Any, Any, float]] = []

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"model": linear_model.Hieron(), "buffer_size": 20}

    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0, **kwargs: Any) -> None:
        """Learn from one example, and again from up to `times - 1` of the stored examples.

        The arguments are those of the model. The weight also counts when the example is repeated.
        """
        if w != 1.0 and not (w := checked_weight(w)):
            return
        if repeats():  # a name, or an example once more: it has its repetitions, or needs none
            self.model.learn_one(x, y, w=w, **kwargs)
            return
        if isinstance(y, Iterator):  # it is needed several times
            y = list(y)
        y = whole(self, y)
        if not is_ours(self.model):  # a pipeline, whose transformers would learn before it refuses
            check_one(self.model, x, y, w)
        self.model.learn_one(x, y, w=w, **kwargs)  # raises before anything is repeated
        if isinstance(y, Evidence) and says_nothing(self, y):
            return
        for k in range(1, self.times):
            ago = k * self.buffer_size // (self.times - 1)
            if ago <= len(self._buffer):
                old_x, old_y, old_w = self._buffer[-ago]
                with learned_before:
                    self.model.learn_one(old_x, old_y, w=old_w, **kwargs)
        self._buffer.append((copy.copy(x), copy.copy(y), w))
        if len(self._buffer) > self.buffer_size:
            del self._buffer[0]

    def _forget(self, nodes: Nodes) -> None:
        self._buffer.clear()

    def _edit(self, edit: Edit) -> None:
        several, flat = is_multilabel(self._last), self.taxonomy is None
        kept = ((x, _edited(edit, y, several), w) for x, y, w in self._buffer if _is_kept(edit, y))
        # Where any label may come, the root is none: an example of a retired label has no other.
        self._buffer = [one for one in kept if not flat or one[1] != edit.after.root]
        with learned_before:
            for x, y, w in [] if edit._renames else self._buffer:
                self.model.learn_one(x, y, w=w)


def _is_kept(edit: Edit, y: Any) -> bool:
    """Whether y is a label, or evidence whose labels an edit of names still reads."""
    if not isinstance(y, Evidence):
        return True
    find, now = edit.before._find, edit.after._find
    return edit._renames and all(find(label) == now(label) for label in stated(y))


def _edited(edit: Edit, y: Any, several: bool) -> Any:
    """What labels of before an edit have become."""
    if isinstance(y, Evidence):
        return y
    if not several:
        return edit.after.nodes[edit._nodes[edit.before.index(y)]]
    on = np.flatnonzero(closure_mask(edit.before, y)).tolist()
    return {*edit.after._arrays.labels(filter(None, edit._closed(on)))}  # all but the root
