"""Fetching from a local server that keeps ranges, ignores them, hangs up or sends other bytes."""

import contextlib
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

from river_hier import datasets
from river_hier.datasets import file_dataset, ohsumed

CONTENT = bytes(range(256)) * 2_000  # 512,000 bytes: several chunks
SHA256 = hashlib.sha256(CONTENT).hexdigest()


class Server(http.server.ThreadingHTTPServer):
    """Serves `content` under any path, and keeps the Range header of every request."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.content = CONTENT
        self.keeps_ranges = True
        self.hangs_up_after = None
        self.chunked = False
        self.status = 0
        self.type = None
        self.asked = []

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/vectors.gz"


class Handler(http.server.BaseHTTPRequestHandler):
    server: Server

    def do_GET(self):
        asked = self.headers.get("Range")
        self.server.asked.append(asked)
        content, start = self.server.content, 0
        if self.server.status:
            self.send_error(self.server.status)
            return
        if asked and self.server.keeps_ranges:
            start = int(asked.removeprefix("bytes=").removesuffix("-"))
            if start >= len(content):
                self.send_response(416)
                self.send_header("Content-Range", f"bytes */{len(content)}")
                self.end_headers()
                return
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        else:
            self.send_response(200)
        if self.server.type:
            self.send_header("Content-Type", self.server.type)
        if self.server.chunked:
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.write(b"1000\r\n" + content[:100])  # promises 4,096 bytes
            return
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        self.wfile.write(content[start : self.server.hangs_up_after])

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


@pytest.fixture
def part(path):
    path.parent.mkdir()
    return path.with_name("vectors.gz.part")


@pytest.mark.parametrize(
    ("there", "keeps_ranges", "asked"),
    [
        (b"", True, [None]),
        (CONTENT[:300_000], True, ["bytes=300000-"]),
        (b"x" * 300_000, False, ["bytes=300000-"]),  # the server ignores ranges: it starts anew
        (CONTENT, True, [f"bytes={len(CONTENT)}-"]),  # stopped before the renaming
        (CONTENT + b"more", True, [f"bytes={len(CONTENT) + 4}-", None]),
    ],
)
def test_a_part_is_continued(server, path, part, there, keeps_ranges, asked):
    server.keeps_ranges = keeps_ranges
    if there:
        part.write_bytes(there)
    assert file_dataset.fetch(server.url, path, SHA256.upper()) == path
    assert path.read_bytes() == CONTENT
    assert server.asked == asked
    assert list(path.parent.iterdir()) == [path]


def test_a_file_that_is_there_is_left_alone(server, path):
    path.parent.mkdir()
    path.write_bytes(b"mine")
    file_dataset.fetch(server.url, path, SHA256)
    assert path.read_bytes() == b"mine"
    assert server.asked == []


def test_a_server_that_hangs_up_is_resumed(server, path):
    server.hangs_up_after = 200_000
    with pytest.raises(ConnectionError, match=r"after 200,000 of 512,000 bytes; call again to r"):
        file_dataset.fetch(server.url, path, SHA256)
    assert not path.exists()
    server.hangs_up_after = None
    file_dataset.fetch(server.url, path, SHA256)
    assert path.read_bytes() == CONTENT
    assert server.asked == [None, "bytes=200000-"]


def test_a_server_that_hangs_up_without_saying_the_length(server, path):
    server.RequestHandlerClass = ChunkedHandler
    server.chunked = True
    with pytest.raises(ConnectionError, match=r"stopped midway .*call again to resume"):
        file_dataset.fetch(server.url, path, SHA256)
    assert not path.exists()


@pytest.mark.parametrize("there", [b"", b"x" * 1_000])
def test_other_bytes_are_deleted(server, path, part, there):
    """Those of the server, or those of an earlier call."""
    if there:
        part.write_bytes(there)
    else:
        server.content = b"<html>moved</html>"
    found = hashlib.sha256(there + server.content[len(there) :]).hexdigest()
    with pytest.raises(ValueError, match="call again to start over") as error:
        file_dataset.fetch(server.url, path, SHA256)
    assert f"the SHA-256 is {found}, expected {SHA256}" in str(error.value)
    assert list(path.parent.iterdir()) == []
    server.content = CONTENT
    file_dataset.fetch(server.url, path, SHA256)
    assert path.read_bytes() == CONTENT


def test_ctrl_c_leaves_the_part_alone(server, path, monkeypatch):
    @contextlib.contextmanager
    def pressed(url, done, total):
        def report(n):
            raise KeyboardInterrupt

        yield report

    with monkeypatch.context() as patch:
        patch.setattr(file_dataset, "_progress", pressed)
        with pytest.raises(KeyboardInterrupt):
            file_dataset.fetch(server.url, path, SHA256)
    (part,) = path.parent.iterdir()
    assert part.name == "vectors.gz.part"
    assert CONTENT.startswith(part.read_bytes())
    done = part.stat().st_size
    assert done > 0
    file_dataset.fetch(server.url, path, SHA256)
    assert path.read_bytes() == CONTENT
    assert server.asked == [None, f"bytes={done}-"]


def test_a_refusal_and_no_server(server, path):
    server.status = 404
    with pytest.raises(ConnectionError, match="the server answered 404 Not Found"):
        file_dataset.fetch(server.url, path)
    with socket.create_server(("127.0.0.1", 0)) as closed:
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/vectors.gz"
    with pytest.raises(ConnectionError, match=r"vectors.gz: no answer \("):
        file_dataset.fetch(url, path)


def test_one_line_without_tqdm(server, path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    file_dataset.fetch(server.url, path, SHA256)
    assert capsys.readouterr().out == f"Downloading {server.url} (0.5 MB)\n"


def test_a_bar_with_tqdm(server, path, part, capsys):
    pytest.importorskip("tqdm")
    part.write_bytes(CONTENT[:256_000])
    file_dataset.fetch(server.url, path, SHA256)
    out, err = capsys.readouterr()
    assert out == ""
    assert "vectors.gz" in err
    assert "100%" in err


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
    with pytest.raises(ValueError, match=r"vectors.gz: .*; the download was deleted, call again"):
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


def test_a_page_by_its_type(server, tmp_path):
    server.type = "text/html; charset=utf-8"
    for sha256 in (None, SHA256):
        with pytest.raises(ConnectionError, match="the server sent a web page"):
            file_dataset.fetch(server.url, tmp_path / "a.txt", sha256)
    assert list(tmp_path.iterdir()) == []


def test_is_downloaded(server, tmp_path, monkeypatch):
    names = "mtrees2015.bin", "t9.filtering.tar.gz"
    monkeypatch.setattr(ohsumed, "_ADDRESSES", dict.fromkeys(names, server.url))
    server.content = b"Body Regions;A01\n"
    stream, found = datasets.OHSUMED(tmp_path), []
    for name in names:
        found.append(stream.is_downloaded)
        with contextlib.suppress(ValueError):
            stream._fetch([name])
    (tmp_path / names[1].removesuffix(".gz")).touch()  # whoever unpacks may delete the archive
    assert [*found, stream.is_downloaded] == [False, False, True]
    hmc = datasets.HMC(tmp_path / "none", "Enron_corr")  # nothing of which is downloaded
    assert not hmc.is_downloaded


def test_a_dataset_checks_what_its_publisher_does_not(server, tmp_path, monkeypatch):
    """A list of headings that ends in the middle of a line."""
    server.content = b"Body Regions;A01\nAbdomen;A01.9"
    monkeypatch.setattr(ohsumed, "_ADDRESSES", {"mtrees2015.bin": server.url})
    with pytest.raises(ValueError, match="the download was deleted"):
        datasets.OHSUMED(tmp_path)._fetch(["mtrees2015.bin"])
    assert list(tmp_path.iterdir()) == []
