"""What OHSUMED says of files that are broken, foreign, cut off or missing."""

from __future__ import annotations

import contextlib
import gzip
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_hier import datasets
from support.ohsumed_corpus import RECORDS, TREE, XS, YS, data, on, write_folder, write_tar_gz

TAGS = ".U .S .M .T .P .W .A"


@pytest.fixture
def folder(tmp_path):
    return write_folder(tmp_path)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([".M"], "line 1: expected `.I number`, got '.M'"),
        (["<DOC>"], "line 1: expected `.I number`, got '<DOC>'"),
        ([""], "line 1: expected `.I number`, got ''"),
        ([".I"], "line 1: expected `.I number`, got '.I'"),
        ([".I one"], "line 1: expected `.I number`, got '.I one'"),
        ([".I 1", "Asthma."], f"line 2: expected one of {TAGS}, got 'Asthma.'"),
        ([".I 1", ".X", "?"], f"line 2: expected one of {TAGS}, got '.X'"),
        ([".I 1", ".M", "Asthma.", ".T", ".M"], "line 5: .M comes twice in a record"),
    ],
)
def test_broken_records(folder, lines, message):
    (folder / "ohsumed.87").write_bytes(data(lines))
    with pytest.raises(ValueError, match="line") as error:
        list(datasets.OHSUMED(folder, root="C08"))
    assert str(error.value) == f"ohsumed.87, {message}"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["Asthma"], "line 1: expected `heading;tree.number`, got 'Asthma'"),
        ([*TREE, ";C08.1"], "line 18: expected `heading;tree.number`, got ';C08.1'"),
        ([*TREE, "Cough;C08."], "line 18: expected `heading;tree.number`, got 'Cough;C08.'"),
        ([*TREE, "Cough;8"], "line 18: expected `heading;tree.number`, got 'Cough;8'"),
        ([*TREE, "Cough;C08.127"], "line 18: tree number 'C08.127' comes twice"),
    ],
)
def test_broken_trees(folder, lines, message):
    (folder / "mtrees2015.bin").write_bytes(data(lines))
    for on_error in ("raise", "skip"):  # a tree without one of its lines would be another one
        with pytest.raises(ValueError, match="line") as error:
            _ = datasets.OHSUMED(folder, root="C08", on_error=on_error).taxonomy
        assert str(error.value) == f"mtrees2015.bin, {message}"


@pytest.mark.parametrize(
    ("root", "extra", "message"),
    [
        ("N05.715", [], "mtrees2015.bin has no tree number 'N05.715' to use as the root"),
        ("Z", [], "mtrees2015.bin has nothing below 'Z'"),
        ("C08.127.108", [], "mtrees2015.bin has nothing below 'C08.127.108'"),
        ("C", ["Cough;C08.9.1"], "mtrees2015.bin: tree number 'C08.9.1' comes without 'C08.9'"),
        (
            "C08",
            ["Respiratory Tract Diseases;C08.381.001"],
            "mtrees2015.bin: the edges hold a cycle: 'Respiratory Tract Diseases' -> "
            "'Lung Diseases' -> 'Respiratory Tract Diseases'",
        ),
    ],
)
def test_trees_that_cannot_be(folder, root, extra, message):
    (folder / "mtrees2015.bin").write_bytes(data([*TREE, *extra]))
    with pytest.raises(ValueError, match="mtrees") as error:
        list(datasets.OHSUMED(folder, root=root))
    assert str(error.value) == message


@pytest.mark.parametrize("root", ["", "c", "C8.", "N05.715.", "Diseases", "CC", "٣", 5, None, "C "])
def test_wrong_roots(root):
    expected = "^`root` must be a tree number, such as 'N05.715', or a category, such as 'C', got "
    with pytest.raises(ValueError, match=expected):
        datasets.OHSUMED(root=root)


