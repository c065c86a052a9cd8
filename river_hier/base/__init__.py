"""The base classes for a linear learner of your own, of which you write only the rule."""

from .path import PathLearner
from .top_down import TopDownLearner

__all__ = ["PathLearner", "TopDownLearner"]
