"""Hierarchies as lines of numbers, in which an edge may lead back to where one came from."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Iterator, Mapping
from itertools import dropwhile, pairwise

from ..taxonomy import Taxonomy
from .files import Files, lines

__all__ = ["hierarchy"]

SHOWN = 6  # nodes at each end of a long cycle


def hierarchy(files: Files, name: str) -> tuple[Taxonomy, list[tuple[str, int, str]]]:
    """The taxonomy of `parent child` lines, or of lines that are whole paths from the top.

    Edges that close a cycle are left out; what is to be complained of them is returned, too. Which
    one of a cycle's edges it is depends on where one comes from: the graph is walked depth first,
    from the nodes without parents in the file's order, children in the file's order. Any other line
    that is wrong is an error: the taxonomy would be another one without it.
    """
    children: dict[str, dict[str, int]] = {}  # and the line that says so
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
        return Taxonomy.from_paths([*((node,) for node in children), *edges]), left_out
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def _cycles(children: Mapping[str, Iterable[str]], starts: Iterable[str]) -> Iterator[list[str]]:
    """For each edge that leads back, found depth first, the cycle that it closes; it comes last."""
    done = set()
    for start in starts:
        if start in done:
            continue
        path = {start: iter(children[start])}  # a stack in which nodes are found, too
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
