"""Words of texts, and lines of numbers: both backends give the same, to the last bit."""

from __future__ import annotations

import gzip
import itertools
import math
import pickle
import struct
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from river_hier import datasets
from river_hier.feature_extraction import STOP_WORDS
from river_hier.feature_extraction.tokenizer import PATTERN, Tokenizer
from support.backends import both, namespace, native_only, running_on
from support.paths import DATA

BACKENDS = "numpy", "native"
letters = st.text("aB_1 ,ẞé\0\ud800İΣ“中٣😀𝒜", max_size=20) | st.text(max_size=9)
texts = st.lists(letters, max_size=12)


def vocabulary(backend: str, *options: Any, pattern: str = PATTERN) -> Any:
    return namespace(backend).Vocabulary(Tokenizer(pattern, True, False), *options)


@native_only
@given(
    texts,
    st.sampled_from([(1, 1), (1, 3), (2, 2)]),
    st.sampled_from([0, 2, 64, 2**31]),
    st.sampled_from([(), ("ab",), ("aa", "éé")]),
    st.integers(1, 3),
    st.integers(1, 6),
    st.booleans(),
    st.sampled_from([PATTERN, r"\w", r"\w*"]),
)
def test_the_same_counts_and_weights(
    documents: list[str],
    ngram_range: tuple[int, int],
    n_features: int,
    stop_words: tuple[str, ...],
    min_count: int,
    max_rare: int,
    normalize: bool,
    pattern: str,
) -> None:
    options = ngram_range, n_features, stop_words, min_count, max_rare
    reference, native = (vocabulary(b, *options, pattern=pattern) for b in BACKENDS)
    for i, text in enumerate(documents):
        if i % 2:
            reference.learn(text)
            native.learn(text)
        for one in (text, documents[0]):
            expected, found = reference.weights(one, normalize), native.weights(one, normalize)
            assert list(found.items()) == list(expected.items())
        if i % 5 == 4:
            with running_on("native"):
                native = pickle.loads(pickle.dumps(reference))
        expected, found = (v.matrix(documents, normalize) for v in (reference, native))
        assert [list(part) for part in found] == [list(part) for part in expected]
        assert [part.dtype for part in found[:3]] == [part.dtype for part in expected[:3]]
        assert reference.counts == native.counts
        assert list(reference.dfs.items()) == list(native.dfs.items())
    with running_on("native"):
        state = reference.__reduce__()[1], native.__reduce__()[1]
    assert state[0][3:] == state[1][3:]


@both
def test_many_words_and_long_ones(backend: str) -> None:
    v = vocabulary(backend, (1, 1), 0, (), 1, 10)
    words = [f"word{i}" * (1 + i % 50) for i in range(3_000)]
    for first in range(0, 3_000, 100):
        v.learn(" ".join(words[first : first + 100]))
    assert v.dfs == dict.fromkeys(words, 1)
    assert set(v.weights(" ".join(words), False).values()) == {math.log(2) * math.log(30)}


@both
@pytest.mark.parametrize(
    "damaged",
    [
        (1, ["aa", "aa"], [1, 1], [1, 1]),
        (1, ["aa"], [1], [2]),
        (1, ["aa"], [1], []),
        (1, ["aa"], [0], [1]),
        (1, ["aa"], [1], [-1]),
        (1, [7], [1], [1]),
        (-1, [], [], []),
        (1.0, [], [], []),
    ],
)
def test_damaged_pickles(backend: str, damaged: Any) -> None:
    with running_on(backend):
        restore, (kind, version, options, _) = vocabulary(backend, (1, 1), 0, (), 1, 1).__reduce__()
        assert restore(kind, version, options, (1, ["aa"], [1], [1])).dfs == {"aa": 1}
        with pytest.raises(ValueError, match="this pickle of a Vocabulary is damaged"):
            restore(kind, version, options, damaged)


@native_only
def test_a_vocabulary_counts_its_memory() -> None:
    v = vocabulary("native", (1, 1), 0, (), 1, 1)
    before = v.__sizeof__()
    v.learn(" ".join(f"word{i}" for i in range(1_000)))
    assert 40_000 < v.__sizeof__() - before < 250_000


