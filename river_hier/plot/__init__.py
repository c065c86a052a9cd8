"""Plots of taxonomies, losses and regret, with matplotlib.

Each function draws on the given axes, or on new ones, and returns them; nothing is shown or saved.

"""

from __future__ import annotations

from .evaluation import loss_by_depth, regret
from .taxonomy import taxonomy

__all__ = ["loss_by_depth", "regret", "taxonomy"]
