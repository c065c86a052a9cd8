"""Where the solvers come from: an extra, asked for only when there is something to solve."""

from __future__ import annotations

import importlib
from typing import Any


def solvers() -> Any:
    """The module `sklearn.svm`."""
    try:
        return importlib.import_module("sklearn.svm")
    except ImportError:
        raise ImportError(
            "support vector machines need scikit-learn: pip install 'river-hier[batch]'"
        ) from None
