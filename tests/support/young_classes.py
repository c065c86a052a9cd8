"""How many examples a class needs until its recall is 85 %, by the step at which it appears.

    PYTHONPATH=tests python tests/support/young_classes.py [--only NAME] [STEP ...]

Before the step, examples of the class have the label of its parent (`synth.Appearing`) or, in the
second half of the table, there are none. Prints the median of three streams for each model; "-" if
640 examples are not enough. Models that take minutes are run up to fewer steps.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from itertools import islice
from statistics import median
from typing import Any

from river import linear_model as river_linear_model
from river import naive_bayes
from tqdm import tqdm

from river_hier import decision, drift, kernel, linear_model, local, probabilistic
from river_hier.datasets import synth

Make = Callable[[Any], Any]  # a model from a taxonomy

SINGLE: dict[str, Make] = {
    "Hieron": linear_model.Hieron,
    "AveragedHieron": linear_model.AveragedHieron,
    "PathSoftmax": linear_model.PathSoftmax,
    "Averaged(Hieron)": lambda t: linear_model.Averaged(linear_model.Hieron(t)),
    "LinearDiscriminant": probabilistic.LinearDiscriminant,
    "Tempered(AveragedHieron)": lambda t: decision.Tempered(linear_model.AveragedHieron(t)),
    "TreeBayes(Tempered(AveragedHieron))": lambda t: decision.TreeBayes(
        decision.Tempered(linear_model.AveragedHieron(t)), t
    ),
    "TreeBayes(PathSoftmax)": lambda t: decision.TreeBayes(linear_model.PathSoftmax(t), t),
    "TreeBayes(LinearDiscriminant)": lambda t: decision.TreeBayes(
        probabilistic.LinearDiscriminant(t), t
    ),
    "BranchReset(Hieron)": lambda t: drift.BranchReset(linear_model.Hieron(t)),
    "kernel.Hieron(budget=200)": lambda t: kernel.Hieron(t, budget=200),
    "kernel.AveragedHieron(budget=200)": lambda t: kernel.AveragedHieron(t, budget=200),
    "PerParent(GaussianNB)": lambda t: local.PerParent(naive_bayes.GaussianNB(), t),
    "PerLevel(GaussianNB)": lambda t: local.PerLevel(naive_bayes.GaussianNB(), t),
}
SEVERAL: dict[str, Make] = {
    "HPerceptron": linear_model.HPerceptron,
    "HAROW": linear_model.HAROW,
    "HMinOver": linear_model.HMinOver,
    "Averaged(HPerceptron)": lambda t: linear_model.Averaged(linear_model.HPerceptron(t)),
    "Averaged(HAROW)": lambda t: linear_model.Averaged(linear_model.HAROW(t)),
    "HLossBayes(Calibrated(HPerceptron))": lambda t: decision.HLossBayes(
        decision.Calibrated(linear_model.HPerceptron(t))
    ),
    "HLossBayes(Calibrated(HAROW))": lambda t: decision.HLossBayes(
        decision.Calibrated(linear_model.HAROW(t))
    ),
    "ZeroOneBayes(Calibrated(HAROW))": lambda t: decision.ZeroOneBayes(
        decision.Calibrated(linear_model.HAROW(t))
    ),
    "SymmetricDifferenceBayes(Calibrated(HAROW))": lambda t: decision.SymmetricDifferenceBayes(
        decision.Calibrated(linear_model.HAROW(t))
    ),
    "HRLS": linear_model.HRLS,
    "HRLS(forgetting=0.99)": lambda t: linear_model.HRLS(t, forgetting=0.99),
    "HLossBayes(Calibrated(HRLS))": lambda t: decision.HLossBayes(
        decision.Calibrated(linear_model.HRLS(t))
    ),
    "SHRLS": linear_model.SHRLS,
    "SHRLS(forgetting=0.99)": lambda t: linear_model.SHRLS(t, forgetting=0.99),
    "kernel.HRLS": kernel.HRLS,
    "kernel.SHRLS(budget=200)": lambda t: kernel.SHRLS(t, budget=200),
    "PerNode(LogisticRegression)": lambda t: local.PerNode(
        river_linear_model.LogisticRegression(), t
    ),
}
MODELS = SINGLE | SEVERAL
LEAST_SQUARES = (
    "HRLS",
    "HLossBayes(Calibrated(HRLS))",
    "SHRLS",
    "kernel.HRLS",
    "kernel.SHRLS(budget=200)",
)
# Why the age of a class matters for some models.
AGE_MATTERS = {
    **dict.fromkeys(LEAST_SQUARES, "every example in which the class is off counts"),
    **dict.fromkeys(
        ("HRLS(forgetting=0.99)", "SHRLS(forgetting=0.99)"),
        "they remember about 100 examples of each node, in which the class is off",
    ),
    **dict.fromkeys(
        ("PerParent(GaussianNB)", "PerLevel(GaussianNB)"),
        "the classifiers estimate frequencies from all examples",
    ),
}
UP_TO = {  # the last step for models that would take minutes
    **dict.fromkeys(("kernel.HRLS", "kernel.SHRLS", "PerLevel", "PerNode"), 1_000),
    **dict.fromkeys(("kernel.", "PerParent", "BranchReset", "TreeBayes"), 10_000),
    **dict.fromkeys(("ZeroOneBayes", "SymmetricDifferenceBayes", "SHRLS"), 10_000),
    **dict.fromkeys(("HLossBayes(Calibrated(HRLS))", "HRLS(forgetting=0.99)"), 10_000),
}
CHECKS = (1, 2, 3, 5, 7, 10, 14, 20, 28, 40, 56, 80, 112, 160, 224, 320, 448, 640)


def examples_needed(name: str, at: int, seed: int, before: str = "parent") -> int:
    """The number of examples of a leaf that appears at a step, until 85 of 100 others are found.

    Before the step, they have the label of the "parent", or are "absent"; or the leaf is "unknown"
    and adopted at the step; or it is "learned" and forgotten at the step.
    """
    whole = synth.PrototypeTree(branching=3, depth=3, noise=0.04, seed=seed)
    taxonomy, leaf = whole.taxonomy, whole.taxonomy.leaves[0]
    held_out = list(islice((x for x, y in whole if y == leaf), 100))
    others = [label for label in taxonomy.nodes if label != leaf]
    model, n = MODELS[name](taxonomy.subset(others) if before == "unknown" else taxonomy), 0

    def found(x: Any) -> bool:
        y = model.predict_one(x)
        return bool(y == leaf if name in SINGLE else y[leaf])

    stream = whole if before == "learned" else synth.Appearing(whole, {leaf: at})
    for step, ((x, y), (_, truth)) in enumerate(zip(stream, whole, strict=False)):
        if step == at and before == "unknown":
            model.adopt(taxonomy)
        if step == at and before == "learned":
            model.forget(leaf)
        if before != "absent" or truth != leaf or step >= at:
            model.learn_one(x, y if name in SINGLE else {y})
        if y == leaf and step >= at:
            n += 1
            if n in CHECKS and sum(map(found, held_out)) >= 85:
                return n
            if n == CHECKS[-1]:
                break
    return sys.maxsize


def shown(name: str, at: int, before: str) -> str:
    if at > next((step for start, step in UP_TO.items() if name.startswith(start)), at):
        return ""
    n = median([examples_needed(name, at, seed, before) for seed in (1, 2, 3)])
    return "-" if n == sys.maxsize else f"{n:g}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("steps", type=int, nargs="*", default=[0, 1_000, 10_000, 100_000])
    parser.add_argument("--only", default="", help="part of the names of the models")
    options = parser.parse_args()
    head = "".join(f"{step:>9,}" for step in options.steps)
    print(f"{'':44}{'labelled as the parent before':>{len(head)}}{'absent before':>{len(head)}}")
    print(f"{'':44}{head}{head}")
    for name in tqdm([name for name in MODELS if options.only in name]):
        cells = [shown(name, at, before) for before in ("parent", "absent") for at in options.steps]
        tqdm.write(f"{name:44}" + "".join(f"{cell:>9}" for cell in cells))
