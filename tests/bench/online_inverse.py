"""H-RLS that is asked before every example it learns, beside an online inverse.

    python tests/bench/online_inverse.py --data FOLDER

The online inverse keeps $(l2 I + S^T S)^{-1}$ of each group of siblings, packed, and updates it by
BLAS (dspmv, dspr) for every example; then predictions are cheap. All dot products of documents are
given to it, and do not count; BLAS has one thread, as the learner has. Both get the same documents
in blocks of 500, one after the other, and their answers must be the same.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import blas
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from river_hier import Taxonomy, datasets, linear_model

BLOCK = 500
L2 = 1.0


class Group:
    """Children of one node: they have seen the same documents."""

    def __init__(self, nodes: list[int]) -> None:
        self.nodes = nodes
        self.seen: list[int] = []
        self.inverse = np.empty(1024)  # packed, upper triangle by columns, and room for more
        self.alpha = np.empty((0, len(nodes)))

    def learn(self, t: int, products: NDArray[np.float64], v: NDArray[np.float64]) -> None:
        k, n = products[self.seen], len(self.seen)
        size = n * (n + 1) // 2
        if size + n + 1 > len(self.inverse):
            self.inverse = np.concatenate([self.inverse, np.empty(size + n + 1)])
        used = self.inverse[:size]
        u = blas.dspmv(n, 1.0, used, k) if n else np.empty(0)
        s = float(L2 + products[t] - k @ u)
        delta = (v - k @ self.alpha) / s
        if n:
            blas.dspr(n, 1.0 / s, u, used, overwrite_ap=True)  # in place
        self.inverse[size : size + n] = -u / s
        self.inverse[size + n] = 1.0 / s
        self.alpha = np.vstack([self.alpha - np.outer(u, delta), delta])
        self.seen.append(t)


class OnlineInverse:
    """H-RLS with an inverse for each group of siblings."""

    def __init__(self, taxonomy: Taxonomy, products: NDArray[np.float64]) -> None:
        self.products = products
        index = taxonomy.index
        self.groups = {
            index(v): Group([index(child) for child in taxonomy.children(v)])
            for v in taxonomy.nodes
            if taxonomy.children(v)
        }
        self.n = len(taxonomy)

    def predict(self, t: int) -> NDArray[np.bool_]:
        on = np.zeros(self.n, dtype=bool)
        on[0] = True
        for v, group in self.groups.items():  # parents come before their children
            if on[v]:
                on[group.nodes] = self.products[t, group.seen] @ group.alpha >= 0.0
        return on

    def learn(self, t: int, on: NDArray[np.bool_]) -> None:
        for v, group in self.groups.items():
            if on[v]:
                group.learn(t, self.products[t], np.where(on[group.nodes], 1.0, -1.0))


def products(documents: list[tuple[dict[str, float], Any]]) -> NDArray[np.float64]:
    columns: dict[str, int] = {}
    entries = [
        (t, columns.setdefault(name, len(columns)), value)
        for t, (x, _) in enumerate(documents)
        for name, value in x.items()
    ]
    rows, names, values = zip(*entries, strict=True)
    X = sparse.csr_array((values, (rows, names)))
    dots: NDArray[np.float64] = (X @ X.T).toarray()
    return dots


def main(data: str | None, n: int) -> None:
    stream = datasets.RCV1(data)
    taxonomy = stream.taxonomy
    documents = list(stream.take(n))
    ours = linear_model.HRLS(taxonomy, l2=L2)
    theirs = OnlineInverse(taxonomy, products(documents))
    truths = [taxonomy._closure_mask(y) for _, y in documents]
    seconds = {"ours": 0.0, "inverse": 0.0}
    differ = 0
    print(f"{'documents':>10}{'H-RLS, s':>12}{'inverse, s':>12}{'ratio':>8}")
    with tqdm(total=n, unit="doc") as progress:
        for first in range(0, n, BLOCK):
            block = range(first, min(first + BLOCK, n))
            start = time.perf_counter()
            answers = []
            for t in block:
                answers.append(ours.predict_one(documents[t][0]))
                ours.learn_one(*documents[t])
            between = time.perf_counter()
            inverses = []
            for t in block:
                inverses.append(theirs.predict(t))
                theirs.learn(t, truths[t])
            end = time.perf_counter()
            seconds["ours"] += between - start
            seconds["inverse"] += end - between
            differ += sum(
                list(a.values()) != b[1:].tolist() for a, b in zip(answers, inverses, strict=True)
            )
            progress.update(len(block))
            if (first // BLOCK) % 4 == 3 or first + BLOCK >= n:
                ratio = seconds["ours"] / seconds["inverse"]
                tqdm.write(
                    f"{block.stop:>10,}{seconds['ours']:>12.1f}{seconds['inverse']:>12.1f}"
                    f"{ratio:>8.2f}"
                )
    print(f"answers that differ: {differ}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", help="folder with the LYRL2004 files; downloaded by default")
    parser.add_argument("--documents", type=int, default=6_000)
    arguments = parser.parse_args()
    with threadpool_limits(1):
        main(arguments.data, arguments.documents)
