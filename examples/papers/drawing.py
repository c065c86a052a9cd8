"""Figures: one width, colours that all eyes tell apart, the same file from the same numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure

# Okabe and Ito's, in an order that also differs in lightness.
BLUE, ORANGE, GREEN, BLACK, GRAY = "#0072B2", "#E69F00", "#009E73", "#000000", "#999999"
WIDTH = 6.0  # inches: at 200 dots an inch still legible when shown at half the size
STYLE = {"font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True}
STYLE |= {"grid.alpha": 0.3, "axes.axisbelow": True, "axes.titlesize": "medium"}


def panels(rows: int, columns: int, height: float, **sharing: Any) -> tuple[Figure, Any]:
    """An empty figure and its axes, `rows` by `columns` of them."""
    with rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        return figure, figure.subplots(rows, columns, squeeze=False, **sharing)


def save(figure: Figure, folder: Path, name: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with rc_context(STYLE):
        # Without its version, the file does not change with matplotlib's.
        figure.savefig(folder / f"{name}.png", dpi=200, metadata={"Software": None})
