"""Corpora downloaded, from a local server in place of their publishers'."""

import contextlib
import functools
import hashlib
import http.server
import shutil
import threading
from pathlib import Path
from typing import NamedTuple

import pytest

pytest.importorskip("pooch", reason="downloads need the extra `download`")
from river_hier import datasets
from river_hier.datasets import ohsumed, rcv1, reuters21578, timit
from support import ohsumed_corpus, packing, rcv1_corpus, reuters_corpus, timit_corpus
from support.corpora import stream_of

TRAIN = rcv1_corpus.TRAIN
ARCHIVE, TREE = ohsumed._ARCHIVE, ohsumed._TREE


class Publisher(NamedTuple):
    site: Path
    home: Path
    address: str
    paths: list[str]

    @property
    def asked(self):
        """The names of the files that were asked for."""
        return [path.rpartition("/")[2] for path in self.paths]


@contextlib.contextmanager
def serving(site):
    """The address of a server of the files in a folder, and the paths that it is asked for."""
    asked = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            super().do_GET()

        def log_message(self, *args):
            pass

    handler = functools.partial(Handler, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}", asked
        server.shutdown()
        thread.join()


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def publish_rcv1(site, local, patch):
    rcv1_corpus.write_corpus(local)
    sections = rcv1._SECTIONS | {TRAIN: rcv1._VECTORS_SECTION}
    for name, section in sections.items():
        path = site / section / name
        path.parent.mkdir(parents=True)
        lines = (local / name.removesuffix(".gz")).read_text().splitlines()
        rcv1_corpus.write(path, lines, pack=name.endswith(".gz"))
        patch.setitem(rcv1._SHA256, name, sha256(path))


def publish_reuters(site, local, patch):
    archive = packing.tarred(reuters_corpus.write_corpus(local))
    patch.setattr(reuters21578, "_SHA256", sha256(archive.rename(site / "reuters21578.tar.gz")))


def publish_ohsumed(site, local, patch):
    ohsumed_corpus.write_folder(local)
    shutil.copy(local / "mtrees2015.bin", site / TREE)
    records = {"trec9-train/ohsumed.87": ohsumed_corpus.RECORDS}
    ohsumed_corpus.write_tar_gz(site, records, ARCHIVE)


def publish_timit(site, local, patch):
    pytest.importorskip("kaldi_native_fbank", reason="speech needs the extra `audio`")
    packing.zipped(timit_corpus.write_sample(local)).rename(site / "timit.zip")


# What publishes a corpus, and the files that are downloaded: for the taxonomy, and for the rest.
PUBLISHED = {
    "OHSUMED": (publish_ohsumed, [TREE], [ARCHIVE]),
    "RCV1": (publish_rcv1, [rcv1._HIERARCHY], [rcv1._QRELS, TRAIN]),
    "Reuters21578": (publish_reuters, ["reuters21578.tar.gz"], []),
    "TIMIT": (publish_timit, [], ["timit.zip"]),
}
each = pytest.mark.parametrize("name", PUBLISHED)


@pytest.fixture
def publisher(name, tmp_path, monkeypatch):
    """A server of a small corpus, in place of the publisher's, and an empty data home."""
    site, local = tmp_path / "site", tmp_path / "local"
    site.mkdir()
    local.mkdir()
    PUBLISHED[name][0](site, local, monkeypatch)
    monkeypatch.setenv("RIVER_DATA", str(tmp_path / "home"))
    with serving(site) as (address, paths):
        for file in (ARCHIVE, TREE):
            monkeypatch.setitem(ohsumed._ADDRESSES, file, f"{address}/{file}")
        monkeypatch.setattr(timit, "_ADDRESS", f"{address}/timit.zip")
        for module in (rcv1, reuters21578):
            monkeypatch.setattr(module, "_ADDRESSES", (address,))
        yield Publisher(site, tmp_path / "home" / name, address, paths)


@pytest.fixture
def examples(publisher, name, tmp_path):
    return list(stream_of(name, tmp_path / "local"))


