"""Samplers, which decide whether the label of an example is worth asking for."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from river.active.base import ActiveLearningClassifier

from ._core import below
from .base.checks import check, check_positive, number
from .base.classifiers import is_multilabel, last_step, shown
from .base.predictor import SingleLabelPredictor
from .base.protocol import inner_and_input
from .base.wrapper import check_model
from .linear_model import PathSoftmax
from .taxonomy import Label

RATE = 0.02  # of the steps of the threshold, in units of its logarithm


class MarginSampler(ActiveLearningClassifier):
    r"""Asks for labels where the two likeliest ones are close, for a given share of the stream.

    The margin of x is the difference of the probabilities of the two likeliest labels, and a label
    is asked for if it is at most $\theta$. After each question or none,

    $$\log \theta \leftarrow \log \theta + 0.02 \cdot (\textrm{budget} - \textrm{asked}),$$

    where $\theta$ is at most 1 and nothing is asked while questions are ahead of the budget by more
    than one in `slack`. Hence of the first $n$ examples at most `budget` $\cdot \, n$ + `slack` are
    asked for, on any stream.

    Parameters
    ----------
    classifier
        A single-label model in a taxonomy with `predict_proba_one`, or a pipeline that ends in one.
    budget
        The share of examples whose labels may be asked for, above 0 and at most 1.
    slack
        How many questions may be ahead of the budget.
    seed
        As in River's samplers; nothing here is random.

    """
