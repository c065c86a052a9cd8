"""The base classes of learners, which translate labels and features.

`TopDownLearner` and `PathLearner` are public: to write your own linear learner, define its rule.
"""

from __future__ import annotations

from .checks import check_cap, check_dtype, check_forgetting, check_integer, check_positive
from .explanation import Floats
from .model import TaxonomyModel
from .multi_label import MultiLabelModel
from .path import PathLearner
from .rankings import Attributes, ranking_of
from .single_label import SingleLabelModel
from .top_down import TopDownLearner

__all__ = [
    "Attributes",
    "Floats",
    "MultiLabelModel",
    "PathLearner",
    "SingleLabelModel",
    "TaxonomyModel",
    "TopDownLearner",
    "check_cap",
    "check_dtype",
    "check_forgetting",
    "check_integer",
    "check_positive",
    "ranking_of",
]
