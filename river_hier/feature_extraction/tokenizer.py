"""The words of texts."""

from __future__ import annotations

import re
from itertools import filterfalse
from typing import Any
from unicodedata import combining, normalize

PATTERN = r"\w\w+"
LARGEST = 2**31  # of the parameters that are limits


class Tokenizer:
    """Finds the words of a text by a regular expression, after changing letters.

    `ascii` is for compiled code.
    """

    def __init__(self, pattern: str, lowercase: bool, strip_accents: bool) -> None:
        try:
            self._pattern = re.compile(pattern)
        except (re.error, TypeError) as error:
            raise ValueError(
                f"`tokenizer_pattern` must be a regular expression, got {pattern!r}: {error}"
            ) from None
        if self._pattern.groups > 1:
            raise ValueError(
                "`tokenizer_pattern` must have at most one group, which is then the word, got "
                f"{pattern!r}; write (?:...) for the others"
            )
        self._options = pattern, lowercase, strip_accents
        self._lowercase = lowercase
        self._strip_accents = strip_accents
        letters = (chr(byte) for byte in range(128))
        kept = (c if re.match(r"\w", c) else "\0" for c in letters)
        ascii = "".join(c.lower() if lowercase else c for c in kept).encode()
        self.ascii: bytes | None = ascii if pattern == PATTERN else None

    def __reduce__(self) -> tuple[Any, ...]:
        return Tokenizer, self._options

    def __call__(self, text: str) -> list[str]:
        """The words, in order."""
        return self._pattern.findall(self.prepared(text))

    def prepared(self, text: str) -> str:
        """The text with changed letters."""
        if self._strip_accents:
            text = "".join(filterfalse(combining, normalize("NFKD", text)))
        return text.lower() if self._lowercase else text


def checked_range(ngram_range: Any) -> tuple[int, int]:
    """The smallest and the largest number of words of an n-gram."""
    try:
        low, high = ngram_range
        if isinstance(low, int) and isinstance(high, int) and 1 <= low <= high:
            return low, min(high, LARGEST)
    except (TypeError, ValueError):
        pass
    raise ValueError(
        "`ngram_range` must be two integers, the smallest and the largest number of words, such as "
        f"(1, 2), got {ngram_range!r}"
    )
