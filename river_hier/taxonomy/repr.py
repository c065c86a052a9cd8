"""Values in error messages."""

from __future__ import annotations

MOST = 120  # characters


def short(value: object) -> str:
    """How Python writes a value; of one that would bury the message, the beginning and the end."""
    text = repr(value)
    return text if len(text) <= MOST else f"{text[: MOST // 2]} ... {text[-MOST // 4 :]}"
