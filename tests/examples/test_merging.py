"""The scripts that merge models: in each engine, and with a worker that dies."""

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
from support.processes import environment, environment_of_scripts
from support.requirements import require_module, require_program

STREAMING = EXAMPLES / "streaming"
SHOP = {"shop": {"kitchen": ["pots", "cups"], "garden": {"tools": ["rakes"], "plants": []}}}
PATIENCE = 300.0  # seconds until a test gives up waiting
ENGINES = {"ray": "merge_ray.py", "dask.distributed": "merge_dask.py", "pyspark": "merge_spark.py"}

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="nothing is killed -9 there")

# Python imports it as it starts: the first process that reads its 30th line dies, once.
DEADLY = """
import itertools, json, os, signal
loads, calls = json.loads, itertools.count()
def deadly(text, *args, **kwargs):
    if text.startswith('{"x"') and next(calls) == 30:
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
    """Files, and the model that is merged from them."""

    taxonomy: Path
    files: list[Path]
    model: Any


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("parts")
    (folder / "taxonomy.json").write_text(json.dumps(SHOP))
    t = Taxonomy.from_nested(SHOP)
    examples = [
        ({str(name): value for name, value in x.items()}, sorted(on for on in y if y[on]))
        for x, y in synth.PrototypePaths(t, noise=0.5, seed=1).take(150)
    ]
    files, models = [], []
    for i, part in enumerate([examples[k : k + 50] for k in (0, 50, 100)]):
        files.append(folder / f"{i}.jsonl")
        files[-1].write_text("".join(json.dumps({"x": x, "y": y}) + "\n" for x, y in part))
        models.append(linear_model.HAROW(t))
        for x, y in part:
            models[-1].learn_one(x, set(y))
    return Parts(folder / "taxonomy.json", files, distributed.merge(models))


def run(script, parts, saved, died=None):
    """The model that a script saves; with `died`, a file, a worker dies on the way."""
    folder = saved.parent
    (folder / "sitecustomize.py").write_text(DEADLY)
    path = os.pathsep.join([str(folder), *filter(None, sys.path)])
    env = environment_of_scripts() | {"PYTHONPATH": path} | ({"DIED": str(died)} if died else {})
    command = [sys.executable, str(STREAMING / script), "--taxonomy", str(parts.taxonomy)]
    command += ["--model", str(saved), *map(str, parts.files)]
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
    if engine != "pyspark":  # it puts several small files into one partition
        assert pickle.dumps(model) == pickle.dumps(pickle.loads(pickle.dumps(parts.model)))
    died = tmp_path / "died"
    again = run(ENGINES[engine], parts, tmp_path / "again", died)
    assert died.exists()
    assert pickle.dumps(again) == pickle.dumps(model)


@pytest.mark.slow(but=1)
def test_models_are_published_meanwhile(parts, tmp_path):
    command = [sys.executable, str(STREAMING / "merge_while_learning.py")]
    command += ["--taxonomy", str(parts.taxonomy), "--folder", str(tmp_path / "models")]
    command += ["--every", "0.001", *map(str, parts.files)]
    subprocess.run(command, check=True, timeout=PATIENCE, env=environment())
    model = checkpoint.load(tmp_path / "models" / "merged")
    assert pickle.dumps(model) == pickle.dumps(pickle.loads(pickle.dumps(parts.model)))
