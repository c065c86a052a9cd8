"""Floor 1: what a program has learned, in a file that is whole or is refused."""

from __future__ import annotations

from .file import load, save
from .format import dumps, loads

__all__ = ["dumps", "load", "loads", "save"]
