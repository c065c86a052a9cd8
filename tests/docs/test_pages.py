"""The pages in docs: links lead somewhere, and what is said to be in the code is there."""

from __future__ import annotations

import ast
import contextlib
import functools
import importlib
import inspect
import re
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import river_hier
from support.layers import LAYERS
from support.paths import ROOT

DOCS = ROOT / "docs"
PACKAGE = Path(river_hier.__file__).parent
MADE = {"api", "gallery", "contributing.md", "changelog.md"}  # pages that nobody writes
PAGES = [
    ROOT / "README.md",
    *sorted(p for p in DOCS.rglob("*.md") if p.relative_to(DOCS).parts[0] not in MADE),
]
TEXTS = {page: page.read_text("utf-8") for page in PAGES}


def prose(page: Path) -> str:
    """The page without its blocks of code."""
    return re.sub(r"^```.*?^```$", "", TEXTS[page], flags=re.MULTILINE | re.DOTALL)


# Links


def anchors(page: Path) -> set[str]:
    """Those of the headings, where the ways in which anchors are commonly made agree."""
    found = set()
    for title in re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE):
        kept = re.sub(r"[^\w\s-]", "", title).strip().lower()
        if "--" not in (anchor := re.sub(r"\s", "-", kept)):
            found.add(anchor)
    return found


def test_links_lead_somewhere() -> None:
    links = [(p, link) for p in PAGES for link in re.findall(r"\]\(\s*([^)\s]+)\)", prose(p))]
    assert len(links) > 100
    for page, target in links:
        if re.match(r"https?:", target):
            continue
        file, _, anchor = target.partition("#")
        there = (page.parent / file).resolve() if file else page
        if there.is_relative_to(DOCS) and there.relative_to(DOCS).parts[0] in MADE:
            continue
        assert there.exists(), f"{page.name} links to {target}: there is no such file"
        if anchor:
            assert anchor in anchors(there), f"{page.name} links to {target}: no such heading"


# Tables that say where something is in the code


class Row(NamedTuple):
    page: str
    files: list[str]
    names: list[str]


@functools.cache
def defined(file: str) -> set[str]:
    """The functions, classes, `Class.method`s, variables and parameters of a file."""
    found = set()
    for node in ast.walk(ast.parse((PACKAGE / file).read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            methods = (n for n in node.body if isinstance(n, ast.FunctionDef))
            found |= {f"{node.name}.{method.name}" for method in methods}
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        if isinstance(node, ast.arg):
            found.add(node.arg)
    return found


def rows() -> Iterator[Row]:
    """Of each row of such a table the files and the names that its last cell points to.

    A row that names no file means that of the row before it, in the same table.
    """
    for page in PAGES:
        files: list[str] = []
        for line in prose(page).splitlines():
            cells = line.replace(r"\|", "").split("|")
            if len(cells) < 4:
                files = []  # the end of a table
                continue
            quoted = re.findall(r"`([\w./]+)`", cells[-2])
            named = [name for name in quoted if name.endswith(".py") and "examples/" not in name]
            files = named or files
            names = [name for name in quoted if not name.endswith(".py")]
            if files and names:
                yield Row(str(page.relative_to(ROOT)), files, names)


def found_in(file: str) -> list[str]:
    paths = (str(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("*.py"))
    return [path for path in paths if f"/{path}".endswith(f"/{file}")]


def test_what_a_row_points_to_is_there() -> None:
    n = 0
    for row in rows():
        n += 1
        there: set[str] = set()
        for file in row.files:
            paths = found_in(file)
            assert paths, f"{row.page}: there is no {file}"
            there = there.union(*map(defined, paths))
        for name in row.names:
            known = name in there or (PACKAGE / name).is_dir() or hasattr(river_hier, name)
            assert known or is_public(name), f"{row.page}: {name} is not in {row.files}"
    assert n > 120


LEARNERS = ["linear_model", "kernel", "probabilistic", "decision", "local", "batch", "induction"]


def is_public(name: str) -> bool:
    """Whether it is a learner: some tables say what a row is about in the same cell."""
    packages = (importlib.import_module(f"river_hier.{package}") for package in LEARNERS)
    return any(hasattr(package, name) for package in packages)


def test_files_that_are_named_exist() -> None:
    pattern = r"`((?:tests|examples|docs|river_hier|_core)/[\w./]+)`"
    for page in [*PAGES, ROOT / "CONTRIBUTING.md"]:
        text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.M | re.S)
        for name in re.findall(pattern, text):
            inside = ROOT / "river_hier" if name.startswith("_core") else ROOT
            assert (inside / name).exists(), f"{page.name}: there is no {name}"


# Public names


def test_names_of_packages_exist() -> None:
    """`package.Name` is ours or, where River has a package of that name, River's."""
    found = (name for name in river_hier.__all__ if inspect.ismodule(getattr(river_hier, name)))
    packages = "|".join(found)
    pattern = rf"`(?:river_hier\.)?({packages})\.(\w+)"
    for page, (package, name) in [(p, m) for p in PAGES for m in re.findall(pattern, prose(p))]:
        if name == "md":
            continue
        modules = [importlib.import_module(f"river_hier.{package}")]
        with contextlib.suppress(ImportError):
            modules.append(importlib.import_module(f"river.{package}"))
        there = any(hasattr(module, name) for module in modules)
        assert there, f"{page.name}: there is no {package}.{name}"


# Pictures


def test_the_layers_are_those_of_the_package() -> None:
    text = TEXTS[DOCS / "design.md"]
    drawn = re.findall(r"^ (\d)   (.+)$", text, re.MULTILINE)
    found = [set(modules.split()) for _, modules in reversed(drawn)]
    assert found == LAYERS, "docs/design.md draws other layers than tests/support/layers.py"


def test_the_picture_is_the_one_that_its_script_draws() -> None:
    script = DOCS / "pictures" / "one_mistake.py"
    drawn = runpy.run_path(str(script))["picture"]()
    assert script.with_suffix(".svg").read_text("utf-8") == drawn
