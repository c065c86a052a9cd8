"""Docstrings as this library writes them, told to the parser of numpydoc sections.

It gives every section to Markdown on its own, and takes what stands under "Returns" for types.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from typing import Any

import griffe


def sections(docstring: str) -> Iterator[tuple[str, str]]:
    """Titles and bodies, in order; what comes before all sections has no title."""
    parts = ["", *re.split(r"^(\S.*)\n-{3,}\n", docstring, flags=re.MULTILINE)]
    yield from zip(parts[::2], parts[1::2], strict=True)


def with_references(body: str, anchor: str) -> str:
    """Footnotes as links to the list of references, which stands in another section."""
    body = re.sub(r"^\[\^(\w+)\]: ", rf'\1. <a id="{anchor}-\1"></a>', body, flags=re.MULTILINE)
    return re.sub(r" ?\[\^(\w+)\]", rf'<sup><a href="#{anchor}-\1">[\1]</a></sup>', body)


def typed_by_signature(body: str) -> str:
    """A value described in words: its type is in the signature already, and a `:` says so."""
    return ":\n" + textwrap.indent(body.strip(), "    ") + "\n"


class Dialect(griffe.Extension):
    """What the site's configuration names."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        if not obj.docstring:
            return
        text = ""
        for title, body in sections(obj.docstring.value):
            body = with_references(body, obj.path)
            if title in ("Returns", "Yields"):
                body = typed_by_signature(body)
            text += f"{title}\n{'-' * len(title)}\n\n{body.lstrip()}\n" if title else body
        obj.docstring.value = text