def test_what_is_skipped_is_counted(folder):
    records = ["?", *RECORDS[:16], ".Q", "what", ".T", "again", *RECORDS[16:], ".I next", ".M"]
    (folder / "ohsumed.87").write_bytes(data(records))
    stream = datasets.OHSUMED(folder, root="C08", on_error="skip")
    assert [(x, on(y)) for x, y in stream] == list(zip(XS, YS, strict=True))
    assert stream.n_skipped == 4
    assert stream.skipped == (
        "ohsumed.87, line 1: expected `.I number`, got '?'",
        f"ohsumed.87, line 18: expected one of {TAGS}, got '.Q'",
        "ohsumed.87, line 20: .T comes twice in a record",
        "ohsumed.87, line 39: expected `.I number`, got '.I next'",
    )
    with pytest.raises(ValueError, match=r"^`on_error` must be 'raise' or 'skip', got 'ignore'"):
        datasets.OHSUMED(on_error="ignore")


@pytest.mark.parametrize("name", ["ohsumed.87", "mtrees2015.bin"])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty, expected text"),
        (b"PK\x03\x04\x14\x00", "is a zip archive, expected text"),
        (b"<!DOCTYPE html>", "is a web page, expected text"),
        (b"\0\1", "is a binary file, expected text"),
        (".I 1\n.T\nM\xe9ni\xe8re".encode("latin-1"), "is not text after line "),
        (gzip.compress(data(TREE))[:-9], "is cut off after line "),
        (gzip.compress(data(TREE))[:-8] + b"\0" * 8, "is damaged after line "),
    ],
)
def test_foreign_and_damaged_files(folder, name, content, message):
    (folder / name).write_bytes(content)
    with pytest.raises(ValueError, match=f"^{name} {message}"):
        list(datasets.OHSUMED(folder, root="C08", on_error="skip"))


def test_an_archive_that_is_cut_off(tmp_path):
    path = write_tar_gz(tmp_path)
    path.write_bytes(path.read_bytes()[:300])
    with pytest.raises(ValueError, match=r"^corpus.tar.gz is cut off; delete it and get it again"):
        list(datasets.OHSUMED(path, root="C08"))


def test_missing_files(folder):
    (folder / "ohsumed.87").rename(folder / "ohsumed.txt")
    with pytest.raises(FileNotFoundError) as error:
        list(datasets.OHSUMED(folder, root="C08"))
    assert str(error.value) == (
        f"{str(folder)!r} lacks ohsumed.[0-9]*; call `download()` or get "
        "https://trec.nist.gov/data/filtering/t9.filtering.tar.gz and "
        "https://nlmpubs.nlm.nih.gov/projects/mesh/2015/meshtrees/mtrees2015.bin"
    )
    with pytest.raises(FileNotFoundError, match=r"ohsumed.txt' lacks mtrees\*.bin; call"):
        list(datasets.OHSUMED(folder / "ohsumed.txt", root="C08"))
    with pytest.raises(FileNotFoundError, match="there is no file or folder"):
        list(datasets.OHSUMED(folder, mesh=folder / "nowhere"))
    (folder / "mtrees2016.bin").write_bytes(data(TREE))
    with pytest.raises(ValueError, match=r"holds 2 files like 'mtrees\*.bin', expected one"):
        list(datasets.OHSUMED(folder))


@given(st.data())
def test_changed_bytes_give_examples_or_a_value_error(changes):
    contents = {"ohsumed.87": data(RECORDS), "mtrees2015.bin": data(TREE)}
    name = changes.draw(st.sampled_from(sorted(contents)))
    content = bytearray(contents[name])
    for _ in range(changes.draw(st.integers(1, 4))):
        start = changes.draw(st.integers(0, len(content)))
        end = min(len(content), start + changes.draw(st.integers(0, 12)))
        content[start:end] = changes.draw(
            st.binary(max_size=6) | st.sampled_from([b"\n.", b";C08"])
        )
    contents[name] = bytes(content)
    on_error = changes.draw(st.sampled_from(["raise", "skip"]))
    tree = changes.draw(st.booleans())
    with tempfile.TemporaryDirectory() as folder:
        for file, written in contents.items():
            Path(folder, file).write_bytes(written)
        with contextlib.suppress(ValueError):
            for x, y in datasets.OHSUMED(folder, "C08", tree, on_error=on_error):
                assert len(x) == 5
                assert any(y.values())
