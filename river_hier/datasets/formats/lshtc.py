"""The files of the LSHTC challenges: documents in the libsvm format, and hierarchies of numbers."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Iterable, Iterator, Mapping
from itertools import dropwhile, pairwise

from ..._core import read_pairs
from ...taxonomy import Taxonomy
from ..io.errors import ErrorHandler
from ..io.files import Files, lines

SHOWN = 6  # nodes at each end of a long cycle


def documents(
    files: Files, name: str, report: ErrorHandler
) -> Iterator[tuple[int, list[str], dict[str, float]]]:
    """Line number, labels and features of each `label, label feature:value ...` line.

    Spaces after the commas and a first line `Data` are optional. Labels and features are numbers in
    the files and strings here.
    """
    for line, text in lines(files, name, "ascii"):
        head, colon, _ = text.partition(":")
        # The word before the first colon is the first feature; a document may have none.
        before = head.rpartition(" ")[0] if colon else head
        labels = [label.strip() for label in before.split(",")]
        pairs = text[len(before) :]
        x = read_pairs(pairs)  # search for the error only if there is one
        if x is not None and all(map(str.isdecimal, labels)) and all(map(str.isdecimal, x)):
            yield line, labels, x
        elif line > 1 or text != "Data":
            report(name, line, _error(labels, pairs.split()))


def _error(labels: list[str], features: list[str]) -> str:
    for label in labels:
        if not label.isdecimal():
            return f"expected numbers of categories between commas, got {reprlib.repr(label)}"
    seen = set()
    for text in features:
        feature, _, value = text.partition(":")
        try:
            finite = math.isfinite(float(value))
        except ValueError:
            return f"expected `feature:value`, got {reprlib.repr(text)}"
        if not feature.isdecimal():
            return f"expected the number of a feature, got {reprlib.repr(feature)}"
        if not finite:
            return f"feature {feature!r} is {float(value)}"
        if feature in seen:
            return f"feature {feature!r} comes twice"
        seen.add(feature)
    return "the values are too large to add up"


def hierarchy(files: Files, name: str) -> tuple[Taxonomy, list[tuple[str, int, str]]]:
    """The taxonomy of `parent child` lines, or of lines that are whole paths from the top.

    Edges that close a cycle are left out, and the errors to report for them are returned as well.
    The graph is searched depth first, from the nodes without parents, in the order of the file;
    this decides which edge of a cycle is left out. Any other error raises, since without the line
    the taxonomy would be a different one.
    """
    children: dict[str, dict[str, int]] = {}  # with the line number of each edge
    for line, text in lines(files, name, "ascii"):
        path = text.split()
        if not all(map(str.isdecimal, path)):
            raise ValueError(
                f"{name}, line {line:,}: expected numbers of categories from the top downwards, "
                f"got {reprlib.repr(text)}"
            )
        for node in path:
            children.setdefault(node, {})
        for parent, child in pairwise(path):
            children[parent].setdefault(child, line)
    below = {child for family in children.values() for child in family}
    tops = [node for node in children if node not in below]
    left_out = []
    for cycle in list(_cycles(children, [*tops, *children])):
        parent, child = cycle[-2:]
        message = f"{parent} -> {child} closes the cycle {_show(cycle)}"
        left_out.append((name, children[parent].pop(child), message))
    edges = [(parent, child) for parent, family in children.items() for child in family]
    try:
        return _joined(children, edges), left_out
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def _joined(nodes: Iterable[str], edges: list[tuple[str, str]]) -> Taxonomy:
    """The taxonomy of these nodes; some of them may have no edges."""
    below = {child for _, child in edges}
    tops = [node for node in nodes if node not in below]
    if len(tops) > 1:
        edges = [*(("root", top) for top in tops), *edges]
    return Taxonomy.flat([], root=tops[0]) if tops and not edges else Taxonomy(edges)


def _cycles(children: Mapping[str, Iterable[str]], starts: Iterable[str]) -> Iterator[list[str]]:
    """The cycle of each back edge of a depth-first search, the back edge last."""
    done = set()
    for start in starts:
        if start in done:
            continue
        path = {start: iter(children[start])}  # a stack with fast membership tests
        while path:
            node, untried = next(reversed(path.items()))
            for child in untried:
                if child in path:
                    yield [*dropwhile(child.__ne__, path), child]
                elif child not in done:
                    path[child] = iter(children[child])
                    break
            else:
                del path[node]
                done.add(node)


def _show(cycle: list[str]) -> str:
    if len(cycle) > 2 * SHOWN:
        cycle = [*cycle[:SHOWN], "...", *cycle[-SHOWN:]]
    return " -> ".join(cycle)
