"""One model on several processes or machines, each of which learns at some of the nodes."""

from __future__ import annotations

from .sharded import Sharded

__all__ = ["Sharded"]
