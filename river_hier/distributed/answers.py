"""What a model in shards answers: what the model would, from what the shards say."""

from __future__ import annotations

import abc
from collections.abc import Mapping
from typing import Any

from river import base

from ..base import batch_answers
from ..base.batches import read_batch
from ..base.mini_batch import ColumnNames
from ..base.truncation import truncatable
from ..taxonomy import Label, Taxonomy
from .encoding import one_row
from .team import Team


class ShardedAnswers(base.MultiLabelClassifier):
    """The predictions of a model in shards."""

    @truncatable
    def predict_one(self, x: Mapping[Any, Any]) -> dict[Label, bool]:
        """Predict the multilabel of x, as `model` would.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        `{label: bool}` for all nodes but the root.

        """
        on = self._team.decided(one_row(x))[1:, 0].tolist()
        return dict(zip(self._taxonomy.nodes[1:], on, strict=True))

    def predict_proba_one(
        self, x: Mapping[Any, Any], **kwargs: Any
    ) -> dict[Label, dict[bool, float]]:
        """The probability that each node is on, as `model` would give it.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        `{label: {False: 1 - p, True: p}}` for all nodes but the root.

        """
        likely = self._team.likely(one_row(x))[1:, 0].tolist()
        found = zip(self._taxonomy.nodes[1:], likely, strict=True)
        return {label: {False: 1.0 - p, True: p} for label, p in found}

    def score_one(self, x: Mapping[Any, Any]) -> dict[Label, float]:
        """The score of each label but the root, as `model` would give it.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        `{label: score}`.

        """
        scores = self._team.scored(one_row(x))[1:, 0].tolist()
        return dict(zip(self._taxonomy.nodes[1:], scores, strict=True))

    def predict_many(self, X: Any, columns: ColumnNames = None) -> Any:
        """Predict the multilabel of each row, as `model` would.

        Parameters
        ----------
        X
            A dataframe, or a scipy.sparse matrix.
        columns
            The names of the columns of a sparse X.

        Returns
        -------
        A dataframe of bools of the same kind as X, with a column for each node but the root.

        """
        batch, like = read_batch(X, columns)
        on = self._team.decided(batch)
        return batch_answers.frame(like, on[1:].T, self._taxonomy.nodes[1:])

    def predict_proba_many(self, X: Any, columns: ColumnNames = None) -> Any:
        """The probability that each node is on, for each row.

        Parameters
        ----------
        X
            A dataframe, or a scipy.sparse matrix.
        columns
            The names of the columns of a sparse X.

        Returns
        -------
        A dataframe of the same kind as X, with a column for each node but the root.

        """
        batch, like = read_batch(X, columns)
        likely = self._team.likely(batch)
        return batch_answers.frame(like, likely[1:].T, self._taxonomy.nodes[1:])

    @property
    @abc.abstractmethod
    def _team(self) -> Team:
        """The shards; they are started if they are not running."""

    @property
    @abc.abstractmethod
    def _taxonomy(self) -> Taxonomy:
        """The taxonomy as it is now."""
