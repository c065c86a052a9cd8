"""Inspect the predictions of any model or pipeline."""

from __future__ import annotations

from .explain_one import explain_one
from .top_one import top_one

__all__ = ["explain_one", "top_one"]
