from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..taxonomy import Label, Taxonomy, check_taxonomy
from .axes import axes
from .layout import GAP, STEM, Floats, Layout, layered

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["taxonomy"]

_LONGEST = 28  # characters of a name
_FONT = 10.0  # points, where there is room
_ROW, _CHARACTER = 1.45, 0.58  # of the size of the font
_SMALLEST, _LARGEST = 22.0, 156.0  # areas of nodes, square points, beside that font
_GREY = "#999999"


def taxonomy(
    taxonomy: Taxonomy,
    values: Mapping[Any, float] | None = None,
    label: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw a taxonomy from left to right, with a number at each node as its colour and size.

    For some 120 nodes at most. In a DAG the edges from a node's other parents are dashed.

    Parameters
    ----------
    taxonomy
        A tree or a DAG.
    values
        `{label: number}`, e.g. counts, losses or probabilities. Dark is little, bright is much;
        sizes go with the distance from 0. Nodes that it does not hold are hollow.
    label
        What the numbers are, beside their scale.
    ax
        Where to draw. `None` makes a figure that is large enough for all names; elsewhere they are
        written as small as need be.

    Returns
    -------
    The axes.

    Raises
    ------
    TypeError
        If `taxonomy` is no Taxonomy.
    ValueError
        If a label is unknown, or its value is not a finite number.
    ImportError
        If there is no matplotlib.

    Examples
    --------

    >>> from river_hier import Taxonomy, plot

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> ax = plot.taxonomy(t, {"wolf": 12, "whale": 3, "owl": 5}, label="examples")
    >>> len(ax.texts)
    6

    """
    check_taxonomy(taxonomy)
    found = {taxonomy.index(v): _number(v, value) for v, value in (values or {}).items()}
    names = [_shortened(str(v)) for v in taxonomy.nodes]
    layout = layered(taxonomy, names)
    width, height = layout.width * _CHARACTER * _FONT / 72, layout.n_rows * _ROW * _FONT / 72
    made = ax is None
    below = 0.7 if found else 0.0  # inches for the scale of colours
    ax = axes(ax, max(width, 3.5) + 0.2, max(height, 1.6) + 0.4 + below)
    ax.set(xlim=(0, layout.width), ylim=(layout.n_rows - 0.2, -1.2))
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    _draw_edges(ax, taxonomy, layout)
    size = _FONT if made else min(_FONT, _fitting(ax, layout))
    _draw_nodes(ax, layout, found, label, (size / _FONT) ** 2)
    leaf = [not taxonomy.children(v) for v in taxonomy.nodes]
    _write_names(ax, layout, names, leaf, size)
    return ax


def _draw_edges(ax: Axes, taxonomy: Taxonomy, layout: Layout) -> None:
    x, y = layout.x, layout.y
    for v, (first, *others) in enumerate(taxonomy.parent_indices[1:], start=1):
        turn = x[first] + STEM
        ax.plot([x[first], turn, turn, x[v]], [y[first], y[first], y[v], y[v]], color=_GREY, lw=0.8)
        for p in others:
            ax.plot([x[p], x[v]], [y[p], y[v]], "--", color=_GREY, lw=0.8)


def _draw_nodes(
    ax: Axes, layout: Layout, values: dict[int, float], label: str, scale: float
) -> None:
    x, y = layout.x, layout.y
    hollow = [v for v in range(len(x)) if v not in values]
    ax.scatter(x[hollow], y[hollow], s=_SMALLEST * scale, c="white", edgecolors=_GREY, zorder=3)
    if values:
        nodes, numbers = [*values], np.array([*values.values()])
        drawn = ax.scatter(
            x[nodes],
            y[nodes],
            s=_areas(numbers) * scale,
            c=numbers,
            cmap="viridis",
            edgecolors="black",
            linewidths=0.5,
            zorder=3,
        )
        bar = ax.figure.colorbar(
            drawn, ax=ax, orientation="horizontal", shrink=0.8, fraction=0.03, pad=0.02
        )
        bar.set_label(label, size=_FONT)
        bar.ax.tick_params(labelsize=_FONT)
        bar.ax.locator_params(nbins=4)


def _write_names(ax: Axes, layout: Layout, names: list[str], leaf: list[bool], size: float) -> None:
    """Names of leaves to their right, those of inner nodes above the line that leads to them."""
    for x, y, name, is_leaf in zip(layout.x, layout.y, names, leaf, strict=True):
        if is_leaf:
            text = ax.text(x + GAP / 2, y, name, size=size, ha="left", va="center_baseline")
        else:
            text = ax.text(x - GAP / 2, y - 0.1, name, size=size, ha="right", va="bottom")
        text.set_parse_math(False)  # dollars are dollars


def _fitting(ax: Axes, layout: Layout) -> float:
    """The largest font, in points, with which names do not overlap."""
    box = ax.get_window_extent()
    point = ax.figure.dpi / 72
    across = box.width / point / (layout.width * _CHARACTER)
    down = box.height / point / ((layout.n_rows + 1) * _ROW)
    return float(min(across, down))


def _areas(numbers: Floats) -> Floats:
    most = np.abs(numbers).max() or 1.0
    areas: Floats = _SMALLEST + (_LARGEST - _SMALLEST) * np.abs(numbers) / most
    return areas


def _number(label: Label, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"the value of {label!r} is {value!r}; it must be a finite number")
    return number


def _shortened(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
