"""Regret and its theoretical bounds, and wrappers that evaluate probabilities and rankings.

They run on River's own progressive validation.
"""

from .bounds import (
    hieron_bound,
    hieron_risk_bound,
    hieron_weights,
    hperceptron_bound,
    hperceptron_weights,
    hrls_bound,
    hrls_loss_bound,
)
from .regret import adaptive_regret, best, fixed, iter_regret, regret
from .report import report
from .scores import Probabilities, Ranked

__all__ = [
    "Probabilities",
    "Ranked",
    "adaptive_regret",
    "best",
    "fixed",
    "hieron_bound",
    "hieron_risk_bound",
    "hieron_weights",
    "hperceptron_bound",
    "hperceptron_weights",
    "hrls_bound",
    "hrls_loss_bound",
    "iter_regret",
    "regret",
    "report",
]
