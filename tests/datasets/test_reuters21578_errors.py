"""What Reuters-21578 says of files that are broken, foreign, cut off or missing."""

from __future__ import annotations

import reprlib
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_hier import datasets
from support.hypothesis_settings import n_examples
from support.packing import gzipped, mutations, tarred, zipped
from support.reuters_corpus import ALL, CATEGORIES, STORIES, XS, YS, on, write_corpus, write_stories

NAME = "reut2-000.sgm"
LIST = "cat-descriptions_120396.txt"


@pytest.fixture
def corpus(tmp_path):
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
def test_broken_stories(corpus, old, new, message):
    broken = STORIES[0].replace(old, new, 1)
    assert broken != STORIES[0]
    write_stories(corpus / NAME, [STORIES[1], broken, STORIES[3]])
    if message == MARKS:
        message += reprlib.repr(broken.splitlines()[0])
    line = 2 + STORIES[1].count("\n")
    with pytest.raises(ValueError, match="line") as error:
        list(datasets.Reuters21578(corpus, subsets=ALL))
    assert str(error.value) == f"{NAME}, line {line}: {message}"
    stream = datasets.Reuters21578(corpus, subsets=ALL, on_error="skip")
    assert [x for x, _ in stream] == [XS[1], XS[3]]
    assert stream.skipped == (str(error.value),)


@pytest.mark.parametrize("foreign", ["</REUTERS>", "Showers continued", "<REUTER>"])
def test_what_stands_between_stories(corpus, foreign):
    write_stories(corpus / NAME, [STORIES[0], f"\n{foreign}\n", STORIES[1]])
    line = 3 + STORIES[0].count("\n")
    with pytest.raises(ValueError, match="line") as error:
        list(datasets.Reuters21578(corpus))
    assert str(error.value) == f"{NAME}, line {line}: expected <REUTERS ...>, got {foreign!r}"
    stream = datasets.Reuters21578(corpus, on_error="skip")
    assert [on(y) for _, y in stream] == YS[:2]
    assert stream.n_skipped == 1


@pytest.mark.parametrize("on_error", ["raise", "skip"])
def test_stories_that_are_cut_off(corpus, on_error):
    whole = (corpus / NAME).read_bytes()
    (corpus / NAME).write_bytes(whole[: len(whole) - 30])
    last = len(whole[:-30].splitlines())
    with pytest.raises(ValueError, match="cut off") as error:
        list(datasets.Reuters21578(corpus, on_error=on_error))
    assert str(error.value) == f"{NAME} is cut off after line {last}; delete it and get it again"


@pytest.mark.parametrize("packed", [gzipped, zipped, tarred])
def test_archives_that_are_cut_off(corpus, packed):
    write_stories(corpus / NAME, [story * 20 for story in STORIES])
    path = packed(corpus)
    archive = path / f"{NAME}.gz" if path.is_dir() else path
    archive.write_bytes(archive.read_bytes()[:-60])
    with pytest.raises(ValueError, match=r"(cut off|damaged).*"):
        list(datasets.Reuters21578(path, on_error="skip"))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "COCOA\n",
            "cocoa\n",
            ", line 13: expected a category such as `Crude Oil (CRUDE)`, got 'cocoa'",
        ),
        ("COCOA\n", "", ": 'Subject Codes' has 6 topics, expected 7; get it again"),
        ("Codes (2)", "Codes (3)", ": 'Energy Codes' has 2 topics, expected 3; get it again"),
        (CATEGORIES[-230:], "", ": 'Subject Codes' has 2 topics, expected 7; get it again"),
    ],
)
def test_broken_categories(corpus, old, new, message):
    assert CATEGORIES.count(old) == 1
    (corpus / LIST).write_text(CATEGORIES.replace(old, new))
    for on_error in ("raise", "skip"):  # a taxonomy is never guessed
        with pytest.raises(ValueError, match="expected") as error:
            list(datasets.Reuters21578(corpus, on_error=on_error))
        assert str(error.value) == f"{LIST}{message}"


def test_other_files_of_the_same_names(corpus):
    (corpus / LIST).write_text("COCOA\nGOLD\n")
    with pytest.raises(ValueError, match=f"^{LIST}: "):
        list(datasets.Reuters21578(corpus))
    (corpus / LIST).write_text(CATEGORIES)
    for data, oddity in [(b"", "empty"), (b"<html>", "a web page"), (b"\0\1", "a binary file")]:
        (corpus / NAME).write_bytes(data)
        with pytest.raises(ValueError, match=rf"^{NAME} is {oddity}, expected text"):
            list(datasets.Reuters21578(corpus))


def test_missing_files(corpus):
    (corpus / LIST).unlink()
    with pytest.raises(FileNotFoundError) as error:
        next(iter(datasets.Reuters21578(corpus)))
    lacks = f"{str(corpus)!r} lacks {LIST}; call `download()` or get reuters21578.tar.gz from "
    assert str(error.value) == f"{lacks}https://kdd.ics.uci.edu/databases/reuters21578"
    with pytest.raises(FileNotFoundError, match=r"^there is no file or folder '.*/none'; call `do"):
        datasets.Reuters21578(corpus / "none").taxonomy  # noqa: B018
    (corpus / LIST).write_text(CATEGORIES)
    (corpus / NAME).unlink()
    with pytest.raises(FileNotFoundError, match=r"lacks reut2-\*.sgm; "):
        list(datasets.Reuters21578(corpus))


def test_wrong_parameters():
    with pytest.raises(
        ValueError, match=r"^`split` must be one of \('ModApte', .*, got 'modapte'$"
    ):
        datasets.Reuters21578(split="modapte")
    for parts in ("train", (), ("train", "tests")):
        with pytest.raises(
            ValueError, match=r"^`subsets` must be a list or tuple of some of \('tr"
        ):
            datasets.Reuters21578(subsets=parts)
    with pytest.raises(ValueError, match=r"^`on_error` must be 'raise' or 'skip', got 'ignore'"):
        datasets.Reuters21578(on_error="ignore")


WHOLE = "".join(STORIES).encode("latin-1")


@n_examples(150)
@given(mutations(WHOLE), mutations(CATEGORIES.encode()), st.sampled_from(["raise", "skip"]))
def test_whatever_lies_in_the_files(stories, categories, on_error):
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, LIST).write_bytes(categories)
        Path(folder, NAME).write_bytes(stories)
        stream = datasets.Reuters21578(folder, subsets=ALL, on_error=on_error)
        try:
            examples = list(stream)
        except ValueError:
            return
    for x, y in examples:
        assert list(x) == ["date", "title", "body"]
        assert list(y) == list(stream.taxonomy.nodes[1:])
