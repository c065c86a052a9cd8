"""A taxonomy as text and in a notebook."""

import html.parser
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_hier import OpenTaxonomy, Taxonomy, linear_model
from support.strategies import dags, trees

DAG = Taxonomy([("pet", "dog"), ("hunter", "dog"), ("hunter", "wolf"), ("dog", "pug")])


def depths(shown: str) -> list[tuple[int, str]]:
    """The depth and the name of each line, read back from the picture."""
    found = []
    for line in shown.splitlines():
        name = line.lstrip("│├└─ ")
        found.append(((len(line) - len(name)) // 4, name))
    return found


def numbered(taxonomy: Taxonomy) -> Taxonomy:
    """The same taxonomy, whose labels are short strings."""
    names = {label: f"n{v}" for v, label in enumerate(taxonomy)}
    edges = [(names[parent], names[child]) for parent, child in taxonomy.edges]
    return Taxonomy(edges, root="n0") if edges else Taxonomy.flat([], root="n0")


@given(trees(max_nodes=9), st.one_of(st.none(), st.integers(0, 4)))
def test_each_node_stands_below_its_parent(taxonomy: Taxonomy, max_depth: int | None) -> None:
    t = numbered(taxonomy)
    path: list[str] = []
    seen = []
    for depth, line in depths(t.show(max_depth)):
        name, _, more = line.partition(" (+")
        del path[depth:]
        path.append(name)
        assert tuple(path) == t.path(name)
        seen.append(name)
        hidden = len(t.descendants(name)) if depth == max_depth else 0
        assert more == (f"{hidden})" if hidden else "")
    low = len(t) if max_depth is None else max_depth
    assert sorted(seen) == sorted(v for v in t if t.depth(v) <= low)
    for parent in t:
        below = [name for name in seen if name in t.children(parent)]
        assert below == [v for v in t.children(parent) if v in seen], "in taxonomy order"


def test_branches() -> None:
    t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    expected = "animal\n├── mammal\n│   ├── wolf\n│   └── whale\n└── bird\n    └── owl"
    assert t.show() == str(t.show()) == repr(t.show()) == expected
    assert isinstance(t.show(), str)
    assert pickle.loads(pickle.dumps(t.show())) == t.show()
    assert t.show(max_depth=0) == "animal (+5)"
    assert Taxonomy.flat([]).show() == "root"


def test_a_node_with_several_parents_is_shown_once() -> None:
    expected = "root\n├── pet\n│   └── dog\n│       └── pug\n└── hunter\n"
    assert DAG.show() == expected + "    ├── dog (see pet)\n    └── wolf"


@given(dags(max_nodes=9))
def test_every_edge_is_a_line(taxonomy: Taxonomy) -> None:
    t = numbered(taxonomy)
    path: list[str] = []
    edges = []
    for depth, line in depths(t.show()):
        del path[depth:]
        path.append(line.partition(" (see")[0])
        edges += [(path[-2], path[-1])] if depth else []
    assert sorted(edges) == sorted(t.edges)


def test_names_of_paths_and_odd_labels() -> None:
    for labels in (["a > b", "a > c d"], [("a", "b"), ("a", "c d")]):
        separator = " > " if isinstance(labels[0], str) else None
        t = Taxonomy.from_paths(labels, separator, labels="path")
        assert t.show().splitlines() == ["a", "├── b", "└── c d"]
    model = linear_model.Hieron(OpenTaxonomy("/"))
    model.learn_one({"x": 1.0}, "a/b")
    assert model.taxonomy_.show() == "''\n└── a\n    └── b"
    odd = Taxonomy.flat(["two\nlines", "", 7, ("x", 1), "\x1b[31m"])
    assert odd.show().splitlines()[1:] == [
        "├── 'two\\nlines'",
        "├── ''",
        "├── 7",
        "├── ('x', 1)",
        "└── '\\x1b[31m'",
    ]


@pytest.mark.parametrize("max_depth", [-1, 1.5, "2", True])
def test_bad_depths(max_depth: Any) -> None:
    with pytest.raises(ValueError, match="`max_depth` must be an integer of at least 0 or None"):
        DAG.show(max_depth)


class Lists(html.parser.HTMLParser):
    """The tags that are open, and the names with their depth."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.names: list[tuple[int, str]] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1] != "small":
            self.names.append((self.open.count("ul"), data))


@given(trees(max_nodes=9))
def test_the_page_has_the_same_lines(taxonomy: Taxonomy) -> None:
    lists = Lists()
    lists.feed(taxonomy._repr_html_())
    assert not lists.open
    assert lists.names == depths(taxonomy.show())


def test_pages_are_escaped_and_bounded() -> None:
    page = Taxonomy.flat(["<script>alert(1)</script>", "a & b"])._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    wide = Taxonomy.flat(map(str, range(50_000)))._repr_html_()
    assert len(wide) < 100_000
    assert "(+48,001 children)" in wide
    deep = Taxonomy([(v, v + 1) for v in range(3_000)])
    assert len(deep._repr_html_()) < 10_000
    assert len(deep.show().splitlines()) == 3_001
    lists = Lists()
    lists.feed(deep._repr_html_())
    assert not lists.open
    assert lists.tags == {"div", "small", "details", "summary", "ul", "li"}
