"""DMOZ from small dumps in the directory's format, beside a reader of the whole tree of XML."""

from __future__ import annotations

import collections
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_hier import Taxonomy, datasets
from support import odp_dump
from support.corpora import refused
from support.odp_dump import PAGES

CONTENT = list(odp_dump.content(PAGES))


def write(folder, lines=CONTENT, name="content.rdf.u8"):
    folder.mkdir(exist_ok=True)
    text = "".join(f"{line}\n" for line in lines)
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def x_of(page):
    return dict(zip(("url", "title", "body"), page[:3], strict=True))


def test_examples(tmp_path):
    stream = datasets.DMOZ(write(tmp_path))
    assert list(stream) == [(x_of(p), p[3].removeprefix("Top/")) for p in PAGES]
    assert [list(x) for x, _ in stream.take(1)] == [["title", "body", "url"]]
    assert stream.taxonomy == Taxonomy(
        [
            ("Top", "Science"),
            ("Top", "Sports"),
            ("Top", "World"),
            ("Science", "Science/Physics"),
            ("Science", "Science/Biology"),
            ("Sports", "Sports/Soccer"),
            ("World", "World/Français"),
            ("Science/Physics", "Science/Physics/Optics"),
            ("World/Français", "World/Français/Café"),
        ]
    )
    assert (stream.task, stream.n_features, stream.n_samples) == (
        "Multi-class classification", 3, None
    )  # fmt: skip


def labels(folder, **params):
    stream = datasets.DMOZ(folder, **params)
    found = [y for _, y in stream]
    assert set(found) <= set(stream.taxonomy)
    return stream.taxonomy.root, found


def test_parts(tmp_path):
    write(tmp_path)
    physics = ["Science/Physics/Optics"] * 2 + ["Science/Physics"]
    assert labels(tmp_path, topics=["Top/Science"]) == (
        "Science", [*physics, "Science", "Science/Biology"]
    )  # fmt: skip
    assert labels(tmp_path, topics=["Top/Science/Physics"]) == ("Science/Physics", physics)
    assert labels(tmp_path, topics=["Top/Science/Physics", "Top/Science/Biology"]) == (
        "Science", [*physics, "Science/Biology"]
    )  # fmt: skip
    root, found = labels(tmp_path, topics=("Top/Sports", "Top/Science/Biology"))
    assert (root, found) == ("Top", ["Sports/Soccer", "Science/Biology"])
    # A topic is not part of another because its name begins alike.
    write(tmp_path, odp_dump.content([*PAGES, ("http://a", "", "", "Top/Sciences/A")]))
    assert len(labels(tmp_path, topics=["Top/Science"])[1]) == 5


def test_depth(tmp_path):
    write(tmp_path)
    assert labels(tmp_path, topics=["Top/Science"], depth=1) == (
        "Science", ["Science/Physics"] * 3 + ["Science", "Science/Biology"]
    )  # fmt: skip
    root, found = labels(tmp_path, depth=1)
    assert (root, found[-3:]) == ("Top", ["Sports", "World", "Science"])
    assert datasets.DMOZ(tmp_path, depth=1).taxonomy.height == 1
    assert labels(tmp_path, depth=9) == labels(tmp_path)


def test_small_topics(tmp_path):
    write(tmp_path)
    optics = ["Science/Physics/Optics"] * 2
    assert labels(tmp_path, min_size=2) == (
        "Top", [*optics, "Science/Physics", "Science", "Top", "Top", "Science"]
    )  # fmt: skip
    # What counts is the pages below, too.
    assert labels(tmp_path, min_size=3) == (
        "Top", ["Science/Physics"] * 3 + ["Science", "Top", "Top", "Science"]
    )  # fmt: skip
    assert len(datasets.DMOZ(tmp_path, min_size=8).taxonomy) == 1


def test_empty_topics(tmp_path):
    paths = ["Top", *(page[3] for page in PAGES), "Top/Science/Math/Set_Theory", "Top/Arts"]
    write(tmp_path, odp_dump.structure(paths), "structure.rdf.u8")
    stream = datasets.DMOZ(tmp_path, min_size=0)
    assert len(stream.taxonomy) == 13  # without the content
    assert stream.taxonomy.path("Science/Math/Set_Theory") == (
        "Top", "Science", "Science/Math", "Science/Math/Set_Theory"
    )  # fmt: skip
    write(tmp_path)
    assert [y for _, y in stream] == [y for _, y in datasets.DMOZ(tmp_path)]

    write(tmp_path, odp_dump.content([*PAGES, ("http://a", "", "", "Top/Science/Physic")]))
    message = (
        "content.rdf.u8, line 67: label 'Science/Physic' is not in the taxonomy (13 nodes); "
        "did you mean 'Science/Physics'?"
    )
    assert len(refused(lambda e: datasets.DMOZ(tmp_path, min_size=0, on_error=e), message)) == 7


