"""`Taxonomy.edit`: names, places, and what each old label has become."""

import copy
import json
import pickle
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.edits import edited
from river_hier import OpenTaxonomy, Taxonomy
from river_hier.taxonomy import Edit, UnknownLabelError
from support.hypothesis_settings import n_examples
from support.strategies import LABELS, parents_of, taxonomies, trees

T = Taxonomy.from_nested({"shop": {"men": {"shirts": None, "shoes": ["boots"]}, "women": None}})
PATHS = Taxonomy.from_paths(
    ["men > shirts", "men > shoes > boots", "women > shirts"], separator=" > ", labels="path"
)
NAMES = [*LABELS, "new", "newer", 99]


@st.composite
def changes(draw, taxonomy):
    """Changes of labels that are there, that will be or have been there: many are impossible."""
    label = st.sampled_from([*taxonomy.nodes, *taxonomy.nodes, *NAMES])
    some = st.lists(label, min_size=1, max_size=3)
    change = st.one_of(
        st.fixed_dictionaries({"rename": label, "to": label}),
        st.fixed_dictionaries({"move": label, "to": label}),
        st.fixed_dictionaries({"merge": some, "to": label}),
        st.fixed_dictionaries({"split": label, "to": some}),
        st.fixed_dictionaries({"retire": label}),
    )
    return draw(st.lists(change, max_size=5))


def expected(taxonomy, changes):
    try:
        return edited(parents_of(taxonomy), changes)
    except ValueError:
        return None


@given(st.data())
@n_examples(400)
def test_edits_are_those_of_the_oracle(data):
    t = data.draw(taxonomies())
    steps = [
        step
        for step in data.draw(changes(t))
        if data.draw(st.integers(0, 3)) == 0 or expected(t, [step])
    ]
    known = expected(t, steps)
    before = pickle.dumps(t)
    if known is None:
        with pytest.raises(ValueError, match=r"^change \d"):
            t.edit(steps)
    else:
        parents, became = known
        edit = t.edit(steps)
        assert {v: set(edit.after.parents(v)) for v in edit.after} == {
            v: set(above) for v, above in parents.items()
        }
        order = edit.after.nodes
        assert all(order.index(p) < order.index(v) for v in order for p in parents[v])
        assert edit.labels == {old: new for old, new in became.items() if old != new}
        again = pickle.loads(pickle.dumps(edit.after))
        for old, new in became.items():
            if old not in parents or old == new:  # else its label is another node's now
                assert edit.after.nodes[edit.after.index(old)] == new
                assert again.index(old) == edit.after.index(old)
        strict = t.edit(steps, old_labels=False).after
        for old in set(t) - set(parents):
            with pytest.raises(UnknownLabelError):
                strict.index(old)
    assert pickle.dumps(t) == before


@given(trees(), st.data())
@n_examples(100)
def test_an_edit_is_derived_from_both_taxonomies(t, data):
    steps = [s for s in data.draw(changes(t)) if expected(t, [s])]
    steps = steps if expected(t, steps) else []
    edit = t.edit(steps)
    split = [v for step in steps for v in [step.get("split")] if v in t and v in edit.after]
    derived = Edit(t, edit.after, edit.labels, split)
    assert derived.labels == edit.labels
    assert (derived._nodes == edit._nodes).all()
    assert (derived._first == edit._first).all()


def test_where_labels_are_paths_a_branch_is_renamed():
    edit = PATHS.edit(
        [{"move": "men > shoes", "to": "women"}, {"rename": "men > shirts", "to": "tops"}]
    )
    assert edit.labels == {
        "men > shirts": "men > tops",
        "men > shoes": "women > shoes",
        "men > shoes > boots": "women > shoes > boots",
    }
    assert edit.after.path("men > shoes > boots") == (
        *("root", "women", "women > shoes", "women > shoes > boots"),
    )
    assert edit.after.index(("men", "shoes")) == edit.after.index("women > shoes")
    with pytest.raises(ValueError, match=r"change 0, .* the label 'women > shirts' is taken"):
        PATHS.edit([{"move": "men > shirts", "to": "women"}])
    with pytest.raises(ValueError, match="move it first"):
        PATHS.edit([{"rename": "men > shirts", "to": "women > tops"}])


