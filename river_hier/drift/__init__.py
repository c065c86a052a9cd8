"""Concept drift: models that are reset only in the branches where the stream has changed."""

from __future__ import annotations

from .branch_reset import BranchReset

__all__ = ["BranchReset"]
