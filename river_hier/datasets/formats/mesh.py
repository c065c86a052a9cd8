"""NLM's Medical Subject Headings: the `mtrees*.bin` files of `heading;tree.number` lines.

A heading has one line for each of its places in the tree. The parent of a number is the number
without its last component; the numbers at the top of a category begin with its letter.

"""

from __future__ import annotations

import re
import reprlib

from ...taxonomy import Taxonomy
from ..io.files import Files, lines

_NUMBER = re.compile(r"[A-Z]\d+(\.\d+)*", re.ASCII)


def check_root(root: object) -> None:
    """Raise unless the root is a tree number or the letter of a category."""
    if not isinstance(root, str) or not _NUMBER.fullmatch(root if len(root) > 1 else f"{root}0"):
        raise ValueError(
            f"`root` must be a tree number, such as 'N05.715', or a category, such as 'C', "
            f"got {root!r}"
        )


def headings(files: Files, name: str) -> dict[str, str]:
    """The heading of each tree number. Errors raise: without the line the tree would differ."""
    found: dict[str, str] = {}
    for line, text in lines(files, name):
        heading, _, number = text.rpartition(";")
        if not heading or not _NUMBER.fullmatch(number):
            got = reprlib.repr(text)
            raise ValueError(f"{name}, line {line:,}: expected `heading;tree.number`, got {got}")
        if number in found:
            raise ValueError(f"{name}, line {line:,}: tree number {number!r} comes twice")
        found[number] = heading
    return found


def whole_headings(files: Files, name: str) -> None:
    """Raise a ValueError unless this is a list of headings that does not end within a line."""
    headings(files, name)
    end = b""
    with files.open(name) as raw:
        while chunk := raw.read(1 << 20):
            end = chunk[-1:]
    if end != b"\n":
        raise ValueError(f"{name} ends within a line")


def fragment(found: dict[str, str], name: str, root: str) -> Taxonomy:
    """The DAG of the headings below a tree number or a category's letter.

    Siblings are in the order of their numbers.
    """
    category = len(root) == 1
    if not category and root not in found:
        raise ValueError(f"{name} has no tree number {root!r} to use as the root")
    edges = []
    for number in sorted(n for n in found if n.startswith(root if category else f"{root}.")):
        above = number.rpartition(".")[0]
        if above and above not in found:
            raise ValueError(f"{name}: tree number {number!r} comes without {above!r}")
        edges.append((found[above] if above else root, found[number]))
    if not edges:
        raise ValueError(f"{name} has nothing below {root!r}")
    try:
        return Taxonomy(edges)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def unique_paths(dag: Taxonomy) -> Taxonomy:
    """The tree of the nodes that have a unique path from the root."""
    kept = {dag.root}
    for node in dag.nodes[1:]:  # parents come before their children
        above, *others = dag.parents(node)
        if above in kept and not others:
            kept.add(node)
    return dag.subset(list(kept))
