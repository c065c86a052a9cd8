"""Extremely randomised trees that grow with a stream: Geurts, Ernst and Wehenkel (2006), Table 1.

The score of a split is the reduction of the variance of the indicators of the nodes that are on.
"""

import math
from itertools import chain
from zlib import crc32

from .trees import ancestors

Row = tuple[list[float], tuple[int, ...], float]  # x, the nodes that are on, the weight


class Tree:
    """A leaf lists its examples, the latest first; an inner node has two trees below it."""

    def __init__(self, rows=()):
        self.rows = list(rows)
        self.stuck = False  # whether all its x are the same; if not, its targets are
        self.split = None
        self.below = []

    def leaf(self, x):
        if self.split is None:
            return self
        feature, threshold = self.split
        return self.below[x[feature] > threshold].leaf(x)

    def all_rows(self):
        return [*self.rows, *chain.from_iterable(below.all_rows() for below in self.below)]

    def part(self, x, size):
        """The rows of the smallest part of at least this size, or of all."""
        if self.split is None:
            return self.rows
        feature, threshold = self.split
        below = self.below[x[feature] > threshold]
        return (
            below.part(x, size) if size == 1 or len(below.all_rows()) >= size else self.all_rows()
        )


class Forest:
    def __init__(self, parents, n_trees, budget, seed):
        self.parents = parents
        self.nodes = list(parents)
        self.parameters = n_trees, budget, seed
        self.names = []
        self.n = 0
        self.stored = {}
        self.trees = [Tree() for _ in range(n_trees)]
        self.states = [(seed << 32) + k for k in range(n_trees)]
        self.next_builds = [2.0 * 1.5 ** (k / n_trees) for k in range(n_trees)]
        self.losses = {1: 0.0, 4: 0.0, 16: 0.0, 64: 0.0}

    def learn(self, x, on, w=1.0):
        if w == 0.0:
            return
        self.names += [name for name in x if name not in self.names]
        closure = {self.nodes[0], *on}.union(*(ancestors(self.parents, v) for v in on))
        self.learn_row(self.vector(x), tuple(sorted(map(self.nodes.index, closure))), w)

    def learn_row(self, x, targets, w):
        if self.n % 4 == 0:
            self.judge(x, targets, w)
        budget = self.parameters[1]
        i = self.n % budget
        if i in self.stored:
            for tree in self.trees:
                leaf = tree.leaf(self.padded(i))
                leaf.rows.remove(i)
        self.stored[i] = x, targets, w
        self.n += 1
        for k, tree in enumerate(self.trees):
            if self.n >= self.next_builds[k]:
                self.next_builds[k] += 0.5 * min(self.next_builds[k], budget)
                self.trees[k] = Tree(sorted(self.stored))
                self.grow(self.trees[k], k)
                continue
            leaf = tree.leaf(x)
            leaf.rows.insert(0, i)
            others = [(self.padded(j), self.stored[j][1]) for j in leaf.rows[1:]]
            if any(z != x if leaf.stuck else v != targets for z, v in others):
                self.grow(leaf, k)

    def grow(self, leaf, k):
        leaf.stuck = len({self.stored[i][1] for i in leaf.rows}) > 1
        if not leaf.stuck or not self.names:
            return
        best = None
        candidates = math.isqrt(len(self.names))
        for feature in self.draws(leaf.rows, k):
            column = {i: self.padded(i)[feature] for i in leaf.rows}
            low, high = min(column.values()), max(column.values())
            if low == high:
                continue
            threshold = low + self.uniform(k) * (high - low)
            if threshold >= high:
                threshold = low
            score = sum(
                self.score([i for i in leaf.rows if (column[i] > threshold) == side])
                for side in (False, True)
            )
            if best is None or score > best[0]:
                best = score, feature, threshold
            candidates -= 1
            if not candidates:
                break
        if best is not None:
            leaf.stuck, leaf.split = False, best[1:]
            for side in (False, True):
                rows = [i for i in leaf.rows if (self.padded(i)[best[1]] > best[2]) == side]
                leaf.below.append(Tree(rows))
                self.grow(leaf.below[-1], k)
            leaf.rows = []

    def draws(self, rows, k):
        """Random features, each once: of rows with many that are not 0, first a few of all."""
        features = sorted(range(len(self.names)), key=lambda i: key(self.names[i]))
        most, drawn = 2 * math.isqrt(len(features)), set[int]()
        if sum(map(bool, chain.from_iterable(map(self.padded, rows)))) > most * len(rows):
            for _ in range(most):
                feature = features[int(self.uniform(k) * len(features))]
                if feature not in drawn:
                    drawn.add(feature)
                    yield feature
        seed = self.bits(k)
        left = {f for f in features if len({self.padded(i)[f] for i in rows}) > 1} - drawn
        yield from sorted(left, key=lambda f: -split_mix(seed + key(self.names[f]))[1])

    def score(self, part):
        """Minus the variance within a part, up to a constant of all parts."""
        rows = [self.stored[i] for i in part]
        on = [sum(w for _, y, w in rows if v in y) for v in range(len(self.nodes))]
        return sum(weight * weight for weight in on) / sum(w for *_, w in rows)

    def judge(self, x, targets, w):
        """The decayed log loss of all nodes that have been on, by the size of the parts."""
        n_known = 1 + max((y[-1] for _, y, _ in self.stored.values()), default=0)
        self.n_known = max(getattr(self, "n_known", 1), n_known)
        for size in self.losses:
            shares = list(self.shares_of(x, False, size).values())
            loss = 0.0
            for v in range(1, self.n_known):
                loss -= math.log(max(shares[v] if v in targets else 1.0 - shares[v], 1e-3))
            self.losses[size] = 0.996 * self.losses[size] + w * loss

    def shares(self, x, of_labels):
        x = self.vector({name: value for name, value in x.items() if name in self.names})
        size = 1 if of_labels else min(self.losses, key=self.losses.__getitem__)
        return self.shares_of(x, of_labels, size)

    def shares_of(self, x, of_labels, size):
        leaves = [tree.part(x, size) for tree in self.trees]
        leaves = [rows for rows in leaves if rows]
        shares = dict.fromkeys(self.nodes, 0.0)
        for rows in leaves:
            total = sum(self.stored[i][2] for i in rows)
            for i in rows:
                targets = self.stored[i][1]
                for v in targets[-1:] if of_labels else targets:
                    shares[self.nodes[v]] += self.stored[i][2] / total / len(leaves)
        return shares

    def forget(self, labels):
        for i, (_, targets, _) in list(self.stored.items()):
            if not labels.isdisjoint(self.nodes[v] for v in targets):
                for tree in self.trees:
                    tree.leaf(self.padded(i)).rows.remove(i)
                del self.stored[i]

    def vector(self, x):
        return [float(x.get(name, 0.0)) for name in self.names]

    def padded(self, i):
        x = self.stored[i][0]
        return x + [0.0] * (len(self.names) - len(x))

    def bits(self, k):
        self.states[k], bits = split_mix(self.states[k])
        return bits

    def uniform(self, k):
        return (self.bits(k) >> 11) * 2.0**-53


def split_mix(state):
    """The next state and random bits of SplitMix64."""
    mask = (1 << 64) - 1
    state = z = (state + 0x9E3779B97F4A7C15) & mask
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return state, z ^ (z >> 31)


def key(name):
    """The order in which features are drawn does not depend on that in which they come."""
    text = name if isinstance(name, str) else repr(name)
    return crc32(text.encode(), crc32(b"" if text is name else b"\xff"))