@both
def test_a_tokenizer_that_fails_changes_nothing(backend: str) -> None:
    def tokenize(text: str) -> list[str]:
        if text == "é":
            raise KeyboardInterrupt
        return text.split()

    vars(tokenize)["ascii"] = None
    v = namespace(backend).Vocabulary(tokenize, (1, 1), 0, (), 1, 1)
    v.learn("a b")
    with pytest.raises(KeyboardInterrupt):
        v.learn("é")
    assert v.counts == (1, ["a", "b"], [1, 1], [1, 1])
    v.learn("a b")
    assert v.counts == (2, ["a", "b"], [1, 1], [2, 2])


def bits(x: dict[str, float] | None) -> Any:
    return None if x is None else [(name, struct.pack("d", value)) for name, value in x.items()]


plain = st.floats(allow_nan=False, allow_infinity=False)
numbers = (
    plain.map(repr)
    | plain.map("{:.16g}".format)
    | st.floats(0, 1).map("{:.17f}".format)
    | st.integers(0, 10**20).map(str)
    | st.from_regex(r"\A[0-9]{0,22}\.?[0-9]{0,24}\Z")
    | st.sampled_from(["1_0", "nan", "inf", "-1", "+2", "", ".", "1e5", "1e400", "0x1", "1,5", "٣"])
)
names = st.sampled_from(["a", "b", "7", "", "é", "a\u2003b"]) | st.integers(0, 9999).map(str)
pairs = st.builds("{}{}{}".format, names, st.sampled_from([":"] * 9 + ["", " ", "::"]), numbers)
lines = st.lists(pairs, max_size=6).flatmap(
    lambda found: st.sampled_from([" ", "  ", "\t", "\0", "\x1c"]).map(lambda by: by.join(found))
)


@native_only
@given(lines)
@example("7:0.6 9:0.8")
@example("")
@example(" 1:.5  ")
@example("1:9007199254740993 2:0.1000000000000000055511151231257827 3:1e308")
@example("1:1e308 2:1e308")
@example("1:1:1 2")
@example("\ud800:1")
def test_the_same_pairs(line: str) -> None:
    expected, found = (namespace(b).read_pairs(line) for b in BACKENDS)
    assert bits(found) == bits(expected)
    if expected is not None:
        assert bits(expected) == bits(
            {name: float(value) for name, _, value in (p.partition(":") for p in line.split())}
        )


@both
def test_pairs(backend: str) -> None:
    read_pairs = namespace(backend).read_pairs
    assert read_pairs("7:0.6 wolf:-8e-1  3:5") == {"7": 0.6, "wolf": -0.8, "3": 5.0}
    assert read_pairs("") == {}
    for line in ("7", "7:", ":1", "7:x", "7:1 7:2", "7:nan", "7:1e999", "7:1:2", "7 :1", "7:1,8:2"):
        assert read_pairs(line) is None, line


@native_only
@pytest.mark.skipif(not (DATA / "reuters21578").exists(), reason="no data: set RIVER_HIER_DATA")
def test_real_texts() -> None:
    stream = datasets.Reuters21578(DATA / "reuters21578").take(300)
    options = (1, 2), 0, STOP_WORDS, 2, 5_000
    reference, native = (vocabulary(b, *options) for b in BACKENDS)
    for x, _ in stream:
        for v in (reference, native):
            v.learn(x["body"])
        expected, found = (v.weights(x["body"], True) for v in (reference, native))
        assert list(found.items()) == list(expected.items())
    assert len(native.dfs) > 1_000
    assert reference.counts == native.counts


@native_only
@pytest.mark.skipif(not (DATA / "rcv1").exists(), reason="no data: set RIVER_HIER_DATA")
def test_real_lines() -> None:
    with gzip.open(DATA / "rcv1" / "lyrl2004_vectors_train.dat.gz", "rt") as lines:
        for line in itertools.islice(lines, 2_000):
            pairs = line.partition(" ")[2].rstrip()
            expected, found = (namespace(b).read_pairs(pairs) for b in BACKENDS)
            assert len(found) > 0
            assert bits(found) == bits(expected)
