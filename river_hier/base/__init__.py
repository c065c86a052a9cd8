"""What learners share: labels and features are translated here, and the rules of linear learners.

`TopDownLearner` and `PathLearner` are public: a learner of your own needs no more than its rule.
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
