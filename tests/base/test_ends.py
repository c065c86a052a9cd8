"""A process that ends while daemon threads copy and pickle models."""

from __future__ import annotations

import subprocess
import sys

import pytest

COPIES = """
import copy, pickle, sys, threading, time
from river_hier import Taxonomy, linear_model

sys.setswitchinterval(1e-6)
model = linear_model.HAROW(Taxonomy([("r", f"{i}") for i in range(20)]))
for i in range(200):
    model.learn_one({f"f{i + j}": 1.0 for j in range(20)}, {f"{i % 20}"})


def work(copied):
    while True:
        copied(model)


for copied in (copy.deepcopy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))):
    threading.Thread(target=work, args=(copied,), daemon=True).start()
time.sleep(0.1)
"""


@pytest.mark.slow
def test_a_process_ends_while_daemons_copy_models() -> None:
    for _ in range(4):
        command = [sys.executable, "-P", "-c", COPIES]
        run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert (run.returncode, run.stderr) == (0, "")
