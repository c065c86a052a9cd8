"""A griffe extension for the docstrings of this library, which are numpydoc with Markdown bodies.

griffe's parser renders every section on its own and takes the text under "Returns" for a type. It
reads the sources without running them, so it does not see what decorators add.
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


def with_truncation(method: griffe.Function) -> None:
    """Take the parameters and the docstring that `truncatable` gives to a method."""
    decorated = griffe.dynamic_import(method.path)
    parameters = {parameter.name: parameter for parameter in method.parameters}
    for name, parameter in inspect.signature(decorated).parameters.items():
        if name not in parameters and parameter.kind is not parameter.VAR_KEYWORD:
            parameters[name] = griffe.Parameter(
                name,
                annotation=str(parameter.annotation),
                kind=griffe.ParameterKind.positional_or_keyword,
                default=str(parameter.default),
            )
    last = [p for p in parameters.values() if p.kind is griffe.ParameterKind.var_keyword]
    method.parameters = griffe.Parameters(*(p for p in parameters.values() if p not in last), *last)
    if method.docstring:
        method.docstring.value = inspect.getdoc(decorated) or ""


class Dialect(griffe.Extension):
    """The extension that the site's configuration names."""

    def on_function(self, *, func: griffe.Function, **kwargs: Any) -> None:
        if any(decorator.callable_path.endswith("truncatable") for decorator in func.decorators):
            with_truncation(func)

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