def test_old_dumps_without_topics_in_pages(tmp_path):
    new = list(datasets.DMOZ(write(tmp_path)))
    assert list(datasets.DMOZ(write(tmp_path, odp_dump.content(PAGES, tagged=False)))) == new


def test_other_files(tmp_path):
    plain = write(tmp_path / "kt", name="kt-content.rdf.u8")
    assert labels(plain) == labels(plain / "kt-content.rdf.u8")
    write(plain, name="ad-content.rdf.u8")
    with pytest.raises(ValueError, match=r"holds 2 files like '\*content.rdf\*', expected one"):
        labels(plain)


# --- A slower reader -----------------------------------------------------------------------------

names = st.sampled_from(["A", "B", "R&B", "Ö"])
topics = st.lists(names, max_size=3).map(lambda below: "/".join(["Top", *below]))
not_xml = "\ufffd\ufffe\uffff"
texts = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters=not_xml), max_size=9
)
directories = st.lists(
    st.tuples(st.integers(0, 99).map("http://{}.example/?a&b".format), texts, texts, topics),
    min_size=1,
    max_size=8,
)


@given(directories, st.one_of(st.none(), st.integers(1, 3)), st.integers(1, 3))
def test_beside_a_tree_of_xml(tmp_path_factory, pages, depth, min_size):
    folder = write(tmp_path_factory.getbasetemp() / "dmoz", odp_dump.content(pages))
    stream = datasets.DMOZ(folder, depth=depth, min_size=min_size)

    root = ElementTree.parse(folder / "content.rdf.u8").getroot()
    odp, dc = "{http://dmoz.org/rdf/}", "{http://purl.org/dc/elements/1.0/}"
    cut = []
    for page in root.findall(f"{odp}ExternalPage"):
        x = {
            "title": page.findtext(f"{dc}Title"),
            "body": page.findtext(f"{dc}Description"),
            "url": page.get("about"),
        }
        cut.append((x, page.findtext(f"{odp}topic").split("/")[1:][:depth]))
    sizes = collections.Counter(tuple(path[:i]) for _, path in cut for i in range(1, len(path) + 1))
    expected = []
    for x, path in cut:
        while path and sizes[tuple(path)] < min_size:
            path = path[:-1]
        expected.append((x, "/".join(path) or "Top"))
    assert list(stream) == expected
    kept = {"/".join(path) for path, size in sizes.items() if size >= min_size}
    assert set(stream.taxonomy) == {"Top"} | kept
    for label in kept:
        assert stream.taxonomy.parent(label) == (label.rpartition("/")[0] or "Top")


# --- What is broken ------------------------------------------------------------------------------

START = len(odp_dump.HEAD) + 4 + 1  # the line of the first page, behind four of its topic


@pytest.mark.parametrize(
    ("line", "text", "message"),
    [
        (1, "<d:Title>Waves & optics</d:Title>", "line 9: not well-formed (invalid token)"),
        (1, "<d:Title>Waves</d:Titel>", "line 9: mismatched tag"),
        (1, "<d:Title>Waves", "line 12: mismatched tag"),
        (2, "<d:Description>\x0b</d:Description>", "line 10: not well-formed (invalid token)"),
        (2, "<d:Description>&nbsp;</d:Description>", "line 10: undefined entity"),
        (2, "<!DOCTYPE a [<!ENTITY b 'c'>]>", "line 10: not well-formed (invalid token)"),
        (0, '<ExternalPage about="">', "line 8: the page has no address"),
        (0, "<ExternalPage>", "line 8: the page has no address"),
        (4, "", "line 8: the page does not end, expected a line </ExternalPage>"),
        (4, "</ExternalPage><d:x/>", "line 12: junk after document element"),
        (1, "<d:Title>Caf\udce9</d:Title>", "line 8: the page is not UTF-8"),
    ],
)
def test_broken_pages(tmp_path, line, text, message):
    lines = list(CONTENT)
    lines[START - 1 + line] = text if line in (0, 4) else f"  {text}"
    write(tmp_path, [])
    content = "".join(f"{line}\n" for line in lines).encode(errors="surrogateescape")
    (tmp_path / "content.rdf.u8").write_bytes(content)
    left = refused(lambda e: datasets.DMOZ(tmp_path, on_error=e), f"content.rdf.u8, {message}")
    assert [x for x, _ in left] == [x_of(page) for page in PAGES[1:]]


