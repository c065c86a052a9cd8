"""The blocks of docs/distributed.md, and the files that they read."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from river_hier import Taxonomy, checkpoint, linear_model
from river_hier.datasets import synth
from support.paths import DOCS

PAGE = DOCS / "distributed.md"
TAXONOMY = Taxonomy([("all", "news"), ("news", "sport"), ("news", "politics")])
FEATURES = ["x0", "x1", "x2", "x3", "x4"]


def block(heading: str) -> str:
    """The block under a heading."""
    (section,) = re.findall(rf"^#+ {heading}\n(.*?)(?=^#|\Z)", PAGE.read_text("utf-8"), re.M | re.S)
    (code,) = re.findall(r"^```python\n(.*?)^```", section, re.M | re.S)
    return str(code)


def run(heading: str, folder: Path) -> dict[str, Any]:
    """What the block leaves behind, apart from files."""
    names: dict[str, Any] = {}
    with contextlib.chdir(folder):
        exec(compile(block(heading), heading, "exec"), names)
    return names


def files(folder: Path) -> tuple[Any, pd.DataFrame]:
    """A model that has learned `training.parquet`, and its answers to `documents.parquet`."""
    stream = list(synth.LinearLabels(TAXONOMY, n_features=5, seed=42).take(1200))
    X = pd.DataFrame([list(x.values()) for x, _ in stream], columns=FEATURES)
    labels = [[label for label, on in y.items() if on] for _, y in stream]
    X[:1000].assign(labels=labels[:1000]).to_parquet(folder / "training.parquet")
    X[1000:].assign(id=np.arange(200)).to_parquet(folder / "documents.parquet")
    model = linear_model.SHRLS(TAXONOMY)
    model.learn_many(X[:1000], labels[:1000])
    checkpoint.save(model, folder / "model.checkpoint")
    return model, model.predict_many(X[1000:]).reset_index(drop=True)


def scored(path: Path) -> pd.DataFrame:
    """The answers in a file or a folder, in the order of their ids."""
    table = pd.read_parquet(path).sort_values("id")
    assert table.pop("id").tolist() == list(range(200))
    return table.reset_index(drop=True)
