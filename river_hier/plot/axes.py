"""Axes and colours of all plots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The colour-blind safe palette of Okabe and Ito, the darkest first.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")


def axes(ax: Axes | None, width: float = 6.0, height: float = 3.8) -> Axes:
    """The given axes, or those of a new figure of this size in inches."""
    if ax is None:
        try:
            import matplotlib.pyplot as plt  # an optional dependency
        except ImportError as error:
            raise ImportError('pictures need matplotlib: pip install "river-hier[plot]"') from error
        _, ax = plt.subplots(figsize=(width, height), layout="constrained")
    elif not hasattr(ax, "plot"):
        raise TypeError(f"`ax` must be the Axes of matplotlib, got {ax!r}")
    return ax


def finish(ax: Axes, **labels: Any) -> Axes:
    """Label the axes and draw a light grid."""
    ax.set(**labels)
    ax.grid(alpha=0.3)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    return ax
