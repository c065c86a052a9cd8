"""Streams that know their taxonomy.

Each stream yields `(x, y)` pairs of plain Python objects, as River's datasets do, and has a
`taxonomy`. Iterating one twice gives the same examples.

"""

from __future__ import annotations

from . import base, synth
from .hmc import HMC
from .rcv1 import RCV1

__all__ = ["HMC", "RCV1", "base", "synth"]
