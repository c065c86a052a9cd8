"""Python has no memory for an object in the middle of a step: the step is learned or not."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys

import pytest

from support.backends import environment, native_only
from support.public_api import estimators

# Models whose learner is the user's, or that consist of several models, may learn a part; and
# those that store examples beside their model learn it first, and raise an error that says so.
IN_PARTS = "local.", "TreeBayes", "BinaryDecomposition", "SuccessiveHalving"
FOR_METRICS = "evaluate."  # as the model inside, with other answers
MODEL_FIRST = "Calibrated", "Tempered", "Replayed", "BranchReset"
NAMES = [name for name, model in estimators().items() if hasattr(model, "predict_one")]
WHOLE = [name for name in NAMES if not any(part in name for part in (*IN_PARTS, FOR_METRICS))]
FAST = "linear_model.HMinOver", "kernel.Hieron", "probabilistic.LinearDiscriminant"

without_tests = importlib.util.find_spec("_testcapi") is None


@pytest.mark.skipif(without_tests, reason="this Python comes without `_testcapi`")
@native_only
@pytest.mark.parametrize(
    "name", [name if name in FAST else pytest.param(name, marks=pytest.mark.slow) for name in WHOLE]
)
def test_without_memory_for_an_object_a_step_is_learned_or_not(name: str) -> None:
    command = [sys.executable, "-W", "ignore", "-m", "support.failing_python", name]
    process = subprocess.run(
        command, env=environment("compiled"), capture_output=True, text=True, check=True
    )
    found = json.loads(process.stdout)
    wrong = {outcome: n for outcome, n in found.items() if outcome.startswith("wrong")}
    if name.endswith(MODEL_FIRST):
        wrong = {outcome: n for outcome, n in wrong.items() if "n_learned = 1" not in outcome}
    assert not wrong
    assert found["n_learned = 0"] >= 3
