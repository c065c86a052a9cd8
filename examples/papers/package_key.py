"""A key of the package's code, with which a result is recorded: another code, another key."""

from __future__ import annotations

import ast
import hashlib
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "river_hier"
# No recorded script imports them, nor does what it imports.
OTHERS = "sklearn.py", "serve", "label", "fit.py", "predict.py", "programs.py", "tables.py"
DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef


def package_key() -> str:
    """A hash of the sources in Python and C++, without comments and docstrings.

    They are the sources beside this script, as an installed package lacks those in C++.
    """
    files = (p for p in sorted(PACKAGE.rglob("*")) if p.suffix in (".py", ".cpp", ".hpp"))
    used = (p for p in files if p.relative_to(PACKAGE).parts[0] not in OTHERS)
    return hashlib.sha256("\0".join(map(code, used)).encode()).hexdigest()[:16]


def code(path: Path) -> str:
    """The lines of a file that are neither blank nor a comment nor part of a docstring."""
    lines = path.read_text(encoding="utf-8").splitlines()
    comment = "#" if path.suffix == ".py" else "//"
    if path.suffix == ".py":
        for node in ast.walk(ast.parse("\n".join(lines))):
            if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
                first, last = node.body[0].lineno, node.body[0].end_lineno or 0
                lines[first - 1 : last] = [""] * (last - first + 1)
    return "\n".join(
        line for line in lines if line.strip() and not line.lstrip().startswith(comment)
    )
