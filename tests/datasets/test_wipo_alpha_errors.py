"""What WIPO-alpha says of records that are broken, foreign, cut off or missing."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_hier import datasets
from support.hypothesis_settings import n_examples
from support.packing import gzipped, mutations, tarred, zipped
from support.wipo_corpus import YS, on, record, write_corpus

NAME = "wipo-alpha/alphatrain/A/01/B/003/0007.xml"
SOUND = record("7", "A01B00310", "A01B01500", "D01G00100")


@pytest.fixture
def corpus(tmp_path):
    return write_corpus(tmp_path / "corpus")


SYMBOL = "line 4: expected a symbol such as A01B00100, got"
BOMB = b'<!DOCTYPE record [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>'


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
        (
            b'<!DOCTYPE record SYSTEM "../../../../../ipctraining.dtd">',
            BOMB,
            "line 2: the record declares the entity &a;, expected none",
        ),
        (
            b'<!DOCTYPE record SYSTEM "../../../../../ipctraining.dtd">',
            b'<!DOCTYPE record [<!ENTITY a SYSTEM "file:///etc/hostname">]>',
            "line 2: the record declares the entity &a;, expected none",
        ),
        (
            b'<!DOCTYPE record SYSTEM "../../../../../ipctraining.dtd">',
            b'<!DOCTYPE record [<!ENTITY % a SYSTEM "http://127.0.0.1/"> %a;]>',
            "line 2: the record declares the entity &a;, expected none",
        ),
    ],
)
def test_broken_records(corpus, old, new, message):
    assert old in SOUND
    (corpus / NAME).write_bytes(SOUND.replace(old, new))
    with pytest.raises(ValueError, match="line") as error:
        list(datasets.WIPOAlpha(corpus))
    assert str(error.value) == f"{NAME}, {message}"
    stream = datasets.WIPOAlpha(corpus, on_error="skip")
    assert [on(y) for _, y in stream] == [YS[3], YS[5]]
    assert stream.skipped == (str(error.value),)
    assert len(list(stream)) == 2
    assert stream.n_skipped == 1  # anew, each time


@pytest.mark.parametrize("packed", [gzipped, zipped, tarred])
def test_archives_that_are_cut_off(corpus, packed):
    path = packed(corpus)
    archive = path / f"{NAME}.gz" if path.is_dir() else path
    archive.write_bytes(archive.read_bytes()[:-60])
    with pytest.raises(ValueError, match=r"(cut off|damaged)"):
        list(datasets.WIPOAlpha(path, on_error="skip"))


def test_missing_files(corpus, tmp_path, monkeypatch):
    monkeypatch.setenv("RIVER_DATA", str(tmp_path / "home"))
    help_ = r"; ask WIPO for the collection \(https://www.wipo.int/.* folders train and test$"
    with pytest.raises(FileNotFoundError, match=f"no file or folder '.*/home/WIPOAlpha'{help_}"):
        list(datasets.WIPOAlpha())
    with pytest.raises(FileNotFoundError, match=rf"lacks \*.xml{help_}"):
        list(datasets.WIPOAlpha(tmp_path / "home"))
    trained = datasets.WIPOAlpha(corpus / "wipo-alpha" / "alphatrain", subsets=["test"])
    with pytest.raises(FileNotFoundError, match=f"lacks a folder test of records{help_}"):
        list(trained)
    with pytest.raises(ValueError, match=r"alpha' has no record in sections 'BC'$"):
        list(datasets.WIPOAlpha(corpus / "wipo-alpha", sections="BC"))


def test_wrong_parameters():
    for sections in ("", "d", "DX", "IPC", None, ["D"]):
        with pytest.raises(ValueError, match=r"^`sections` must be letters of 'ABCDEFGH', got "):
            datasets.WIPOAlpha(sections=sections)
    with pytest.raises(
        ValueError, match=r"^`subsets` must be a list or tuple of some of \('train',"
    ):
        datasets.WIPOAlpha(subsets=("train", "unused"))
    with pytest.raises(ValueError, match=r"^`on_error` must be 'raise' or 'skip', got None"):
        datasets.WIPOAlpha(on_error=None)


@n_examples(150)
@given(mutations(SOUND), st.sampled_from(["raise", "skip"]))
def test_whatever_lies_in_a_file(data, on_error):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "train", "1.xml")
        path.parent.mkdir()
        path.write_bytes(data)
        stream = datasets.WIPOAlpha(folder, on_error=on_error)
        try:
            examples = list(stream)
        except ValueError:
            return
    assert len(examples) + stream.n_skipped == 1
    for x, y in examples:
        assert list(x) == ["title", "body", "claims", "description"]
        assert list(y) == list(stream.taxonomy.nodes[1:])
