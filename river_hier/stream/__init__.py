"""Streams of any examples: `replay` for several passes."""

from __future__ import annotations

from .replay import replay

__all__ = ["replay"]
