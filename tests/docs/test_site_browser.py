"""The documentation site as a reader meets it: built strictly, served here, opened in a browser."""

import functools
import os
import subprocess
import sys
import threading
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest

import river_hier
from support.paths import ROOT
from support.requirements import require_module, require_program

pytestmark = pytest.mark.slow

SITE = ROOT / "build" / "site"
WIDE, PHONE = {"width": 1300, "height": 900}, {"width": 375, "height": 740}
# What is wrong with a page as it is laid out; an empty list if nothing is.
LAID_OUT = r"""() => {
  const prose = document.querySelector("article").cloneNode(true);
  prose.querySelectorAll("code, pre, .arithmatex").forEach((e) => e.remove());
  const raw = prose.textContent.match(/.{0,40}([$`]|\*\*|\[\^|:::)/g) ?? [];
  const images = [...document.images].filter((i) => i.checkVisibility() && !i.naturalWidth);
  const formulas = [...document.querySelectorAll(".arithmatex")].filter(
    (f) => !f.querySelector(".katex-html") || f.innerHTML.includes("#cc0000")); // its errors' red
  const covered = [...document.querySelectorAll(".katex-base + .katex-tag")].filter((tag) =>
    tag.previousSibling.getBoundingClientRect().right > tag.getBoundingClientRect().left + 1);
  const wide = document.documentElement.scrollWidth > innerWidth;
  return [
    ...images.map((image) => `not loaded: ${image.src}`),
    ...[...document.images].filter((i) => !i.alt).map((i) => `says nothing: ${i.src}`),
    ...formulas.map((formula) => `not set: ${formula.textContent}`),
    ...covered.map((tag) => `its number is on a formula: ${tag.parentElement.textContent}`),
    ...raw.map((text) => `Markdown is left: ${text}`),
    ...(wide ? [`scrolls sideways at a width of ${innerWidth}`] : []),
  ];
}"""
# The index of the search takes longer to load than the page.
NO_WORKER = "window.Worker = class extends EventTarget { postMessage() {} }"

fcntl = pytest.importorskip("fcntl")
playwright = require_module("playwright.sync_api", "docs")
for needed in ("zensical", "mkdocstrings", "matplotlib"):
    require_module(needed, "docs")
make, _, chromium = (
    require_program("make"),
    require_program("npm"),
    require_program("chromium", "chromium-browser", "google-chrome"),
)


class Quiet(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        """Not into the tests' output."""


class Links(HTMLParser):
    """Anchors of a page, and the addresses that it needs or leads to."""

    def __init__(self, page):
        super().__init__()
        self.anchors, self.needed, self.links = {"", "top"}, [], []
        self.feed(page.read_text("utf-8"))

    def handle_starttag(self, tag, attributes):
        known = dict(attributes)
        self.anchors |= {known[name] for name in ("id", "name") if known.get(name)}
        if tag == "a" and known.get("href"):
            self.links.append(known["href"])
        elif tag in ("img", "script") and known.get("src"):
            self.needed.append(known["src"])
        elif tag == "link" and known.get("rel") in ("stylesheet", "icon"):
            self.needed.append(known["href"])


def build():
    command = [make, "docs", f"PYTHON={sys.executable}"]
    here = os.environ | {"PYTHONPATH": str(Path(river_hier.__file__).parents[1])}
    built = subprocess.run(command, cwd=ROOT, env=here, capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Where the site is served. Of several processes that run these tests, one builds it."""
    run = tmp_path_factory.getbasetemp()
    shared = run.parent if "PYTEST_XDIST_WORKER" in os.environ else run
    with (shared / "site").open("a+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.fstat(lock.fileno()).st_size:
            build()
            lock.write("built")
    serve = functools.partial(Quiet, directory=SITE)
    with ThreadingHTTPServer(("127.0.0.1", 0), serve) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def browser(address):
    quiet = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
    quiet += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
    with playwright.sync_playwright() as started:
        chrome = started.chromium.launch(executable_path=chromium, args=quiet)
        yield chrome
        chrome.close()


class Reader:
    """A window, and all that went wrong in it."""

    def __init__(self, browser, address):
        self.address, self.wrong = address, []
        self.window = browser.new_page(viewport=WIDE, color_scheme="light")
        self.window.on("console", self.said)
        self.window.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.window.on("request", self.asked)
        self.window.on("requestfailed", self.failed)

    def said(self, message):
        if message.type in ("error", "warning"):  # an answer of 404 is among them
            self.wrong.append(f"{message.text} {message.location}")

    def asked(self, request):
        if not request.url.startswith((self.address, "data:", "blob:")):
            self.wrong.append(f"asked for {request.url}")

    def failed(self, request):
        if request.failure != "net::ERR_ABORTED":  # by going on to the next page
            self.wrong.append(f"{request.failure}: {request.url}")

    def open(self, page):
        self.window.goto(self.address + page)
        return self.window

    def look(self, page):
        self.wrong += [f"{page}: {what}" for what in self.window.evaluate(LAID_OUT)]


@pytest.fixture
def reader(browser, address):
    reader = Reader(browser, address)
    yield reader
    reader.window.close()
    assert not reader.wrong


def html():
    """Every page, by its address."""
    files = sorted(SITE.rglob("*.html"))
    return {str(file.relative_to(SITE)).removesuffix("index.html"): file for file in files}


@pytest.mark.usefixtures("address")
def test_links_lead_somewhere():
    wrong = []
    parsed = {page: Links(file) for page, file in html().items()}
    for page, links in parsed.items():
        for link in links.needed + links.links:
            to = urlsplit(urljoin(f"http://site/{page}", link))
            if to.netloc != "site":
                if link in links.needed or to.scheme not in ("http", "https", "mailto"):
                    wrong.append((page, link))
                continue
            target = unquote(to.path).removeprefix("/")
            if target in parsed:
                there = unquote(to.fragment) in parsed[target].anchors
            else:
                there = (SITE / target).is_file()
            if not there:
                wrong.append((page, link))
    assert not wrong
    assert len(parsed) > 100


def test_every_page_on_a_phone(reader):
    reader.window.set_viewport_size(PHONE)
    reader.window.add_init_script(NO_WORKER)
    for page in html():
        reader.open(page)
        reader.look(page)


@pytest.mark.parametrize(
    "page",
    ["", "metrics/", "performance/", "api/", "api/linear_model/HAROW/", "gallery/04_regret/"],
)
def test_every_kind_of_page_on_a_screen(reader, page):
    reader.open(page)
    reader.look(page)


def test_the_gallery_shows_pictures(reader):
    window = reader.open("gallery/")
    shown = window.locator("article img:visible")
    assert shown.count() >= 12
    assert all(shown.nth(i).get_attribute("alt") for i in range(shown.count()))
