"""Reuters-21578 from small corpora in the publisher's format, and as it is."""

import collections
import functools
import itertools
import pathlib
import reprlib
import shutil
import tempfile
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import reuters
from river_hier import Taxonomy, datasets
from river_hier.datasets import reuters21578
from support.corpora import by_depth, never_skipped, on, real_data, refused
from support.hypothesis_settings import n_examples
from support.packing import tarred
from support.reuters_corpus import (
    ALL,
    CATEGORIES,
    PATHS,
    STORIES,
    XS,
    YS,
    story,
    write_corpus,
    write_stories,
)


@pytest.fixture
def corpus(tmp_path):
    return write_corpus(tmp_path / "corpus")


def test_examples(corpus):
    stream = datasets.Reuters21578(corpus, subsets=ALL)
    xs, ys = zip(*stream, strict=True)
    assert list(xs) == XS
    assert [on(y) for y in ys] == YS
    assert stream.taxonomy == Taxonomy.from_paths(("Subject Codes", *path) for path in PATHS)


def test_a_folder_that_holds_the_archive(corpus, tmp_path):
    (tmp_path / "mine").mkdir()
    shutil.move(tarred(corpus), tmp_path / "mine" / "reuters21578.tar.gz")
    stream = datasets.Reuters21578(tmp_path / "mine", subsets=ALL)
    assert [x for x, _ in stream] == XS
    assert stream.location.name == "reuters21578.tar.gz"


SIZES = {"ModApte": [1, 2, 3], "ModLewis": [2, 2, 2], "ModHayes": [0, 1, 5]}


@pytest.mark.parametrize("split", SIZES)
def test_splits(corpus, split):
    read = functools.partial(datasets.Reuters21578, corpus, split)
    by_part = {part: [] for part in ALL}
    for marks, x, _ in reuters.stories(corpus):
        by_part[reuters.part(split, marks)].append(x)
    for part in ALL:
        assert [x for x, _ in read(subsets=[part])] == by_part[part]
    assert sorted(len(xs) for xs in by_part.values()) == SIZES[split]
    # In the order of the files, whatever the order given.
    assert list(read(subsets=["unused", "test", "train"])) == list(read(subsets=ALL))
    assert [x for x, _ in read()] == by_part["train"]


texts = st.text(st.characters(codec="latin-1", exclude_categories=["Cc"]), max_size=30)


@n_examples(30)
@given(st.lists(st.tuples(texts, texts, st.sets(st.sampled_from(PATHS))), max_size=5))
def test_what_is_written_is_read(stories):
    def escaped(text):
        return text.replace("&", "&amp;").replace("<", "&lt;")

    with tempfile.TemporaryDirectory() as name:
        corpus = write_corpus(pathlib.Path(name, "corpus"))
        (corpus / "reut2-001.sgm").unlink()
        written = [
            story(
                topics=" ".join(topic for *_, topic in paths),
                title=escaped(title),
                body=escaped(body),
            )
            for title, body, paths in stories
        ]
        write_stories(corpus / "reut2-000.sgm", written)
        examples = list(datasets.Reuters21578(corpus))
    assert [x["title"] for x, _ in examples] == [title.strip() for title, _, _ in stories]
    assert [x["body"] for x, _ in examples] == [f"{b}\n Reuter".strip() for _, b, _ in stories]
    assert [on(y) for _, y in examples] == [
        {t for path in paths for t in path} for *_, paths in stories
    ]


# The data themselves


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    path = tmp_path_factory.mktemp("reuters21578")
    shutil.unpack_archive(real_data("reuters21578") / "reuters21578.tar.gz", path)
    return path


@pytest.fixture(scope="module")
def expected(real):
    return reuters.stories(real)


def test_the_real_taxonomy(real):
    t = datasets.Reuters21578(real).taxonomy
    assert by_depth(t) == [1, 8, 132]
    assert t.path("crude") == ("Subject Codes", "Energy Codes", "crude")
    listed = (real / "all-topics-strings.lc.txt").read_text().split()
    assert sorted(t.leaves) == sorted(listed)
    assert len(listed) == 135


@pytest.mark.slow
def test_the_real_stories(real, expected):
    stream = datasets.Reuters21578(real, subsets=ALL)
    topics = collections.Counter()
    dates = []
    for (x, y), (_, their_x, their_topics) in zip(stream, expected, strict=True):
        assert x == their_x
        assert on(y) == set(stream.taxonomy.closure(their_topics)) - {"Subject Codes"}
        topics.update(on(y))
        dates.append(x["date"])
    assert len(dates) == 21_578
    assert (topics["earn"], topics["acq"], topics["crude"]) == (3_987, 2_448, 634)
    assert sum(topic in topics for topic in stream.taxonomy.leaves) == 120
    backwards = [later for day, later in itertools.pairwise(dates) if day > later]
    assert [day.isoformat() for day in backwards] == ["1987-03-31", "1987-10-19"]


@pytest.mark.slow
def test_the_real_splits(real, expected):
    for name, (_, _, sizes) in reuters21578._SPLITS.items():
        parts = collections.Counter(reuters.part(name, marks) for marks, _, _ in expected)
        assert tuple(parts[part] for part in ("train", "test", "unused")) == sizes
    days = {
        part: [x["date"].isoformat() for x, _ in datasets.Reuters21578(real, subsets=[part])]
        for part in ("train", "test")
    }
    assert (len(days["train"]), len(days["test"])) == (9_603, 3_299)
    assert max(days["train"]) == "1987-04-07"
    assert min(days["test"]) == "1987-04-08"


