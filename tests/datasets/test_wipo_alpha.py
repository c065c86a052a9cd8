"""WIPO-alpha from small corpora in the publisher's format."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_hier import Taxonomy, datasets
from support.corpora import on, refused
from support.hypothesis_settings import n_examples
from support.wipo_corpus import BOTH, GROUPS, YS, record, write_corpus


@pytest.fixture
def corpus(tmp_path):
    return write_corpus(tmp_path / "corpus")


def test_examples(corpus):
    stream = datasets.WIPOAlpha(corpus, subsets=BOTH)
    assert stream.taxonomy == Taxonomy.from_nested({"IPC": GROUPS})
    assert [on(y) for _, y in stream] == list(YS.values())
    assert {tuple(x) for x, _ in stream} == {("title", "body", "claims", "description")}


def test_texts(corpus):
    (_, empty, plough) = (x for x, _ in datasets.WIPOAlpha(corpus))
    assert plough == {
        "title": "A plough",  # the English one
        "body": "The plough & more,at 5 °C, café.",
        "claims": "1. A plough.\n2. Another.",
        "description": "A <plough> is known.",
    }
    assert empty == dict.fromkeys(plough, "")


def test_parts(corpus):
    read = functools.partial(datasets.WIPOAlpha, corpus)
    assert [on(y) for _, y in read()] == list(YS.values())[:3]
    assert [on(y) for _, y in read(subsets=["test"])] == list(YS.values())[3:]
    assert list(read(subsets=["test", "train"])) == list(read(subsets=BOTH))
    assert read(subsets=["test"]).taxonomy == read().taxonomy  # what one knows the other knows


def test_sections(corpus):
    d = datasets.WIPOAlpha(corpus, sections="D", subsets=BOTH)
    # The plough, whose primary symbol is of A, does not count with its secondary one.
    groups = {"D01": {"D01G": ["D01G 15/00"]}, "D21": {"D21H": ["D21H 19/00"]}}
    assert d.taxonomy == Taxonomy.from_nested({"D": groups})
    assert [on(y) for _, y in d] == [
        {"D21", "D21H", "D21H 19/00"},
        {"D01", "D01G", "D01G 15/00", "D21", "D21H", "D21H 19/00"},
    ]
    both = datasets.WIPOAlpha(corpus, sections="HD", subsets=BOTH)
    assert both.taxonomy == Taxonomy.from_nested({"IPC": {"D": groups, "H": GROUPS["H"]}})
    assert [on(y) for _, y in both] == [
        {"D", *on(next(iter(d))[1])},
        {"D", "D01", "D01G", "D01G 15/00", "D21", "D21H", "D21H 19/00"},
        YS[2],
    ]


@pytest.mark.parametrize(
    ("folder", "train", "test"),
    [
        ("wipo/train", "A/1.xml", None),
        ("test-drive", "Trainzip/A/1.xml", "Testzip/1.xml"),
        ("train", "1.xml", "A/wipo-test/01/2.xml"),
        ("wipo", "test-drive/train/1.xml", "trained/x/test/2.xml"),
        ("wipo", "x/training.en/A/1.xml", "x/testing/A/1.xml"),
    ],
)
def test_the_nearest_folder_tells_the_part(tmp_path, folder, train, test):
    for name, mc in [(train, "A01B00100"), (test, "H04L00900"), ("../dev/0.xml", "B01D00100")]:
        if name:
            path = tmp_path / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(record("1", mc))
    read = functools.partial(datasets.WIPOAlpha, tmp_path / folder)
    assert ["A01B 1/00" in on(y) for _, y in read()] == [True]
    if test:
        assert ["H04L 9/00" in on(y) for _, y in read(subsets=["test"])] == [True]


symbols = st.builds(
    "{}{:02}{}{:03}{}".format,
    st.sampled_from("ADH"),
    st.integers(1, 2),
    st.sampled_from("BC"),
    st.integers(1, 12),
    st.sampled_from(["00", "10", "435"]),
)


@n_examples(50)
@given(st.lists(st.lists(symbols, min_size=1, max_size=4), min_size=1, max_size=5))
def test_any_symbols(records):
    """Against one label at a time, spelt out of the symbols."""

    def closed(symbol):
        group = f"{symbol[:4]} {symbol[4:7].lstrip('0')}/00"
        return {symbol[:1], symbol[:3], symbol[:4], group}

    with tempfile.TemporaryDirectory() as folder:
        for i, (mc, *ics) in enumerate(records):
            path = Path(folder, "train", f"{i}.xml")
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(record(str(i), mc, *ics))
        stream = datasets.WIPOAlpha(folder)
        examples = list(stream)
    expected = [set().union(*map(closed, symbols)) for symbols in records]
    assert [on(y) for _, y in examples] == expected
    taxonomy = stream.taxonomy
    assert set(taxonomy) == set().union(*expected) | {"IPC"}
    for node in taxonomy.nodes[1:]:
        parent = {1: "IPC", 3: node[:1], 4: node[:3]}.get(len(node), node[:4])
        assert taxonomy.parent(node) == parent
        siblings = taxonomy.children(parent)
        numbers = [int(s[5:-3]) if " " in s else s for s in siblings]
        assert numbers == sorted(numbers)  # main groups as numbers, all else as text


def test_nothing_is_read_ahead(corpus):
    stream = datasets.WIPOAlpha(corpus)
    stream.taxonomy  # noqa: B018
    (corpus / "wipo-alpha/alphatrain/A/01/B/003/0007.xml").write_bytes(b"<broken")
    assert [on(y) for _, y in stream.take(2)] == [YS[3], YS[5]]


def test_texts_are_not_read_for_the_taxonomy(corpus):
    path = corpus / "wipo-alpha/alphatrain/A/01/B/003/0007.xml"
    long = record("7", "A01B00310", "A01B01500", "D01G00100", title="x" * 50_000)
    path.write_bytes(long.replace(b"</record>", b"</oops>"))
    stream = datasets.WIPOAlpha(corpus)
    assert len(stream.taxonomy) == 19
    with pytest.raises(ValueError, match=r"mismatched tag$"):
        list(stream)


NAME = "wipo-alpha/alphatrain/A/01/B/003/0007.xml"
SOUND = record("7", "A01B00310", "A01B01500", "D01G00100")


SYMBOL = "line 4: expected a symbol such as A01B00100, got"
DOCTYPE = b'<!DOCTYPE record SYSTEM "../../../../../ipctraining.dtd">'
ENTITY = "line 2: the record declares the entity &a;, expected none"
DECLARED = [
    b'<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">',
    b'<!ENTITY a SYSTEM "file:///etc/hostname">',
    b'<!ENTITY % a SYSTEM "http://127.0.0.1/"> %a;',
]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b'mc="A01B00310"', b"", f"{SYMBOL} ''"),
        (b"A01B00310", b"A01B", f"{SYMBOL} 'A01B'"),
        (b"A01B01500", b"I01B01500", f"{SYMBOL} 'I01B01500'"),
        (b"A01B01500", b"A01B 15/00", f"{SYMBOL} 'A01B 15/00'"),
        (b"A01B01500", "A0\xb2B01500".encode("latin-1"), f"{SYMBOL} 'A0\xb2B01500'"),
        (b"ipcs", b"cpis", "line 1: the record has no <ipcs mc=...>"),
        (b"</ab>", b"</ba>", "line 7: broken XML, mismatched tag"),
        (b"</record>", b"", "line 14: broken XML, no element found"),
        (SOUND, b"", "line 1: broken XML, no element found"),
        (SOUND, b"A plough", "line 1: broken XML, syntax error"),
        (b"&deg;", b"&degree;", "line 7: no character is named &degree;"),
        (b"&deg;", b"\x07", "line 7: broken XML, not well-formed (invalid token)"),
        (b"iso-8859-1", b"utf-8", "line 7: broken XML, not well-formed (invalid token)"),
        (b"iso-8859-1", b"latin-0", "line 1: unknown encoding: latin-0"),
        *((DOCTYPE, b"<!DOCTYPE record [%b]>" % bad, ENTITY) for bad in DECLARED),
    ],
)
def test_broken_records(corpus, old, new, message):
    assert old in SOUND
    (corpus / NAME).write_bytes(SOUND.replace(old, new))
    left = refused(lambda e: datasets.WIPOAlpha(corpus, on_error=e), f"{NAME}, {message}")
    assert [on(y) for _, y in left] == [YS[3], YS[5]]


def test_missing_files(corpus):
    help_ = r"; ask WIPO for the collection \(https://www.wipo.int/.* folders train and test$"
    trained = datasets.WIPOAlpha(corpus / "wipo-alpha" / "alphatrain", subsets=["test"])
    with pytest.raises(FileNotFoundError, match=f"lacks a folder test of records{help_}"):
        list(trained)
    with pytest.raises(ValueError, match=r"alpha' has no record in sections 'BC'$"):
        list(datasets.WIPOAlpha(corpus / "wipo-alpha", sections="BC"))


def test_wrong_parameters():
    for sections in ("", "d", "DX", "IPC", None, ["D"]):
        with pytest.raises(ValueError, match=r"^`sections` must be letters of 'ABCDEFGH', got "):
            datasets.WIPOAlpha(sections=sections)
