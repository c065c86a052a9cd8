"""Models learn until memory runs out: the error is a MemoryError, and the model goes on."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import random, resource, sys
import numpy as np
from river_hier import Taxonomy, checkpoint, linear_model
from river_hier.linear_model import Averaged, HAROW

name, path, slack = sys.argv[1:]
WARM, END = 10, 300
T = Taxonomy.from_nested({"up": ["sky"], "down": {"ground": ["path", "grass"], "cement": []}})


def example(i):
    rng, y = random.Random(i), T.leaves[i % len(T.leaves)]
    x = {y: 1.0, **{f"a long name of a feature {i} {k}": rng.gauss(0, 1) for k in range(500)}}
    return x, {y} if several else y


def answers(model):
    scores = [model.score_one(x).values() for x in asked]
    return np.array([list(s) for s in scores])


model = Averaged(HAROW(T)) if name == "Averaged" else getattr(linear_model, name)(T)
several = name in ("HPerceptron", "HAROW", "Averaged")
examples = [example(i) for i in range(END)]
asked = [dict(list(x.items())[:30]) for x, _ in examples[:3]]
for x, y in examples[:WARM]:
    model.learn_one(x, y)
answers(model), checkpoint.save(model, path)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
done, failed = WARM, False
resource.setrlimit(resource.RLIMIT_AS, (used + int(slack) * 2**20, resource.RLIM_INFINITY))
try:
    for x, y in examples[WARM:]:
        model.learn_one(x, y)
        done += 1
except MemoryError:
    failed = True
finally:
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
assert failed, "there was enough memory"
assert np.isfinite(answers(model)).all()
checkpoint.save(model, path)
again = checkpoint.load(path)
np.testing.assert_array_equal(answers(again), answers(model))
for x, y in examples[done : done + 5]:
    model.learn_one(x, y)
    again.learn_one(x, y)
np.testing.assert_allclose(answers(model), answers(again), rtol=1e-9, atol=1e-12)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS limits memory on Linux only")
@pytest.mark.slow(but=1)
@pytest.mark.parametrize(
    ("name", "slack"),
    [
        *((v, 12) for v in ("HPerceptron", "HAROW", "Hieron", "AveragedHieron", "Averaged")),
        *(("PathSoftmax", slack) for slack in (3, 4, 5, 6, 8, 12)),
    ],
)
def test_what_is_left_is_a_model(name: str, slack: int, tmp_path: Path) -> None:
    of_name = name, str(tmp_path / "model"), str(slack)
    program = [sys.executable, "-P", "-c", PROGRAM, *of_name]
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OPENBLAS_NUM_THREADS": "1"}
    run = subprocess.run(
        program, capture_output=True, text=True, timeout=300, check=False, env=variables
    )
    assert run.returncode == 0, run.stderr[-3000:]
