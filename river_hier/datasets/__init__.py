"""Streams that know their taxonomy.

Each stream yields `(x, y)` pairs of plain Python objects, as River's datasets do, and has a
`taxonomy`. Iterating one twice gives the same examples.

"""

from __future__ import annotations

from . import base, synth
from .dmoz import DMOZ
from .hmc import HMC
from .lshtc import LSHTC
from .ohsumed import OHSUMED
from .rcv1 import RCV1
from .reuters21578 import Reuters21578
from .timit import TIMIT
from .timit_segments import TIMITSegments
from .wipo_alpha import WIPOAlpha

__all__ = [
    "DMOZ",
    "HMC",
    "LSHTC",
    "OHSUMED",
    "RCV1",
    "TIMIT",
    "Reuters21578",
    "TIMITSegments",
    "WIPOAlpha",
    "base",
    "synth",
]
