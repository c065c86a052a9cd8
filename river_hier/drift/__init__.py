"""Streams that change: learners that start anew where it is needed, and nowhere else."""

from __future__ import annotations

from .branch_reset import BranchReset

__all__ = ["BranchReset"]
