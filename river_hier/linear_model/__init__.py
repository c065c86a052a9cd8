"""Linear learners of one label, of multilabels and of rankings."""

from __future__ import annotations

from .averaged_classifier import AveragedClassifier
from .averaged_hieron import AveragedHieron
from .averaged_multilabel_classifier import AveragedMultiLabelClassifier
from .harow import HAROW
from .hieron import Hieron
from .hminover import HMinOver
from .hperceptron import HPerceptron
from .hrls import HRLS
from .path_softmax import PathSoftmax
from .shrls import SHRLS

__all__ = [
    "HAROW",
    "HRLS",
    "SHRLS",
    "AveragedClassifier",
    "AveragedHieron",
    "AveragedMultiLabelClassifier",
    "HMinOver",
    "HPerceptron",
    "Hieron",
    "PathSoftmax",
]
