"""Pictures, with matplotlib: each function takes the axes to draw on, or makes some, and gives
them back. Nothing is shown or saved."""

from __future__ import annotations

from .distance_histogram import distance_histogram
from .loss_by_depth import loss_by_depth
from .regret import regret
from .taxonomy import taxonomy

__all__ = ["distance_histogram", "loss_by_depth", "regret", "taxonomy"]
