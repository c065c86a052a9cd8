"""Figures of one width, in colours that colour-blind readers can distinguish."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure
from PIL import Image

# Okabe and Ito's; they differ in lightness, too.
BLUE, ORANGE, GREEN, BLACK, GRAY = "#0072B2", "#E69F00", "#009E73", "#000000", "#999999"
WIDTH = 6.0  # inches, so that its 9 points are legible where the figure is 600 pixels wide
STYLE = {
    "font.size": 9,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": "medium",
    "grid.alpha": 0.3,
    "legend.fontsize": "medium",
    "legend.frameon": False,
}


@contextmanager
def panels(
    folder: Path, name: str, rows: int, columns: int, height: float, **shared: Any
) -> Iterator[tuple[Figure, Any]]:
    """A figure of `rows` by `columns` empty axes, which is saved to the folder at the end."""
    with rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        yield figure, figure.subplots(rows, columns, squeeze=False, **shared)
        folder.mkdir(parents=True, exist_ok=True)
        drawn = io.BytesIO()
        figure.savefig(drawn, dpi=150)
        # 64 colours are enough, and the file is a quarter as large. Without matplotlib's version,
        # the same numbers give the same file.
        Image.open(drawn).convert("RGB").quantize(64).save(folder / f"{name}.png", optimize=True)


def legend(figure: Figure, axes: Any, columns: int) -> None:
    """The legend of these axes, below all of them."""
    names = axes.get_legend_handles_labels()
    figure.legend(*names, loc="outside lower center", ncols=columns)
