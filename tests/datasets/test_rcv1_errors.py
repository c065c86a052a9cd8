"""What RCV1 says of files that are broken, foreign, cut off or missing."""

from __future__ import annotations

import gzip

import pytest

from river_hier import datasets
from support.rcv1_corpus import HIERARCHY, QRELS, TRAIN, VECTORS, XS, YS, on, write, write_corpus

PLAIN = TRAIN.removesuffix(".gz")


@pytest.fixture
def folder(tmp_path):
    return write_corpus(tmp_path)


def broken(folder, name, lines, message, **params):
    write(folder / name, lines)
    with pytest.raises(ValueError, match="line") as error:
        list(datasets.RCV1(folder, **params))
    assert str(error.value) == f"{name}, {message}"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("2287  9:", "expected `term:weight`, got '9:'"),
        ("2287  9", "expected `term:weight`, got '9'"),
        ("2287  9 0.5", "expected `term:weight`, got '9'"),
        ("2287  9:0.5 7", "expected `term:weight`, got '7'"),
        ("2287  9:0.5:7", "expected `term:weight`, got '9:0.5:7'"),
        ("2287  9:O.5", "expected `term:weight`, got '9:O.5'"),
        ("2287  9:0.5 4:nan", "feature '4' is nan"),
        ("2287  9:-inf 4:1", "feature '9' is -inf"),
        ("2287  9:inf 4:-inf", "feature '9' is inf"),
        ("2287  9:1e308 4:1e308", "the weights are too large to add up"),
        ("2287  9:0.5 4:1 9:0.5", "feature '9' comes twice"),
        ("22x7  9:0.5", "expected a document id, got '22x7'"),
        ("<p>", "expected a document id, got '<p>'"),
        ("", "expected a document id, got ''"),
        ("2286  9:0.5", "document 2286 comes twice"),
        ("2285  9:0.5", "document 2285 comes after 2286; the lines must be sorted by document"),
        ("2288  9:0.5", "document 2288 has no topic in rcv1-v2.topics.qrels"),
        ("2299  9:0.5", "document 2299 has no topic in rcv1-v2.topics.qrels"),
    ],
)
def test_broken_vectors(folder, line, message):
    lines = [VECTORS[0], line]
    broken(folder, "lyrl2004_vectors_train.dat", lines, f"line 2: {message}")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("MCAT 2287", "expected `topic document 1`, got 'MCAT 2287'"),
        ("MCAT 2287 0", "expected `topic document 1`, got 'MCAT 2287 0'"),
        ("MCAT 2287 1 1", "expected `topic document 1`, got 'MCAT 2287 1 1'"),
        ("2287 MCAT 1", "expected `topic document 1`, got '2287 MCAT 1'"),
        ("", "expected `topic document 1`, got ''"),
        ("MCAP 2287 1", "label 'MCAP' is not in the taxonomy (9 nodes); did you mean 'MCAT'?"),
        (
            "MCAT 2285 1",
            "document 2285 comes after 2286; the lines must be sorted by document",
        ),
    ],
)
def test_broken_topics(folder, line, message):
    lines = [*QRELS[:5], line, *QRELS[6:]]
    broken(folder, "rcv1-v2.topics.qrels", lines, f"line 6: {message}")


def test_parts_that_do_not_follow_each_other(folder):
    for i in range(4):
        write(folder / f"lyrl2004_vectors_test_pt{i}.dat", ["2287  1:1"])
    with pytest.raises(ValueError, match=r"test_pt0.dat, line 1: document 2287 comes after 2290;"):
        list(datasets.RCV1(folder, subsets=("train", "test")))
    with pytest.raises(ValueError, match=r"test_pt1.dat, line 1: document 2287 comes twice"):
        list(datasets.RCV1(folder, subsets=("test",)))


def test_broken_hierarchy(folder):
    expected = "`parent: ... child: ... child-description: ...`"
    for line in ("", "parent: Root", "CCAT C15"):
        write(folder / "rcv1.topics.hier.orig", [*HIERARCHY[:2], line])
        with pytest.raises(ValueError, match="line 3") as error:
            _ = datasets.RCV1(folder).taxonomy
        assert (
            str(error.value) == f"rcv1.topics.hier.orig, line 3: expected {expected}, got {line!r}"
        )
    loop = "parent: C15     child: CCAT     child-description: LOOP"
    write(folder / "rcv1.topics.hier.orig", [*HIERARCHY, loop])
    with pytest.raises(ValueError, match=r"^rcv1.topics.hier.orig: .*CCAT"):
        _ = datasets.RCV1(folder).taxonomy


