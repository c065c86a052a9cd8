"""A logarithmic pool: Newton steps on its log loss, written out for each example."""

import math

import numpy as np

LEAST = 1e-6


class LogarithmicPool:
    """Coefficients of several distributions over labels, or of several marginals of nodes."""

    def __init__(self, n, multilabel):
        self.multilabel = multilabel
        self.coefficients = [1.0 / n] * n
        self.precision = np.eye(n)
        self.known = set()

    def logs(self, members):
        if not self.multilabel:
            return [{v: math.log(max(p, LEAST)) for v, p in each.items()} for each in members]
        kept = [{v: min(max(p, LEAST), 1 - LEAST) for v, p in each.items()} for each in members]
        return [{v: math.log(p / (1.0 - p)) for v, p in each.items()} for each in kept]

    def probabilities(self, members):
        logs = self.logs(members)
        scores = {
            v: sum(b * each[v] for b, each in zip(self.coefficients, logs, strict=True))
            for v in logs[0]
        }
        if self.multilabel:
            return {v: 1.0 / (1.0 + math.exp(-s)) for v, s in scores.items()}
        powers = {v: math.exp(s - max(scores.values())) for v, s in scores.items()}
        return {v: power / sum(powers.values()) for v, power in powers.items()}

    def learn(self, members, y, w):
        new, self.known = y - self.known, self.known | y
        if new:
            return
        logs, p = self.logs(members), self.probabilities(members)
        gradient = [sum(((v in y) - p[v]) * each[v] for v in p) for each in logs]
        hessian = np.zeros((len(logs), len(logs)))
        for i, a in enumerate(logs):
            for j, b in enumerate(logs):
                if self.multilabel:
                    hessian[i, j] = sum(p[v] * (1.0 - p[v]) * a[v] * b[v] for v in p)
                else:
                    mean_a, mean_b = (sum(p[v] * each[v] for v in p) for each in (a, b))
                    hessian[i, j] = sum(p[v] * (a[v] - mean_a) * (b[v] - mean_b) for v in p)
        self.precision = 0.999 * self.precision + 0.001 * np.eye(len(logs)) + w * hessian
        step = w * np.linalg.solve(self.precision, gradient)
        length = math.sqrt(step @ self.precision @ step)
        moved = self.coefficients + step / max(length, 1.0)
        self.coefficients = [max(b, 0.0) for b in moved.tolist()]
