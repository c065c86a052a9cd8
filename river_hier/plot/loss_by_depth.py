from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from .axes import axes, finish

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Counts = Mapping[int, tuple[float, float]]


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