@pytest.mark.parametrize(
    ("data", "oddity"),
    [
        (b"", "empty"),
        (b"PK\x03\x04\x14\x00", "a zip archive"),
        (b"\n<!DOCTYPE html>\n<html>", "a web page"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a binary file"),
    ],
)
def test_foreign_files(folder, data, oddity):
    (folder / TRAIN).write_bytes(data)
    with pytest.raises(ValueError, match=oddity) as error:
        list(datasets.RCV1(folder))
    assert str(error.value) == f"{PLAIN} is {oddity}, expected text, packed with gzip or not"


def test_text_that_is_not_ascii(folder):
    (folder / TRAIN).write_bytes(gzip.compress("2286  7:½\n".encode()))
    with pytest.raises(ValueError, match=f"^{PLAIN} is not text after line 0: .*ascii"):
        list(datasets.RCV1(folder))


def test_a_packed_file_that_is_cut_off(folder):
    whole = gzip.compress("".join(f"{i}  1:{i / 7}\n" for i in range(1, 5_000)).encode())
    write(folder / "rcv1-v2.topics.qrels", (f"CCAT {i} 1" for i in range(1, 5_000)))
    (folder / TRAIN).write_bytes(whole[:-1_000])
    with pytest.raises(
        ValueError,
        match=rf"^{PLAIN} is cut off after line [\d,]+; delete it and get it again$",
    ):
        list(datasets.RCV1(folder))


def test_a_packed_file_that_is_damaged(folder):
    whole = gzip.compress("".join(f"{i}  1:1\n" for i in range(1, 5_000)).encode())
    write(folder / "rcv1-v2.topics.qrels", (f"CCAT {i} 1" for i in range(1, 5_000)))
    for damaged in (whole[:500] + b"\xff" * 50 + whole[550:], whole[:-8] + b"\0" * 8):
        (folder / TRAIN).write_bytes(damaged)
        with pytest.raises(ValueError, match=rf"^{PLAIN} is damaged after line [\d,]+: "):
            list(datasets.RCV1(folder))


def test_missing_files(folder):
    (folder / "rcv1-v2.topics.qrels").unlink()
    stream = datasets.RCV1(folder, subsets=("train", "test"))
    with pytest.raises(FileNotFoundError) as error:
        next(iter(stream))
    message = str(error.value)
    assert str(folder) in message
    assert "lacks rcv1-v2.topics.qrels.gz, lyrl2004_vectors_test_pt0.dat.gz, " in message
    assert "lyrl2004_vectors_train" not in message  # it is there, without .gz
    assert message.endswith(
        "with or without .gz, from https://www.jmlr.org/papers/volume5/lewis04a"
    )
    assert len(stream.taxonomy) == 9  # this file is there


def test_a_file_for_a_folder(folder):
    with pytest.raises(FileNotFoundError, match=r"qrels' lacks rcv1.topics.hier.orig, lyrl2004"):
        list(datasets.RCV1(folder / "rcv1-v2.topics.qrels"))


def test_what_is_skipped_is_counted(folder):
    write(folder / "lyrl2004_vectors_train.dat", [*VECTORS[:2], "2288 7:x", "2289 1:1", VECTORS[2]])
    write(folder / "rcv1-v2.topics.qrels", [*QRELS[:6], "MCAP 2287 1", "?", *QRELS[6:]])
    stream = datasets.RCV1(folder, on_error="skip")
    assert stream.n_skipped == 0
    assert [(x, on(y)) for x, y in stream] == list(zip(XS, YS, strict=True))
    assert stream.n_skipped == 4
    assert stream.skipped == (
        "rcv1-v2.topics.qrels, line 7: label 'MCAP' is not in the taxonomy (9 nodes); "
        "did you mean 'MCAT'?",
        "rcv1-v2.topics.qrels, line 8: expected `topic document 1`, got '?'",
        "lyrl2004_vectors_train.dat, line 3: expected `term:weight`, got '7:x'",
        "lyrl2004_vectors_train.dat, line 4: document 2289 has no topic in rcv1-v2.topics.qrels",
    )
    assert len(list(stream)) == 3
    assert stream.n_skipped == 4  # anew, each time
    with pytest.raises(ValueError, match=r"^`on_error` must be 'raise' or 'skip', got 'ignore'"):
        datasets.RCV1(on_error="ignore")


def test_a_document_without_a_sound_topic_is_skipped(folder):
    lines = [line.replace("MCAT 2287", "MCAP 2287") for line in QRELS]
    write(folder / "rcv1-v2.topics.qrels", lines)
    stream = datasets.RCV1(folder, on_error="skip")
    assert [x for x, _ in stream] == [XS[0], XS[2]]
    assert stream.n_skipped == 2
    assert stream.skipped[1].endswith("document 2287 has no topic in rcv1-v2.topics.qrels")


def test_files_of_which_nothing_is_left(folder):
    write(folder / "lyrl2004_vectors_train.dat", ["2286 7;0.6", "2287 9;1.0"])
    stream = datasets.RCV1(folder, on_error="skip")
    with pytest.raises(
        ValueError, match=r"^every record had to be skipped \(2\): lyrl2004_vectors_tr"
    ):
        list(stream)
    assert list(stream.take(0)) == []


@pytest.mark.parametrize("parts", ["train", (), ("train", "tests"), (0,), 5, ([],)])
def test_wrong_parts(parts):
    with pytest.raises(
        ValueError, match=r"`subsets` must be a list or tuple of some of \('train',"
    ):
        datasets.RCV1(subsets=parts)


@pytest.mark.parametrize("topics", [102, [103], None])
def test_wrong_topics(topics):
    with pytest.raises(ValueError, match=r"`topics` must be 103 or 101, got "):
        datasets.RCV1(topics=topics)


def test_a_file_cannot_be_downloaded_into(folder):
    with pytest.raises(NotADirectoryError, match=r"^`path` must be a folder to download into, got"):
        datasets.RCV1(folder / "rcv1-v2.topics.qrels").download()
