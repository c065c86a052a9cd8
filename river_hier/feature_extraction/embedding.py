"""The rows of a sentence encoder as features."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from river import base

from ..base.memory import raw_memory_usage
from .texts import text_of, texts_of


class Embedding(base.MiniBatchTransformer):
    """The row of numbers by which a sentence encoder describes a text, with norm 1.

    Parameters
    ----------
    on
        The name of the feature that holds the text, or a list of several; `None` if x is the text
        itself.
    encoder
        A function from a list of texts to rows, such as `SentenceTransformer(...).encode`. `None`
        is the small encoder of the package `wordllama`, a mean of vectors of tokens, which `pip
        install 'river-hier[encoder]'` installs with its weights. A pickle holds any other one.

    Examples
    --------
    >>> from river_hier import feature_extraction

    >>> def encoder(texts):
    ...     return [[len(text), text.count("o")] for text in texts]

    >>> feature_extraction.Embedding(encoder=encoder).transform_one("good")
    {0: 0.894, 1: 0.447}
    """

    def __init__(
        self, on: Hashable = None, encoder: Callable[[Sequence[str]], Any] | None = None
    ) -> None:
        self.on = on
        self.encoder = encoder
        self._on = on if on is None or isinstance(on, list | tuple) else [on]

    _raw_memory_usage = raw_memory_usage

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"encoder": _letters}

    def transform_one(self, x: Any) -> dict[Hashable, Any]:
        """Return `{column: number}` of a text or a dictionary with the features `on`."""
        return dict(enumerate(self._rows([text_of(x, self._on)])[0].tolist()))

    def learn_many(self, X: Any) -> None:
        """Learn nothing: River asks for it."""

    def transform_many(self, X: Any) -> pd.DataFrame:
        """Return the rows of a batch of texts."""
        index = X.index if isinstance(X, pd.Series | pd.DataFrame) else None
        return pd.DataFrame(self._rows(texts_of(X, self._on)[0]), index)

    def _rows(self, texts: Sequence[str]) -> Any:
        rows = np.asarray((self.encoder or _wordllama())(texts), dtype=np.float64)
        if rows.ndim != 2 or len(rows) != len(texts):
            raise ValueError(
                f"`encoder` must return a row of numbers for each of {len(texts)} texts, got an "
                f"array of shape {rows.shape}"
            )
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)

    def _more_tags(self) -> set[str]:
        return {base.tags.TEXT_INPUT} if self.on is None else set()


def _letters(texts: Sequence[str]) -> list[list[int]]:
    """An encoder that needs no package, for River's checks."""
    return [[text.count(letter) for letter in "etaoin"] for text in texts]


@cache
def _wordllama() -> Callable[[Sequence[str]], Any]:
    try:
        wordllama = import_module("wordllama")
    except ImportError:
        raise ImportError(
            "there is no `encoder`; give a function from texts to rows, or "
            "pip install 'river-hier[encoder]'"
        ) from None
    folder = Path(str(wordllama.__file__)).parent  # which has the weights: nothing is downloaded
    encoder: Callable[[Sequence[str]], Any] = wordllama.WordLlama.load(
        cache_dir=folder, disable_download=True
    ).embed
    return encoder
