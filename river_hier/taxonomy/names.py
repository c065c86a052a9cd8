"""The names of labels as texts: what is known of a category before its first example."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

from .errors import short
from .graph import Label

if TYPE_CHECKING:
    from .nodes import Nodes

# A code with at least two digits, such as A02.1 or 16-24, or a digit; "3D" and "MP3" are words.
CODE = re.compile(r"\A(?:[A-Z]{0,3}\d[A-Z\d.:/-]*\d|\d)[.:)]?(?:\s+|$)")
CAMEL_CASE = re.compile(r"(?<=[a-zß-öø-ÿ]{2})(?=[A-ZÀ-ÖØ-Þ])")  # "iPhone" is one word
SEPARATORS = re.compile(r"[\s_/\\|>:;,.()\[\]{}&–—-]+")


class Names(list[tuple[Any, Label]]):
    """Pairs of x, the text of a label, and the label: the examples that `Taxonomy.names` returns.

    Attributes
    ----------
    left_out : tuple
        The labels that have no text, in taxonomy order.
    """

    left_out: tuple[Label, ...] = ()


def words_of(name: object) -> str:
    """A name as a text; empty if it is no string, or if it has no letters but those of a code."""
    if not isinstance(name, str):
        return ""
    text = SEPARATORS.sub(" ", CAMEL_CASE.sub(" ", CODE.sub("", name.strip()))).strip()
    return text if any(map(str.isalpha, text)) else ""


def names_of(nodes: Nodes, on: Hashable | None, descriptions: Mapping[Label, str] | None) -> Names:
    """The names of all nodes but the root; see `Taxonomy.names`."""
    if not isinstance(descriptions := {} if descriptions is None else descriptions, Mapping):
        raise TypeError(
            f"`descriptions` must be {{label: text}}, got {type(descriptions).__name__}"
        )
    described = dict[int, str]()
    for label, text in descriptions.items():
        if not isinstance(text, str):
            raise TypeError(f"the description of {short(label)} must be a text, got {short(text)}")
        described[nodes.index(label)] = text.strip()
    names, left_out, path = Names(), [], nodes._path_format
    for v, label in enumerate(nodes.nodes[1:], 1):
        name = path.names(label) if path.whole else label
        name = words_of(name[-1] if isinstance(name, tuple) and name else name)
        if text := " ".join(filter(None, (name, described.get(v)))):
            names.append((text if on is None else {on: text}, label))
        else:
            left_out.append(label)
    names.left_out = tuple(left_out)
    return names
