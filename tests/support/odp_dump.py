"""A small directory in the format of the ODP dumps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape

HEAD = [
    "<?xml version='1.0' encoding='UTF-8' ?>",
    "<RDF xmlns:r='http://www.w3.org/TR/RDF/' xmlns:d='http://purl.org/dc/elements/1.0/' "
    "xmlns='http://dmoz.org/rdf/'>",
    "<!-- Generated at 2016-11-01 00:02:35 EST from DMOZ 2.0 -->",
]
OPTICS = "Top/Science/Physics/Optics"
PAGES = [
    ("http://waves.example/", "Waves & optics", "Light, seen <b>as</b> a wave.", OPTICS),
    ("http://lens.example/", "Lens", "", OPTICS),
    ("http://atom.example/?a=1&b=2", "Atoms", "All about atoms.", "Top/Science/Physics"),
    ("http://news.example/", "Science news", "Weekly.", "Top/Science"),
    ("http://soccer.example/", "Soccer", "Scores.", "Top/Sports/Soccer"),
    ("http://caf\u00e9.example/", "Caf\u00e9", "Noir.", "Top/World/Fran\u00e7ais/Caf\u00e9"),
    ("http://cell.example/", "Cells", "Small.", "Top/Science/Biology"),
]


def topic(path: str, *inside: str) -> list[str]:
    return [f'<Topic r:id="{escape(path)}">', "  <catid>7</catid>", *inside, "</Topic>"]


def page(url: str, title: str, body: str, path: str, *, tagged: bool = True) -> list[str]:
    return [
        f'<ExternalPage about="{escape(url)}">',
        f"  <d:Title>{escape(title)}</d:Title>",
        f"  <d:Description>{escape(body)}</d:Description>",
        *([f"  <topic>{escape(path)}</topic>"] if tagged else []),
        "</ExternalPage>",
    ]


def content(pages: Iterable[tuple[str, str, str, str]], *, tagged: bool = True) -> Iterator[str]:
    """The lines of `content.rdf.u8`; before 2003 pages did not say their topic."""
    yield from HEAD
    last = None
    for url, title, body, path in pages:
        if path != last:
            yield from topic(path, f'  <link r:resource="{escape(url)}"></link>')
            last = path
        yield from page(url, title, body, path, tagged=tagged)
    yield "</RDF>"


def structure(paths: Iterable[str]) -> Iterator[str]:
    """The lines of `structure.rdf.u8`."""
    yield from HEAD
    yield from topic("", '  <narrow r:resource="Top/Arts"></narrow>')
    for path in paths:
        name = path.rpartition("/")[2]
        yield from topic(path, f"  <d:Title>{name}</d:Title>", '  <symbolic r:resource="a:Top/B"/>')
        yield from (f'<Alias r:id="a:{path}">', f'  <Target r:resource="{path}"/>', "</Alias>")
    yield "</RDF>"
