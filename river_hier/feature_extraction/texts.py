"""The texts of an x or a batch, their words, and stop words."""

from __future__ import annotations

import gc
import re
import reprlib
import unicodedata
from collections.abc import Hashable
from itertools import filterfalse
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
from river import compose
from river.utils.dataframe import sparse_to_native_frame
from scipy import sparse

from ..base.dataframes import as_frame, at_row
from ..base.targets import series
from ..taxonomy.errors import is_missing, short

if TYPE_CHECKING:  # River's pipelines are said to take dictionaries

    class TextPipeline(compose.Pipeline):
        """A pipeline that begins with a reader of texts."""

        def learn_one(self, x: Any, y: Any = None, **params: Any) -> None: ...
        def predict_one(self, x: Any, **params: Any) -> Any: ...
        def predict_proba_one(self, x: Any, **params: Any) -> Any: ...
        def score_one(self, x: Any, **params: Any) -> Any: ...
        def transform_one(self, x: Any, **params: Any) -> Any: ...

else:
    TextPipeline = compose.Pipeline


def text_of(x: Any, on: Any) -> str:
    """The text of an x: that of its features `on`, or x itself if `on` is None."""
    if on is None:
        texts = [x]
    else:
        try:
            texts = [x[name] for name in on]
        except (KeyError, TypeError):
            names = ", ".join(map(repr, on))
            raise ValueError(f"x must have the features {names}, got {reprlib.repr(x)}") from None
    try:
        return " ".join(texts)
    except TypeError:
        wrong = next(text for text in texts if not isinstance(text, str))
        help_ = "; the parameter `on` names the features that are texts" * isinstance(wrong, dict)
        if is_missing(wrong):
            help_ = "; leave out examples without a text, or give the empty text"
        raise ValueError(f"expected text, got {reprlib.repr(wrong)}{help_}") from None


def texts_of(X: Any, on: list[Hashable] | tuple[Hashable, ...] | None) -> tuple[list[str], Any]:
    """The text of each row of a batch, and a frame or series of the kind to return, or None."""
    xs, like = _rows(X, on)
    texts = []
    for i, x in enumerate(xs):
        with at_row(i):
            texts.append(text_of(x, on))
    return texts, like


def _rows(X: Any, on: list[Hashable] | tuple[Hashable, ...] | None) -> tuple[list[Any], Any]:
    if (frame := as_frame(X)) is not None:
        if on is None:
            raise TypeError(
                f"X is a dataframe with the columns {short(frame.columns)}: name its texts, e.g. "
                '`on="text"`, or give the column alone, df["text"]'
            )
        if missing := [name for name in on if name not in frame.columns]:
            raise ValueError(f"X must have the column {missing[0]!r}, got {frame.columns}")
        names: Any = on
        rows = [dict(zip(names, row, strict=True)) for row in frame.select(names).iter_rows()]
        return rows, frame
    if on is not None:
        raise TypeError(f"`on` names columns, so X must be a dataframe, got {type(X).__name__}")
    texts = series(X, len(X) if hasattr(X, "__len__") else 0, "X", "text")
    like = nw.from_native(X, series_only=True, pass_through=True)
    return texts, like if isinstance(like, nw.Series) else None


def frame_of(values: Any, columns: Any, start: Any, names: list[Any], like: Any) -> Any:
    """A frame of pandas like another one, or a sparse array, with a column for each name."""
    matrix: Any = Words((values, columns, start), (len(start) - 1, len(names)))
    if like is not None and like.implementation.is_pandas_like():
        enabled = gc.isenabled()
        gc.disable()  # a frame has several objects a column, and collections would look at all
        try:
            return sparse_to_native_frame(matrix, columns=names, like=like)
        finally:
            if enabled:
                gc.enable()
    matrix.columns = names
    matrix.like = like.to_frame() if isinstance(like, nw.Series) else like
    return matrix


class Words(sparse.csr_array):
    """A sparse array with named columns, which narwhals puts side by side in River's unions."""

    columns: list[Any]
    like: Any = None  # a frame of the kind of the answers, which would not be sparse itself

    def __narwhals_dataframe__(self) -> Words:
        return self

    def __narwhals_namespace__(self) -> Words:
        return self

    def _with_version(self, version: Any) -> Words:
        self._version = version
        return self

    @property
    def _native_frame(self) -> Words:
        return self

    def concat(self, parts: list[Words], how: str) -> Words:
        """The columns of all parts."""
        matrix = Words(sparse.hstack(parts, format="csr"))
        matrix.columns = [name for part in parts for name in part.columns]
        matrix.like = parts[0].like
        return matrix._with_version(self._version)


