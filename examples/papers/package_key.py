"""A key of the code that a script depends on, with which its result is recorded."""

from __future__ import annotations

import ast
import functools
import hashlib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "river_hier"
DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef


@functools.cache  # edits during a run do not count as having been run
def package_key(script: Path) -> str:
    """A hash of the Python modules of the package that the script uses, and of all of its C++.

    Neither comments nor docstrings count, nor the annotations of functions. The modules are those
    beside this script, as an installed package lacks the sources in C++.
    """
    used = [path for path in sources(script) if path.is_relative_to(PACKAGE)]
    native = (p for p in sorted(PACKAGE.rglob("*")) if p.suffix in (".cpp", ".hpp"))
    text = "\0".join([*map(code, used), *map(lines, native)])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def sources(script: Path) -> list[Path]:
    """The script, and all modules of its folder and of the package that it imports, directly or
    indirectly, sorted."""
    seen: set[Path] = set()
    new = {script}
    while new:
        seen |= new
        names = {(folder(path, name), name) for path in new for name in imports(path)}
        new = {file for root, name in names for file in files(root, name)} - seen
    return sorted(seen)


def folder(path: Path, name: str) -> Path:
    """The folder in which a module finds another one."""
    return ROOT if name.partition(".")[0] == PACKAGE.name else path.parent


@functools.cache
def files(root: Path, name: str) -> list[Path]:
    """The files of a module that is found in a folder, and of the packages that it is in."""
    parts = name.split(".")
    modules = [root.joinpath(*parts[:n]) for n in range(1, len(parts) + 1)]
    paths = [path for m in modules for path in (m.with_suffix(".py"), m / "__init__.py")]
    return [path for path in paths if path.exists()]


@functools.cache
def imports(path: Path) -> list[str]:
    """What the module imports when it runs, with its full name: modules, or names in modules."""
    names: list[str] = []
    for node in running(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = path.relative_to(ROOT).parts[: -node.level] if node.level else ()
            module = ".".join([*above, *([node.module] if node.module else [])])
            names += [module, *(f"{module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == PACKAGE.name:
            names.append(f"{PACKAGE.name}.{node.attr}")  # imported when it is first used
    return names


def running(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes below it but those that are for type checkers only."""
    children = ast.iter_child_nodes(node)
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        children = iter(node.orelse)
    for child in children:
        yield child
        yield from running(child)


@functools.cache
def code(path: Path) -> str:
    """A module without comments, docstrings and the annotations of its functions."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        elif isinstance(node, ast.arg):
            node.annotation = None
    return ast.unparse(tree)


@functools.cache
def lines(path: Path) -> str:
    """The lines of a file in C++ that are neither blank nor a comment."""
    text = path.read_text(encoding="utf-8").splitlines()
    return "\n".join(line for line in text if line.strip() and not line.lstrip().startswith("//"))
