"""A process that ends while daemon threads copy and pickle models."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
import time

import pytest

from river_hier import Taxonomy, checkpoint, linear_model, metrics, model_selection

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


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
def test_a_fork_waits_for_the_end_of_a_step_of_several_models(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    taxonomy, interval = Taxonomy.flat("ab"), sys.getswitchinterval()
    older, newer = linear_model.HAROW(taxonomy), linear_model.HPerceptron(taxonomy)
    models = [newer, older]  # a step holds the first lock, then takes that of the older model
    model = model_selection.SuccessiveHalving(models, metrics.HLoss(taxonomy), window=10**9)
    rng, stop = random.Random(1), threading.Event()
    examples = [{f"f{i}": rng.gauss(0, 1) for i in range(30)} for _ in range(200)]

    def learn() -> None:
        i = 0
        while not stop.is_set():
            i += 1
            model.learn_one(examples[i % 200], {"ab"[i % 2]})

    thread = threading.Thread(target=learn, daemon=True)
    path = tmp_path_factory.mktemp("checkpoint") / "model"
    sys.setswitchinterval(1e-5)
    try:
        thread.start()
        for _ in range(20):
            time.sleep(random.uniform(0, 0.005))
            begun = time.monotonic()
            saving = checkpoint.save_in_background(model, path)
            assert time.monotonic() - begun < 0.9  # else it has given up, and saves half a step
            saving.wait()
    finally:
        sys.setswitchinterval(interval)
        stop.set()
        thread.join()
