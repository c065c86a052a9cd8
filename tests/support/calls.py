"""Calls of every public method, by its name, with arguments for a taxonomy of any size.

The nodes below the root, `n0`, are `n1`, `n2`, ... up to the size of the taxonomy. Calls that
change the object come last. A public method that is missing in its table raises an error.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import networkx
import pandas as pd

from river_hier import OpenTaxonomy, Taxonomy, inspection
from support import public_api

Call = Callable[[], Any]
Calls = Iterator[tuple[str, Call]]
X, OTHER = {"a": 1.0, "b": 0.5}, {"b": 1.0, "c": 2.0}
FRAME = pd.DataFrame([{"a": 1.0, "b": 0.5, "c": 0.0}] * 2)


def public_names(cls: type) -> set[str]:
    """Of methods and properties."""
    return {
        name
        for name in dir(cls)
        if not name.startswith("_")
        and (callable(each := getattr(cls, name)) or isinstance(each, property))
    }


def check_complete(cls: type, calls: Iterable[str], left_out: Iterable[str] = ()) -> None:
    """Raise an error if a public method or property of the class has no call."""
    missing = public_names(cls) - {name.partition(" ")[0] for name in calls} - set(left_out)
    assert not missing, f"no arguments in support/calls.py for {sorted(missing)} of {cls.__name__}"


@dataclass
class Size:
    """A taxonomy of n nodes below the root."""

    taxonomy: Taxonomy
    n: int
    n_new: int = 0
    binary: bool = False  # then labels are leaves

    @property
    def last(self) -> str:
        return f"n{self.n}"

    @property
    def middle(self) -> str:
        return f"n{self.n - 1 if self.binary else self.n // 2}"

    def extended(self) -> Taxonomy:
        self.n_new += 1
        return self.taxonomy.extend([(self.middle, f"new {self.n_new}")])


# Of an estimator: what it cannot do is left out. The methods of rules are called in each step.

RULES = {"learns", "rival", "rule"}
PARAMETERS = {"model", "classifier"}  # which some have as properties


def of_estimator(model: Any, size: Size) -> Calls:
    single = public_api.one_label(model)
    y = size.middle if single else {size.middle}
    ys = [size.last if single else {size.last}, y]

    def call(name: str, *args: Any, **kwargs: Any) -> tuple[str, Call]:
        label = " ".join([name, *kwargs])
        return label, lambda: getattr(model, name)(*args, **kwargs)

    found = dict(
        [
            *(call(name, X) for name in public_names(type(model)) if name.endswith("_one")),
            *(call(name, FRAME) for name in public_names(type(model)) if name.endswith("_many")),
            call("predict_one", X, threshold=0.3),
            call("predict_one", X, max_depth=1),
            call("predict_labels_one", X, threshold=0.3),
            call("predict_labels_one", X, max_depth=1),
            ("inspection.top_one", lambda: inspection.top_one(model, X)),
            ("pickle", lambda: pickle.loads(pickle.dumps(model))),
            ("copy", lambda: copy.deepcopy(model)),
            call("clone"),
            call("clone", include_attributes=True),
            call("mutate", {}),
        ]
    )
    for name in ("_raw_memory_usage", *sorted(public_names(type(model)))):
        if isinstance(getattr(type(model), name, None), property):
            found[name] = lambda name=name: getattr(model, name)
    changing = {
        "learn_one": lambda: model.learn_one(OTHER, y),
        "learn_many": lambda: model.learn_many(FRAME, ys),
        "forget": lambda: model.forget(size.middle),
        "adopt": lambda: model.adopt(size.extended()),
    }
    found = {name: each for name, each in found.items() if name not in changing} | changing
    check_complete(type(model), found, RULES | PARAMETERS)
    for name, each in found.items():
        first = name.partition(" ")[0]
        if hasattr(type(model), first) or first in ("pickle", "copy", "inspection.top_one"):
            yield name, each


# Of a metric.


def of_metric(metric: Any, size: Size) -> Calls:
    predicted: Any = size.middle
    if metric._reads != "labels":
        predicted = {label: i / size.n for i, label in enumerate(size.taxonomy.nodes[1:])}
    example = size.last, predicted
    found: dict[str, Call] = {
        "update": lambda: metric.update(*example),
        "get": metric.get,
        "revert": lambda: metric.revert(*example),
        "clone": metric.clone,
        "clone include_attributes": lambda: metric.clone(include_attributes=True),
        "mutate": lambda: metric.mutate({}),
        "works_with": lambda: metric.works_with(None),
        "is_better_than": lambda: metric.is_better_than(metric),
        "pickle": lambda: pickle.loads(pickle.dumps(metric)),
    }
    if hasattr(metric, "expected"):
        p = dict.fromkeys(size.taxonomy.nodes[1:], 0.5)
        found["expected"] = lambda: metric.expected(p, size.middle)
    for name in public_names(type(metric)):
        if isinstance(getattr(type(metric), name), property):
            found[name] = lambda name=name: getattr(metric, name)
    check_complete(type(metric), found)
    yield from found.items()


# Of a taxonomy, and of one that grows.


def nested(size: Size) -> dict[str, Any]:
    """The taxonomy as `from_nested` takes it; at most as deep as 1,000 levels."""
    below: dict[str, Any] = {label: {} for label in size.taxonomy.nodes}
    for above, label in size.taxonomy.edges:
        below[above][label] = below[label]
    return below


def of_taxonomy(size: Size) -> Calls:
    made, n = size.taxonomy, size.n
    edges = list(made.edges)
    t = Taxonomy(edges)
    last, middle, all_labels = size.last, size.middle, list(made.nodes)
    parents = {label: above for above, label in edges}
    tree = nested(size)
    graph = networkx.DiGraph(edges)
    found: dict[str, Call] = {
        "constructor": lambda: Taxonomy(edges),
        "from_parents": lambda: Taxonomy.from_parents(parents),
        "from_nested": lambda: Taxonomy.from_nested({"n0": tree["n0"]}),
        "from_networkx": lambda: Taxonomy.from_networkx(graph),
        "from_paths": lambda: Taxonomy.from_paths([made.path(leaf) for leaf in made.leaves]),
        "flat": lambda: Taxonomy.flat(all_labels),
        "closure": lambda: t.closure(all_labels),
        "_closure_mask": lambda: t._closure_mask(all_labels),
        "truncate": lambda: t.truncate(all_labels),
        "extend": lambda: t.extend([(label, f"new {label}") for label in all_labels]),
        "extend DAG": lambda: t.extend([("n0", last), ("n0", middle)]),
        "extends": lambda: t.extend([("n0", "new")])._extends(t),
        "flatten": lambda: t.flatten(),
        "misc_leaves": lambda: t.misc_leaves(),
        "misc_leaves of multilabels": lambda: t.misc_leaves([{middle}, {last}]),
        "subset": lambda: t.subset(all_labels[::2]),
        "subset of few": lambda: t.subset([last]),
        "show": lambda: t.show(),
        "repr": lambda: repr(t),
        "html": lambda: t._repr_html_(),
        "pickle": lambda: pickle.loads(pickle.dumps(t)),
        "equal": lambda: (Taxonomy(edges) == t, hash(t)),
        "check_tree": lambda: t._check_tree(),
        "_rows_from": lambda: t._rows_from(1),
        "known_indices": lambda: t._known_indices(all_labels),
        "lca": lambda: t.lca(last, middle),
        "distance": lambda: t.distance(last, middle),
    }
    for name in public_names(Taxonomy):
        if isinstance(getattr(Taxonomy, name), property | cached_property):
            found[name] = lambda name=name: getattr(t, name)
    for name in ("ancestors", "children", "depth", "descendants", "index", "_known_index"):
        found[name] = lambda name=name: getattr(t, name)(middle)
    for name in ("parent", "parents", "path", "subtree"):
        found[name] = lambda name=name: getattr(t, name)(middle)
    for name in ("_children_of", "_label"):
        found[name] = lambda name=name: getattr(t, name)(n // 2)
    check_complete(Taxonomy, found)
    yield from found.items()


def of_open_taxonomy(size: Size) -> Calls:
    """Paths that arrive one by one, of lengths that add up to O(n); and all of them at once."""
    t = OpenTaxonomy()
    paths = [tuple(size.taxonomy.path(label)[1:]) for label in (size.last, size.middle)]
    paths += [(f"n{v}",) for v in range(1, size.n)]

    def one_by_one() -> None:
        taxonomy = Taxonomy._of((t.root,), ((),))
        for path in paths:
            taxonomy = t.with_labels(taxonomy, [path])

    found: dict[str, Call] = {
        "path": lambda: t.path(paths[0]),
        "root": lambda: t.root,
        "separator": lambda: t.separator,
        "with_labels": one_by_one,
        "with_labels at once": lambda: t.with_labels(Taxonomy._of((t.root,), ((),)), paths),
    }
    check_complete(OpenTaxonomy, found)
    yield from found.items()
