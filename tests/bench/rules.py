"""One rule three times: in C++, written in Python and compiled by numba, and in Python.

    python tests/bench/rules.py

Processor time of `learn_one`, medians over interleaved runs in microseconds and as ratios to the
library's learner, and how many of 500 answers are the same. Documents have 40 of 5,000 words and a
word of their label, one of 80 leaves below 25 other nodes.
"""

import functools
import itertools
import operator
import random
import statistics
import time

import numpy as np

from river_hier import Taxonomy, base, linear_model

REPEATS, N = 5, 1_000


class HPerceptron(base.TopDownLearner, numba=()):
    def learns(self, score, y):
        return (score >= 0.0) != (y > 0.0)

    def rule(self, score, y, norm2):
        return y


class HAROW(base.TopDownLearner, numba=("r",)):
    second_order, r = True, 1.0

    def learns(self, score, y):
        return y * score < 1.0

    def rule(self, score, y, norm2, variance=0.0):
        confidence = 1.0 / (variance + self.r)
        return (y - score) * confidence, confidence


class Hieron(base.PathLearner, numba=("C",)):
    C = 10.0

    def rule(self, margin, gamma, norm2):
        return min(self.C, (np.sqrt(gamma) - margin) / (gamma * norm2))


def in_python(learner):
    return type("InPython", (learner,), {"rule": lambda self, *given: learner.rule(self, *given)})


def main():
    rng = random.Random(0)
    ends = itertools.product(range(5), range(4), range(4))
    leaves = [(f"a{i}", f"b{i}{j}", f"c{i}{j}{k}") for i, j, k in ends]
    t = Taxonomy.from_paths(leaves)

    def document():
        *_, label = rng.choice(leaves)
        return {f"w{rng.randrange(5000)}": rng.random() for _ in range(40)} | {label: 1.0}, label

    documents = [document() for _ in range(N)]
    core = {
        HPerceptron: linear_model.HPerceptron,
        HAROW: functools.partial(linear_model.HAROW, r=1.0, intercept=0.0),
        Hieron: linear_model.Hieron,
    }
    for rule, compiled in core.items():
        print(rule.__name__)
        ways = {"C++": compiled, "numba": rule, "Python": in_python(rule)}
        times = {name: [] for name in ways}
        models = {}
        for turn in range(REPEATS + 1):
            for name, make in ways.items():
                model = models[name] = make(t)
                start = time.process_time()
                for x, y in documents:
                    model.learn_one(x, y if rule is Hieron else {y})
                if turn:  # the first run compiles
                    times[name].append(1e6 * (time.process_time() - start) / N)
        medians = {name: statistics.median(spent) for name, spent in times.items()}
        answers = {
            name: [m.predict_one(x) for x, _ in documents[:500]] for name, m in models.items()
        }
        for name, median in medians.items():
            same = sum(map(operator.eq, answers["C++"], answers[name]))
            ratio = median / medians["C++"]
            print(f"  {name:8}{median:8.1f} us{ratio:8.2f}x{same:6} of 500 answers")


if __name__ == "__main__":
    main()
