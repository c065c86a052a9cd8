"""Datasets with a taxonomy, downloaded or local; `datasets.synth` has synthetic streams.

Each is a stream of `(x, y)` pairs of plain Python objects, as River's datasets are, and has a
`taxonomy`. Every iteration yields the same examples.

"""

from __future__ import annotations

from . import base, synth
from .corpora.clinc150 import CLINC150
from .corpora.dmoz import DMOZ
from .corpora.flipkart_products import FlipkartProducts
from .corpora.hmc import HMC
from .corpora.lshtc import LSHTC
from .corpora.ohsumed import OHSUMED
from .corpora.rcv1 import RCV1
from .corpora.reuters21578 import Reuters21578
from .corpora.timit import TIMIT
from .corpora.timit_segments import TIMITSegments
from .corpora.wipo_alpha import WIPOAlpha

__all__ = [
    "CLINC150",
    "DMOZ",
    "HMC",
    "LSHTC",
    "OHSUMED",
    "RCV1",
    "TIMIT",
    "FlipkartProducts",
    "Reuters21578",
    "TIMITSegments",
    "WIPOAlpha",
    "base",
    "synth",
]
