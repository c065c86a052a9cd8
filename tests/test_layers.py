"""Layers: imports point downwards, and the lowest ones know nothing of River."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import river_hier
from support.layers import LAYERS

PACKAGE = Path(river_hier.__file__).parent
LAYER = {module: height for height, modules in enumerate(LAYERS) for module in modules}
NEIGHBOURS = {("base", "_core")}  # within one layer, who may import whom
TOP = {"__init__", "losses"}  # modules without a layer
FILES = sorted(p for p in PACKAGE.rglob("*.py") if p.parent != PACKAGE or p.stem not in TOP)


def layered(path: Path) -> str:
    """The module or package of the library that a file belongs to."""
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def imported(path: Path) -> Iterator[str]:
    """The absolute names of all modules that a file imports."""
    inside = ("river_hier", *path.relative_to(PACKAGE).with_suffix("").parts)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = list(inside[: -node.level]) if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            yield from (f"{module}.{alias.name}" for alias in node.names)


def test_imports_point_downwards() -> None:
    for path in FILES:
        module = layered(path)
        for name in imported(path):
            first, *rest = name.split(".")
            if first == "river_hier":
                other = rest[0]
                if other in LAYER and other != module:
                    allowed = LAYER[other] < LAYER[module] or (module, other) in NEIGHBOURS
                    assert allowed, f"{path} imports {other}"
                elif other not in LAYER:
                    assert other in {"Taxonomy", "__version__", "_native", "losses"}, (path, name)
            if module in {"taxonomy", "_core"}:
                assert first != "river", f"{path} imports {name}"


def test_every_module_has_a_layer() -> None:
    modules = set(map(layered, FILES))
    assert modules == set(LAYER)


def test_names_and_length() -> None:
    for path in FILES:
        assert path.stem not in {"utils", "core", "common", "helpers"}, path
        lines = len(path.read_text(encoding="utf-8").splitlines())
        assert lines <= 600, f"{path} has {lines} lines: two ideas?"


def test_strict_types_without_exemptions() -> None:
    for path in FILES:
        assert "type: ignore" not in path.read_text(encoding="utf-8"), path


def test_parts_are_imported_when_they_are_asked_for() -> None:
    program = (
        "import sys, river_hier\n"
        "assert 'river' not in sys.modules, 'Taxonomy alone needs no River'\n"
        "river_hier.losses.h_loss\n"
        "assert 'river_hier.evaluate' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-P", "-c", program], check=True)
    assert set(dir(river_hier)) == set(river_hier.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'linear_models'"):
        river_hier.linear_models  # noqa: B018
