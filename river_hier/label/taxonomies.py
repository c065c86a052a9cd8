"""Files with the categories of a desk: nested JSON, edges, or a column of paths."""

import csv
import json
from pathlib import Path
from typing import Any

from ..taxonomy import Taxonomy


def paths(file: Path, separator: str) -> list[tuple[str, ...]]:
    """The paths of the categories, without a root that all of them share.

    JSON holds `{name: children}` or a list of edges, pairs of a parent and a child; a CSV file has
    columns `parent` and `child`, or paths in its first column.
    """
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            found: Any = json.load(lines) if file.suffix == ".json" else list(csv.reader(lines))
        if isinstance(found, dict):
            t = Taxonomy.from_nested(found, labels="path")
        elif file.suffix == ".json" or [*map(str.strip, found[0])] == ["parent", "child"]:
            edges = [(str(a), str(b)) for a, b in found[file.suffix != ".json" :]]
            t = Taxonomy(edges)
            return [tuple(map(str, t.path(v)[1:])) for v in t.nodes[1:]]
        else:
            column = [row[0] for row in found[1:] if row]
            t = Taxonomy.from_paths([tuple(p.split(separator)) for p in column], labels="path")
            return [v for v in t.nodes if isinstance(v, tuple)]
        above = len(t.root) if isinstance(t.root, tuple) else 0
        return [tuple(map(str, v[above:])) for v in t.nodes[1:]]
    except (IndexError, TypeError, ValueError) as error:
        raise ValueError(
            f"{file} must hold nested categories, edges or paths, see --help: {error}"
        ) from error
