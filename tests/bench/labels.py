"""How long does a step take, as labels become very many?

    python tests/bench/labels.py [--nodes N ...] [--picture FILE]

Trees have three levels of about as many children each. An example is 23 features: 20 words of
50,000, by a power law, and one for each level of its label, which are drawn by a power law, too.
Microseconds of processor time, after the examples that are named `learned`; `top` is
`inspection.top_one(model, x)`, the five likeliest labels. `right` is the share of right answers
and depends on how many were learned, `MB` the size of the weights. HAROW has the ancestors of each
label as labels, and predicts by `predict_labels_one`. Vowpal Wabbit's `--plt`, a tree of binary
decisions over the same leaves, takes part if it is installed; it is given the lines of its format.

The picture has the time of learning against the number of nodes.
"""

import argparse
import random
import time
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from typing import Any

from river_hier import Taxonomy, inspection, linear_model

Example = tuple[dict[str, float], int]
LEARNERS = ("HierarchicalSoftmax", "PathSoftmax", "Hieron", "AveragedHieron", "HAROW")
SIZES = [1_000, 3_000, 20_000, 200_000, 1_000_000]
SECONDS = 30.0  # about the most that a learner takes for each size


def tree(n: int) -> tuple[Taxonomy, int]:
    """A tree of about n nodes, and the number of children of a node."""
    b = round(n ** (1 / 3))
    n_inner = 1 + b + b * b
    return Taxonomy([((v - 1) // b, v) for v in range(1, n_inner + b**3)], root=0), b


def stream(b: int, seed: int = 0) -> Iterator[Example]:
    """Examples whose labels are leaves."""
    rng = random.Random(seed)
    while True:
        i, j, k = (min(int(rng.paretovariate(1.0)), b) for _ in range(3))
        path = i, i * b + j, (i * b + j) * b + k
        words = {f"w{int(rng.paretovariate(0.8)) % 50_000}": 0.2 for _ in range(20)}
        yield {**{f"level {v}": 0.2 for v in path}, **words}, path[-1]


def microseconds(call: Callable[..., Any], examples: Iterable[Any]) -> float:
    begun = time.process_time()
    n = 0
    for n, example in enumerate(examples, 1):  # noqa: B007 - their number
        call(*example)
    return 1e6 * (time.process_time() - begun) / n


class Plt:
    """Vowpal Wabbit as a model of texts, which are lines of its format without labels."""

    def __init__(self, t: Taxonomy, b: int) -> None:
        from vowpalwabbit import Workspace

        self.first = len(t) - b**3  # the first leaf
        options = "--loss_function logistic --top_k 1 -b 24 --quiet"
        self.vw = Workspace(f"--plt {b**3} {options}")

    def learn_one(self, x: str, y: int) -> None:
        self.vw.learn(f"{y - self.first} {x}")

    def predict_one(self, x: str) -> int:
        return int(self.vw.predict(x)[0]) + self.first


def line(x: dict[str, float]) -> str:
    return "| " + " ".join(f"{name.replace(' ', '_')}:{value}" for name, value in x.items())


def measured(name: str, size: int) -> tuple[int, int, float, float, float, float, float]:
    """The numbers of a line of the table."""
    t, b = tree(size)
    ours = name in LEARNERS
    model = getattr(linear_model, name)(t) if ours else Plt(t, b)
    predict_one = getattr(model, "predict_labels_one", model.predict_one)
    examples: Any = stream(b) if ours else ((line(x), y) for x, y in stream(b))
    once = microseconds(model.learn_one, [next(examples) for _ in range(20)])
    some = [next(examples) for _ in range(int(min(4_000, SECONDS * 1e6 / 5 / once)))]
    microseconds(model.learn_one, some)
    some = [next(examples) for _ in some]
    answers = [predict_one(x) for x, _ in some]
    hits = (
        y in a if isinstance(a, list) else a == y for a, (_, y) in zip(answers, some, strict=True)
    )
    right = sum(hits) / len(some)
    xs = [(x,) for x, _ in some]
    predict = microseconds(predict_one, xs)
    top = microseconds(lambda x: inspection.top_one(model, x), xs) if ours else float("nan")
    learn = microseconds(model.learn_one, some)
    size_mb = model._state.n_bytes / 1e6 if ours else float("nan")
    return len(t), len(some), learn, predict, top, right, size_mb


def main(sizes: list[int], picture: str | None) -> None:
    head = ("nodes", 10), ("learned", 9), ("learn", 8), ("predict", 9), ("top", 7), ("right", 7)
    print(f"{'':19}" + "".join(f"{name:>{width}}" for name, width in head) + f"{'MB':>5}")
    lines: dict[str, list[tuple[int, float]]] = {}
    peers = ["Vowpal Wabbit --plt"] * (find_spec("vowpalwabbit") is not None)
    for name in [*LEARNERS, *peers]:
        for size in sizes:
            n, learned, learn, predict, top, right, size_mb = measured(name, size)
            lines.setdefault(name, []).append((n, learn))
            print(
                f"{name:19}{n:>10,}{learned:>9,}{learn:>8,.0f}{predict:>9,.0f}{top:>7,.0f}"
                f"{right:>7.3f}{size_mb:>5,.0f}",
                flush=True,
            )
    if picture is not None:
        draw(lines, picture)


def draw(lines: dict[str, list[tuple[int, float]]], file: str) -> None:
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams.update({"svg.hashsalt": "labels", "svg.fonttype": "none"})
    figure = Figure(figsize=(7, 4), layout="constrained")
    ax = figure.subplots()
    for name, points in lines.items():
        own = name == "HierarchicalSoftmax"
        style = "-o" if name in LEARNERS else ":s"
        x, y = zip(*points, strict=True)
        (drawn,) = ax.loglog(x, y, style, markersize=4, linewidth=3 if own else 1.5)
        ink = drawn.get_color()
        by = (6, 4 if name in LEARNERS else -5)
        ax.annotate(name, points[-1], by, textcoords="offset points", va="center", color=ink)
    ax.set(xlabel="nodes", ylabel="learning, microseconds an example")
    ax.set_xlim(800, 2e7)
    ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(file, metadata={"Date": None})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--nodes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--picture")
    args = parser.parse_args()
    main(args.nodes, args.picture)
