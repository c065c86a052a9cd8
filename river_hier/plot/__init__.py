"""Plots of taxonomies and regret, with matplotlib.

Each function draws on the given axes, or on new ones, and returns them; nothing is shown or saved.
"""

from .evaluation import regret
from .taxonomy import taxonomy

__all__ = ["regret", "taxonomy"]
