"""Generates the pages of the documentation that are not in docs.

    python site/pages.py FOLDER

FOLDER is a copy of docs. The script adds a page for each public name, as listed in api.toml beside
this file, and copies contributing.md and changelog.md from the top of the repository.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
import tomllib
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path
from types import ModuleType

import river_hier

ROOT = Path(__file__).parents[1]
GROUPS = tomllib.loads((ROOT / "site" / "api.toml").read_text("utf-8"))
NAMES = [name for group in GROUPS.values() for name in group["names"]]
FROM_THE_TOP = ("CONTRIBUTING.md", "CHANGELOG.md")


def public_names(module: ModuleType = river_hier) -> Iterator[str]:
    """Every public name, without the prefix `river_hier.`."""
    for name in module.__all__:
        item = getattr(module, name)
        if isinstance(item, ModuleType):
            yield from (f"{name}.{inner}" for inner in public_names(item))
        else:
            yield name


def path(name: str) -> str:
    """The path of its page in the folder of the API."""
    return name.replace(".", "/") + ".md"


def summary(name: str) -> str:
    """The first sentence of its docstring or, of a constant, its value; for a cell of a table."""
    item = attrgetter(name)(river_hier)
    if not callable(item):
        return f"`{item}`" if isinstance(item, str) else f"{len(item)} words."
    paragraph = inspect.getdoc(item).split("\n\n")[0].replace("\n", " ")
    sentence = re.split(r"(?<=\.)\s", paragraph)[0]
    return re.sub(r"(?<!\\)\|", r"\\|", sentence)


def source(name: str) -> str:
    """The file that defines it; for a constant, the package that contains it."""
    item = attrgetter(name)(river_hier)
    package = ".".join(["river_hier", *name.split(".")[:-1]])
    file = inspect.getsourcefile(item if callable(item) else importlib.import_module(package))
    return str(Path(file).relative_to(Path(river_hier.__file__).parents[1]))


def in_side_bar(name: str) -> str:
    """The name without its package if that is unambiguous, since the side bar is narrow."""
    last = name.rpartition(".")[2]
    alike = [other for other in NAMES if other.rpartition(".")[2] == last]
    return (last if len(alike) == 1 else name).replace("_", r"\_")


def page(name: str) -> str:
    """The page of a name, which mkdocstrings fills in."""
    options = f"    options:\n      heading: {name}\n"
    return f"::: river_hier.{name}\n{options}\nSource: `{source(name)}`\n"


def api_pages() -> Iterator[tuple[str, str]]:
    """Paths and texts of a page for each name, the index, and the side bar."""
    index = ["# API", "All public classes and functions, by purpose."]
    side_bar = ["* [API](index.md)"]
    for group, entry in GROUPS.items():
        names = entry["names"]
        rows = [f"| [`{name}`]({path(name)}) | {summary(name)} |" for name in names]
        index += [f"## {group}", entry["about"], "\n".join(["| | |", "|---|---|", *rows])]
        side_bar += [
            f"* {group}",
            *(f"    * [{in_side_bar(name)}]({path(name)})" for name in names),
        ]
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
    for file, text in pages.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
