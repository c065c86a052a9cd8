"""Model selection: learn several models at once and predict with the best."""

from __future__ import annotations

from .successive_halving import SuccessiveHalving

__all__ = ["SuccessiveHalving"]
