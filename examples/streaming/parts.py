"""What the programs that merge models share: their options, the model of a part, and a tree.

Each part is a file of JSON lines, such as {"x": {"height": 2.5}, "y": ["garden", "tools"]}: x is
what the model takes, an object or a text, and y a label or a list of labels; `--x` and `--y` name
them otherwise. Files are what fsspec opens: paths, s3://shop/part-1.jsonl.gz, hdfs://..., whose
storage all workers must reach. The model is a file of pickle.dump or checkpoint.save, trained or
new, with which each part begins: only open your own.
"""

from __future__ import annotations

import argparse
import copy
import json
import pickle
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import fsspec

from river_hier import checkpoint, distributed

AT_ONCE = 4  # models that a worker merges at once, and has in memory


def options(description: str | None) -> argparse.ArgumentParser:
    """The options of all programs."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("files", type=absolute, nargs="+", help="the parts of the stream")
    add("--model", type=Path, required=True, help="what each part begins with")
    add("--x", default="x", help="the name of the column of texts or features")
    add("--y", default="y", help="the name of the column of labels")
    return parser


def absolute(file: str) -> str:
    """A path that is the same in the folders of workers."""
    return file if "://" in file else str(Path(file).resolve())


def opened(path: Path) -> Any:
    """The model in a file."""
    data = path.read_bytes()
    ours = data.startswith(b"river_hier checkpoint")
    return checkpoint.loads(data) if ours else pickle.loads(data)


def learned(file: str, model: Any, x: str, y: str) -> Any:
    """A copy of the model that has learned a file."""
    model = copy.deepcopy(model)
    for example in examples(file):
        model.learn_one(example[x], example[y])
    return model


def examples(file: str) -> Iterator[dict[str, Any]]:
    """The lines of a file."""
    with fsspec.open(file, "rt", encoding="utf-8", compression="infer") as lines:
        yield from map(json.loads, lines)


def groups(models: Sequence[Any]) -> list[Sequence[Any]]:
    """Models that are merged with each other, in a level of the tree."""
    return [models[i : i + AT_ONCE] for i in range(0, len(models), AT_ONCE)]


def merged(start: Any, *models: Any) -> Any:
    """The model that has learned what all have, which began with `start`."""
    return distributed.merge(models, start)
