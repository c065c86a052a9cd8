from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..metrics import DistanceHistogram
from .axes import COLORS, axes, finish

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def distance_histogram(metrics: Any, ax: Axes | None = None) -> Axes:
    """Draw a histogram of the distances of predictions from the true label, for one or more models.

    Parameters
    ----------
    metrics
        A `metrics.DistanceHistogram`, or `{name: such a metric}`.
    ax
        The axes to draw on; `None` makes a figure.

    Returns
    -------
    The axes.

    Raises
    ------
    ValueError
        If there is no metric, or one has no observations.
    TypeError
        If a metric is of another kind.
    ImportError
        If matplotlib is missing.

    Examples
    --------

    >>> from river_hier import Taxonomy, metrics, plot

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> metric = metrics.DistanceHistogram(t)
    >>> for yt, yp in zip(["wolf", "wolf", "owl"], ["wolf", "owl", "owl"]):
    ...     metric.update(yt, yp)

    >>> ax = plot.distance_histogram(metric)
    >>> [float(bar.get_height()) for bar in ax.patches]
    [66.667, 0.0, 0.0, 0.0, 33.333]

    """
    named = metrics if isinstance(metrics, Mapping) else {"": metrics}
    if wrong := [m for m in named.values() if not isinstance(m, DistanceHistogram)]:
        kinds = "a metrics.DistanceHistogram, or {name: such a metric}"
        raise TypeError(f"`metrics` must be {kinds}, got {wrong[0]!r}")
    counts = {name: metric.get() for name, metric in named.items()}
    empty = [name for name, count in counts.items() if not sum(count.values())]
    if empty or not counts:
        raise ValueError(f"`metrics` must have counted something, got {metrics!r}")
    ax = axes(ax)
    distances = np.arange(1 + max(max(count) for count in counts.values()))
    width = 0.8 / len(counts)
    for i, (name, count) in enumerate(counts.items()):
        share = [100 * count.get(d, 0.0) / sum(count.values()) for d in distances.tolist()]
        at = distances + (i - (len(counts) - 1) / 2) * width
        ax.bar(at, share, width, color=COLORS[i % len(COLORS)], label=name)
    ax.set_xticks(distances)
    if isinstance(metrics, Mapping):
        ax.legend(frameon=False)
    finish(ax, xlabel="distance from the true label (edges)", ylabel="share of the answers (%)")
    ax.grid(visible=False, axis="x")
    return ax
