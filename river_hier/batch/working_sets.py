"""Dual ascent for the hierarchical multilabel SVM, one instance at a time (Algorithm 1).

A pair p = (y, ybar) of a relevant and an irrelevant candidate of instance i has a dual variable
alpha_p >= 0. With beta_p = alpha_p / Delta_p the constraint is sum_p beta_p <= C, and the
derivative of the dual objective with respect to beta_p is

    h_p = Delta_p (1 - <w, dPhi_p>).

The slack C - sum beta is one more variable, with h = 0. At the optimum no positive variable has a
smaller h than any other variable: psi_i = max h - min {h_p : beta_p > 0} is 0 for all i.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._core import Ranking
from .examples import Floats, Ints, Mask
from .expansions import Expansion


class Objectives(NamedTuple):
    """The primal and dual objectives, and how far each instance is from its optimum."""

    primal: float
    dual: float
    psi: Floats

    @property
    def gap(self) -> float:
        return self.primal - self.dual


class WorkingSets:
    """The nonzero dual variables of each instance.

    Candidates are numbered from 0; `delta` holds Delta(y, ybar) of each pair of candidates.
    """

    def __init__(
        self, expansion: Expansion, ranking: Ranking, relevant: Mask, delta: Floats, c: float
    ) -> None:
        self.expansion = expansion
        self.ranking = ranking
        self.delta = delta
        self.c = c
        self.attributes: Floats = ranking.attributes  # (nodes, candidates)
        self.relevant: list[Ints] = [np.flatnonzero(row) for row in relevant]
        self.others: list[Ints] = [np.flatnonzero(~row) for row in relevant]
        self.pairs: list[Ints] = [np.empty((0, 2), np.intp) for _ in relevant]
        self.betas: list[Floats] = [np.empty(0) for _ in relevant]

    def objectives(self) -> Objectives:
        """The current objectives: O(scoring all instances + all pairs)."""
        scores = self.ranking.scores(self.expansion.all_scores().T)[self.ranking.candidates].T
        norm2 = self.expansion.norm2()
        slack = dual = 0.0
        psi = np.zeros(len(scores))
        for i, f in enumerate(scores):
            _, most = self._worst(i, f)
            slack += most  # xi_i
            y, ybar = self.pairs[i].T
            dual += float(self.betas[i] @ self.delta[y, ybar])  # sum alpha
            psi[i] = most - self._least(i, f)
        return Objectives(norm2 / 2 + self.c * slack, dual - norm2 / 2, psi)

    def ascend(self, i: int, tol: float) -> None:
        """Add the most violated pair of an instance, and solve its working set."""
        f = self.ranking.scores(self.expansion.scores(i))[self.ranking.candidates]
        pair, most = self._worst(i, f)
        pairs, before = self.pairs[i], self.betas[i]
        if most > 0.0 and not (pairs == pair).all(axis=1).any():
            pairs, before = np.vstack((pairs, pair)), np.append(before, 0.0)
        y, ybar = pairs.T
        delta = self.delta[y, ybar]
        h = delta * (1.0 - f[y] + f[ybar])
        d_phi = delta * (self.attributes[:, y] - self.attributes[:, ybar])  # (nodes, pairs)
        q = d_phi.T @ d_phi * self.expansion.norms2[i]
        betas = ascend_simplex(q, h, before, self.c, tol)
        steps = d_phi @ (betas - before)
        nodes = np.flatnonzero(steps)
        self.expansion.add(i, nodes, steps[nodes])
        kept = betas > 0.0
        self.pairs[i], self.betas[i] = pairs[kept], betas[kept]

    def _worst(self, i: int, f: Floats) -> tuple[Ints, float]:
        """The pair with the largest h, and that h, or 0, which is that of the slack."""
        y, ybar = self.relevant[i], self.others[i]
        if not len(y) or not len(ybar):
            return np.empty(2, np.intp), 0.0
        h = self.delta[y[:, None], ybar] * (1.0 - f[y, None] + f[ybar])
        a, b = np.unravel_index(h.argmax(), h.shape)
        return np.array([y[a], ybar[b]]), max(float(h[a, b]), 0.0)

    def _least(self, i: int, f: Floats) -> float:
        """The smallest h of the positive variables, including the slack."""
        y, ybar = self.pairs[i].T
        h = self.delta[y, ybar] * (1.0 - f[y] + f[ybar])
        least = float(h.min(initial=np.inf))
        return min(least, 0.0) if self.betas[i].sum() < self.c else least


def ascend_simplex(q: Floats, h: Floats, betas: Floats, c: float, tol: float) -> Floats:
    """argmax h.d - d.q.d / 2 over d = b - betas, with b >= 0 and sum b <= c.

    Pair by pair, as in SMO: the variable with the largest derivative takes from the positive
    variable with the smallest, until the two differ by at most `tol`, or by rounding errors.
    """
    n, tol = len(h), max(tol, 1e-12 * float(np.abs(h).max(initial=0.0)))
    q = np.pad(q, (0, 1))  # the slack
    h = np.append(h, 0.0)
    b = np.append(betas, max(c - betas.sum(), 0.0))
    while True:
        up = int(h.argmax())
        down = int(np.where(b > 0.0, h, np.inf).argmin())
        if h[up] - h[down] <= tol:
            return b[:n]
        curvature = q[up, up] + q[down, down] - 2.0 * q[up, down]
        step = b[down]
        if curvature * step > h[up] - h[down]:
            step = (h[up] - h[down]) / curvature
        b[up] += step
        b[down] -= step
        h = h - step * (q[up] - q[down])
