"""Generates the pages of the documentation that are not in docs.

    python site/pages.py FOLDER

FOLDER is a copy of docs. The script adds a page for each public name, by package, as the modules'
`__all__` list them, and copies contributing.md and changelog.md from the top of the repository.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path
from types import ModuleType

import river_hier

ROOT = Path(__file__).parents[1]
FROM_THE_TOP = ("CONTRIBUTING.md", "CHANGELOG.md")


def packages(module: ModuleType = river_hier, prefix: str = "") -> Iterator[tuple[str, list[str]]]:
    """The packages with the public names in them, without the prefix `river_hier.`."""
    found = {name: getattr(module, name) for name in module.__all__}
    modules = {name: item for name, item in found.items() if inspect.ismodule(item)}
    yield prefix, [f"{prefix}.{name}".lstrip(".") for name in found if name not in modules]
    for name, item in modules.items():
        yield from packages(item, f"{prefix}.{name}".lstrip("."))


GROUPS = dict(packages())
NAMES = [name for names in GROUPS.values() for name in names]


def about(package: str) -> str:
    """The first sentence of its docstring."""
    return sentence(attrgetter(package)(river_hier) if package else river_hier)


def sentence(item: object) -> str:
    """The first sentence of a docstring, for a cell of a table."""
    paragraph = inspect.getdoc(item).split("\n\n")[0].replace("\n", " ")
    return re.sub(r"(?<!\\)\|", r"\\|", re.split(r"(?<=\.)\s", paragraph)[0])


def path(name: str) -> str:
    """The path of its page in the folder of the API."""
    return name.replace(".", "/") + ".md"


def summary(name: str) -> str:
    """The first sentence of its docstring or, of a constant, its value; for a cell of a table."""
    item = attrgetter(name)(river_hier)
    if not callable(item):
        return f"`{item}`" if isinstance(item, str) else f"{len(item)} words."
    return sentence(item)


def source(name: str) -> str:
    """The file that defines it; for a constant, the package that contains it."""
    item = attrgetter(name)(river_hier)
    package = ".".join(["river_hier", *name.split(".")[:-1]])
    file = inspect.getsourcefile(item if callable(item) else importlib.import_module(package))
    return str(Path(file).relative_to(Path(river_hier.__file__).parents[1]))


def short(name: str) -> str:
    """The name without its package, for the side bar, which is narrow."""
    return name.rpartition(".")[2].replace("_", r"\_")


def page(name: str) -> str:
    """The page of a name, which mkdocstrings fills in."""
    options = f"    options:\n      heading: {name}\n"
    return f"::: river_hier.{name}\n{options}\nSource: `{source(name)}`\n"


def api_pages() -> Iterator[tuple[str, str]]:
    """Paths and texts of a page for each name, the index, and the side bar."""
    index = ["# API", "All public classes and functions, by package."]
    side_bar = ["* [API](index.md)"]
    for package, names in GROUPS.items():
        rows = [f"| [`{name}`]({path(name)}) | {summary(name)} |" for name in names]
        title = package.replace("_", r"\_") or "river\\_hier"
        index += [f"## {title}", about(package), "\n".join(["| | |", "|---|---|", *rows])]
        side_bar += [f"* {title}", *(f"    * [{short(name)}]({path(name)})" for name in names)]
    yield from ((path(name), page(name)) for name in NAMES)
    yield "index.md", "\n\n".join(index) + "\n"
    yield "SUMMARY.md", "\n".join(side_bar) + "\n"


def from_the_top(text: str) -> str:
    """A page of the repository's top folder, with links for the site.

    Links into docs stay. Other files of the repository are not part of the site, so links to them
    are replaced by their text.
    """
    text = re.sub(r"\]\(docs/", "](", text)
    for name in FROM_THE_TOP:
        text = text.replace(f"]({name}", f"]({name.lower()}")
    elsewhere = r"\[([^\]]+)\]\((?!https?:|#|[\w/]+\.md)[^)]+\)"
    return re.sub(elsewhere, r"\1", text)


def to_the_top(text: str) -> str:
    """A page of docs, with links to the copies of pages of the top folder."""
    for name in FROM_THE_TOP:
        text = text.replace(f"../{name}", name.lower())
    return text


def write(folder: Path) -> None:
    pages = {file: to_the_top(file.read_text("utf-8")) for file in folder.rglob("*.md")}
    pages |= {folder / "api" / name: text for name, text in api_pages()}
    for name in FROM_THE_TOP:
        if (ROOT / name).exists():
            pages[folder / name.lower()] = from_the_top((ROOT / name).read_text("utf-8"))
    for file in pages:
        if file.name == "SUMMARY.md":  # a side bar, which the search must not find as a page
            pages[file] = f"---\nsearch:\n  exclude: true\n---\n\n{pages[file]}"
    for file, text in pages.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
