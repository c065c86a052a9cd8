"""The time of the linear learners on RCV1, compared with only reading the dict.

    python tests/bench/core.py --data FOLDER

The row "dict walk" is a lower bound: it iterates over the same dicts in C and looks each name up in
a bare hash table (dict_walk.cpp, which needs a compiler). All rows get the same documents, made of
newly created strings, in blocks of 1,000, by turns, so that a change in the speed of the machine
affects all of them. The first 2,000 documents are not counted. The output has medians over the
blocks, their ratios to the median of the dict walk, and the 99th percentile of the calls divided by
their median; for the latter, calls are timed one by one in every fourth block, which is not counted
otherwise.
"""

import argparse
import importlib.util
import statistics
import subprocess
import sysconfig
import tempfile
import time
from pathlib import Path

import numpy as np
from river import linear_model as river_linear_model
from river import multioutput
from tqdm import tqdm

from river_hier import datasets, linear_model

BLOCK, DISCARDED = 1_000, 2_000


def fresh(documents):
    """The same documents with names that nobody has hashed or seen before."""
    return [({k.encode().decode(): v for k, v in x.items()}, y) for x, y in documents]


def dict_walk():
    """The `walk` of dict_walk.cpp, which is compiled first."""
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(__file__).with_name("dict_walk.cpp"), Path(folder, "dict_walk.so")
        include = f"-I{sysconfig.get_path('include')}"
        command = ["c++", "-O2", "-shared", "-fPIC", include, str(source), "-o", str(library)]
        subprocess.run(command, check=True)
        spec = importlib.util.spec_from_file_location("dict_walk", library)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return module.walk


def deepest(taxonomy, y):
    """One label, for the learners that take one."""
    return max((label for label, on in y.items() if on), key=taxonomy.index)


def models(taxonomy):
    """Learn, predict, and whether they take one label."""
    rows = {}
    for name in ("HPerceptron", "HAROW", "Hieron"):
        model = getattr(linear_model, name)(taxonomy)
        rows[name] = (model.learn_one, model.predict_one, name == "Hieron")
    return rows


def timed(call, examples, calls):
    """Microseconds an example; of each single call, too, where they are collected."""
    clock = time.perf_counter
    start = clock()
    if calls is None:
        for example in examples:
            call(*example)
    else:
        for example in examples:
            before = clock()
            call(*example)
            calls.append(clock() - before)
    return 1e6 * (clock() - start) / len(examples)


def times(rows, taxonomy, documents, calls=None):
    """The times of predicting and learning a block, for each row."""
    for name, (learn, predict, one) in rows.items():
        examples = [(x,) for x, _ in fresh(documents)]
        yield name, "predict", timed(predict, examples, None)
        labelled = list(fresh(documents))
        if one:
            labelled = [(x, deepest(taxonomy, y)) for x, y in labelled]
        single = None if calls is None else calls.setdefault(name, [])
        yield name, "learn", timed(learn, labelled, single)


def main(data, with_river):
    stream = datasets.RCV1(data)
    taxonomy = stream.taxonomy
    documents = list(stream)
    walk = dict_walk()
    rows = models(taxonomy)
    river = multioutput.PerOutputClassifier(river_linear_model.Perceptron())
    found = {}
    calls = {}

    with tqdm(total=len(documents), unit="doc") as progress:
        for start in range(0, len(documents) - BLOCK + 1, BLOCK):
            block = documents[start : start + BLOCK]
            counted = start >= DISCARDED
            part = [("dict walk", "learn", timed(walk, [(x,) for x, _ in fresh(block)], None))]
            one_by_one = counted and start // BLOCK % 4 == 3
            part += times(rows, taxonomy, block, calls if one_by_one else None)
            if with_river:
                name = "River, one Perceptron a topic"
                predicted = [(x,) for x, _ in fresh(block)]
                part.append((name, "predict", timed(river.predict_one, predicted, None)))
                part.append((name, "learn", timed(river.learn_one, list(fresh(block)), None)))
            for name, what, microseconds in part if counted and not one_by_one else ():
                found.setdefault((name, what), []).append(microseconds)
            progress.update(BLOCK)

    medians = {key: statistics.median(values) for key, values in found.items()}
    base = medians["dict walk", "learn"]
    print(f"\n{'':32}{'learn_one':>18}{'predict_one':>18}{'slowest percent':>18}")
    for name in dict.fromkeys(name for name, _ in medians):
        cells = [
            f"{medians[name, what]:,.1f} us ({medians[name, what] / base:,.1f}x)"
            if (name, what) in medians
            else ""
            for what in ("learn", "predict")
        ]
        if single := calls.get(name):
            cells.append(f"{np.percentile(single, 99) / np.median(single):.1f} medians")
        print(f"{name:32}" + "".join(f"{cell:>18}" for cell in cells))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", help="folder with the LYRL2004 files; downloaded by default")
    parser.add_argument("--river", action="store_true", help="River's own multioutput, too (slow)")
    arguments = parser.parse_args()
    main(arguments.data, arguments.river)
