"""Checkpoints: the state of a program in a file that is complete, or else refused."""

from __future__ import annotations

from .file import Saving, load, save, save_in_background
from .format import dumps, loads

__all__ = ["Saving", "dumps", "load", "loads", "save", "save_in_background"]
