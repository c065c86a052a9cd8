"""What HMC says of files that are broken, foreign, cut off or missing."""

from __future__ import annotations

import gzip
import re

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from river_hier import datasets
from support.hmc_corpus import DAG_HEADER, HEADER, ROWS, TRAINVALID, XS, YS, read, text, write_parts
from support.hypothesis_settings import n_examples

ROW = ROWS["train"][0]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("0.15,left,7,x,01,02", "expected 5 values, got 6"),
        ("0.15,left,7", "expected 5 values, got 3"),
        ("<p>", "expected 5 values, got 1"),
        ("0.1.5,left,7,x,01", "feature 'alpha 14' is '0.1.5'"),
        ("nan,left,7,x,01", "feature 'alpha 14' is nan"),
        ("1,left,-inf,x,01", 'feature "50% o\'clock" is -inf'),
        (",left,7,x,01", "feature 'alpha 14' is ''"),
        ("1,up,7,x,01", "feature 'strand' is 'up', expected one of ('left', 'a, b', 'right')"),
        ("1,'left,7,x,01", 'a quote is not closed in "\'left,7,x,01"'),
        ("1,left,7,x,?", "expected labels joined by @, got none"),
        ("1,left,7,x,", "label '' is not in the taxonomy (5 nodes)"),
        (
            "1,left,7,x,01@01/02",
            "label '01/02' is not in the taxonomy (5 nodes); did you mean '01/01'?",
        ),
        ("{1 0.5}", "expected labels joined by @, got none"),
        ("{}", "expected labels joined by @, got none"),
        ("{1 0.5, 5 01", "expected } at the end"),
        ("{0 0.5, 5 01}", "there is no attribute 0, expected 1 to 5"),
        ("{6 0.5, 5 01}", "there is no attribute 6, expected 1 to 5"),
        ("{1 0.5, 1 0.5, 5 01}", "attribute 1 comes twice"),
        ("{1 0.5, 2, 5 01}", "expected `number value`, got '2'"),
        ("{1 0.5,, 5 01}", "expected `number value`, got ''"),
        ("{-1 0.5, 5 01}", "expected `number value`, got '-1 0.5'"),
        ("{1 x, 5 01}", "feature 'alpha 14' is 'x'"),
        ("{2 up, 5 01}", "feature 'strand' is 'up', expected one of ('left', 'a, b', 'right')"),
    ],
)
def test_broken_rows(tmp_path, row, message):
    (tmp_path / "mine.arff").write_text(text([ROW, row, ROW]))
    with pytest.raises(ValueError, match="line 11") as error:
        list(datasets.HMC(tmp_path / "mine.arff"))
    assert str(error.value).startswith(f"mine.arff, line 11: {message}")
    skipping = datasets.HMC(tmp_path / "mine.arff", on_error="skip")
    assert len(list(skipping)) == 2
    assert skipping.n_skipped == 1
    assert skipping.skipped == (str(error.value),)


@pytest.mark.parametrize(
    ("line", "wrong", "message"),
    [
        (3, "@attribute x", "expected `@attribute name type`, got '@attribute x'"),
        (
            3,
            "@attribute x date",
            "attribute 'x' has type 'date', expected numeric, string, {value, ...} or hierarchical "
            "with its classes",
        ),
        (3, "@attribute x numeric 3", "attribute 'x' has type 'numeric 3', expected numeric, "),
        (3, "@attribute x hierarchical", "attribute 'x' has type 'hierarchical', expected numeric"),
        (3, "@attribute x {a,'b}", 'a quote is not closed in "\'b"'),
        (3, "0.5,left", "expected @relation, @attribute or @data, got '0.5,left'"),
        (7, "@attribute c hierarchical 1,,2", "class '': expected a path such as `a/b`"),
        (7, "@attribute c hierarchical 1,1//2", "class '1//2': expected a path such as `a/b`"),
        (
            7,
            f"@attribute c hierarchical 1,{'/'.join('1' * 101)}",
            "expected a path of at most 100 levels, got 101",
        ),
        (7, "@attribute c hierarchical root/1,2", "class '2': expected `parent/child`"),
        (7, "@attribute c hierarchical root/1,1/2/3", "class '1/2/3': expected `parent/child`"),
        (7, "@attribute c hierarchical root/1,1/1", "edge 1 makes node '1' its own parent"),
        (7, "@attribute c hierarchical root/1,1/2,2/1", "the edges hold a cycle: '"),
    ],
)
def test_broken_headers(tmp_path, line, wrong, message):
    header = [*HEADER]
    header[line] = wrong
    (tmp_path / "mine.arff").write_text(text([ROW], header))
    for on_error in ("raise", "skip"):  # without a header nothing can be skipped
        with pytest.raises(ValueError, match=r"^mine\.arff, line") as error:
            datasets.HMC(tmp_path / "mine.arff", on_error=on_error)
        assert str(error.value).startswith(f"mine.arff, line {line + 1}: {message}")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (text([], HEADER[:-1]), "ends before @data"),
        (text([], HEADER[:-2] + HEADER[-1:]), "has 0 hierarchical attributes, expected one"),
        (text([], [*HEADER[:-1], "@attribute d hierarchical 1", "@data"]), "has 2 hierarchical"),
        ("", "is empty, expected text"),
        ("<!DOCTYPE html>\n", "is a web page, expected text"),
        ("PK\3\4", "is cut off"),
    ],
)
def test_files_that_are_no_arff(tmp_path, data, message):
    (tmp_path / "mine.arff").write_text(data)
    with pytest.raises(ValueError, match=rf"^mine\.arff {message}"):
        list(datasets.HMC(tmp_path / "mine.arff"))


