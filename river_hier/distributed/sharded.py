from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any, Self

from ..base import check_integer
from ..base.classifiers import shown
from ..base.mini_batch import ColumnNames
from ..linear_model import HPerceptron
from ..linear_model.least_squares import LeastSquaresModel
from ..linear_model.top_down import TopDownModel
from ..taxonomy import Taxonomy, TaxonomyLike
from .answers import ShardedAnswers
from .processes import Processes
from .shard import Model, Shard
from .team import Team

__all__ = ["Sharded"]


class Sharded(ShardedAnswers):
    """One model on several processes or machines, each of which learns at some of its nodes.

    Given the labels of an example, the nodes of H-PERC, H-AROW, H-RLS and SH-RLS learn each by
    itself. So they are dealt out to shards, Ray actors, and each shard sees all examples and
    learns at its own nodes. The answers are those of the model in one process, bit for bit; for
    least squares as long as the factors of each shard fit into `memory`.

    Batches are read, checked and encoded here and put once into Ray's object store, from where all
    shards take them. Nodes go to shards by the work that is expected: the squares of what they
    have stored where `model` has learned already, which makes the better plan; or else by their
    place in the taxonomy. Nodes of `HRLS` that share a system of equations stay together. A label
    that is new to an open taxonomy goes to the shard with the least work. More shards than nodes
    are allowed; some then have nothing to do.

    A shard that dies is replaced: from its last checkpoint and the batches since, which are kept
    here. Nothing is learned twice, and the result is the same.

    The first call starts the processes, and Ray too where it does not run yet, with a processor
    for each shard on this machine. `close`, or the end of a `with` block, ends the processes and
    keeps what they have learned. A pickle or a copy holds the gathered model and starts processes
    of its own; a `clone` has learned nothing.

    A batch costs its transfer to each shard and the slowest shard's part of the work; a prediction
    asks all nodes, not only those whose parents are on. See `docs/distributed.md`.

    Parameters
    ----------
    model
        An `HPerceptron`, `HAROW`, `HRLS` or `SHRLS`. What it has learned is where the shards
        start; it is not changed.
    shards
        How many processes.
    checkpoint_every
        Batches between two checkpoints of each shard.

    Raises
    ------
    TypeError
        If the nodes of `model` do not learn each by itself.
    ValueError
        If `shards` or `checkpoint_every` is less than 1; and whatever `model` refuses, as it would.
    ImportError
        From the first call, if there is no Ray: `pip install 'river-hier[ray]'`.
    RuntimeError
        If there is no processor for a shard in a minute, a shard runs another core than this
        process, or one dies again and again.

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
        # River lets a pipeline pass for an instance of what it ends in.
        if not issubclass(type(model), LeastSquaresModel | TopDownModel):
            raise TypeError(
                "`model` must learn at each node by itself, as linear_model's HPerceptron, HAROW, "
                f"HRLS and SHRLS do, got {shown(model)}; where the scores of nodes are compared, "
                "as in Hieron, shards would have to agree about every example"
            )
        check_integer("shards", shards, 1)
        check_integer("checkpoint_every", checkpoint_every, 1)
        self.model = model
        self.shards = shards
        self.checkpoint_every = checkpoint_every
        self._whole: Model = model  # where the shards start
        self._running: Team | None = None

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"model": HPerceptron()}

    @property
    def taxonomy(self) -> TaxonomyLike:
        """The taxonomy of the model; `None` or an `OpenTaxonomy` where it is open."""
        return self.model.taxonomy

    @property
    def _taxonomy(self) -> Taxonomy:
        """The taxonomy as it is now."""
        return (self._running.front if self._running else self._whole)._taxonomy

    def learn_one(self, x: Mapping[Any, Any], y: Any) -> None:
        """Learn from one example: a batch of one, at the price of a batch.

        Parameters
        ----------
        x
            A dictionary of features with finite values.
        y
            A multilabel, as `model` takes it.

        """
        self._team.learn_one(x, y)

    def learn_many(
        self, X: Any, y: Any, columns: ColumnNames = None, labels: ColumnNames = None
    ) -> None:
        """Learn from a mini-batch: the same as a loop of `learn_one`, and much faster.

        It returns while the shards may still be at work on this batch and the one before. A batch
        in which anything is wrong is refused as a whole.

        Parameters
        ----------
        X
            A dataframe (of pandas, polars, pyarrow, ...) or a scipy.sparse matrix, as `model`
            takes it.
        y
            The multilabels, one a row, as `model` takes them.
        columns
            The names of the columns of a sparse X.
        labels
            The labels of the columns of a matrix y.

        """
        self._team.learn_many(X, y, columns, labels)

    def gathered(self) -> Any:
        """The model as one process would have it: an ordinary one, equal bit for bit.

        It goes its own way from here: what either learns is unknown to the other. Takes the time
        and the memory to bring all that the shards have learned into this process.
        """
        return self._running.gathered() if self._running else copy.deepcopy(self._whole)

    def close(self) -> None:
        """End the processes; what they have learned comes back into this one before.

        The next call starts others.
        """
        if self._running is not None:
            self._whole = self._running.gathered()
            self._running.stop()
            self._running = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        """Pickles and copies hold the gathered model, and start processes of their own."""
        return self.__dict__ | {"_whole": self.gathered(), "_running": None}

    @property
    def _team(self) -> Team:
        """The shards; they are started if they are not running."""
        if self._running is None:
            self._running = Team(self._whole, self.shards, self._start)
            self._whole = self._running.front  # the rest is in the shards
        return self._running

    def _start(self, shards: list[Shard]) -> Processes:
        return Processes(shards, self.checkpoint_every)
