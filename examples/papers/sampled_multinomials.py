"""Documents sampled from random multinomials, with known Bayes error."""

from __future__ import annotations

import numpy as np
from decomposition_fold import Document

WORDS = 200
TOKENS = 60  # a document
EACH = 20  # documents a class
SPREAD = 300.0  # the larger, the closer the classes are to Zipf's law


def sampled(n_classes: int, seed: int) -> tuple[list[Document], float]:
    """Shuffled documents, and the error of the Bayes classifier on them, in percent."""
    rng = np.random.default_rng(seed)
    zipf = 1.0 / (1.0 + np.arange(WORDS))
    p = rng.dirichlet(SPREAD * zipf / zipf.sum() + 1e-3, size=n_classes) + 1e-12
    p /= p.sum(axis=1, keepdims=True)
    labels = rng.permutation(np.repeat(np.arange(n_classes), EACH))
    counts = np.array([rng.multinomial(TOKENS, p[label]) for label in labels])
    wrong = (counts @ np.log(p).T).argmax(axis=1) != labels
    documents = []
    for i, (label, row) in enumerate(zip(labels.tolist(), counts, strict=True)):
        words = np.flatnonzero(row)
        logs = 1.0 + np.log(row[words])
        vector = dict(zip(words.tolist(), (logs / np.linalg.norm(logs)).tolist(), strict=True))
        tokens = dict(zip(words.tolist(), row[words].tolist(), strict=True))
        documents.append(Document(tokens, vector, label, i))
    return documents, 100.0 * float(wrong.mean())