@each
def test_downloading_when_it_is_needed(name, publisher, examples):
    _, first, then = PUBLISHED[name]
    stream = stream_of(name, None)
    repr(stream)
    prefix = stream.take(2)
    assert not publisher.asked
    assert not publisher.home.exists()
    assert len(stream.taxonomy) > 1
    assert publisher.asked == first
    assert list(prefix) == examples[:2]
    assert list(stream) == examples
    stream.download()
    assert publisher.asked == first + then
    assert {path.name for path in publisher.home.iterdir()} == {*first, *then}


@each
def test_downloading_into_a_folder(name, publisher, examples, tmp_path):
    stream = stream_of(name, tmp_path / "mine")
    with pytest.raises(FileNotFoundError, match="there is no file or folder"):
        list(stream)
    assert not publisher.asked  # a folder of your own is not filled unasked
    stream.download()
    assert list(stream) == examples
    stream.download()
    assert len(publisher.asked) == len(PUBLISHED[name][1] + PUBLISHED[name][2])
    assert not publisher.home.exists()
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(NotADirectoryError, match=r"^`path` must be a folder to download into, got"):
        stream_of(name, tmp_path / "file").download()


@each
def test_a_publisher_that_is_away(name, publisher):
    shutil.rmtree(publisher.site)
    file = (PUBLISHED[name][1] or PUBLISHED[name][2])[0]
    with pytest.raises(
        ConnectionError, match=rf"404 Client Error.*; or put {file} into '.*' yourself"
    ):
        list(stream_of(name, None))


@pytest.mark.parametrize("name", ["RCV1", "Reuters21578"])
def test_the_mirror(name, publisher, examples, monkeypatch):
    module = rcv1 if name == "RCV1" else reuters21578
    monkeypatch.setattr(module, "_ADDRESSES", (f"{publisher.address}/gone", publisher.address))
    assert list(stream_of(name, None)) == examples
    assert len(publisher.asked) == 2 * len(PUBLISHED[name][1] + PUBLISHED[name][2])


@pytest.mark.parametrize("name", ["RCV1", "Reuters21578"])
def test_a_download_with_other_bytes(name, publisher):
    file = [*PUBLISHED[name][1], *PUBLISHED[name][2]][-1]
    (path,) = publisher.site.rglob(file)
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(ValueError, match=f"{file}: SHA256 hash of downloaded file"):
        list(stream_of(name, None))
    assert file not in {path.name for path in publisher.home.iterdir()}


@pytest.mark.parametrize("name", ["OHSUMED"])
def test_records_that_are_unpacked_are_not_unpacked_again(name, publisher, examples, tmp_path):
    publisher.home.mkdir(parents=True)
    shutil.copy(tmp_path / "local" / "ohsumed.87", publisher.home)
    stream = stream_of(name, None)
    assert list(stream) == examples
    assert publisher.asked == [TREE]  # nor downloaded
    stream.download()
    (publisher.home / "ohsumed.87").write_bytes(ohsumed_corpus.data(ohsumed_corpus.RECORDS[:16]))
    assert list(stream) == examples[:1]


@pytest.mark.parametrize("name", ["OHSUMED"])
def test_a_tree_of_ones_own(name, publisher, examples):
    assert list(stream_of(name, None, mesh=publisher.site / TREE)) == examples
    assert publisher.asked == [ARCHIVE]


@pytest.mark.parametrize("name", ["TIMIT"])
def test_the_licensed_corpus_takes_the_place_of_the_sample(name, publisher, examples):
    timit_corpus.write_licensed(publisher.home)
    assert len(datasets.TIMIT().utterances) == 5
    assert not publisher.asked
    shutil.rmtree(publisher.home)
    segments = list(datasets.TIMITSegments())
    assert publisher.asked == ["timit.zip"]
    timit_corpus.write_licensed(publisher.home)
    assert len(datasets.TIMIT().utterances) == 5
    assert {y for _, y in segments} >= {y for _, y in examples}
