"""Functions of streams: `replay` makes several passes."""

from __future__ import annotations

from .replay import replay

__all__ = ["replay"]
