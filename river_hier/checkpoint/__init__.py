"""Checkpoints: the state of a program in a file that is complete, or else refused."""

from __future__ import annotations

from .background import Saving, save_in_background
from .file import load, save
from .format import dumps, loads

__all__ = ["Saving", "dumps", "load", "loads", "save", "save_in_background"]
