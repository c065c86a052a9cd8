"""The words of texts, and in how many texts each word has occurred."""

from __future__ import annotations

import collections
import math
import zlib
from collections.abc import Hashable, Iterator, Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..pickles import saved

Word = str | int  # an int is the row of a hashed word


class Tokenizer(Protocol):
    """Splits a text into words.

    `ascii` and `prepared` are for compiled code. If `ascii` is not None, words are the runs of at
    least two letters, digits and underscores of the prepared text. An ASCII text is prepared by
    replacing each character by that of `ascii`, where 0 separates words.
    """

    ascii: bytes | None

    def __call__(self, text: str) -> list[str]:
        """The words, in order."""

    def prepared(self, text: str) -> str:
        """The text with changed letters."""


class Vocabulary:
    """Occurrences and documents of each word, for the weights log(1 + tf) log(n / df).

    Words that have occurred fewer than `min_count` times have no weight; if there are more than
    `max_rare` of them, all of these are forgotten. With `n_features`, a power of 2, a word is the
    end of the CRC-32 of its UTF-8. Neighbouring words are joined by a space.
    """

    def __init__(
        self,
        tokenize: Tokenizer,
        ngram_range: tuple[int, int],
        n_features: int,
        stop_words: tuple[str, ...],
        min_count: int,
        max_rare: int,
    ) -> None:
        self.options = (tokenize, ngram_range, n_features, stop_words, min_count, max_rare)
        self.n = 0
        self._stop_words = dict.fromkeys(stop_words)
        self._words: dict[Word, tuple[int, int]] = {}  # occurrences up to `min_count`, documents
        self._n_rare = 0
        self._last: tuple[str | None, Mapping[Word, int]] = None, {}  # the text counted last

    def learn(self, text: str) -> None:
        """Count the words of a text."""
        min_count, max_rare = self.options[-2:]
        counted = self._count(text)
        self.n += 1
        for word, count in counted.items():
            occurrences, documents = self._words.get(word, (0, 0))
            after = occurrences if occurrences >= min_count else occurrences + count
            self._n_rare += (after < min_count) - (0 < occurrences < min_count)
            self._words[word] = after, documents + 1
        if self._n_rare > max_rare:
            self._words = {word: c for word, c in self._words.items() if c[0] >= min_count}
            self._n_rare = 0

    def weights(self, text: str, normalize: bool) -> dict[Hashable, Any]:
        """The weights that are not 0, in the order of the text; with `normalize`, of norm 1."""
        min_count = self.options[-2]
        weights = dict[Hashable, Any]()
        norm2 = 0.0
        for word, count in self._count(text).items():
            occurrences, documents = self._words.get(word, (0, 0))
            if occurrences >= min_count and documents < self.n:
                weights[word] = math.log1p(count) * math.log(self.n / documents)
                norm2 += weights[word] * weights[word]
        norm = math.sqrt(norm2) if normalize else 1.0
        return {word: weight / norm for word, weight in weights.items()}

    def matrix(
        self, texts: list[str], normalize: bool
    ) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.int64], list[Hashable]]:
        """The same of several texts: a sparse matrix with a column for each word.

        It is given by values, columns, the start of each row, and the words of the columns.
        """
        place: dict[Hashable, int] = {}
        start, columns, weights = [0], list[int](), list[float]()
        for text in texts:
            row = self.weights(text, normalize)
            columns += [place.setdefault(word, len(place)) for word in row]
            weights += row.values()
            start.append(len(weights))
        numbers = np.array(weights, float), np.array(columns, np.int32), np.array(start, np.int64)
        return *numbers, list(place)

    @property
    def dfs(self) -> dict[Word, int]:
        """The number of documents of each word that is not rare."""
        min_count = self.options[-2]
        return {word: c[1] for word, c in self._words.items() if c[0] >= min_count}

    @property
    def counts(self) -> tuple[int, list[Word], list[int], list[int]]:
        """The number of texts, and the words with their occurrences and documents."""
        counts = self._words.values()
        return self.n, list(self._words), [c[0] for c in counts], [c[1] for c in counts]

    @counts.setter
    def counts(self, counts: tuple[int, list[Word], list[int], list[int]]) -> None:
        self.n, names, *both = counts
        self._words = dict(zip(names, zip(*both, strict=True), strict=True))
        self._n_rare = sum(c < self.options[-2] for c in both[0])

    def __reduce__(self) -> tuple[Any, ...]:
        return saved("Vocabulary", self.options, self.counts)

    @classmethod
    def restore(cls, options: tuple[Any, ...], counts: tuple[Any, ...]) -> Vocabulary:
        """The vocabulary of a pickle."""
        n, names, occurrences, documents = counts
        if not len(set(names)) == len(names) == len(occurrences) == len(documents):
            raise ValueError("a word comes twice, or has no counts")
        n_features = options[2]
        if not all(
            type(w) is int and 0 <= w < n_features if n_features else isinstance(w, str)
            for w in names
        ):
            raise ValueError("a word of another kind")
        if not all(type(c) is int and c > 0 for c in [*occurrences, *documents]):
            raise ValueError("counts that are not positive")
        if type(n) is not int or max(documents, default=0) > n:
            raise ValueError(f"{n!r} documents")
        vocabulary = cls(*options)
        vocabulary.counts = counts
        return vocabulary

    def _count(self, text: str) -> Mapping[Word, int]:
        if text != self._last[0]:
            self._last = text, collections.Counter(self._grams(text))
        return self._last[1]

    def _grams(self, text: str) -> Iterator[Word]:
        tokenize, (low, high), n_features, *_ = self.options
        words = [word for word in tokenize(text) if word not in self._stop_words]
        for length in range(low, min(high, len(words)) + 1):
            for first in range(len(words) - length + 1):
                gram = " ".join(words[first : first + length])
                row = zlib.crc32(gram.encode("utf-8", "surrogatepass")) % (n_features or 1)
                yield row if n_features else gram
