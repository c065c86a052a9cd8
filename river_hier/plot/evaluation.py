"""Plots of what an evaluation found: distances, mistakes by depth, and regret."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..metrics import DistanceHistogram
from .taxonomy import COLORS, axes, finish

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Counts = Mapping[int, tuple[float, float]]


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


def loss_by_depth(states: Mapping[int, Counts], ax: Axes | None = None) -> Axes:
    """Draw the mistakes per example at each depth, along a stream.

    False positives are solid lines, false negatives dashed lines. The smaller the depth, the darker
    the line.

    Parameters
    ----------
    states
        `{step: metric.get()}` of a `metrics.HLossByDepth` after that many examples.
    ax
        The axes to draw on; `None` makes a figure.

    Returns
    -------
    The axes.

    Raises
    ------
    TypeError
        If `states` is not a mapping.
    ValueError
        If there are no states, or a step is not positive.
    ImportError
        If matplotlib is missing.

    Examples
    --------

    >>> from river_hier import Taxonomy, linear_model, metrics, plot
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy([("animal", "mammal"), ("animal", "bird"), ("mammal", "wolf")])
    >>> model, metric, states = linear_model.HAROW(t), metrics.HLossByDepth(t), {}
    >>> stream = synth.LinearLabels(t, n_features=5, seed=42)
    >>> for step, (x, y) in enumerate(stream.take(300), start=1):
    ...     metric.update(y, model.predict_one(x))
    ...     model.learn_one(x, y)
    ...     if step % 50 == 0:
    ...         states[step] = metric.get()

    >>> ax = plot.loss_by_depth(states)
    >>> [float(line.get_ydata()[-1]) for line in ax.lines]
    [0.323, 0.38, 0.0633, 0.0567]

    """
    if not isinstance(states, Mapping):
        kind = type(states).__name__
        raise TypeError(f"`states` must be {{step: metric.get()}}, got {kind}")
    steps = sorted(states)
    if not steps or steps[0] <= 0:
        raise ValueError(f"`states` must have steps from 1 on, got {steps!r}")
    ax = axes(ax)
    depths = list(states[steps[-1]])
    for i, depth in enumerate(depths):
        color = _shade(i, len(depths))
        for kind, line in enumerate(("-", "--")):
            rates = [states[step][depth][kind] / step for step in steps]
            name = f"depth {depth}, {('false positives', 'false negatives')[kind]}"
            ax.plot(steps, rates, line, color=color, label=name)
    ax.set_ylim(bottom=0.0)
    ax.legend(frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return finish(ax, xlabel="examples seen", ylabel="mistakes per example so far")


def _shade(i: int, n: int) -> tuple[float, float, float, float]:
    """The i-th of n colours of a colour-blind safe scale, without its brightest end."""
    import matplotlib as mpl  # installed, as there are axes

    return mpl.colormaps["viridis"](0.85 * i / max(n - 1, 1))


_FAR = 3.0  # times the largest regret; a larger bound would flatten the curve


def regret(
    states: Iterable[Mapping[str, float]], bound: float | None = None, ax: Axes | None = None
) -> Axes:
    """Draw the regret along a stream.

    Parameters
    ----------
    states
        The states of `evaluate.iter_regret`; a generator is consumed.
    bound
        An upper bound on the final regret, e.g. from `evaluate.hrls_bound`. If it is more than
        three times the largest regret, it is only given in the legend.
    ax
        The axes to draw on; `None` makes a figure.

    Returns
    -------
    The axes.

    Raises
    ------
    ValueError
        If there are no states.
    ImportError
        If matplotlib is missing.

    Examples
    --------

    >>> from river_hier import Taxonomy, evaluate, linear_model, losses, plot
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy([("animal", "mammal"), ("animal", "bird"), ("mammal", "wolf")])
    >>> stream = synth.LinearLabels(t, n_features=5, seed=42)
    >>> model = linear_model.HPerceptron(t)
    >>> states = evaluate.iter_regret(stream.take(300), model, stream.reference, losses.h_loss, 50)
    >>> ax = plot.regret(states)
    >>> float(ax.lines[0].get_ydata()[-1])
    62.96154

    """
    rows = list(states)
    if not rows:
        raise ValueError("`states` is empty; a generator can be read only once")
    ax = axes(ax)
    regrets = [row["Regret"] for row in rows]
    ax.plot([row["Step"] for row in rows], regrets, color=COLORS[0], label="regret")
    if bound is not None:
        if bound <= _FAR * max(map(abs, regrets)):
            ax.axhline(bound, color="black", ls="--", lw=1.0, label=f"bound, {bound:,.4g}")
        else:
            ax.plot([], [], " ", label=f"bound: {bound:,.3g}")
    ax.legend(frameon=False)
    return finish(ax, xlabel="examples seen", ylabel="regret so far")
