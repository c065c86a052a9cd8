"""Generative learners, which model the distribution of examples."""

from __future__ import annotations

from .linear_discriminant import LinearDiscriminant

__all__ = ["LinearDiscriminant"]
