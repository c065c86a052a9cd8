"""Calibrated scores, one number at a time."""

import math
from collections import defaultdict


class AdaGrad:
    """One parameter."""

    def __init__(self, value, step):
        self.value = value
        self.step = step
        self.squares = 1.0

    def move(self, gradient):
        self.squares += gradient**2
        self.value -= self.step * gradient / math.sqrt(self.squares)


def near(scores, unit):
    """What is beyond ten units counts as ten."""
    return [max(min(score, 10 * unit), -10 * unit) for score in scores]


def unit(scores):
    """The root mean square of weighted scores."""
    squares = sum(weight * score**2 for score, weight in scores)
    return math.sqrt(squares / sum(weight for _, weight in scores)) if squares else math.inf


class Calibration:
    """Shared and own slopes, of which logarithms are learned, and intercepts."""

    def __init__(self):
        self.scores = []  # each with its weight
        self.a, self.b = AdaGrad(math.log(2), 0.2), AdaGrad(0.0, 0.2)
        self.own_a = defaultdict(lambda: AdaGrad(0.0, 0.1))
        self.own_b = defaultdict(lambda: AdaGrad(0.0, 0.1))

    def unit(self):
        return unit(self.scores)

    def given(self, node, score):
        slope = math.exp(self.a.value + self.own_a[node].value)
        z = slope * score / self.unit() + self.b.value + self.own_b[node].value
        return 1 / (1 + math.exp(-z)) if z > -700 else 0.0

    def learn(self, scores, on, weight=1.0):
        """`scores` of the nodes whose parents are on."""
        seen = near(list(scores.values()), self.unit())
        self.scores += [(score, weight) for score in seen]
        scores = dict(zip(scores, seen, strict=True))
        by_a, by_b = {}, {}
        for node, score in scores.items():
            by_b[node] = weight * (self.given(node, score) - on[node])
            slope = math.exp(self.a.value + self.own_a[node].value)
            by_a[node] = by_b[node] * slope * score / self.unit()
        self.a.move(sum(by_a.values()))
        self.b.move(sum(by_b.values()))
        for node in scores:
            self.own_a[node].move(by_a[node])
            self.own_b[node].move(by_b[node])


class Temperatures:
    """A sharp and a flat slope for all labels, and how much each counts."""

    def __init__(self):
        self.squares = []  # the mean squares of scores, with weights
        self.sharp, self.flat = AdaGrad(1.0, 0.5), AdaGrad(0.0, 0.5)
        self.odds = AdaGrad(0.0, 0.5)

    def unit(self):
        """Of the latest examples; before 1,000 have arrived, of all."""
        total = weight = 0.0
        for square, w in self.squares:
            total, weight = total + w * square, weight + w
            if weight > 1000:
                total, weight = total * 1000 / weight, 1000.0
        return math.sqrt(total / weight) if total else math.inf

    def softmax(self, scores, slope):
        z = {label: math.exp(slope) * score / self.unit() for label, score in scores.items()}
        powers = {label: math.exp(value - max(z.values())) for label, value in z.items()}
        return {label: power / sum(powers.values()) for label, power in powers.items()}

    def probabilities(self, scores, sharp=0.0, flat=0.0, odds=0.0):
        """With the parameters moved by these amounts."""
        share = 1 / (1 + math.exp(-self.odds.value - odds))
        one = self.softmax(scores, self.sharp.value + sharp)
        other = self.softmax(scores, self.flat.value + flat)
        return {label: (1 - share) * one[label] + share * other[label] for label in scores}

    def rescale(self, scores, weight=1.0):
        mean = sum(scores.values()) / len(scores)
        seen = near([score - mean for score in scores.values()], self.unit())
        self.squares.append((sum(score**2 for score in seen) / len(seen), weight))
        return dict(zip(scores, seen, strict=True))

    def learn(self, scores, y, weight=1.0):
        """By differences: nobody has to find a derivative."""
        scores, h = self.rescale(scores, weight), 1e-5
        slopes = {}
        for name in ("sharp", "flat", "odds"):
            up, down = (self.probabilities(scores, **{name: d})[y] for d in (h, -h))
            slopes[name] = weight * (math.log(down) - math.log(up)) / (2 * h)
        for name, slope in slopes.items():
            getattr(self, name).move(slope)
