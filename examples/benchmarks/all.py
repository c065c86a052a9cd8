"""Benchmark of the recommended models and other libraries on all available collections.

    python examples/benchmarks/all.py --data FOLDER

FOLDER holds the data, each collection in a folder of its own. Every collection is split with
several seeds, and all methods get the same rows. Each run is a process of its own, and its result
is one line of `recorded.jsonl`, so that an interrupted program can continue where it was stopped.
At the end, docs/benchmarks.md is written; with `--page`, nothing else is done. `--again NAME`
repeats the runs of methods whose names contain NAME, and `--only NAME` runs no others. Methods of
libraries that are not installed are left out: `pip install hiclass vowpalwabbit napkinxc`.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import page
import results
from methods import OURS, Answer, Method
from rivals import RIVALS
from splits import COLLECTIONS, POOLED, Split
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from river_hier import linear_model, metrics
from river_hier.metrics.pooled_auprc import area, bins

HERE = Path(__file__).resolve().parent
METHODS: dict[str, Method] = OURS | RIVALS
SMALLEST = 1e-7  # for the log loss, probabilities are clipped to [SMALLEST, 1 - SMALLEST]
SECONDS = 300  # maximum processor time of a run


# %% Measures
def calibration_error(p: Any, on: Any) -> float:
    """The mean difference between probability and frequency, over ten bins."""
    place = np.minimum((10 * p).astype(int), 9)
    gaps = np.bincount(place, on, 10) - np.bincount(place, p, 10)
    return float(np.abs(gaps).sum() / len(p))


def figures(s: Split, found: Answer, pooled: bool) -> dict[str, float]:
    """The measures of a method's answers; those of probabilities only if it has some."""
    t, scores = s.taxonomy, found.scores
    measures = [
        metrics.ZeroOneLoss(t),
        (metrics.TreeInducedError if s.single else metrics.HLoss)(t),
    ]
    labels = np.array(t.nodes[1:] if not s.single else [None], dtype=object)
    for y, answer in zip(s.y_valid, found.answers, strict=True):
        pair = (y, answer) if s.single else (labels[y].tolist(), labels[answer].tolist())
        for measure in measures:
            measure.update(*pair)
    names = ("zero-one", "tree error" if s.single else "H-loss")
    result = {name: measure.get() for name, measure in zip(names, measures, strict=True)}
    if pooled and scores is not None:
        tops = () if all(len(t.parents(v)) < 2 for v in t) else t.children(t.root)
        kept = [i for i, v in enumerate(t.nodes[1:]) if v not in tops]
        numbers = bins(np.ascontiguousarray(scores[:, kept], dtype=float).ravel())
        numbers, place = np.unique(-numbers, return_inverse=True)
        true = np.bincount(place, s.y_valid[:, kept].ravel(), len(numbers))
        result["AU(PRC)"] = area(true, np.bincount(place) - true)
    if scores is None or not found.calibrated:
        return result
    p = np.clip(scores, SMALLEST, 1 - SMALLEST)
    if s.single:
        rows = np.arange(len(p))
        answers = np.array([t.index(v) for v in found.answers])
        truth = np.array([t.index(v) for v in s.y_valid])
        result["log loss"] = -float(np.log(p[rows, truth]).mean())
        result["ECE"] = calibration_error(p[rows, answers], answers == truth)
    else:
        loss = -np.log(np.where(s.y_valid, p, 1 - p)).sum(axis=1)
        result["log loss"] = float(loss.mean())
        result["ECE"] = calibration_error(p.ravel(), s.y_valid.ravel())
    return result


# %% One run, in a process of its own
def timed(call: Callable[..., Any], *arguments: Any) -> tuple[Any, float]:
    """The result and the processor time; short calls are repeated, since the clock is coarse."""
    start, n, spent = time.process_time(), 0, 0.0
    while n < 20 and spent < 0.05:
        found = call(*arguments)
        n, spent = n + 1, time.process_time() - start
    return found, max(spent, 1e-3) / n


def yardstick(s: Split) -> tuple[float, float]:
    """Seconds of a perceptron. Times are divided by these to compare machines under any load."""
    columns = {} if s.dense else {"columns": range(s.X.shape[1])}
    labels = {} if s.single else {"labels": s.taxonomy.nodes[1:]}

    def learn() -> Any:
        model = (linear_model.Hieron if s.single else linear_model.HPerceptron)(s.taxonomy)
        model.learn_many(s.X, s.y, **columns, **labels)
        return model

    model, learning = timed(learn)
    _, predicting = timed(lambda: model.predict_many(s.X_valid, **columns))
    return learning, predicting


def run(method: Method, s: Split, pooled: bool, answers: Any) -> None:
    warnings.filterwarnings("ignore")
    threadpool_limits(1)
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    unit = yardstick(s)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        predict, learning = timed(method.learn, s)
        found, predicting = timed(predict, s.X_valid)
    except Exception as error:  # of another library; the page reports it
        answers.send({"reason": f"{type(error).__name__}: {error}".partition("\n")[0][:120]})
        return
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    times = {"seconds": learning, "learn": learning / unit[0], "predict": predicting / unit[1]}
    answers.send(figures(s, found, pooled) | times | {"MB": grown / 1024})


def result(method: Method, s: Split, pooled: bool) -> dict[str, Any]:
    """The figures, or the reason why there are none."""
    receiving, sending = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(
        target=run, args=(method, s, pooled, sending)
    )
    process.start()
    sending.close()
    try:
        found: dict[str, Any] = receiving.recv()
    except EOFError:
        found = {"reason": f"stopped after {SECONDS} s of processor time"}
    finally:
        if process.is_alive() and not process.join(1):
            process.terminate()
        process.join()
    return found


# %% All runs
def main(data: Path, n_seeds: int, only: str, again: str | None, recorded: Path) -> None:
    known, package = results.read(recorded), results.package_key(Path(__file__))
    if again is not None:
        known = {key: found for key, found in known.items() if again not in key[1]}
        results.write(recorded, known)
    if stale := sum(found.get("package") != package for found in known.values()):
        print(
            f"{stale} of {len(known)} results were recorded before river_hier changed; see --again"
        )
    with recorded.open("a") as file:
        for method in METHODS.values():
            if method.missing:
                tqdm.write(f"left out: {method.needs} is not installed")
        for seed in range(n_seeds):
            for name, make in tqdm(COLLECTIONS.items(), desc=f"seed {seed}"):
                s = None
                for title, method in METHODS.items():
                    done = (name, title, seed) in known or (seed and name.endswith(", test"))
                    if only not in title or method.missing or done:
                        continue
                    try:
                        s = make(data, seed) if s is None else s
                    except FileNotFoundError as error:
                        tqdm.write(f"left out: {name}: {error}")
                        break
                    if method.applies(s):
                        found = result(method, s, name.partition(",")[0] in POOLED)
                        found["package"] = package
                        file.write(results.line((name, title, seed), found))
                        file.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, help="folder of the collections")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", default="", help="part of the names of the methods to run")
    parser.add_argument("--again", help="part of the names of the methods to run again")
    parser.add_argument("--page", action="store_true", help="only write the page")
    options = parser.parse_args()
    if not options.page:
        main(options.data, options.seeds, options.only, options.again, results.RECORDED)
    (HERE.parents[1] / "docs" / "benchmarks.md").write_text(
        page.text(results.read(results.RECORDED)), "utf-8"
    )
