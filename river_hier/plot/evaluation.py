"""The plot of regret."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .taxonomy import COLORS, axes, finish

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def regret(
    states: Any,
    bounds: Mapping[str, float | Mapping[int, float]] | None = None,
    ax: Axes | None = None,
    value: str = "Regret",
    log: bool = False,
) -> Axes:
    """Draw regret, or cumulative losses, along a stream: for models, comparators and seeds.

    Several runs, such as orders of a stream, are drawn as their mean, with its 95% confidence
    interval (Student's t). On logarithmic axes, the legend has the slope of each curve over the
    second half of the steps: 0 is flat, 1 a loss that never ends, 0.5 one with the root of steps.
    It also says at how many steps a curve is not above 0, where it cannot be drawn.

    Parameters
    ----------
    states
        The states of `evaluate.iter_regret`; or a list of these, one for each seed or order; or
        `{name: either}`. Several models or comparators in one pass are several curves.
    bounds
        Upper bounds, as `{name: bound}`: a number, e.g. from `evaluate.hieron_bound`, or a curve,
        `{step: number}`, e.g. from `evaluate.hrls_bound` for the first examples.
    ax
        The axes to draw on, which are returned; `None` makes a figure.
    value
        What to draw: `"Regret"`, or the cumulative `"Loss"` of the models or of the `"Comparator"`.
    log
        Whether both axes are logarithmic, so that powers are lines.

    Examples
    --------
    >>> from river_hier import Taxonomy, evaluate, linear_model, losses, plot
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy([("animal", "mammal"), ("animal", "bird"), ("mammal", "wolf")])
    >>> runs = []
    >>> for seed in range(3):
    ...     stream = synth.LinearLabels(t, n_features=5, seed=seed)
    ...     run = stream.take(300), linear_model.HRLS(t), stream.reference, losses.h_loss
    ...     runs.append(evaluate.iter_regret(*run, step=50))
    >>> ax = plot.regret({"H-RLS": runs})
    >>> float(ax.lines[0].get_ydata()[-1])
    11.7
    """
    named = states if isinstance(states, Mapping) else {"": states}
    curves = {
        name: curve for given, runs in named.items() for name, curve in _runs(given, runs, value)
    }
    if not curves:
        raise ValueError("`states` is empty")
    ax = axes(ax)
    from matplotlib.ticker import LogFormatter
    from scipy import stats

    for i, (name, (steps, values)) in enumerate(curves.items()):
        color = COLORS[i % len(COLORS)]
        mean, n = values.mean(axis=0), len(values)
        late = slice(len(steps) // 2, None)
        note = ""
        if log and len(steps) > 2 and (mean[late] > 0).all():
            power = np.polyfit(np.log(steps[late]), np.log(mean[late]), 1)[0]
            note = f", slope {round(power, 2) + 0.0:.2f}"  # no -0.00
        if log and (n_hidden := int((mean <= 0).sum())):
            note += f", {n_hidden} of {len(steps)} steps not above 0"
        ax.plot(steps, mean, color=color, label=(name or value.lower()) + note)
        if n > 1:
            half = stats.t.ppf(0.975, n - 1) * values.std(axis=0, ddof=1) / n**0.5
            ax.fill_between(steps, mean - half, mean + half, color=color, alpha=0.2, lw=0.0)
    dashes = ("--", ":", "-.")
    for i, (name, bound) in enumerate((bounds or {}).items()):
        curve = bound if isinstance(bound, Mapping) else dict.fromkeys(steps, bound)
        x, y = zip(*sorted(curve.items()), strict=True)
        ax.plot(x, y, dashes[i % len(dashes)], color="black", lw=1.0, label=name)
    if log:
        ax.set(xscale="log", yscale="log")
        for axis in (ax.xaxis, ax.yaxis):  # plain numbers, also within a decade
            axis.set_major_formatter(LogFormatter())
            axis.set_minor_formatter(LogFormatter(minor_thresholds=(1.0, 0.5)))
    ax.legend(frameon=False)
    what = {"Regret": "regret", "Loss": "loss", "Comparator": "loss of the comparator"}[value]
    return finish(ax, xlabel="examples seen", ylabel=f"{what} so far")


def _runs(
    name: str, states: Any, value: str
) -> Iterator[tuple[str, tuple[list[int], NDArray[np.float64]]]]:
    """For each curve, the steps and each run's values as a row; one run need not be in a list."""
    rows = list(states)
    runs = [rows] if rows and isinstance(rows[0], Mapping) else [list(run) for run in rows]
    if not runs or not all(runs):
        raise ValueError("`states` is empty; a generator can be read only once")
    if value not in ("Regret", "Loss", "Comparator"):
        raise ValueError(f"`value` must be 'Regret', 'Loss' or 'Comparator', got {value!r}")
    steps = [[row["Step"] for row in run] for run in runs]
    if any(other != steps[0] for other in steps):
        raise ValueError("`states` of several seeds must have the same steps")
    values = [[_by_name(name, row[value]) for row in run] for run in runs]
    for each in values[0][0]:
        yield each, (steps[0], np.array([[row[each] for row in run] for run in values]))


def _by_name(name: str, value: Any) -> dict[str, float]:
    """A value, or the values of several models or comparators, by their names."""
    if not isinstance(value, Mapping):
        return {name: value}
    inner = ((f"{name}, {key}" if name else str(key), one) for key, one in value.items())
    return {key: number for each in inner for key, number in _by_name(*each).items()}
