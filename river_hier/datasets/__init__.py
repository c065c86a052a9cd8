"""Datasets with a taxonomy, downloaded or local; `datasets.synth` has synthetic streams.

Each is a stream of `(x, y)` pairs of plain Python objects, as River's datasets are, and has a
`taxonomy`. Every iteration yields the same examples.
"""

from . import base, synth
from .hmc import HMC
from .ohsumed import OHSUMED
from .rcv1 import RCV1
from .reuters21578 import Reuters21578
from .timit import TIMIT, TIMITSegments

__all__ = ["HMC", "OHSUMED", "RCV1", "TIMIT", "Reuters21578", "TIMITSegments", "base", "synth"]
