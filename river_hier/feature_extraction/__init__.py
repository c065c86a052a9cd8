"""Text features."""

from __future__ import annotations

from .log_tfidf import LogTFIDF
from .stop_words import STOP_WORDS

__all__ = ["STOP_WORDS", "LogTFIDF"]
