"""Learners in dual form, which use examples only through a kernel."""

from .functions import RBF, Kernel, Linear, Polynomial
from .hieron import AveragedHieron, Hieron
from .least_squares import HRLS, SHRLS

__all__ = ["HRLS", "RBF", "SHRLS", "AveragedHieron", "Hieron", "Kernel", "Linear", "Polynomial"]
