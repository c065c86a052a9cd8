"""The text features of the H-RLS paper, learned online."""

from __future__ import annotations

import collections
import math
import re
from collections.abc import Collection, Hashable, Mapping
from typing import Any

import numpy as np
from river import base
from river.utils.dataframe import sparse_to_native_frame
from scipy import sparse

from ..base.copies import snapshot
from ..base.dataframes import at_row
from ..base.memory import MeasuresMemory
from ..base.turns import Rows, change, changes, counts, reads
from .texts import documents, text_of

__all__ = ["LogTFIDF"]

_words = re.compile(r"\w\w+").findall


class LogTFIDF(MeasuresMemory, base.Transformer):
    r"""Bag of words with the weights log(1 + tf) log(idf), from the documents seen so far.

    The weight of a word in a document is

    $$\log(1 + \mathrm{tf}) \, \log(n / \mathrm{df})$$

    where tf is the number of its occurrences in the document, n the number of documents learned
    from and df the number of these that contain the word. Words are runs of at least two letters,
    digits or underscores, in lower case. Left out are stop words, words that have occurred fewer
    than `min_count` times, and words that occur in every document, whose weight is 0. A text of
    such words only, such as the first one, has no features.

    The features are not normalised; for unit norm, as in the paper, use
    `LogTFIDF(...) | preprocessing.Normalizer()`.

    Both methods take time linear in the length of the text. Memory holds one number for each word
    that has occurred `min_count` times and two for each rarer word, roughly 150 bytes including the
    word. Most words are rare; `max_rare` limits their number.

    Parameters
    ----------
    on
        The name of the feature that holds the text, or a list or tuple of several, whose texts are
        concatenated. With `None`, x is the text itself.
    stop_words
        Words to leave out, in lower case, such as `feature_extraction.STOP_WORDS`.
    min_count
        The number of occurrences, in the documents learned from, from which a word is a feature.
    max_rare
        The maximum number of rarer words to remember. When it is exceeded, all of them are
        forgotten, and their counts start from zero.

    Attributes
    ----------
    n
        The number of documents learned from.
    dfs
        The number of documents that contain each word, for the words that have occurred
        `min_count` times.

    Raises
    ------
    ValueError
        If a parameter is invalid; from `learn_one` and `transform_one`, if a feature is missing or
        is not a string. Empty strings are allowed.

    Notes
    -----
    Section 8 of the paper [^1] uses the BOW library, whose tokeniser is not described. It leaves out
    words that occur fewer than three times in the whole corpus, which is unknown in a stream: here
    they are left out until they have occurred three times. The paper's inverse document frequency
    is taken to be n / df. River's `TFIDF` smooths it, adds 1 and divides tf by the length of the
    document.

    Examples
    --------

    >>> from river import evaluate, preprocessing
    >>> from river_hier import Taxonomy, feature_extraction, linear_model, metrics

    >>> bag = feature_extraction.LogTFIDF(stop_words=["the"], min_count=1)
    >>> for text in ["The wolf howls.", "The owl!", "The wolf, the wolf"]:
    ...     bag.learn_one(text)
    >>> bag.transform_one("the wolf and the WOLF and the owl")
    {'wolf': 0.445, 'owl': 0.761}

    In a pipeline:

    >>> taxonomy = Taxonomy([("animal", "mammal"), ("animal", "bird"), ("mammal", "wolf")])
    >>> texts = [("a wolf howls", {"wolf"}), ("an owl flies", {"bird"}), ("a whale", {"mammal"})]
    >>> stream = [({"text": text}, y) for text, y in texts * 4]
    >>> model = (
    ...     feature_extraction.LogTFIDF(on="text", min_count=1)
    ...     | preprocessing.Normalizer()
    ...     | linear_model.SHRLS(taxonomy)
    ... )
    >>> evaluate.progressive_val_score(stream, model, metrics.HLoss(taxonomy))
    HLoss: 0.416667

    References
    ----------
    [^1]: [Cesa-Bianchi, N., Gentile, C. and Zaniboni, L., 2006. Incremental algorithms for hierarchical classification. Journal of Machine Learning Research, 7, pp.31-54.](https://www.jmlr.org/papers/volume7/cesa-bianchi06a/cesa-bianchi06a.pdf)

    """  # noqa: E501

    def __init__(
        self,
        on: Hashable | list[Hashable] | tuple[Hashable, ...] | None = None,
        stop_words: Collection[str] | None = None,
        min_count: int = 3,
        max_rare: int = 1_000_000,
    ) -> None:
        if on == [] or on == ():
            raise ValueError("`on` must name a feature, got none; `on=None` takes texts")
        if isinstance(stop_words, str):
            raise ValueError(f"`stop_words` must be a list of words, got {stop_words!r}")
        for name, value in (("min_count", min_count), ("max_rare", max_rare)):
            if not isinstance(value, int) or value < 1:
                raise ValueError(f"`{name}` must be a positive integer, got {value!r}")
        self.on = on
        self.stop_words = stop_words
        self.min_count = min_count
        self.max_rare = max_rare
        self.n: int = 0
        self.dfs: dict[str, int] = {}
        self._rare: dict[str, tuple[int, int]] = {}  # occurrences, documents
        self._stop_words = dict.fromkeys(stop_words or ())  # a dict pickles in a fixed order
        self._on = on if on is None or isinstance(on, list | tuple) else [on]

    __getstate__ = snapshot

    @changes
    def learn_one(self, x: Any) -> None:
        """Count the words of a document.

        Parameters
        ----------
        x
            A dictionary with the features `on`, or a text.

        """
        self._learn(self._count(x))

    def _learn(self, words: Mapping[str, int]) -> None:
        self.n += 1
        for word, occurrences in words.items():
            if word in self.dfs:
                self.dfs[word] += 1
            elif word not in self._stop_words:
                before, documents = self._rare.pop(word, (0, 0))
                if before + occurrences >= self.min_count:
                    self.dfs[word] = documents + 1
                else:
                    self._rare[word] = before + occurrences, documents + 1
        if len(self._rare) > self.max_rare:
            self._rare.clear()

    @reads
    def transform_one(self, x: Any) -> dict[Hashable, Any]:
        """Return the weights of the words of a document.

        Parameters
        ----------
        x
            A dictionary with the features `on`, or a text.

        Returns
        -------
        `{word: weight}`, with positive weights, in the order of the text.

        """
        n = self.n
        return {
            word: math.log1p(occurrences) * math.log(n / df)
            for word, occurrences in self._count(x).items()
            if (df := self.dfs.get(word, n)) < n
        }

    @counts
    def learn_many(self, X: Any) -> None:
        """Count the words of a batch of documents, all or none.

        Parameters
        ----------
        X
            A dataframe with the columns `on`, or a series, an array or a list of texts.

        """
        counted = []
        for i, x in enumerate(documents(X, self._on)[0]):
            with at_row(i):
                counted.append(self._count(x))

        def work(rows: Rows) -> None:
            for i, words in enumerate(counted):
                self._learn(words)
                rows.learned(i + 1)

        change(self, work)

    @reads
    def transform_many(self, X: Any) -> Any:
        """Return the weights of the words of a batch of documents, as `transform_one` does.

        Parameters
        ----------
        X
            A dataframe with the columns `on`, or a series, an array or a list of texts.

        Returns
        -------
        A dataframe with a column for each word: of the kind of X, or of pandas; sparse in pandas.

        """
        xs, like = documents(X, self._on)
        place: dict[Hashable, int] = {}
        start, columns, weights = [0], list[int](), list[float]()
        for i, x in enumerate(xs):
            with at_row(i):
                row = self.transform_one(x)
            columns += [place.setdefault(word, len(place)) for word in row]
            weights += row.values()
            start.append(len(weights))
        cells, shape = np.array(weights, dtype=np.float64), (len(xs), len(place))
        matrix = sparse.csr_matrix((cells, columns, start), shape)
        return sparse_to_native_frame(matrix, columns=list(place), like=like)

    def _count(self, x: Any) -> Mapping[str, int]:
        """The number of occurrences of each word in a document."""
        return collections.Counter(_words(text_of(x, self._on).lower()))

    def _more_tags(self) -> set[str]:
        return {base.tags.TEXT_INPUT} if self.on is None else set()
