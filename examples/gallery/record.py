"""The output of a run of a script, and the file in which it is kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple


class Picture(NamedTuple):
    """A picture: the name of its files, a description, and its width in pixels."""

    name: str
    alt: str
    width: int


class Output(NamedTuple):
    """The output of one cell."""

    printed: str
    pictures: list[Picture]


class Record(NamedTuple):
    """The output of all cells, and the computing time in seconds.

    The key tells whether the run is that of the current script. A recorded run has a second one,
    of the package's code.
    """

    key: str
    seconds: float
    outputs: list[Output]
    package: str = ""

    @property
    def pictures(self) -> list[Picture]:
        return [picture for output in self.outputs for picture in output.pictures]


def store(record: Record, folder: Path) -> None:
    text = json.dumps(record._asdict(), indent=1)
    (folder / "run.json").write_text(text, encoding="utf-8")


def load(folder: Path, key: str) -> Record | None:
    """The record in the folder, if there is one with this key."""
    path = folder / "run.json"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if found.get("key") != key:
        return None
    outputs = [Output(printed, [Picture(*p) for p in made]) for printed, made in found["outputs"]]
    return Record(key, found["seconds"], outputs, found.get("package", ""))
