"""Learners in dual form, which use examples only through a kernel."""

from __future__ import annotations

from .averaged_hieron import AveragedHieron
from .functions import RBF, Kernel, Linear, Polynomial
from .hieron import Hieron
from .hrls import HRLS
from .shrls import SHRLS

__all__ = [
    "HRLS",
    "RBF",
    "SHRLS",
    "AveragedHieron",
    "Hieron",
    "Kernel",
    "Linear",
    "Polynomial",
]
