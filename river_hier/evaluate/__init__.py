"""Regret and its theoretical bounds, and wrappers that evaluate probabilities and rankings.

They run on River's own progressive validation.

"""

from __future__ import annotations

from .hieron_bound import hieron_bound
from .hrls_bound import hrls_bound
from .probabilities import Probabilities
from .ranked import Ranked
from .regret import iter_regret, regret

__all__ = ["Probabilities", "Ranked", "hieron_bound", "hrls_bound", "iter_regret", "regret"]
