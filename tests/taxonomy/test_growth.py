"""Taxonomies that grow share one table of nodes; each is as if it had a table of its own."""

import copy
import pickle
import threading
from itertools import chain
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_hier import OpenTaxonomy, Taxonomy, linear_model, metrics
from river_hier._core import Labels, labels_of
from river_hier.taxonomy import UnknownLabelError, closure_mask
from support.public_api import learners

OPEN = OpenTaxonomy()
paths = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map(tuple)


def own(taxonomy: Taxonomy) -> Taxonomy:
    """The same taxonomy with a table of its own."""
    return pickle.loads(pickle.dumps(taxonomy))


def described(taxonomy: Taxonomy) -> Any:
    """Everything that a taxonomy says of itself."""
    arrays = taxonomy._arrays
    some = {label: taxonomy.descendants(label) for label in taxonomy}
    columns = arrays.parent_ptr, arrays.parent_index, arrays.depth, *arrays.groups
    return (
        *(taxonomy.nodes, taxonomy.edges, taxonomy.leaves, taxonomy.height, len(taxonomy)),
        *(taxonomy._arrays.children, taxonomy._arrays.parents, taxonomy._arrays.implied_parents),
        *(taxonomy.show(), taxonomy._repr_html_(), hash(taxonomy), repr(taxonomy), some),
        *([column.tolist() for column in columns], [repr(level) for level in arrays.levels]),
    )


@given(st.lists(st.tuples(st.integers(0, 9), st.lists(paths, max_size=3)), max_size=8))
def test_a_tree_of_versions(steps: list[tuple[int, list[Any]]]) -> None:
    """Any taxonomy may grow, in any order, whichever others have grown from it before."""
    versions = [Taxonomy._of(((),), ((),), OPEN._format)]
    alone = list(versions)
    for number, labels in steps:
        before = versions[number % len(versions)]
        after = OPEN.with_labels(before, labels)
        assert after is before or after._arrays.extends(before._arrays)
        versions.append(after)
        alone.append(OPEN.with_labels(own(before), labels))
    for shared, separate in zip(versions, alone, strict=True):
        assert described(shared) == described(own(separate))
        assert shared == separate
        assert hash(shared) == hash(separate)
        assert described(own(shared)) == described(shared)
    labels = {label for version in versions for label in version}
    for version in versions:
        for label in labels:
            assert (label in version) == (label in version.nodes)
            if label not in version.nodes:
                with pytest.raises(UnknownLabelError, match=rf"\({len(version)} nodes\)"):
                    version.index(label)
                with pytest.raises(UnknownLabelError):
                    closure_mask(version, {label: True})
                with pytest.raises(KeyError):
                    version._arrays.numbers([label])


@given(data=st.data())
def test_labels_that_grow_equal_new_ones(data: Any) -> None:
    taxonomy = Taxonomy._of(((),), ((),), OPEN._format)
    for has_learned in (False, True):
        labels = Labels(taxonomy, (), has_learned)
        unseen: list[int] = []
        for _ in range(data.draw(st.integers(0, 4))):
            before, late = len(taxonomy), data.draw(st.booleans())
            taxonomy = OPEN.with_labels(taxonomy, data.draw(st.lists(paths, max_size=3)))
            labels.grow(taxonomy, late)
            unseen += range(before, len(taxonomy)) if late else ()
        new = Labels(taxonomy, unseen, has_learned)
        assert labels.taxonomy is taxonomy
        assert list(labels.unseen) == list(new.unseen)
        assert labels.has_learned == new.has_learned
        y = data.draw(st.lists(st.sampled_from(taxonomy.nodes)))
        assert labels.closure(y) == new.closure(y)
        assert labels.dictionary([0]) == new.dictionary([0])
        p = np.linspace(1.0, 0.3, len(taxonomy))
        assert labels.marginals(p).tolist() == new.marginals(p).tolist()
        assert labels.probabilities(p) == new.probabilities(p)
        later = OPEN.with_labels(taxonomy, [("z", "y")])
        assert later._arrays.number(("z", "y")) is not None
        with pytest.raises(UnknownLabelError):  # which the table has, but not this taxonomy
            labels.closure([("z",)])
        with pytest.raises(UnknownLabelError):
            labels.predicted([("z",)])


