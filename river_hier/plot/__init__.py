"""Plots of taxonomies, distances, losses and regret, with matplotlib.

Each function draws on the given axes, or on new ones, and returns them; nothing is shown or saved.

"""

from __future__ import annotations

from .distance_histogram import distance_histogram
from .loss_by_depth import loss_by_depth
from .regret import regret
from .taxonomy import taxonomy

__all__ = ["distance_histogram", "loss_by_depth", "regret", "taxonomy"]
