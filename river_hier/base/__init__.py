"""Floor 1: what the learners share. Labels and feature dicts are translated here."""

from __future__ import annotations

from .checks import check_cap, check_dtype, check_forgetting, check_integer, check_positive
from .linear import LinearModel
from .mini_batch import MiniBatchMultiLabelModel, MiniBatchSingleLabelModel
from .model import Floats, TaxonomyModel
from .multi_label import MultiLabelModel
from .rankings import Attributes, ranking_of
from .single_label import SingleLabelModel

__all__ = [
    "Attributes",
    "Floats",
    "LinearModel",
    "MiniBatchMultiLabelModel",
    "MiniBatchSingleLabelModel",
    "MultiLabelModel",
    "SingleLabelModel",
    "TaxonomyModel",
    "check_cap",
    "check_dtype",
    "check_forgetting",
    "check_integer",
    "check_positive",
    "ranking_of",
]
