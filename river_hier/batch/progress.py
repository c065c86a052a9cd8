"""A progress bar where training takes long, on stderr, if tqdm is installed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import Any

SECONDS = 2.0  # nothing is shown before


class Progress:
    """An iterable that tells how far it has come, and a note beside it."""

    def __init__(self, iterable: Iterable[Any], description: str) -> None:
        self.bar: Any = iterable
        with contextlib.suppress(ImportError):  # an extra
            from tqdm import tqdm

            self.bar = tqdm(iterable, desc=description, delay=SECONDS, leave=False)

    def __iter__(self) -> Any:
        return iter(self.bar)

    def note(self, text: str) -> None:
        """Show a few words."""
        if hasattr(self.bar, "set_postfix_str"):
            self.bar.set_postfix_str(text, refresh=False)
