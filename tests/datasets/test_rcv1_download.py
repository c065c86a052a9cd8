"""RCV1 downloaded, from a local server in place of its publisher's."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple

import pytest

from river_hier import datasets
from river_hier.datasets import rcv1
from support.corpora import on
from support.file_server import serving
from support.rcv1_corpus import HIERARCHY, QRELS, TRAIN, VECTORS, YS, write


class Publisher(NamedTuple):
    site: Path
    home: Path
    address: str
    paths: list[str]

    @property
    def asked(self) -> list[str]:
        """The names of the files that were asked for."""
        return [path.rpartition("/")[2] for path in self.paths]


@pytest.fixture
def publisher(tmp_path, monkeypatch):
    """A server of small files, in place of the publisher's, and an empty data home."""
    site = tmp_path / "site"
    lines = {
        "a02-orig-topics-hierarchy/rcv1.topics.hier.orig": HIERARCHY,
        "a08-topic-qrels/rcv1-v2.topics.qrels.gz": QRELS,
        f"a13-vector-files/{TRAIN}": VECTORS,
    }
    for name, content in lines.items():
        path = site / name
        path.parent.mkdir(parents=True)
        write(path, content, pack=name.endswith(".gz"))
        monkeypatch.setitem(rcv1._SHA256, path.name, hashlib.sha256(path.read_bytes()).hexdigest())
    home = tmp_path / "home"
    monkeypatch.setenv("RIVER_DATA", str(home))

    with serving(site) as (address, asked):
        monkeypatch.setattr(rcv1, "_ADDRESSES", (address,))
        yield Publisher(site, home, address, asked)


def test_downloading_when_it_is_needed(publisher):
    stream = datasets.RCV1()
    repr(stream)
    prefix = stream.take(2)
    assert publisher.asked == []
    assert not publisher.home.exists()
    assert len(stream.taxonomy) == 9
    assert publisher.asked == ["rcv1.topics.hier.orig"]
    assert [on(y) for _, y in prefix] == YS[:2]
    assert [on(y) for _, y in stream] == YS
    assert publisher.asked == ["rcv1.topics.hier.orig", "rcv1-v2.topics.qrels.gz", TRAIN]
    assert {path.name for path in (publisher.home / "RCV1").iterdir()} == set(publisher.asked)


def test_downloading_into_a_folder(publisher, tmp_path):
    stream = datasets.RCV1(tmp_path / "mine")
    with pytest.raises(FileNotFoundError):
        list(stream)
    assert publisher.asked == []
    stream.download()
    assert [on(y) for _, y in stream] == YS
    stream.download()
    assert len(publisher.asked) == 3
    assert not publisher.home.exists()


def test_the_mirror(publisher, monkeypatch):
    monkeypatch.setattr(rcv1, "_ADDRESSES", (f"{publisher.address}/gone", publisher.address))
    assert [on(y) for _, y in datasets.RCV1()] == YS
    assert len(publisher.asked) == 6


def test_neither_of_them(publisher, monkeypatch):
    monkeypatch.setattr(rcv1, "_ADDRESSES", tuple(f"{publisher.address}/{i}" for i in range(2)))
    with pytest.raises(ConnectionError, match=r"/1/a02-.*: the server answered 404"):
        list(datasets.RCV1())


def test_a_download_with_other_bytes(publisher):
    write(publisher.site / f"a13-vector-files/{TRAIN}", VECTORS[:1], pack=True)
    with pytest.raises(ValueError, match=f"{TRAIN}: the SHA-256 is"):
        list(datasets.RCV1())
    assert TRAIN not in {path.name for path in (publisher.home / "RCV1").iterdir()}