@pytest.mark.parametrize("name", [*chain(*learners("linear_model"))])
def test_models_of_one_taxonomy_grow_apart(name: str) -> None:
    """A copy and the original grow from the same taxonomy, and a third model keeps it."""
    ys: list[Any] = ["a/b", "c", "a/d", "c", "e/f/g", "a/b"]
    xs = [{"x": 1.0, y: 2.0} for y in ys]
    make = getattr(linear_model, name)

    def learned(model: Any, some: list[int]) -> Any:
        for i in some:
            model.learn_one(xs[i], ys[i])
        return model

    model = learned(make(OpenTaxonomy("/")), [0, 1])
    kept = learned(make(model.taxonomy_), [1, 0])
    other = copy.deepcopy(model)
    for one, some in ((model, [2, 3]), (other, [4]), (model, [4, 5]), (other, [2, 3])):
        learned(one, some)
    with pytest.raises(UnknownLabelError):
        kept.learn_one(xs[2], "a/d")
    alone = learned(make(OpenTaxonomy("/")), [0, 1, 2, 3, 4, 5])
    apart = learned(make(OpenTaxonomy("/")), [0, 1, 4, 2, 3])
    for x in xs:
        assert model.score_one(x) == alone.score_one(x)
        assert model.predict_one(x) == alone.predict_one(x)
        assert other.score_one(x) == apart.score_one(x)
        assert kept.score_one(x).keys() <= {"", "a", "a/b", "c"}
    assert model.taxonomy_ == alone.taxonomy_
    assert other.taxonomy_ == apart.taxonomy_


def test_threads_that_grow_the_same_taxonomy() -> None:
    first = start()
    found: dict[int, Taxonomy] = {}
    barrier = threading.Barrier(4)

    def grow(number: int) -> None:
        barrier.wait()
        taxonomy = first
        for i in range(300):
            taxonomy = OPEN.with_labels(taxonomy, [("a", f"{number}", f"{i}")])
            assert ("a", f"{number}", f"{i}") in taxonomy
        found[number] = taxonomy

    threads = [threading.Thread(target=grow, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert first.nodes == ((), ("a",))
    for number, taxonomy in found.items():
        labels = [("a", f"{number}"), *(("a", f"{number}", f"{i}") for i in range(300))]
        assert taxonomy.nodes == ((), ("a",), *labels)
        assert described(taxonomy) == described(own(taxonomy))


def test_an_example_that_is_refused_leaves_no_label() -> None:
    model = linear_model.HPerceptron(OpenTaxonomy("/"))
    model.learn_one({"x": 1.0}, "a")
    before = pickle.dumps(model)
    for _ in range(3):
        with pytest.raises(ValueError, match="finite"):
            model.learn_one({"x": float("nan")}, "b")
        assert pickle.dumps(model) == before
    metric = metrics.HLoss(OpenTaxonomy("/"))
    metric.update({"a"}, {"a"})
    with pytest.raises(ValueError, match="no name"):
        metric.update({"b"}, {"c//d"})
    assert metric.taxonomy_.nodes == ("", "a")
    metric.update({"b"}, {"a"})
    assert metric.taxonomy_.nodes == ("", "a", "b")
    assert labels_of(metric.taxonomy_).closure({"b"}) == {0, 2}


def test_growing_takes_as_long_as_what_is_new() -> None:
    """Tables are shared, so that 20,000 versions of a taxonomy fit into memory."""
    taxonomy, versions = OPEN.with_labels(Taxonomy.flat([], root=()), []), []
    for i in range(20_000):
        taxonomy = OPEN.with_labels(taxonomy, [(f"{i % 10}", f"{i}")])
        versions.append(taxonomy)
    assert len(taxonomy) == 20_011
    assert len({id(version._arrays.table) for version in versions}) == 1
    assert versions[4].nodes == (
        *((), ("0",), ("0", "0"), ("1",), ("1", "1"), ("2",)),
        *(("2", "2"), ("3",), ("3", "3"), ("4",), ("4", "4")),
    )


def start() -> Taxonomy:
    return OPEN.with_labels(Taxonomy._of(((),), ((),), OPEN._format), [("a",)])
