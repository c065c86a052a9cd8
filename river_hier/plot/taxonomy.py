"""The drawing of a taxonomy; the axes and colours of all plots."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base.checks import check_integer, number
from ..taxonomy import Label, Taxonomy, check_taxonomy
from ..taxonomy.graph import reach
from ..taxonomy.show import names

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


def selected(
    whole: Taxonomy, values: dict[int, float], max_depth: int | None, top: int | None
) -> tuple[Taxonomy, dict[int, float], list[str], list[str]]:
    """The part that is drawn, its values, the names of its nodes, and the nodes left out below."""
    if max_depth is not None:
        check_integer("max_depth", max_depth, 0)
    if top is not None:
        check_integer("top", top, 1)
    low = np.ones(len(whole), dtype=bool) if max_depth is None else whole._arrays.depth <= max_depth
    kept = _top(whole, np.flatnonzero(low).tolist(), values, len(whole) if top is None else top)
    part = whole.subset([whole.nodes[v] for v in kept]) if len(kept) < len(whole) else whole
    text = names(whole)
    below = dict.fromkeys(kept, 0)  # the nodes left out, at their nearest drawn ancestor
    nearest: dict[int, int] = {}
    for v, parents in enumerate(whole._arrays.parents):
        nearest[v] = v if v in below else nearest[parents[0]]
        below[nearest[v]] += nearest[v] != v
    drawn = [whole.index(label) for label in part.nodes]
    place = {v: i for i, v in enumerate(drawn)}
    drawn_values = {place[v]: value for v, value in values.items() if v in place}
    left_out = [f" (+{below[v]:,})" if below[v] else "" for v in drawn]
    return part, drawn_values, [text[v] for v in drawn], left_out


def _top(taxonomy: Taxonomy, nodes: list[int], values: dict[int, float], top: int) -> set[int]:
    """At most `top` of the nodes, with their ancestors."""
    if len(nodes) <= top:
        return set(nodes)
    parents, size = taxonomy._arrays.parents, np.ones(len(taxonomy))
    for v in range(len(taxonomy) - 1, 0, -1):
        size[parents[v][0]] += size[v]
    kept = {0}
    for v in sorted(nodes, key=lambda v: (-abs(values.get(v, 0.0)), -size[v], v)):
        path = {v} | reach(parents, v)
        if len(kept | path) <= top:
            kept |= path
    return kept


Floats = NDArray[np.float64]
_LONGEST = 28  # characters of a name
# In characters: from a node to the stem of its children, and from the stem to their names.
_STEM, _GAP = 2.0, 3.0
_FONT = 10.0  # points, if there is room
_LEAST, _FEW = 7.0, 12  # points, above which more nodes than these are drawn
_ROW, _CHARACTER = 1.45, 0.58  # relative to the font size
_SPACE = 0.5  # rows
_SMALLEST, _LARGEST = 22.0, 156.0  # areas of nodes in square points, at that font size
_GREY = "#999999"


def taxonomy(
    taxonomy: Taxonomy,
    values: Mapping[Any, float] | None = None,
    label: str = "",
    ax: Axes | None = None,
    max_depth: int | None = None,
    top: int | None = 120,
) -> Axes:
    """Draw a taxonomy from left to right, with a number at each node as its colour and size.

    `(+12)` stands for 12 nodes below a node that are left out. In a DAG, the edges from all but the
    first parent are dashed.

    Parameters
    ----------
    taxonomy
        A tree or a DAG.
    values
        `{label: number}`, e.g. counts, losses or probabilities. Small numbers are dark, large ones
        bright; sizes show the absolute value. Nodes without a number are hollow.
    label
        The title of the colour scale.
    ax
        The axes to draw on, which are returned; `None` makes a figure of the size needed.
    max_depth
        The depth of the lowest nodes to draw; `None` for no limit.
    top
        The largest number of nodes to draw: those with the largest absolute values, then those with
        the most nodes below them, and their ancestors; `None` for all. In given axes, fewer are
        drawn where names would be too small to read.

    Examples
    --------
    >>> from river_hier import Taxonomy, plot

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> ax = plot.taxonomy(t, {"wolf": 12, "whale": 3, "owl": 5}, label="examples")
    >>> len(ax.texts)
    6
    """
    check_taxonomy(taxonomy)
    numbers = {
        taxonomy.index(v): _number(v, value)
        for v, value in ({} if values is None else values).items()
    }
    new_figure, whole, size = ax is None, taxonomy, _FONT
    while True:
        taxonomy, drawn_values, names, left_out = selected(whole, numbers, max_depth, top)
        short = [v if len(v) <= _LONGEST else f"{v[: _LONGEST - 1]}…" for v in names]
        names = [name + more for name, more in zip(short, left_out, strict=True)]
        layout = _layered(taxonomy, names)
        width, height = layout.width * _CHARACTER * _FONT / 72, layout.n_rows * _ROW * _FONT / 72
        below = 0.7 if drawn_values else 0.0  # inches for the colour scale
        ax = axes(ax, max(width, 3.5) + 0.2, max(height, 1.6) + 0.4 + below)
        if not new_figure:  # the largest font at which names do not overlap
            box, point = ax.get_window_extent(), ax.figure.dpi / 72
            across = box.width / point / (layout.width * _CHARACTER)
            down = box.height / point / ((layout.n_rows + 1) * _ROW)
            size = float(min(_FONT, across, down))
        if size >= _LEAST or len(taxonomy) <= _FEW:
            break
        top = len(taxonomy) * 3 // 4
    ax.set(xlim=(0, layout.width), ylim=(layout.n_rows - 0.2, -1.2))
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    x, y = layout.x, layout.y
    for v, (first, *others) in enumerate(taxonomy._arrays.parents[1:], start=1):
        turn = x[first] + _STEM
        ax.plot([x[first], turn, turn, x[v]], [y[first], y[first], y[v], y[v]], color=_GREY, lw=0.8)
        for p in others:
            ax.plot([x[p], x[v]], [y[p], y[v]], "--", color=_GREY, lw=0.8)
    _draw_nodes(ax, layout, drawn_values, label, (size / _FONT) ** 2)
    # Names of leaves stand to their right, and those of inner nodes above the edge to them.
    for v, name in enumerate(names):
        if not taxonomy.children(taxonomy.nodes[v]):
            text = ax.text(x[v] + _GAP / 2, y[v], name, size=size, ha="left", va="center_baseline")
        else:
            text = ax.text(x[v] - _GAP / 2, y[v] - 0.1, name, size=size, ha="right", va="bottom")
        text.set_parse_math(False)  # or text between dollar signs would be typeset as a formula
    return ax


class Layout(NamedTuple):
    """Positions of nodes: x in characters, y in rows from the top."""

    x: Floats
    y: Floats
    width: float
    n_rows: float


def _layered(taxonomy: Taxonomy, names: Sequence[str]) -> Layout:
    """One column for each depth, one row for each leaf; inner nodes are centred on their children.

    Names do not overlap: a column is as wide as its longest name, and there is more space above a
    leaf that is deeper. A node of a DAG is placed under its first parent.
    """
    arrays = taxonomy._arrays
    children: list[list[int]] = [[] for _ in names]  # of which the node is the first parent
    for v, (first, *_) in enumerate(taxonomy._arrays.parents[1:], start=1):
        children[first].append(v)
    y = np.zeros(len(names))
    n_rows, above = 0.0, 0
    stack = [0]
    while stack:
        v = stack.pop()
        stack += reversed(children[v])
        if not children[v]:
            # A long name in the row above would meet the names of this leaf's ancestors.
            n_rows += _SPACE if above and arrays.depth[above] < arrays.depth[v] else 0.0
            y[v] = n_rows
            n_rows += 1.0
            above = v
    for v in range(len(names) - 1, -1, -1):  # children before their parents
        if children[v]:
            y[v] = (y[children[v][0]] + y[children[v][-1]]) / 2
    x_of, x, end = [], 0.0, 0.0
    for d in range(taxonomy.height + 1):
        column = np.flatnonzero(arrays.depth == d).tolist()
        x += max((len(names[v]) for v in column if children[v]), default=0) + _STEM + _GAP
        x_of.append(x)
        end = max([end, *(x + _GAP + len(names[v]) for v in column if not children[v])])
    return Layout(np.array(x_of)[arrays.depth], y, max(end, x + _GAP), n_rows)


def _draw_nodes(
    ax: Axes, layout: Layout, values: dict[int, float], label: str, scale: float
) -> None:
    x, y = layout.x, layout.y
    hollow = [v for v in range(len(x)) if v not in values]
    ax.scatter(x[hollow], y[hollow], s=_SMALLEST * scale, c="white", edgecolors=_GREY, zorder=3)
    if values:
        nodes, numbers = [*values], np.array([*values.values()])
        style: Any = {"cmap": "viridis", "edgecolors": "black", "linewidths": 0.5, "zorder": 3}
        sizes = np.abs(numbers) / (np.abs(numbers).max() or 1.0)
        areas = (_SMALLEST + (_LARGEST - _SMALLEST) * sizes) * scale
        drawn = ax.scatter(x[nodes], y[nodes], s=areas, c=numbers, **style)
        place: Any = {"orientation": "horizontal", "shrink": 0.8, "fraction": 0.03, "pad": 0.02}
        bar = ax.figure.colorbar(drawn, ax=ax, **place)
        bar.set_label(label, size=_FONT)
        bar.ax.tick_params(labelsize=_FONT)
        bar.ax.locator_params(nbins=4)


def _number(label: Label, value: Any) -> float:
    if not math.isfinite(finite := number(value)):
        raise ValueError(f"the value of {label!r} is {value!r}; it must be a finite number")
    return finite
