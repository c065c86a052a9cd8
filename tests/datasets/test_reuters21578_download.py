"""Reuters-21578 downloaded, from a local server in place of its publisher's."""

from __future__ import annotations

import hashlib

import pytest

from river_hier import datasets
from river_hier.datasets import reuters21578
from support.file_server import serving
from support.packing import tarred
from support.reuters_corpus import ALL, XS, write_corpus


@pytest.fixture
def publisher(tmp_path, monkeypatch):
    """The addresses asked of a server in place of the publisher's, and an empty data home."""
    site = tmp_path / "site"
    site.mkdir()
    archive = tarred(write_corpus(tmp_path / "corpus")).rename(site / "reuters21578.tar.gz")
    monkeypatch.setenv("RIVER_DATA", str(tmp_path / "home"))
    monkeypatch.setattr(reuters21578, "_SHA256", hashlib.sha256(archive.read_bytes()).hexdigest())
    with serving(site) as (address, asked):
        monkeypatch.setattr(reuters21578, "_ADDRESSES", (f"{address}/gone", address))
        yield asked


def test_downloading_when_it_is_needed(publisher, tmp_path):
    stream = datasets.Reuters21578(subsets=ALL)
    repr(stream)
    assert not publisher
    assert len(stream.taxonomy) == 10
    assert [x for x, _ in stream] == XS
    stream.download()
    assert publisher == ["/gone/reuters21578.tar.gz", "/reuters21578.tar.gz"]
    home = tmp_path / "home" / "Reuters21578"
    assert [path.name for path in home.iterdir()] == ["reuters21578.tar.gz"]


def test_downloading_into_a_folder(publisher, tmp_path):
    stream = datasets.Reuters21578(tmp_path / "mine", subsets=ALL)
    with pytest.raises(FileNotFoundError):
        list(stream)
    assert not publisher
    stream.download()
    assert [x for x, _ in stream] == XS
    stream.download()
    assert len(publisher) == 2


def test_a_download_with_other_bytes(publisher, monkeypatch):
    monkeypatch.setattr(reuters21578, "_SHA256", "0" * 64)
    with pytest.raises(ValueError, match=r"reuters21578.tar.gz: the SHA-256 is"):
        list(datasets.Reuters21578())
