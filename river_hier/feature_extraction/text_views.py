"""Words, pairs of words and runs of characters of a text, side by side."""

import math
from collections.abc import Collection, Hashable

from .. import _core
from ..base.checks import check, number
from .log_tfidf import LogTFIDF
from .texts import LARGEST, Tokenizer, checked_range


class TextViews(LogTFIDF):
    r"""Words, pairs of words and runs of characters of a text, read in one pass.

    The features of `LogTFIDF(ngram_range=(1, 2)) + LogTFIDF(analyzer="char_wb", ngram_range=(4,
    4))`, two views of a text that have norm 1 each. Runs of characters recognise words of one stem
    and misspelt ones, pairs of words their order. Their weights are $\log(1 + \mathrm{tf}) \, (1/2
    + \log(n / \mathrm{df}))$, so that words of most texts, such as those that ask "who" or "where",
    keep a weight.

    Texts may be in any language, also mixed: words are those of their script, and runs have 3
    characters where a character is a morpheme or a syllable (Chinese, Hiragana, Korean), else 4;
    see `LogTFIDF`. Emoji are words, and emoticons such as `:)` runs of characters.

    A text has several times as many such features as words, so models take longer and more memory.
    Runs of 3 to 5 characters gain nothing on short texts, at twice the cost of those of 4.

    Parameters
    ----------
    on
        The feature that holds the text, or several; `None` if x is the text itself.
    stop_words
        Words to leave out, in lower case, such as `feature_extraction.STOP_WORDS`.
    min_count
        The number of occurrences that a word needs to be a feature.
    max_rare
        The maximum number of words that are too rare to be features.
    lowercase
        Whether to convert the text to lower case.
    strip_accents
        Whether to remove the accents of letters.
    ngram_range
        The smallest and the largest number of neighbouring words that form a feature.
    char_ngram_range
        The smallest and the largest number of neighbouring characters; one less where a character
        is a morpheme or a syllable.
    tokenizer_pattern
        A regular expression that finds the words instead, and divides the runs of characters.
    least_idf
        What is added to the logarithm of n / df, 1/2 above. 2 makes fewer mistakes on short
        questions, and more on titles.

    Examples
    --------
    >>> from river_hier import feature_extraction

    >>> views = feature_extraction.TextViews()
    >>> for text in ["The owl", "A wolf"]:
    ...     views.learn_one(text)
    >>> x = views.transform_one("wolf owl")
    >>> list(x)
    ['wolf', 'owl', 'wolf owl', '~ wol', '~wolf', '~olf ', '~ owl', '~owl ']
    >>> x["wolf owl"], x["~owl "]
    (0.78, 0.447)

    >>> list(views.transform_one("今天好"))
    ['今', '天', '好', '今 天', '天 好', '~ 今天', '~今天好', '~天好 ']
    """

    least_idf: float = 0.5  # of models that were saved before there was this parameter

    def __init__(
        self,
        on: Hashable | list[Hashable] | tuple[Hashable, ...] | None = None,
        stop_words: Collection[str] | None = None,
        min_count: int = 1,
        max_rare: int = 1_000_000,
        ngram_range: tuple[int, int] = (1, 2),
        char_ngram_range: tuple[int, int] = (4, 4),
        lowercase: bool = True,
        strip_accents: bool = False,
        tokenizer_pattern: str | None = None,
        least_idf: float = 0.5,
    ) -> None:
        super().__init__(
            on,
            stop_words,
            min_count,
            max_rare,
            ngram_range=ngram_range,
            lowercase=lowercase,
            strip_accents=strip_accents,
            tokenizer_pattern=tokenizer_pattern,
        )
        check(0.0 <= number(least_idf) < math.inf, "least_idf", least_idf, "finite and at least 0")
        self.least_idf = least_idf
        self.char_ngram_range = char_ngram_range
        characters = checked_range(char_ngram_range, "char_ngram_range")
        self._vocabulary = _core.Vocabulary(
            Tokenizer(tokenizer_pattern, lowercase, strip_accents, characters),
            checked_range(ngram_range),
            0,
            tuple(dict.fromkeys(stop_words or ())),
            min(min_count, LARGEST),
            min(max_rare, LARGEST),
            least_idf=float(least_idf),
        )