LARGEST = 2**31  # of the parameters that are limits
PATTERN_OF_0_1 = r"\w\w+"  # of words in models that version 0.1 has saved
# The kinds of characters, and what is added where runs of characters are shorter: as in C++.
BLANK, SEPARATOR, LETTER, ALONE, MARK, IGNORED, SHORTER = 0, 1, 2, 3, 4, 5, 8
# How the names of characters begin in scripts where each is a morpheme or a syllable, ...
SHORT = "CJK ", "IDEOGRAPHIC ", "HIRAGANA ", "BOPOMOFO ", "YI ", "TANGUT ", "NUSHU ", "HANGUL "
# ... and where no blanks stand between words.
UNDIVIDED = *SHORT[:-1], "THAI ", "LAO ", "KHMER ", "MYANMAR ", "TAI ", "NEW TAI "


class Tokenizer:
    """Finds the words of a text by the kinds of its characters, or by a regular expression."""

    def __init__(
        self,
        pattern: str | None,
        lowercase: bool,
        strip_accents: bool,
        characters: tuple[int, int] | None = None,
    ) -> None:
        try:
            self._pattern = None if pattern is None else re.compile(pattern)
        except (re.error, TypeError) as error:
            raise ValueError(
                f"`tokenizer_pattern` must be a regular expression, got {pattern!r}: {error}"
            ) from None
        if self._pattern and self._pattern.groups > 1:
            raise ValueError(
                "`tokenizer_pattern` must have at most one group, which is then the word, got "
                f"{pattern!r}; write (?:...) for the others"
            )
        self._options = pattern, lowercase, strip_accents, characters
        self.characters = characters
        self._lowercase = lowercase
        self._strip_accents = strip_accents
        letters = (chr(byte) for byte in range(128))
        kept = (c if re.match(r"\w", c) else "\0" for c in letters)
        ascii = "".join(c.lower() if lowercase else c for c in kept).encode()
        self.ascii: bytes | None = ascii if pattern is None else None

    def __reduce__(self) -> tuple[Any, ...]:
        return Tokenizer, self._options

    def __call__(self, text: str) -> list[str]:
        """The words that the pattern finds, in order."""
        words: list[str] = self._pattern.findall(self.prepared(text)) if self._pattern else []
        return words

    def pieces(self, text: str) -> list[str]:
        """What runs of characters do not cross, with a pattern."""
        former = self._options[0] == PATTERN_OF_0_1
        return self.prepared(text).split() if former else self(text)

    def prepared(self, text: str) -> str:
        """The text with changed letters; without a pattern, each has one form."""
        if self._strip_accents:
            text = "".join(filterfalse(unicodedata.combining, unicodedata.normalize("NFKD", text)))
        if not self._pattern:
            text = unicodedata.normalize("NFKC", text)
        return text.lower() if self._lowercase else text

    def kind(self, character: str) -> int:
        """The kind of a character, by its category and its name in Unicode."""
        if character.isspace():
            return BLANK
        of, script = unicodedata.category(character), unicodedata.name(character, "")
        if of == "Cf" or script.startswith("VARIATION SELECTOR"):
            return IGNORED
        if of[0] == "M":
            return MARK
        if of == "So":  # emoji
            return ALONE
        if of[0] not in "LN" and character != "_":
            return SEPARATOR
        kind = ALONE if script.startswith(UNDIVIDED) else LETTER
        return kind + SHORTER * script.startswith(SHORT)


def checked_range(ngram_range: Any, name: str = "ngram_range") -> tuple[int, int]:
    """The smallest and the largest number of words or characters of an n-gram."""
    try:
        low, high = ngram_range
        if isinstance(low, int) and isinstance(high, int) and 1 <= low <= high:
            return low, min(high, LARGEST)
    except (TypeError, ValueError):
        pass
    raise ValueError(
        f"`{name}` must be two integers, the smallest and the largest length, such as "
        f"(1, 2), got {ngram_range!r}"
    )


_WORDS = """
    a an the this that these those such same other another each every either neither i me my
    mine myself you your yours yourself yourselves he him his himself she her hers herself it
    its itself we us our ours ourselves they them their theirs themselves one ones who whom
    whose which what whatever whichever whoever someone something anyone anything everyone
    everything nobody nothing none am is are was were be been being do does did doing done have
    has had having can could may might must shall should will would cannot about above across
    after against along among around as at before behind below beneath beside between beyond by
    despite down during except for from in inside into near of off on onto out outside over per
    since than through throughout till to toward towards under until up upon via with within
    without and or nor but yet so if whether because although though unless while whereas when
    where why how both not no only also too very just even still again ever never always often
    sometimes already almost quite rather more most less least much many few some any all
    several enough now then here there thus hence therefore however moreover furthermore
    otherwise else once
"""

STOP_WORDS = tuple(dict.fromkeys(_WORDS.split()))
"""Articles, pronouns, auxiliaries, prepositions, conjunctions and common adverbs, lower case."""
