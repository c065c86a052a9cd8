"""OHSUMED downloaded, from folders in place of its publishers'."""

from __future__ import annotations

import pytest

from river_hier import datasets
from river_hier.datasets import ohsumed
from support.corpora import on
from support.ohsumed_corpus import FILES, YS, data, write_tar_gz


@pytest.fixture
def home(tmp_path, monkeypatch):
    """An empty data home, and a site with what is downloaded to it."""
    site = tmp_path / "site"
    site.mkdir()
    write_tar_gz(site, {"trec9-train/ohsumed.87": FILES["ohsumed.87"]}, ohsumed._ARCHIVE)
    (site / ohsumed._TREE).write_bytes(data(FILES["mtrees2015.bin"]))
    for name in (ohsumed._ARCHIVE, ohsumed._TREE):
        monkeypatch.setitem(ohsumed._ADDRESSES, name, (site / name).as_uri())
    monkeypatch.setenv("RIVER_DATA", str(tmp_path / "home"))
    return tmp_path / "home" / "OHSUMED"


def names(folder):
    return {path.name for path in folder.iterdir()} if folder.exists() else set()


def test_downloading_when_it_is_needed(home):
    stream = datasets.OHSUMED(root="C08")
    repr(stream)
    assert names(home) == set()
    assert len(stream.taxonomy) == 8
    assert names(home) == {ohsumed._TREE}
    assert [on(y) for _, y in stream] == YS
    assert names(home) == {ohsumed._TREE, ohsumed._ARCHIVE}
    assert [on(y) for _, y in datasets.OHSUMED(root="C08").take(2)] == YS[:2]


def test_what_was_unpacked_is_not_unpacked_again(home):
    home.mkdir(parents=True)
    (home / "ohsumed.87").write_bytes(data(FILES["ohsumed.87"]))
    stream = datasets.OHSUMED(root="C08")
    assert [on(y) for _, y in stream] == YS
    assert names(home) == {ohsumed._TREE, "ohsumed.87"}  # nor downloaded
    stream.download()
    (home / "ohsumed.87").write_bytes(data(FILES["ohsumed.87"][:16]))
    assert [on(y) for _, y in stream] == YS[:1]


def test_a_tree_of_ones_own(home, tmp_path):
    stream = datasets.OHSUMED(root="C08", mesh=tmp_path / "site" / ohsumed._TREE)
    assert [on(y) for _, y in stream] == YS
    assert names(home) == {ohsumed._ARCHIVE}


def test_downloading_into_a_folder(home, tmp_path):
    stream = datasets.OHSUMED(tmp_path / "mine", root="C08")
    with pytest.raises(FileNotFoundError, match="there is no file or folder"):
        list(stream)
    stream.download()
    assert [on(y) for _, y in stream] == YS
    assert names(home) == set()


def test_the_publisher_is_away(home, tmp_path):
    (tmp_path / "site" / ohsumed._ARCHIVE).unlink()
    with pytest.raises(ConnectionError, match=r"or put t9.filtering.tar.gz into '.*OHSUMED' your"):
        list(datasets.OHSUMED(root="C08"))
