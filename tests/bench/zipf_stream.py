"""Documents like a large newswire's: a million names, ten thousand topics, nothing on disk.

Names are made-up words. Most of a document's words come from one Zipf distribution over all names,
whatever its topics; the rest are typical of its topics, each of which has some hundred words of its
own. Values are log tf-idf weights of unit norm, as those of RCV1 are.

The words of every document are new strings, as they are when a text is parsed: whoever looks one up
must compare letters, as it is never the very object that was stored.
"""

import numpy as np

from river_hier import Taxonomy

BLOCK = 256  # documents are drawn so many at a time; changing it changes the stream
LETTERS = 9  # of the longest names; the shortest have four
WORDS_A_TOPIC = 300
WORDS_A_DOCUMENT = 77  # drawn; some more than once, so that about 75 names are left
TYPICAL = 0.6  # the part of them that is typical of the topics
TWO_PATHS = 0.1  # the part of the documents that have two paths through the taxonomy


def taxonomy(n_nodes=10_000, depth=8, seed=0):
    """A random tree of `n_nodes` nodes, the root included, that is `depth` edges deep.

    It is widest at three quarters of its depth. A node hangs under any of the level above, more
    often under the first of them.
    """
    if n_nodes <= depth:
        raise ValueError(f"a tree {depth} edges deep has more than {n_nodes} nodes")
    rng = np.random.default_rng([seed, 0])
    label = iter(range(1, n_nodes))
    above, edges = ["root"], []
    for width in _widths(n_nodes - 1, depth).tolist():
        level = [f"t{next(label)}" for _ in range(width)]
        parents = rng.integers(len(above), size=width) ** 2 // len(above)
        edges += [(above[p], child) for p, child in zip(parents, level, strict=True)]
        above = level
    return Taxonomy(edges, root="root")


def documents(taxonomy, n, n_names=1_000_000, seed=0):
    """`n` documents: `{word: weight}` and the set of topics that are on, ancestors included.

    One path through the taxonomy or two, which end at inner nodes as well: six topics a document
    on average where the tree is eight edges deep. The root is left out.
    """
    return _documents(_Tables(taxonomy, n_names, seed), n, seed)


def label(taxonomy, y):
    """The deepest of the topics, for learners of one label; if several are, the first of them."""
    return max(y, key=lambda topic: (taxonomy.depth(topic), -taxonomy.index(topic)))


class _Tables:
    """What is drawn once: names, how common they are, and the words of the topics."""

    def __init__(self, taxonomy, n_names, seed):
        rng = np.random.default_rng([seed, 1])
        self.names = _names(n_names, rng)
        # The rank in Zipf's law is no property of a name: neighbours may be rare and common.
        self.by_rank = rng.permutation(n_names)
        p = 1.0 / (np.arange(n_names) + 20.0)  # without stop words the head is flat
        p /= p.sum()
        self.zipf = np.cumsum(p)
        expected = WORDS_A_DOCUMENT * (1 - TYPICAL) * p  # how often a document holds the name
        self.idf = np.empty(n_names)
        self.idf[self.by_rank] = np.log1p(1.0 / expected)
        # Neither the commonest names nor those that hardly any document holds are typical.
        low, high = 1 + n_names // 200, 1 + n_names // 4
        ranks = low * (high / low) ** rng.random((len(taxonomy), WORDS_A_TOPIC))
        self.typical = self.by_rank[ranks.astype(np.int64) - 1]
        self._topics(taxonomy)

    def _topics(self, taxonomy):
        """Where paths end, how likely each end is, and the nodes above it.

        Of the children of a node the first are the most common: a few topics are in many documents
        and most in hardly any.
        """
        nodes = taxonomy.nodes
        depth = np.array([taxonomy.depth(v) for v in nodes])
        popular = np.zeros(len(nodes))
        popular[0] = 1.0
        for v in nodes:
            children = [taxonomy.index(child) for child in taxonomy.children(v)]
            shares = 1.0 / np.arange(1, len(children) + 1)
            popular[children] = popular[taxonomy.index(v)] * shares / max(shares.sum(), 1.0)
        popular[0] = 0.0
        for d in range(1, taxonomy.height + 1):  # a depth is as likely as it has nodes
            level = depth == d
            popular[level] *= level.sum() / popular[level].sum()
        self.ends = np.cumsum(popular / popular.sum())
        self.paths = [[str(u) for u in taxonomy.path(v)[1:]] for v in nodes]
        self.n_above = np.maximum(depth, 1)
        self.above = np.zeros((len(nodes), taxonomy.height), dtype=np.int64)
        for i, v in enumerate(nodes[1:], start=1):
            self.above[i, : depth[i]] = [taxonomy.index(u) for u in taxonomy.path(v)[1:]]


