"""A griffe extension for the docstrings of this library, which are numpydoc with Markdown bodies.

griffe's parser renders every section on its own and takes the text under "Returns" for a type. It
reads the sources without running them, so it does not see what a class inherits or assigns.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterator
from typing import Any

import griffe


def sections(docstring: str) -> Iterator[tuple[str, str]]:
    """Titles and bodies, in order; the text before the first section has an empty title."""
    parts = ["", *re.split(r"^(\S.*)\n-{3,}\n", docstring, flags=re.MULTILINE)]
    yield from zip(parts[::2], parts[1::2], strict=True)


def with_references(body: str, anchor: str) -> str:
    """Footnotes as links to the list of references, which is in another section."""
    body = re.sub(r"^\[\^(\w+)\]: ", rf'\1. <a id="{anchor}-\1"></a>', body, flags=re.MULTILINE)
    return re.sub(r" ?\[\^(\w+)\]", rf'<sup><a href="#{anchor}-\1">[\1]</a></sup>', body)


def typed_by_signature(body: str) -> str:
    """The description of a value, with a `:` to mark that its type is in the signature."""
    return ":\n" + textwrap.indent(body.strip(), "    ") + "\n"


class Dialect(griffe.Extension):
    """The extension that the site's configuration names."""

    def on_class_members(self, *, cls: griffe.Class, **kwargs: Any) -> None:
        """Show what is assigned, as in `rule = smallest_step`, as the function that it is."""
        for name in [n for n, m in cls.members.items() if m.is_attribute and n[0] != "_"]:
            found = getattr(griffe.dynamic_import(cls.path), name, None)
            if inspect.isfunction(found):
                place = f"{found.__module__}.{found.__qualname__}"
                cls.set_member(name, griffe.Alias(name, place, parent=cls))

    def on_function(self, *, func: griffe.Function, **kwargs: Any) -> None:
        """Inherit the docstring of a public method."""
        public = func.name[0] != "_" and func.parent.name[0] != "_"
        if not func.docstring and func.parent.is_class and public:
            inherited = inspect.getdoc(griffe.dynamic_import(func.path))
            func.docstring = griffe.Docstring(inherited, parent=func) if inherited else None

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        if not obj.docstring:
            return
        text = ""
        first = ("", "Examples")  # what it is for, and a program, before the parameters
        for title, body in sorted(sections(obj.docstring.value), key=lambda s: s[0] not in first):
            body = with_references(body, obj.path)
            if title in ("Returns", "Yields"):
                body = typed_by_signature(body)
            text += f"{title}\n{'-' * len(title)}\n\n{body.lstrip()}\n" if title else body
        obj.docstring.value = text