def test_text_in_another_encoding(tmp_path):
    rows = [ROW, ROW.replace("x y", "M\xe4use")]
    (tmp_path / "mine.arff").write_bytes(text(rows).encode("latin-1"))
    with pytest.raises(ValueError, match=r"^mine\.arff is not text after line"):
        list(datasets.HMC(tmp_path / "mine.arff"))


def test_a_file_that_is_cut_off(tmp_path):
    whole = gzip.compress(text(f"{i / 7},left,7,x,01" for i in range(5_000)).encode())
    (tmp_path / "mine.arff.gz").write_bytes(whole[:-1_000])
    with pytest.raises(ValueError, match=r"^mine\.arff is cut off after line [\d,]+; delete it"):
        list(datasets.HMC(tmp_path / "mine.arff.gz"))


def test_what_is_skipped_is_counted(tmp_path):
    folder = write_parts(tmp_path / "yeast")
    (folder / "yeast_FUN.train.arff").write_text(text([ROWS["train"][0], "?", *ROWS["train"][1:]]))
    stream = datasets.HMC(folder, on_error="skip")
    assert stream.n_skipped == 0
    assert read(stream) == TRAINVALID
    assert stream.skipped == ("yeast_FUN.train.arff, line 11: expected 5 values, got 1",)
    with pytest.raises(ValueError, match="`on_error` must be 'raise' or 'skip', got 'ignore'"):
        datasets.HMC(folder, on_error="ignore")


def test_missing_files(tmp_path, monkeypatch):
    monkeypatch.setenv("RIVER_DATA", str(tmp_path / "home"))
    stream = datasets.HMC(dataset="cellcycle_FUN")  # says nothing yet
    with pytest.raises(FileNotFoundError, match=r"there is no file or folder '.*home/HMC'; get"):
        list(stream)
    folder = write_parts(tmp_path / "home" / "HMC")
    assert repr(stream)
    with pytest.raises(FileNotFoundError) as error:
        list(stream)
    assert str(error.value) == (
        f"'{folder}' lacks cellcycle_FUN.train.arff; get them, with or without .gz, from "
        "https://dtai.cs.kuleuven.be/clus/hmcdatasets/ or another publisher of the collection, and "
        "keep their names"
    )
    assert read(datasets.HMC(dataset="yeast_FUN", subsets=("test",))) == (XS["test"], YS["test"])
    (folder / "yeast_FUN.valid.arff").unlink()
    with pytest.raises(FileNotFoundError, match=r"lacks yeast_FUN\.valid\.arff; get"):
        list(datasets.HMC(dataset="yeast_FUN", subsets=("valid",)))
    (folder / "yeast_FUN.train.arff").unlink()
    (folder / "yeast_FUN.test.arff").unlink()
    with pytest.raises(FileNotFoundError, match=r"lacks NAME\.train\.arff; get"):
        list(datasets.HMC())


def test_several_collections(tmp_path):
    write_parts(tmp_path, "b")
    write_parts(tmp_path, "a")
    with pytest.raises(ValueError, match="`dataset` must be one of 'a', 'b', got None"):
        datasets.HMC(tmp_path)
    write_parts(tmp_path, "a", "_")
    with pytest.raises(
        ValueError, match=re.escape("a.test.arff and a_test.arff are the same subset of 'a'")
    ):
        datasets.HMC(tmp_path, "a")


@pytest.mark.parametrize("parts", ["train", (), ("train", "tests"), (0,)])
def test_wrong_parts(parts):
    with pytest.raises(ValueError, match=r"`subsets` must be a list or tuple of some of \('trainv"):
        datasets.HMC(subsets=parts)


@given(data=st.data())
@n_examples(80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.parametrize("packed", [False, True])
def test_any_bytes_are_examples_or_value_errors(tmp_path, packed, data):
    rows = [row for rows in ROWS.values() for row in rows]
    header = data.draw(st.sampled_from([HEADER, DAG_HEADER]))
    whole = text(rows if header is HEADER else ["1,G3", "{1 2, 2 G4@G1}", "?,G2"], header).encode()
    broken = bytearray(gzip.compress(whole, mtime=0) if packed else whole)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(broken) - 1))
        new = data.draw(st.binary(max_size=3) | st.sampled_from([b"\n", b",", b"{", b"'", b"@"]))
        broken[at : at + data.draw(st.integers(0, 3))] = new
    path = tmp_path / "mine.arff"
    path.write_bytes(broken)
    for on_error in ("raise", "skip"):
        said = "mine.arff"
        try:
            stream = datasets.HMC(path, on_error=on_error)
            labels = list(stream.taxonomy.nodes[1:])
            for _, y in stream:
                assert list(y) == labels
        except ValueError as error:
            said = str(error)
        assert "mine.arff" in said
