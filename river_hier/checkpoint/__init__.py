"""Checkpoints: the state of a program in a file that is complete, or else refused."""

from __future__ import annotations

from .file import load, save
from .format import dumps, loads

__all__ = ["dumps", "load", "loads", "save"]
