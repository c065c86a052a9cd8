"""The names of labels as texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import label_names as oracle
from river_hier import OpenTaxonomy, Taxonomy, linear_model
from river_hier.taxonomy import UnknownLabelError
from river_hier.taxonomy.names import words_of

READ = {
    "A02.1 Salmonella sepsis": "Salmonella sepsis",
    "16-24 Age": "Age",
    "1. Animals": "Animals",
    "S90-S99": "",
    "2024": "",
    "3": "",
    "": "",
    " _ / ": "",
    "3D printers": "3D printers",
    "MP3 players": "MP3 players",
    "2-in-1 laptops": "2 in 1 laptops",
    "report_lost_card": "report lost card",
    "kitchenTowels": "kitchen Towels",
    "iPhone & iPad": "iPhone iPad",
    "Men's > Shoes": "Men's Shoes",
    "NUM:weight": "NUM weight",
    "C++": "C++",
    "日本語": "日本語",
    "हिन्दी": "हिन्दी",
}


@pytest.mark.parametrize(("name", "text"), READ.items())
def test_names_that_are_read(name, text):
    assert words_of(name) == text


@given(st.text("abA1 2_/.-:)>", max_size=12) | st.integers() | st.none())
def test_a_reader_by_characters(name):
    assert words_of(name) == oracle.words_of(name)


def test_the_last_name_of_a_path():
    paths = ["men > dress_shirts", "men > 12", "boys"]
    for separator, given_ in ((" > ", paths), (None, [tuple(p.split(" > ")) for p in paths])):
        t = Taxonomy.from_paths(given_, separator, labels="path")
        assert [x for x, _ in t.names()] == ["men", "boys", "dress shirts"]
        assert t.names().left_out == t.nodes[-1:]
        assert [v for _, v in t.names()] == [v for v in t.nodes[1:] if v not in t.names().left_out]
    t = linear_model.Hieron(OpenTaxonomy("/")).taxonomy_
    t = OpenTaxonomy("/").with_labels(t, ["a/b", "a/c"])
    assert t.names("title") == [({"title": v[-1]}, v) for v in ("a", "a/b", "a/c")]
    assert Taxonomy([("root", ("x", "y z"))]).names() == [("y z", ("x", "y z"))]


def test_descriptions_follow_names_and_stand_for_codes():
    t = Taxonomy([("all", "A00"), ("all", "B_side"), ("all", 7)])
    names = t.names(descriptions={"A00": " Cholera ", "B_side": "the other", 7: ""})
    assert names == [("Cholera", "A00"), ("B side the other", "B_side")]
    assert names.left_out == (7,)


def test_bad_descriptions():
    t = Taxonomy([("all", "wolf")])
    with pytest.raises(UnknownLabelError, match="did you mean 'wolf'"):
        t.names(descriptions={"wolff": "howls"})
    with pytest.raises(TypeError, match="the description of 'wolf' must be a text, got 3"):
        t.names(descriptions={"wolf": 3})
    with pytest.raises(TypeError, match=r"`descriptions` must be \{label: text\}, got list"):
        t.names(descriptions=["wolf"])