@pytest.mark.parametrize("topics", ["<D>" * 100_000, "<D>wheat<D>" * 50_000, "<D>" + "<" * 300_000])
def test_topics_without_an_end_take_no_long_time(tmp_path, topics):
    write_corpus(tmp_path)
    name = next(path for path in sorted(tmp_path.rglob("*")) if path.suffix == ".sgm")
    text = name.read_text("latin-1").replace("<TOPICS>", f"<TOPICS>{topics}", 1)
    name.write_text(text, "latin-1")
    start = time.process_time()
    with pytest.raises(ValueError, match=r"line \d+: .*<D> without </D>"):
        list(datasets.Reuters21578(tmp_path))
    assert time.process_time() - start < 3.0


NAME = "reut2-000.sgm"
LIST = "cat-descriptions_120396.txt"


@pytest.fixture
def one_file(tmp_path):
    path = write_corpus(tmp_path / "corpus")
    (path / "reut2-001.sgm").unlink()
    return path


MARKS = "expected <REUTERS TOPICS=... LEWISSPLIT=... CGISPLIT=...>, got "
COCA = "label 'coca' is not in the taxonomy (10 nodes); did you mean 'cocoa'?"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("26-FEB", "26-FEV", "expected a date such as 26-FEB-1987, got '26-FEV-1987 15:01:01.79'"),
        ("26-FEB", "30-FEB", "expected a date such as 26-FEB-1987, got '30-FEB-1987 15:01:01.79'"),
        ("26-FEB-1987 ", "", "expected a date such as 26-FEB-1987, got '15:01:01.79'"),
        ("<DATE>", "", "the story has no <DATE>...</DATE>"),
        ("</TOPICS>", "", "the story has no <TOPICS>...</TOPICS>"),
        ("<TITLE>", "<TITEL>", "the story has no <TITLE>...</TITLE>"),
        ("</BODY>", "", "the story has no <BODY>...</BODY>"),
        (">cocoa<", ">coca<", COCA),
        ('"YES"', '"YEA"', MARKS),
        ('LEWISSPLIT="TRAIN" ', "", MARKS),
        ('NEWID="9">', 'NEWID="9"', MARKS),
        ("</REUTERS>\n", "", "the story has no </REUTERS>"),
    ],
)  # fmt: skip
def test_broken_stories(one_file, old, new, message):
    broken = STORIES[0].replace(old, new, 1)
    assert broken != STORIES[0]
    write_stories(one_file / NAME, [STORIES[1], broken, STORIES[3]])
    if message == MARKS:
        message += reprlib.repr(broken.splitlines()[0])
    line = 2 + STORIES[1].count("\n")
    read = functools.partial(datasets.Reuters21578, one_file, "ModApte", ALL)
    left = refused(read, f"{NAME}, line {line}: {message}")
    assert [x for x, _ in left] == [XS[1], XS[3]]


@pytest.mark.parametrize("foreign", ["</REUTERS>", "Showers continued", "<REUTER>"])
def test_what_stands_between_stories(one_file, foreign):
    write_stories(one_file / NAME, [STORIES[0], f"\n{foreign}\n", STORIES[1]])
    line = 3 + STORIES[0].count("\n")
    message = f"{NAME}, line {line}: expected <REUTERS ...>, got {foreign!r}"
    left = refused(lambda e: datasets.Reuters21578(one_file, on_error=e), message)
    assert [on(y) for _, y in left] == YS[:2]


def test_stories_that_are_cut_off(one_file):
    whole = (one_file / NAME).read_bytes()
    (one_file / NAME).write_bytes(whole[: len(whole) - 30])
    last = len(whole[:-30].splitlines())
    message = f"{NAME} is cut off after line {last}; delete it and get it again"
    never_skipped(lambda e: datasets.Reuters21578(one_file, on_error=e), message)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("COCOA\n", "cocoa\n", ", line 13: expected a category such as `Crude Oil (CRUDE)`, got"),
        ("COCOA\n", "", ": 'Subject Codes' has 6 topics, expected 7; get it again"),
        ("Codes (2)", "Codes (3)", ": 'Energy Codes' has 2 topics, expected 3; get it again"),
        (CATEGORIES[-230:], "", ": 'Subject Codes' has 2 topics, expected 7; get it again"),
    ],
)
def test_broken_categories(one_file, old, new, message):
    assert CATEGORIES.count(old) == 1
    (one_file / LIST).write_text(CATEGORIES.replace(old, new))
    read = functools.partial(datasets.Reuters21578, one_file, "ModApte", ALL)
    never_skipped(read, f"{LIST}{message}")
    (one_file / LIST).write_text("COCOA\nGOLD\n")  # another file of this name
    never_skipped(read, f"{LIST}: ")


def test_wrong_parameters():
    with pytest.raises(ValueError, match=r"^`split` must be one of \('ModApte', .* got 'modapte'$"):
        datasets.Reuters21578(split="modapte")
