"""The text features of the H-RLS paper, learned online."""

from collections.abc import Collection, Hashable
from typing import TYPE_CHECKING, Any

from river import base, compose

from .. import _core
from ..base.checks import check_power_of_two
from ..base.memory import raw_memory_usage
from .texts import LARGEST, TextPipeline, Tokenizer, checked_range, frame_of, text_of, texts_of


class LogTFIDF(base.Transformer):
    r"""Bag of words with the weights log(1 + tf) log(idf), from the documents seen so far.

    The weight of a word in a document is

    $$\log(1 + \mathrm{tf}) \, \log(n / \mathrm{df})$$

    where tf is the number of its occurrences in the document, n the number of documents so far,
    this one included, and df the number of these that contain the word; they are then divided by
    their norm. A document thus has the same weights when it is predicted and when it is learned,
    and new words, of df 1, have the largest ones. Words are those of any script: runs of letters
    with their marks, digits and underscores, in lower case; a character alone in Chinese and
    Hiragana, and in Thai, Lao, Khmer and Burmese with its marks, where no blanks divide words, so
    that pairs of words are pairs of characters; and each emoji. Full-width and composed forms of a
    character are the same (NFKC). Stop words, words that have occurred fewer than `min_count`
    times, and words of every document, whose weight is 0, are left out. A text that is missing or
    no string raises a `ValueError` and changes nothing; an empty one has no words.

    Learning and transforming take time linear in the length of the text. A word takes roughly 150
    bytes of memory, or 90 if it never had a weight; transforming alone stores no word. A text has
    ten to fifteen times as many runs of 3 to 5 characters as words, and they take five to eight
    times as long.

    Parameters
    ----------
    on
        The name of the feature that holds the text, or a list or tuple of several; `None` if x is
        the text itself.
    stop_words
        Words to leave out, in lower case, such as `feature_extraction.STOP_WORDS`.
    min_count
        The number of occurrences that a word needs to be a feature; 3 in the paper.
    max_rare
        The maximum number of words that are too rare to be features. When it is exceeded, all of
        them are forgotten, and their counts start from zero.
    analyzer
        `"word"` for words, or `"char_wb"` for runs of characters that do not cross blanks, as in
        scikit-learn: of what stands between blanks, with a space before and after it. In scripts
        of which a character is a morpheme or a syllable (Chinese, Hiragana, Korean), runs are one
        character shorter, and a change to another script divides like a blank. Names of these
        features start with `~`, and numbers at `n_features`, so that a River union,
        `LogTFIDF() + LogTFIDF(analyzer="char_wb")`, has both; see `TextViews`.
    ngram_range
        The smallest and the largest number of neighbouring words, without stop words, or of
        characters that form a feature: `(1, 2)` for words and pairs.
    n_features
        The number of features, a power of 2 such as `2**18`, if words are hashed to numbers from 0
        on. Words with the same number count as one.
    lowercase
        Whether to convert the text to lower case.
    strip_accents
        Whether to remove the accents of letters.
    tokenizer_pattern
        A regular expression that finds the words instead. If it has a group, the group is the
        word. `"char_wb"` then takes runs of the characters of these words. With `r"\w\w+"`, words
        and runs are those of version 0.1, of English without words of one letter.
    normalize
        Whether to divide the weights of a document by their Euclidean norm.

    Notes
    -----
    Section 8 of the paper [^1] uses the BOW library, whose tokeniser is not described, and leaves
    out words that occur fewer than three times in the corpus; here, until they have occurred
    `min_count` times. The inverse document frequency is taken to be n / df. River's `TFIDF` smooths
    it, adds 1 and divides tf by the length of the document.

    River's pipelines let a transformer learn a document and then transform it for the model, while
    they only transform a document to be predicted. Therefore the first `transform_one` of a
    document that was the last one learned does not count it again; all other calls weight a
    document as if it were counted too, whether or not it has been learned before. A document in
    `learn_many` is weighted by those before it, as in a loop.

    Examples
    --------
    >>> from river_hier import feature_extraction

    >>> bag = feature_extraction.LogTFIDF(stop_words=["the"])
    >>> for text in ["The wolf howls.", "The owl!", "The wolf, the wolf"]:
    ...     bag.learn_one(text)
    >>> bag.transform_one("the wolf and the WOLF and the owl")
    {'wolf': 0.194, 'and': 0.936, 'owl': 0.295}

    References
    ----------
    [^1]: [Cesa-Bianchi et al., 2006. JMLR 7.](https://www.jmlr.org/papers/v7/cesa-bianchi06a.html)
    """

    _raw_memory_usage = raw_memory_usage

    if TYPE_CHECKING:

        def __or__(self, other: Any) -> TextPipeline: ...

    def __init__(
        self,
        on: Hashable | list[Hashable] | tuple[Hashable, ...] | None = None,
        stop_words: Collection[str] | None = None,
        min_count: int = 1,
        max_rare: int = 1_000_000,
        analyzer: str = "word",
        ngram_range: tuple[int, int] = (1, 1),
        n_features: int | None = None,
        lowercase: bool = True,
        strip_accents: bool = False,
        tokenizer_pattern: str | None = None,
        normalize: bool = True,
    ) -> None:
        if on == [] or on == ():
            raise ValueError("`on` must name a feature, got none; `on=None` takes texts")
        if isinstance(stop_words, str):
            raise ValueError(f"`stop_words` must be a list of words, got {stop_words!r}")
        for name, value in (("min_count", min_count), ("max_rare", max_rare)):
            if not isinstance(value, int) or value < 1:
                raise ValueError(f"`{name}` must be a positive integer, got {value!r}")
        if analyzer not in ("word", "char_wb"):
            raise ValueError(f'`analyzer` must be "word" or "char_wb", got {analyzer!r}')
        if n_features is not None:
            check_power_of_two("n_features", n_features)
        self.on = on
        self.stop_words = stop_words
        self.min_count = min_count
        self.max_rare = max_rare
        self.analyzer = analyzer
        self.ngram_range = ngram_range
        self.n_features = n_features
        self.lowercase = lowercase
        self.strip_accents = strip_accents
        self.tokenizer_pattern = tokenizer_pattern
        self.normalize = normalize
        self._learned: Any = None  # a text or texts, until they are transformed
        self._matrix: Any = None  # of these texts
        self._on = on if on is None or isinstance(on, list | tuple) else [on]
        words: Any = checked_range(ngram_range)
        characters = None
        if analyzer == "char_wb":
            words, characters = None, words
        self._vocabulary = _core.Vocabulary(
            Tokenizer(tokenizer_pattern, lowercase, strip_accents, characters),
            words,
            n_features or 0,
            tuple(dict.fromkeys(stop_words or ())),
            min(min_count, LARGEST),
            min(max_rare, LARGEST),
        )

    @property
    def n(self) -> int:
        """The number of documents learned from."""
        return self._vocabulary.n

    @property
    def dfs(self) -> dict[str | int, int]:
        """The number of documents with each word that has occurred `min_count` times: O(words)."""
        return self._vocabulary.dfs

    def learn_one(self, x: Any) -> None:
        """Count the words of a document: of x, a text or a dictionary with the features `on`."""
        text = text_of(x, self._on)
        if not _core.repeats():
            self._vocabulary.learn(text)
            self._learned = text

    def transform_one(self, x: Any) -> dict[Hashable, Any]:
        """Return `{word: weight}`, all positive, of a text or a dictionary with features `on`."""
        text = text_of(x, self._on)
        return self._vocabulary.weights(text, self.normalize, self._is_latest(text))

    def learn_many(self, X: Any) -> None:
        """Count the words of a batch of documents; see `transform_many`.

        If a row has no text, none is counted.
        """
        before = self.n
        try:
            texts, _ = texts_of(X, self._on)
            if _core.repeats():
                return
            self._matrix = self._vocabulary.matrix(texts, self.normalize, True)
            self._learned = texts
        except BaseException as error:
            vars(error)["n_learned"] = self.n - before
            raise

    def transform_many(self, X: Any) -> Any:
        """Return the weights of the words of a batch of documents, as `transform_one` does.

        For a dataframe of pandas with the columns `on`, or a series, they are a sparse dataframe
        with a column for each word of the batch. Otherwise they are a `scipy.sparse.csr_array`,
        whose attribute `columns` lists the words.
        """
        texts, like = texts_of(X, self._on)
        if self._is_latest(texts):
            values, columns, start, names = self._matrix
        else:
            values, columns, start, names = self._vocabulary.matrix(texts, self.normalize, False)
        return frame_of(values, columns, start, names, like)

    def _is_latest(self, learned: Any) -> bool:
        """Whether these were the last ones learned, and are transformed for the first time."""
        if self._learned != learned:
            return False
        if not compose.Pipeline._LEARN_UNSUPERVISED_DURING_PREDICT:  # else transformed twice
            self._learned = None
        return True

    def _more_tags(self) -> set[str]:
        return {base.tags.TEXT_INPUT} if self.on is None else set()
