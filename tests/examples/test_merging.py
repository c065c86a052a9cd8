"""The scripts that merge models: in each engine, and with a worker that dies."""

import copy
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from river_hier import Taxonomy, checkpoint, distributed, linear_model
from river_hier.datasets import synth
from support.paths import EXAMPLES
from support.processes import environment_of_scripts
from support.requirements import require_module, require_program

STREAMING = EXAMPLES / "streaming"
SHOP = {"shop": {"kitchen": ["pots", "cups"], "garden": {"tools": ["rakes"], "plants": []}}}
PATIENCE = 300.0  # seconds until a test gives up waiting
ENGINES = {"ray": "merge_ray.py", "dask.distributed": "merge_dask.py", "pyspark": "merge_spark.py"}

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="nothing is killed -9 there")

# Python imports it as it starts: the first process that reads its 15th line dies, once.
DEADLY = """
import itertools, json, os, signal
loads, calls = json.loads, itertools.count()
def deadly(text, *args, **kwargs):
    if text.startswith('{"features"') and next(calls) == 15:
        try:
            os.close(os.open(os.environ["DIED"], os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            pass
        else:
            os.kill(os.getpid(), signal.SIGKILL)
    return loads(text, *args, **kwargs)
if "DIED" in os.environ:
    json.loads = deadly
"""


class Parts(NamedTuple):
    """A new model, files, and the model that is merged from them."""

    new: Path
    files: list[Path]
    model: Any


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("parts")
    new = linear_model.HAROW(Taxonomy.from_nested(SHOP))
    (folder / "new.pkl").write_bytes(pickle.dumps(new))
    examples = [
        ({str(name): value for name, value in x.items()}, sorted(on for on in y if y[on]))
        for x, y in synth.PrototypePaths(new.taxonomy, noise=0.5, seed=1).take(270)
    ]
    files, models = [], []
    for i in range(9):  # so merged in two levels
        part = examples[30 * i : 30 * (i + 1)]
        files.append(folder / f"{i}.jsonl")
        lines = (json.dumps({"features": x, "labels": y}) + "\n" for x, y in part)
        files[-1].write_text("".join(lines))
        models.append(copy.deepcopy(new))
        for x, y in part:
            models[-1].learn_one(x, y)
    levels = [distributed.merge(models[k : k + 4], new) for k in (0, 4, 8)]
    return Parts(folder / "new.pkl", files, distributed.merge(levels, new))


def given_to_all(parts):
    return ["--model", str(parts.new), "--x", "features", "--y", "labels"]


def run(script, parts, saved, died=None):
    """The model that a script saves; with `died`, a file, a worker dies on the way."""
    folder = saved.parent
    (folder / "sitecustomize.py").write_text(DEADLY)
    path = os.pathsep.join([str(folder), *filter(None, sys.path)])
    env = environment_of_scripts() | {"PYTHONPATH": path} | ({"DIED": str(died)} if died else {})
    command = [sys.executable, str(STREAMING / script), *given_to_all(parts)]
    command += ["--merged", str(saved), *map(str, parts.files)]
    found = subprocess.run(
        command, capture_output=True, text=True, timeout=PATIENCE, env=env, cwd=folder
    )
    assert found.returncode == 0, found.stderr
    return checkpoint.load(saved)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_a_worker_that_dies_changes_nothing(engine, parts, tmp_path):
    require_module(engine, "engines")
    if engine == "pyspark":
        require_program("java")
    model = run(ENGINES[engine], parts, tmp_path / "model")
    assert pickle.dumps(model) == pickle.dumps(pickle.loads(pickle.dumps(parts.model)))
    died = tmp_path / "died"
    again = run(ENGINES[engine], parts, tmp_path / "again", died)
    assert died.exists()
    assert pickle.dumps(again) == pickle.dumps(model)


@pytest.mark.slow
def test_models_are_published_meanwhile(parts, tmp_path):
    command = [sys.executable, str(STREAMING / "merge_while_learning.py")]
    command += [*given_to_all(parts), "--folder", str(tmp_path / "models")]
    command += ["--every", "0.001", *map(str, parts.files)]
    subprocess.run(command, check=True, timeout=PATIENCE, env=environment_of_scripts())
    model = checkpoint.load(tmp_path / "models" / "merged")
    for label, weights in parts.model.weights.items():  # merged in two levels
        assert model.weights[label] == pytest.approx(weights)
