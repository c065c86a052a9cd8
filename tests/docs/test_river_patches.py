"""The patches to River apply to its newest version, and the tests that they add pass."""

import os
import re
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
import river

from support.paths import DOCS

VERSION = "0.26.1"
PYTEST = ["pytest", "-q", "-p", "no:cacheprovider", "--rootdir=.", "--doctest-modules"]
PYTEST += ["-o", "doctest_optionflags=NORMALIZE_WHITESPACE ELLIPSIS"]  # as River has them
# The classifier and the metrics of the patch give the numbers of ours.
SAME_NUMBERS = """
import pytest
from river import metrics, multiclass, naive_bayes
from river_hier import local, metrics as ours
from river_hier.datasets import synth

stream = synth.PrototypeTree(branching=3, depth=3, noise=0.3, seed=1)
t = stream.taxonomy
parents = {node: t.parent(node) for node in t if t.depth(node) > 1}
model = multiclass.PerParentClassifier(naive_bayes.GaussianNB(), parents)
own = local.PerParent(naive_bayes.GaussianNB(), t)
names = "HPrecision", "HRecall", "HF1"
pairs = [(getattr(metrics, name)(parents), getattr(ours, name)(t)) for name in names]
for i, (x, y) in enumerate((x, y) for x, y in stream.take(400) if y != t.root):
    if i > 50:  # before, children are equally likely
        assert model.predict_one(x) == own.predict_one(x)
        p = {node: p for node, p in own.predict_proba_one(x).items() if p}
        assert {k: v for k, v in model.predict_proba_one(x).items() if v} == pytest.approx(p)
        for one, other in pairs:
            for metric in (one, other):
                metric.update(y, own.predict_one(x), w=1 + i % 3)
            assert one.get() == pytest.approx(other.get())
    model.learn_one(x, y)
    own.learn_one(x, y)
assert i > 300
"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(metadata.version("river") != VERSION, reason=f"patches of River {VERSION}"),
]


def run_patched(name, folder, command=None):
    """Run the tests of the files that a patch adds to River, or a command, in a patched copy."""
    shutil.copytree(Path(river.__file__).parent, folder / "river")
    patch = DOCS / "river" / f"{name}.patch"
    subprocess.run(["git", "apply", str(patch)], cwd=folder, check=True)
    files = re.findall(r"^--- /dev/null\n\+\+\+ b/(.+)", patch.read_text("utf-8"), re.MULTILINE)
    done = subprocess.run(
        [sys.executable, *(command or ["-m", *PYTEST, *files])],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", ["bugs", "several_labels", "per_parent"])
def test_patches_apply_and_their_tests_pass(name, tmp_path):
    run_patched(name, tmp_path)


def test_the_classifier_and_metrics_for_river_give_the_numbers_of_ours(tmp_path):
    run_patched("per_parent", tmp_path, ["-c", SAME_NUMBERS])