def test_pages_without_a_topic(tmp_path):
    lines = [line for line in odp_dump.content(PAGES[:1], tagged=False) if "<Topic" not in line]
    with pytest.raises(ValueError, match=r"^content.rdf.u8, line 7: the page has no topic$"):
        list(datasets.DMOZ(write(tmp_path, lines)))
    stream = datasets.DMOZ(tmp_path, on_error="skip")
    with pytest.raises(ValueError, match=r"^content.rdf.u8 has nothing below Top$"):
        list(stream)


def test_topics_that_are_not_utf_8(tmp_path):
    def without_an_accent(lines):
        return "".join(f"{line}\n" for line in lines).encode().replace("ç".encode(), b"\xe7")

    write(tmp_path)
    structure = without_an_accent(odp_dump.structure(["Top", *(page[3] for page in PAGES)]))
    (tmp_path / "structure.rdf.u8").write_bytes(structure)
    with pytest.raises(ValueError, match=r"^structure.rdf.u8, line 56: the topic is not UTF-8$"):
        _ = datasets.DMOZ(tmp_path, min_size=0).taxonomy
    stream = datasets.DMOZ(tmp_path, min_size=0, on_error="skip")
    assert len(list(stream)) == 6
    assert "label 'World/Français/Café' is not in the taxonomy" in stream.skipped[0]

    old = without_an_accent(odp_dump.content(PAGES, tagged=False))
    (tmp_path / "content.rdf.u8").write_bytes(old)
    with pytest.raises(ValueError, match=r"line 44: the page has no topic$"):
        _ = datasets.DMOZ(tmp_path).taxonomy


def test_long_texts_come_whole(tmp_path):
    body = "a & b, " * 5_000
    content = odp_dump.content([("http://a.example", "A", body, "Top/A")])
    ((x, _),) = datasets.DMOZ(write(tmp_path, content))
    assert x["body"] == body


def test_a_page_that_others_interrupt(tmp_path):
    for begins in ("<ExternalPage", "<Topic", "</RDF>"):
        lines = list(CONTENT)
        (end,) = [i for i, line in enumerate(lines) if line == "  <topic>Top/Science</topic>"]
        while not lines[end + 1].startswith(begins):
            del lines[end + 1]
        stream = datasets.DMOZ(write(tmp_path, lines), on_error="skip")
        assert "http://news.example/" not in {x["url"] for x, _ in stream}
        expected = f"line {end - 2}: the page does not end, expected a line </ExternalPage>"
        assert stream.skipped == (f"content.rdf.u8, {expected}",)


def test_files_that_stop_early(tmp_path):
    for lines in (CONTENT[:-1], CONTENT[:20], CONTENT[:4]):
        for on_error in ("raise", "skip"):
            stream = datasets.DMOZ(write(tmp_path, lines), on_error=on_error)
            with pytest.raises(ValueError, match=rf"u8 is cut off after line {len(lines)}; delete"):
                list(stream)
    assert len(list(datasets.DMOZ(write(tmp_path, [*CONTENT, ""])))) == 7


def test_no_entity_grows(tmp_path):
    bomb = ["<!DOCTYPE RDF [", *(f"<!ENTITY a{i + 1} '{f'&a{i};' * 10}'>" for i in range(20)), "]>"]
    lines = [CONTENT[0], *bomb, *CONTENT[1:]]
    lines = [line.replace("Waves &amp; optics", "&a20;") for line in lines]
    stream = datasets.DMOZ(write(tmp_path, lines), on_error="skip")
    assert len(list(stream)) == 6
    assert stream.skipped == ("content.rdf.u8, line 31: undefined entity",)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"topics": "Top"}, "`topics` must be a list or tuple of topics like 'Top/Science', got"),
        ({"topics": []}, "`topics` must be a list or tuple of topics like 'Top/Science', got"),
        ({"topics": [None]}, "`topics` must be a list or tuple of topics like 'Top/Science', got"),
        ({"topics": ["Top/A", "Arts"]}, "`topics` have no ancestor in common: Top/A, Arts"),
        ({"depth": 0}, "`depth` must be at least 1, got 0"),
        ({"min_size": -1}, "`min_size` must be at least 0, got -1"),
        ({"depth": 1.5}, "`depth` must be an integer, got 1.5"),
        ({"min_size": "3"}, "`min_size` must be an integer, got '3'"),
    ],
)
def test_wrong_parameters(params, message):
    with pytest.raises((TypeError, ValueError), match=r"must|have") as error:
        datasets.DMOZ(**params)
    assert str(error.value).startswith(message)


def test_nothing_there(tmp_path):
    with pytest.raises(ValueError, match=r"^content.rdf.u8 has nothing below Top/Scinece$"):
        list(datasets.DMOZ(write(tmp_path), topics=["Top/Scinece"]))