def _documents(tables, n, seed):
    rng = np.random.default_rng([seed, 2])
    for start in range(0, n, BLOCK):
        ends = _draw(tables.ends, rng.random((BLOCK, 2)))
        ends[rng.random(BLOCK) >= TWO_PATHS, 1] = 0  # the root: no second path
        words, values, n_words = _words(tables, ends, rng)
        at = 0
        for (first, second), k in zip(ends[: n - start].tolist(), n_words.tolist(), strict=False):
            x = dict(zip(words[at : at + k], values[at : at + k], strict=True))
            yield x, {*tables.paths[first], *tables.paths[second]}
            at += k


def _words(tables, ends, rng):
    """The words of a block of documents, one document after the other, and their weights."""
    n_names = len(tables.names)
    document = np.repeat(np.arange(BLOCK), rng.poisson(WORDS_A_DOCUMENT, BLOCK))
    name = np.empty(len(document), dtype=np.int64)
    is_typical = rng.random(len(document)) < TYPICAL
    (background,), (typical,) = np.nonzero(~is_typical), np.nonzero(is_typical)
    name[background] = tables.by_rank[_draw(tables.zipf, rng.random(len(background)))]
    # A topic of the document, on one of its paths, and a word of this topic, the first most often.
    which = rng.integers(2, size=len(typical))
    end = ends[document[typical], which]
    end = np.where(end, end, ends[document[typical], 0])
    topic = tables.above[end, (rng.random(len(end)) * tables.n_above[end]).astype(np.int64)]
    word = (rng.random(len(end)) ** 2 * WORDS_A_TOPIC).astype(np.int64)
    name[typical] = tables.typical[topic, word]
    # One sort finds the words that a document holds several times.
    found, times = np.unique(document * n_names + name, return_counts=True)
    document, name = np.divmod(found, n_names)
    values = (1.0 + np.log(times)) * tables.idf[name]
    values /= np.sqrt(np.bincount(document, values**2, BLOCK))[document]
    words = tables.names[name].tolist()  # strings made anew
    return words, values.tolist(), np.bincount(document, minlength=BLOCK)


def _draw(cumulated, u):
    """Indices with these cumulated probabilities."""
    return np.minimum(np.searchsorted(cumulated, u, side="right"), len(cumulated) - 1)


def _names(n, rng):
    """Distinct words, consonants and vowels in turn, in random order."""
    sounds = np.array([list("bcdfghjklmnprstvwxyz"), list("aeiou" * 4)])
    codes = np.empty(0, dtype=np.int64)
    while len(codes) < n:  # some are drawn twice, most of all short ones
        drawn = rng.integers(1, 21, size=(n + n // 4, LETTERS))
        drawn[:, 1::2] = (drawn[:, 1::2] - 1) % 5 + 1
        length = rng.choice(
            np.arange(4, LETTERS + 1), size=len(drawn), p=[0.02, 0.08] + [0.225] * 4
        )
        drawn[np.arange(LETTERS) >= length[:, None]] = 0
        codes = np.union1d(codes, drawn @ 21 ** np.arange(LETTERS))
    codes = rng.permutation(codes)[:n]
    letters = codes[:, None] // 21 ** np.arange(LETTERS) % 21
    table = np.array([["", *row] for row in sounds])
    names = np.empty((n, LETTERS), dtype="U1")
    for i in range(LETTERS):
        names[:, i] = table[i % 2, letters[:, i]]
    return names.view(f"U{LETTERS}")[:, 0]


def _widths(n, depth):
    """How many nodes each level has, below the root."""
    d = np.arange(1, depth + 1)
    shape = d**3 * (depth + 1 - d) ** 1.5
    widths = 1 + ((n - depth) * shape / shape.sum()).astype(np.int64)
    widths[-1] += n - int(widths.sum())
    return widths
