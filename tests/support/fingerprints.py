"""Fingerprints of all that has a seed.

    PYTHONHASHSEED=1 python tests/support/fingerprints.py [SEED]

A process of its own, so that strings may have other hashes. Floats are taken bit for bit.
"""

import hashlib
import json
import random
import sys
from itertools import islice

from river_hier import induction
from support.public_api import STREAMS, dense, estimators, step

N = 600  # more than two of the blocks in which streams draw


def stream_of(name, seed):
    return fingerprint(list(islice(STREAMS[name](seed), N)))


def answers_of(model):
    """What it says of a stream of some examples, and in the end."""
    rng = random.Random(5)
    said = [step(model, *dense(model, rng)) for _ in range(60)]
    if isinstance(model, induction.JensenShannonTree):
        said.append(model.taxonomy().edges)
    return fingerprint(said)


def fingerprint(value):
    return hashlib.sha256(repr(value).encode()).hexdigest()


def fingerprints(seed):
    found = {name: stream_of(name, seed) for name in STREAMS}
    models = estimators(seed=seed)
    return found | {name: answers_of(model) for name, model in models.items()}


if __name__ == "__main__":
    print(json.dumps(fingerprints(int(sys.argv[1]) if len(sys.argv) > 1 else 7)))
