"""Linear learners, one file an algorithm."""

from __future__ import annotations

from .averaged_hieron import AveragedHieron
from .harow import HAROW
from .hieron import Hieron
from .hminover import HMinOver
from .hperceptron import HPerceptron
from .hrls import HRLS
from .shrls import SHRLS

__all__ = ["HAROW", "HRLS", "SHRLS", "AveragedHieron", "HMinOver", "HPerceptron", "Hieron"]
