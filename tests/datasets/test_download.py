"""Fetching from a local server that hangs up or sends other bytes."""

import gzip
import hashlib
import http.server
import io
import socket
import sys
import tarfile
import threading
import zipfile

import pytest

pytest.importorskip("pooch", reason="downloads need the extra `download`")
from river_hier import datasets
from river_hier.datasets import file_dataset, ohsumed

CONTENT = bytes(range(256)) * 2_000  # 512,000 bytes: several chunks
SHA256 = hashlib.sha256(CONTENT).hexdigest()


class Server(http.server.ThreadingHTTPServer):
    """Serves `content` under any path, and counts the requests."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.content = CONTENT
        self.hangs_up_after = None
        self.chunked = False
        self.status = 0
        self.asked = 0

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/vectors.gz"


class Handler(http.server.BaseHTTPRequestHandler):
    server: Server

    def do_GET(self):
        self.server.asked += 1
        content = self.server.content
        if self.server.status:
            self.send_error(self.server.status)
            return
        self.send_response(200)
        if self.server.chunked:
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.write(b"1000\r\n" + content[:100])  # promises 4,096 bytes
            self.close_connection = True
            return
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: self.server.hangs_up_after])

    def log_message(self, *args):
        pass


class ChunkedHandler(Handler):
    protocol_version = "HTTP/1.1"


@pytest.fixture
def server():
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "RCV1" / "vectors.gz"


@pytest.mark.parametrize("left", [None, b"x" * 300_000])
def test_a_file_is_downloaded_whatever_was_left(server, path, left):
    if left:
        path.parent.mkdir()
        path.with_name("vectors.gz.part").write_bytes(left)
    assert file_dataset.fetch(server.url, path, SHA256.upper()) == path
    assert path.read_bytes() == CONTENT
    assert list(path.parent.iterdir()) == [path]


def test_a_file_that_is_there_is_left_alone(server, path):
    path.parent.mkdir()
    path.write_bytes(b"mine")
    file_dataset.fetch(server.url, path, SHA256)
    assert path.read_bytes() == b"mine"
    assert server.asked == 0


@pytest.mark.parametrize("chunked", [False, True])
def test_a_server_that_hangs_up(server, path, chunked):
    server.RequestHandlerClass = ChunkedHandler if chunked else Handler
    server.chunked, server.hangs_up_after = chunked, 200_000
    with pytest.raises(ConnectionError, match=f"^{server.url}: .*(I|i)ncomplete"):
        file_dataset.fetch(server.url, path)
    assert list(path.parent.iterdir()) == []


def test_other_bytes_are_deleted(server, path):
    server.content = b"<html>moved</html>"
    with pytest.raises(
        ValueError, match=f"expected {SHA256} but got [0-9a-f]{{64}}; the download was deleted$"
    ):
        file_dataset.fetch(server.url, path, SHA256)
    assert list(path.parent.iterdir()) == []
    server.content = CONTENT
    file_dataset.fetch(server.url, path, SHA256)
    assert path.read_bytes() == CONTENT


def test_ctrl_c_leaves_no_file(server, path, monkeypatch):
    def pressed(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("tqdm.auto.tqdm.update", pressed)
    with pytest.raises(KeyboardInterrupt):
        file_dataset.fetch(server.url, path, SHA256)
    assert not path.exists()


def test_a_refusal_and_no_server(server, path):
    server.status = 404
    with pytest.raises(ConnectionError, match="404 Client Error: Not Found"):
        file_dataset.fetch(server.url, path)
    with socket.create_server(("127.0.0.1", 0)) as closed:
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/vectors.gz"
    with pytest.raises(ConnectionError, match=r"vectors.gz: .*Connection refused"):
        file_dataset.fetch(url, path)


def test_without_the_extra(server, path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(ImportError, match=r"'river-hier\[download\]'; or put http.* yourself"):
        file_dataset.fetch(server.url, path, SHA256)


def test_a_bar(server, path, capsys):
    file_dataset.fetch(server.url, path, SHA256)
    out, err = capsys.readouterr()
    assert out == ""
    assert "100%" in err


def test_a_mirror_is_asked_when_another_sends_other_bytes(server, tmp_path, monkeypatch):
    server.content = b"moved"
    with Server() as mirror, monkeypatch.context() as patch:
        threading.Thread(target=mirror.serve_forever, args=(0.01,)).start()
        source = file_dataset.Source([server.url, mirror.url], SHA256)
        patch.setattr(datasets.RCV1, "_sources", lambda self: {"a": source})
        datasets.RCV1(tmp_path).download()
        assert (tmp_path / "a").read_bytes() == CONTENT
        mirror.content = b"moved, too"
        (tmp_path / "a").unlink()
        with pytest.raises(ValueError, match=r"deleted; or put a into '.*' yourself"):
            datasets.RCV1(tmp_path).download()
        mirror.shutdown()


TEXT = b"heading;A01\nanother;A02\n" * 9_000


def packed(kind):
    raw = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(raw, "w", zipfile.ZIP_STORED) as archive:
            archive.writestr("a.txt", TEXT)
        return raw.getvalue()
    if kind == "tar.gz":
        with tarfile.open(fileobj=raw, mode="w:gz") as tar:
            member = tarfile.TarInfo("a.txt")
            member.size = len(TEXT)
            tar.addfile(member, io.BytesIO(TEXT))
        return raw.getvalue()
    return gzip.compress(TEXT) if kind == "gz" else TEXT


KINDS = ["zip", "tar.gz", "gz", "txt"]


@pytest.mark.parametrize("kind", KINDS)
def test_without_a_sum_a_whole_file_is_accepted(server, tmp_path, kind):
    server.content, path = packed(kind), tmp_path / f"a.{kind}"
    assert file_dataset.fetch(server.url, str(path)) == path
    assert path.read_bytes() == server.content


@pytest.mark.parametrize("kind", ["zip", "tar.gz", "gz"])
@pytest.mark.parametrize("damage", ["cut", "bits", "other"])
def test_without_a_sum_the_structure_is_checked(server, tmp_path, kind, damage):
    """The length that the server gives is that of the damaged file."""
    whole, path = packed(kind), tmp_path / f"a.{kind}"
    changed = bytearray(whole)
    changed[len(whole) // 2] ^= 255
    server.content = {"cut": whole[:-100], "bits": bytes(changed), "other": TEXT}[damage]
    with pytest.raises(ValueError, match=r"vectors.gz: .*; the download was deleted"):
        file_dataset.fetch(server.url, path)
    assert list(tmp_path.iterdir()) == []
    server.content = whole
    file_dataset.fetch(server.url, path)
    assert path.read_bytes() == whole


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("page", [b"", b"<!DOCTYPE html>\n<p>Sign in", b"\n <html><p>Sign in"])
def test_without_a_sum_pages_and_nothing_are_refused(server, tmp_path, kind, page):
    server.content = page
    with pytest.raises(ValueError, match="the download was deleted"):
        file_dataset.fetch(server.url, tmp_path / f"a.{kind}")
    assert list(tmp_path.iterdir()) == []


def test_a_dataset_checks_what_its_publisher_does_not(server, tmp_path, monkeypatch):
    """A list of headings that ends in the middle of a line."""
    server.content = b"Body Regions;A01\nAbdomen;A01.9"
    monkeypatch.setattr(ohsumed, "_ADDRESSES", {"mtrees2015.bin": server.url})
    with pytest.raises(ValueError, match="the download was deleted"):
        datasets.OHSUMED(tmp_path)._fetch(["mtrees2015.bin"])
    assert list(tmp_path.iterdir()) == []
