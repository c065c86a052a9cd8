"""One model in several processes or on several machines, each of which trains some of the nodes."""

from __future__ import annotations

from .sharded import Sharded

__all__ = ["Sharded"]
