"""Values in error messages."""

from __future__ import annotations

MOST = 120  # characters


def short(value: object) -> str:
    """The repr of a value; only its beginning and its end if it is long."""
    text = repr(value)
    return text if len(text) <= MOST else f"{text[: MOST // 2]} ... {text[-MOST // 4 :]}"
