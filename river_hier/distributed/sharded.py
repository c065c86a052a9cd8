from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any, Self

from .._core import Batch
from ..base.checks import check_integer, checked_weight
from ..base.classifiers import cloned
from ..base.copies import without_turn
from ..base.explanation import Floats
from ..base.turns import Rows, change, changes, reads
from ..base.unlearned import Unlearned
from ..linear_model import HPerceptron
from ..taxonomy import Taxonomy, TaxonomyLike
from .actors import ActorPool
from .coordinator import Coordinator, visits
from .predictions import ShardedPredictions
from .shard import Model, Shard, check_shardable


class Sharded(ShardedPredictions):
    """One model in several processes or on several machines, each of which trains some nodes.

    In H-PERC, H-AROW, H-RLS, SH-RLS and other top-down learners, each node learns independently of
    the others once the labels of an example are known. Therefore nodes are divided among shards,
    which are Ray actors. In learners with weights, shards have subtrees and get only the examples
    that train them; in least squares, they get all examples. Predictions are equal to those of the
    model in one process, bit for bit. A shard that dies is restarted, and the result is the same.

    The first call starts the shards, and Ray on this machine if it is not running, with one
    processor for each shard. `close`, or the end of a `with` block, stops the shards and keeps what
    they have learned. A pickle or a copy contains the gathered model and starts its own shards. See
    `docs/distributed.md` for the assignment of nodes to shards, and for the cost of a batch.
    `learn_many` has the same result as a loop of `learn_one`, but is much faster. It may return
    while the shards are still learning this batch and the previous one.

    Parameters
    ----------
    model
        An `HPerceptron`, `HAROW`, `HRLS`, `SHRLS`, or a `base.TopDownLearner` of your own. Shards
        start from its state; it is unchanged.
    shards
        The number of shards. If there are more shards than nodes, some are idle.
    checkpoint_every
        The number of batches between two checkpoints of each shard.

    Raises
    ------
    TypeError
        If the nodes of `model` do not learn independently, or its class overrides how models learn
        or predict.
    ValueError
        If `shards` or `checkpoint_every` is below 1, or the model refuses an input.
    ImportError
        From the first call, if Ray is missing: `pip install 'river-hier[ray]'`.
    RuntimeError
        If a shard gets no processor within a minute, runs another backend, or dies repeatedly.

    Examples
    --------

    >>> import pandas as pd
    >>> from river_hier import Taxonomy, distributed, linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> taxonomy = Taxonomy([("all", "news"), ("news", "sport"), ("news", "politics")])
    >>> stream = list(synth.LinearLabels(taxonomy, n_features=5, seed=42).take(2000))
    >>> metric = metrics.HLoss(taxonomy)

    >>> with distributed.Sharded(linear_model.SHRLS(taxonomy), shards=2) as model:  # doctest: +SKIP
    ...     for start in range(0, 2000, 100):
    ...         X = pd.DataFrame([x for x, _ in stream[start : start + 100]])
    ...         y = [y for _, y in stream[start : start + 100]]
    ...         for answer, truth in zip(model.predict_many(X).to_dict("records"), y):
    ...             metric.update(truth, answer)
    ...         model.learn_many(X, y)

    >>> metric  # doctest: +SKIP
    HLoss: 0.571

    """

    def __init__(self, model: Model, shards: int = 2, checkpoint_every: int = 100) -> None:
        check_shardable(model)
        check_integer("shards", shards, 1)
        check_integer("checkpoint_every", checkpoint_every, 1)
        self.model = model
        self.shards = shards
        self.checkpoint_every = checkpoint_every
        self._whole: Model = model  # the state that the shards start from
        self._running: Coordinator | None = None

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"model": HPerceptron()}

    @property
    def taxonomy(self) -> TaxonomyLike:
        """The taxonomy of the model; `None` or an `OpenTaxonomy` if it is open."""
        return self.model.taxonomy

    @property
    def taxonomy_(self) -> Taxonomy:
        """The current taxonomy, with all labels that have arrived."""
        return self._taxonomy

    def clone(self, new_params: Any = None, include_attributes: bool = False) -> Self:
        """Return a model with the same parameters, which has learned nothing.

        Parameters
        ----------
        new_params
            `{name: value}` of parameters that differ.
        include_attributes
            Whether to keep what has been learned.

        """
        return cloned(self, new_params, include_attributes)

    @changes
    def learn_one(self, x: Mapping[Any, Any], y: Any, w: float = 1.0) -> None:
        """Learn from one example: a batch of one, at the cost of a batch.

        Parameters
        ----------
        x
            A dictionary of features with finite values.
        y
            A multilabel, as `model` takes it.
        w
            The weight of the example, at least 0. An example of weight 0 changes nothing.

        """
        if w != 1.0 and not (w := checked_weight(w)):
            return
        self._coordinator.learn_one(x, y, w)

    def _learn_rows(self, X: Batch, ys: Any) -> None:
        def work(rows: Rows) -> None:
            if self._running is None:
                self._start_shards(visits(self._whole, X, ys))
            self._coordinator.learn_many(X, ys)
            rows.n_learned = X.n

        change(self, work, whole=True, read=True)

    @reads
    def gathered(self) -> Any:
        """Transfer all that has been learned to this process, as an ordinary, independent model."""
        return self._coordinator.gather() if self._running else copy.deepcopy(self._whole)

    @changes
    def close(self) -> None:
        """Gather what the shards have learned and stop them; the next call starts new ones."""
        if self._running is not None:
            try:
                self._whole = self._coordinator.gather()
            finally:
                self._running.stop()
            self._running = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        """Pickles and copies hold the gathered model, and start shards of their own."""
        return without_turn(self) | {"_whole": self.gathered(), "_running": None}

    @property
    def _taxonomy(self) -> Taxonomy:
        """The current taxonomy."""
        return (self._running.driver if self._running else self._whole)._taxonomy

    @property
    def _never_predicted(self) -> Unlearned:
        """The nodes that are never predicted: the unlearned ones."""
        return (self._running.driver if self._running else self._whole)._unlearned

    @property
    def _coordinator(self) -> Coordinator:
        """The coordinator of the shards, which are started if they are not running."""
        if self._running is None:
            self._start_shards()
        assert self._running is not None
        self._running.check_complete()
        return self._running

    def _start_shards(self, visits: Floats | None = None) -> None:
        self._running = Coordinator(self._whole, self.shards, self._start, visits)
        self._whole = self._running.driver  # frees the rest, which is in the shards

    def _start(self, shards: list[Shard]) -> ActorPool:
        return ActorPool(shards, self.checkpoint_every)
