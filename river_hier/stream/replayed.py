from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

from .._core import Nodes
from ..base.checks import check_integer, checked_weight
from ..base.wrapper import TransparentWrapper, check_model


class Replayed(TransparentWrapper):
    """A model that learns each example several times, as in several passes over the stream.

    A new example is learned as soon as it arrives. Then `times - 1` examples are drawn at random
    from the latest ones, which are stored in a buffer, and learned again. So every example is
    learned `times` times on average: the first ones more often, since the buffer is small then, and
    the last ones of a stream less often. The buffer should be much shorter than the stream.

    Unlike `replay`, it does not repeat examples in the stream, so the model can be evaluated by
    `progressive_val_score`, and compared with others in `model_selection.SuccessiveHalving`.

    Parameters
    ----------
    model
        A model in a taxonomy, single-label or multilabel, or a pipeline that ends in one.
    times
        How often each example is learned on average, at least 1.
    buffer_size
        The number of examples in memory, the latest ones.
    seed
        Seed of the random draws.

    Raises
    ------
    TypeError
        If `model` is not a model in a taxonomy.

    Notes
    -----
    A step takes `times` steps of the model; predictions are the model's. `forget` empties
    the buffer, which has examples of the branch.

    `decision.Calibrated` and `Tempered` recognise repeated examples, both inside `Replayed` and
    around it. Put transformers that learn, such as scalers, in front: `scaler | Replayed(model)`.

    Examples
    --------

    >>> from river import evaluate
    >>> from river_hier import linear_model, metrics
    >>> from river_hier.datasets import synth
    >>> from river_hier.stream import Replayed

    >>> data = synth.PrototypeTree(branching=3, depth=3, noise=0.16, seed=42)
    >>> for times in (1, 3):
    ...     model = Replayed(linear_model.AveragedHieron(data.taxonomy), times, seed=1)
    ...     metric = metrics.TreeInducedError(data.taxonomy)
    ...     evaluate.progressive_val_score(data.take(2000), model, metric)
    TreeInducedError: 1.039
    TreeInducedError: 0.971

    """

    def __init__(
        self, model: Any, times: int = 3, buffer_size: int = 1_000, seed: int | None = None
    ) -> None:
        check_model(model, "learn_one", "predict_one")
        check_integer("times", times, 1)
        check_integer("buffer_size", buffer_size, 1)
        super().__init__(model)
        self.times = times
        self.buffer_size = buffer_size
        self.seed = seed
        self._rng = random.Random(seed)
        self._buffer: list[tuple[Any, Any, float]] = []
        self._oldest = 0

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        from .. import linear_model

        yield {"model": linear_model.HPerceptron(), "buffer_size": 20, "seed": 1}

    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0, **kwargs: Any) -> None:
        """Learn from one example, and again from `times - 1` of the stored examples.

        Parameters
        ----------
        x
            A dictionary of features.
        y
            The target, as the model takes it.
        w
            The weight of the example, at least 0, also when it is repeated. An example of weight 0
            changes nothing.
        kwargs
            Passed on to the model.

        """
        if w != 1.0 and not (w := checked_weight(w)):
            return
        if isinstance(y, Iterator):  # it is needed several times
            y = list(y)

        self.model.learn_one(x, y, w=w, **kwargs)  # raises before anything is repeated
        example = copy.copy(x), copy.copy(y), w
        n = self.times - 1 if self._buffer else 0
        repeated = [self._rng.choice(self._buffer) for _ in range(n)]
        if len(self._buffer) < self.buffer_size:
            self._buffer.append(example)
        else:
            self._buffer[self._oldest] = example
            self._oldest = (self._oldest + 1) % self.buffer_size
        for old_x, old_y, old_w in repeated:
            self.model.learn_one(old_x, old_y, w=old_w, **kwargs)

    def _forget(self, nodes: Nodes) -> None:
        self._buffer, self._oldest = [], 0
