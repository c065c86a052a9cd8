"""The updates of Hieron in dual variables (Dekel, Keshet and Singer, 2004, Eq. 11 to 13)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...taxonomy import Arrays
from .expansion import Expansion
from .forgetting import four_fifths, pivoted_cholesky_projection
from .hieron import distances_from, hieron_move
from .kernel_instances import KernelInstances
from .paths import path_sums

Nodes = NDArray[np.intp]


def kernel_hieron_step(
    w: Expansion,
    C: float,
    instances: KernelInstances,
    budget: int | None,
    tree: Arrays,
    x: Any,
    y: int,
) -> None:
    """One round of online Hieron: a move where the prediction is wrong."""
    row = instances.row(x)
    scores = path_sums(w.scores(row.values), tree)  # Eq. (11)
    y_hat = int(scores.argmax())
    nodes, steps = hieron_move(scores, row.norm2, y, y_hat, tree, C)  # Eq. (12)
    if len(nodes):
        w.add(instances.n, nodes, steps)
        instances.append(x)
        _keep_to(budget, instances, w)


def kernel_averaged_hieron_step(
    w: Expansion,
    lag: Expansion,
    i: int,
    C: float,
    instances: KernelInstances,
    budget: int | None,
    tree: Arrays,
    x: Any,
    y: int,
) -> None:
    """Round i of batch Hieron: a move against the label of the largest loss, counted i times."""
    row = instances.row(x)
    scores = path_sums(w.scores(row.values), tree)
    y_hat = int((scores + distances_from(y, tree) ** 0.5).argmax())  # the most of Eq. (5)
    nodes, steps = hieron_move(scores, row.norm2, y, y_hat, tree, C)
    if len(nodes):
        w.add(instances.n, nodes, steps)
        lag.add(instances.n, nodes, i * steps)
        instances.append(x)
        _keep_to(budget, instances, w, lag)


def _keep_to(
    budget: int | None, instances: KernelInstances, w: Expansion, *others: Expansion
) -> None:
    """With more than `budget` instances, forget those that w can best do without."""
    n = instances.n
    if budget is not None and n > budget:
        K = instances.gram(np.arange(n))
        kept, P = pivoted_cholesky_projection(K, w.parts(K.diagonal()), four_fifths(budget))
        for expansion in (w, *others):
            expansion.forget(kept, P)
        instances.keep(kept)
