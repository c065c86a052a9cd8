"""What do local classifiers cost? The same perceptron in different places, on RCV1.

    python tests/bench/local.py --data FOLDER

Every model gets the same documents in blocks, one model after the other, so that a machine that
slows down slows all of them. Printed are medians over the blocks, and how many of the wrapped
classifiers a document has reached: learning should cost in proportion to these.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
from collections import Counter
from typing import Any

from learners import microseconds
from river import base, multiclass, multioutput
from river import linear_model as river_linear_model
from tqdm import tqdm

from river_hier import Taxonomy, datasets, linear_model, local

BLOCK = 100
calls: Counter[str] = Counter()


class Counted(base.Wrapper[Any], base.Classifier):
    """Counts the calls of all its clones."""

    def __init__(self, model: Any) -> None:
        self.model = model

    @property
    def _wrapped_model(self) -> Any:
        return self.model

    def learn_one(self, x: Any, y: Any, **kwargs: Any) -> None:
        calls["learn"] += 1
        self.model.learn_one(x, y, **kwargs)

    def predict_proba_one(self, x: Any, **kwargs: Any) -> Any:
        calls["predict"] += 1
        return self.model.predict_proba_one(x, **kwargs)

    def predict_one(self, x: Any, **kwargs: Any) -> Any:
        calls["predict"] += 1
        return self.model.predict_one(x, **kwargs)


def models(t: Taxonomy) -> dict[str, tuple[Any, bool]]:
    """Each with whether it learns multilabels, or one label a document."""
    perceptron = Counted(river_linear_model.Perceptron())
    one_vs_rest = multiclass.OneVsRestClassifier(perceptron)
    return {
        "HPerceptron": (linear_model.HPerceptron(t), True),
        "PerNode(Perceptron)": (local.PerNode(perceptron, t), True),
        "PerOutputClassifier(Perceptron)": (multioutput.PerOutputClassifier(perceptron), True),
        "PerParent(OneVsRest(Perceptron))": (local.PerParent(one_vs_rest, t), False),
        "PerLevel(OneVsRest(Perceptron))": (local.PerLevel(one_vs_rest, t), False),
        "OneVsRest(Perceptron)": (one_vs_rest.clone(), False),
    }


def deepest(t: Taxonomy, y: Any) -> Any:
    """The first of the deepest labels."""
    on = t.closure(y)
    return max((label for label in t if label in on), key=t.depth)


def main(data: str | None, documents: int) -> None:
    stream = datasets.RCV1(data)
    t = stream.taxonomy
    trained = models(t)
    times: dict[tuple[str, str], list[float]] = {}
    reached: Counter[tuple[str, str]] = Counter()
    examples = iter(stream.take(documents))
    with tqdm(total=documents, unit="doc") as progress:
        while block := list(itertools.islice(examples, BLOCK)):
            for name, (model, several) in trained.items():
                calls.clear()
                learned = [(x, y if several else deepest(t, y)) for x, y in block]
                for verb, call, given in (
                    ("predict", model.predict_one, [(x,) for x, _ in block]),
                    ("learn", model.learn_one, learned),
                ):
                    times.setdefault((name, verb), []).append(microseconds(call, given))
                    reached[name, verb] += calls[verb]
            progress.update(len(block))
    print(f"microseconds a document, median over the blocks of {documents:,} documents")
    print("(calls of wrapped classifiers a document)\n")
    print(f"{'':36}{'learn_one':>18}{'predict_one':>18}")
    for name in trained:
        cells = (
            f"{statistics.median(times[name, verb]):,.0f} ({reached[name, verb] / documents:.1f})"
            for verb in ("learn", "predict")
        )
        print(f"{name:36}" + "".join(f"{cell:>18}" for cell in cells))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", help="folder with the LYRL2004 files; downloaded by default")
    parser.add_argument("--documents", type=int, default=1_000)
    arguments = parser.parse_args()
    main(arguments.data, arguments.documents)
