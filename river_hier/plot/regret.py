from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from .axes import COLORS, axes, finish

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
