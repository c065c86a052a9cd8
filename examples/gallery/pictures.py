"""Figures as files: one style for all, in versions for light and dark pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image, ImageOps

# Okabe and Ito's colours, which are safe for colour-blind readers. Eleven points are legible if a
# figure of nine inches is as wide as a page.
STYLE: dict[str, Any] = {
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.prop_cycle": (
        "cycler('color', ['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9'])"
    ),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": "medium",
    "figure.titlesize": "medium",
    "font.size": 11,
    "grid.alpha": 0.3,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
}
DPI = 160  # twice the size on a page, for high-resolution screens
SMALL = (640, 400)  # pixels, also twice the size on a page
COLORFUL = 64.0  # the range of red, green and blue above which a pixel is not grey


def described(figure: Figure) -> str:
    """A description in words: the kind of plot, its axes and its legend."""
    parts = [figure.get_suptitle(), *map(_described, figure.axes)]
    return ". ".join(" ".join(part.split()) for part in parts if part)


def _described(ax: Axes) -> str:
    _, names = ax.get_legend_handles_labels()
    axes = " against ".join(filter(None, (ax.get_ylabel(), ax.get_xlabel())))
    return ": ".join(filter(None, (ax.get_title(), axes, ", ".join(map(str, names)))))


def save(figure: Figure, folder: Path, name: str) -> int:
    """Save `<name>.png`, `<name>-dark.png` and small versions; return the width on a page."""
    path = folder / f"{name}.png"
    figure.savefig(path, dpi=DPI, transparent=True)
    with Image.open(path) as light:
        dark = in_the_dark(light)
        dark.save(folder / f"{name}-dark.png")
        for picture, suffix in ((light, ""), (dark, "-dark")):
            small = ImageOps.pad(picture, SMALL, color=(0, 0, 0, 0))
            small.save(folder / f"{name}-small{suffix}.png")
        return light.width // 2


def in_the_dark(picture: Image.Image) -> Image.Image:
    """The picture for dark pages: greys are inverted, colours stay."""
    pixels = np.asarray(picture.convert("RGBA")).astype(float)
    ink = pixels[..., :3]
    grey = np.clip(1 - np.ptp(ink, axis=2, keepdims=True) / COLORFUL, 0, 1)
    ink += grey * (255 - 2 * ink)
    return Image.fromarray(pixels.round().astype(np.uint8))