@pytest.mark.parametrize("separator", ["/", None])
def test_old_paths_go_on_in_an_open_taxonomy(separator):
    """A new label below an old path is added below what that has become."""

    def path(*names):
        return names if separator is None else separator.join(names)

    start = OpenTaxonomy(separator)
    t = start.with_labels(Taxonomy._of((start.root,), ((),), start._format), [path("a", "b")])
    after = t.edit([{"rename": path("a"), "to": "z"}]).after
    grown = start.with_labels(after, [path("a", "c"), path("a", "b")])
    assert grown.nodes == (start.root, path("z"), path("z", "b"), path("z", "c"))
    assert grown.index(path("a", "c")) == 3


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"move": "men", "to": "boots"}, "'boots' lies below 'men' itself"),
        ({"move": "shop", "to": "men"}, "'shop' is the root"),
        ({"merge": ["men", "boots"], "to": "men"}, "'boots' lies below 'men'"),
        ({"merge": "men", "to": "women"}, "must be a list of labels"),
        ({"rename": "men", "to": "women"}, "'women' is taken"),
        ({"split": "men", "to": ["a"]}, "only leaves are split"),
        ({"split": "boots", "to": []}, "must be a list of the children's labels"),
        ({"split": "boots", "to": ["men"]}, "'men' is taken"),
        ({"retire": "shop"}, "the root cannot be retired"),
        ({"retire": "man"}, "did you mean 'men'"),
        ({"delete": "men", "to": "women"}, "must be one of rename, move, merge, split and retire"),
        ("retire men", 'a change must be {"rename": label'),
    ],
)
def test_an_impossible_change_is_named(change, said):
    with pytest.raises(ValueError, match=r"^change 1, .*" + said.replace("{", r"\{")):
        T.edit([{"rename": "women", "to": "women"}, change])


def test_changes_are_json():
    steps = [{"move": ["a", "b"], "to": ["c"]}]
    t = Taxonomy.from_paths([("a", "b"), ("c",)], labels="path")
    edit = t.edit(json.loads(json.dumps(steps)))
    assert edit.labels == {("a", "b"): ("c", "b")}
    assert copy.deepcopy(edit.after) is edit.after


def test_a_hundred_changes_take_a_tenth_of_a_second():
    t = Taxonomy([(str((v - 1) // 3), str(v)) for v in range(1, 1000)])
    steps = [{"rename": str(v), "to": f"new {v}"} for v in range(400, 440)]
    steps += [{"move": str(v), "to": "7"} for v in range(500, 540)]
    steps += [{"merge": [str(v), str(v + 1)], "to": str(v)} for v in range(700, 740, 2)]
    t.edit(steps)
    start = time.process_time()
    t.edit(steps)
    assert time.process_time() - start < 0.1


SHOP = Taxonomy.from_nested({"shop": {"men": ["caps", "hats"], "women": ["skirts"]}})
RENAMED = SHOP.edit([{"rename": "caps", "to": "hoods"}]).after


@pytest.mark.parametrize(
    "change",
    [
        {"retire": "caps"},
        {"rename": "caps", "to": "hats"},
        {"move": "caps", "to": "women"},
        {"split": "caps", "to": ["a", "b"]},
        {"merge": ["hats"], "to": "caps"},
    ],
)
def test_what_is_changed_has_its_name_of_now(change):
    """Old labels are read as those of examples. In changes they would be other nodes."""
    with pytest.raises(ValueError, match="label 'caps' has become 'hoods': name that"):
        RENAMED.edit([change])
    with pytest.raises(ValueError, match="label 'caps' has become 'hoods': name that"):
        RENAMED.extend([("women", "caps")])
    retired = SHOP.edit([{"retire": "caps"}]).after
    with pytest.raises(ValueError, match="label 'caps' has become 'men'"):
        retired.edit([change])


def test_a_name_comes_back_to_its_node_alone():
    again = RENAMED.edit([{"rename": "hoods", "to": "caps"}]).after
    assert again.nodes == SHOP.nodes
    assert again.index("hoods") == again.index("caps")
    with pytest.raises(ValueError, match="the label 'caps' is taken"):
        RENAMED.edit([{"rename": "hats", "to": "caps"}])
    paths = Taxonomy.from_paths(["x/a", "x/b", "y/c"], separator="/", labels="path")
    edit = paths.edit([{"rename": "x", "to": "q"}]).after.edit([{"rename": "q", "to": "x"}])
    assert edit.after.nodes == paths.nodes
    with pytest.raises(ValueError, match="label 'x/a' has become 'q/a'"):
        paths.edit([{"rename": "x", "to": "q"}]).after.edit([{"retire": "x / a"}])
