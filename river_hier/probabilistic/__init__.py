"""Learners that model how examples come about."""

from __future__ import annotations

from .linear_discriminant import LinearDiscriminant

__all__ = ["LinearDiscriminant"]
