"""Words of texts, and lines of numbers. Weights of words: tests/feature_extraction."""

import gzip
import itertools
import math
import struct

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from river_hier._core import Vocabulary, read_pairs
from river_hier._core.pickles import VERSION, restore
from river_hier.feature_extraction.texts import Tokenizer
from support.paths import DATA


def vocabulary(tokenize=None, max_rare=10):
    tokenize = tokenize or Tokenizer(None, True, False)
    return Vocabulary(tokenize, (1, 1), 0, (), 1, max_rare)


def test_many_words_and_long_ones():
    v = vocabulary()
    words = [f"word{i}" * (1 + i % 50) for i in range(3_000)]
    for first in range(0, 3_000, 100):
        v.learn(" ".join(words[first : first + 100]))
    assert v.dfs == dict.fromkeys(words, 1)
    assert set(v.weights(" ".join(words), False, True).values()) == {math.log(2) * math.log(30)}


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
def test_damaged_pickles(damaged):
    *options, _, _ = vocabulary().saved()
    assert restore("Vocabulary", VERSION, *options, (1, ["aa"], [1], [1])).dfs == {"aa": 1}
    with pytest.raises(ValueError, match="this pickle of a Vocabulary is damaged"):
        restore("Vocabulary", VERSION, *options, damaged)


def test_a_vocabulary_counts_its_memory():
    v = vocabulary()
    before = v.__sizeof__()
    v.learn(" ".join(f"word{i}" for i in range(1_000)))
    assert 40_000 < v.__sizeof__() - before < 250_000


def test_a_tokenizer_that_fails_changes_nothing():
    def tokenize(text):
        if text == "é":
            raise KeyboardInterrupt
        return text.split()

    vars(tokenize).update(ascii=None, characters=None)
    v = vocabulary(tokenize)
    v.learn("a b")
    with pytest.raises(KeyboardInterrupt):
        v.learn("é")
    assert v.saved()[-2] == (1, ["a", "b"], [1, 1], [1, 1])
    v.learn("a b")
    assert v.saved()[-2] == (2, ["a", "b"], [1, 1], [2, 2])


def expected_pairs(line):
    """`name:value` between spaces; names come once, and their sum is finite."""
    pairs = [pair.split(":") for pair in line.split()]
    if any(len(pair) != 2 or not pair[0] for pair in pairs):
        return None
    try:
        x = {name: float(value) for name, value in pairs}
    except ValueError:
        return None
    return x if len(x) == len(pairs) and math.isfinite(sum(x.values())) else None


def bits(x):
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


@given(lines)
@example("7:0.6 9:0.8")
@example("")
@example(" 1:.5  ")
@example("1:9007199254740993 2:0.1000000000000000055511151231257827 3:1e308")
@example("1:1e308 2:1e308")
@example("1:1:1 2")
@example("\ud800:1")
@example("7:nan")
def test_pairs(line):
    assert bits(read_pairs(line)) == bits(expected_pairs(line))


@pytest.mark.skipif(not (DATA / "rcv1").exists(), reason="no data: set RIVER_HIER_DATA")
def test_real_lines():
    with gzip.open(DATA / "rcv1" / "lyrl2004_vectors_train.dat.gz", "rt") as file:
        for line in itertools.islice(file, 2_000):
            found = line.partition(" ")[2].rstrip()
            assert bits(read_pairs(found)) == bits(expected_pairs(found)) != []
