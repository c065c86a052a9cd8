"""Figures 2 and 3 of Cai and Hofmann (2007)."""

from __future__ import annotations

from pathlib import Path

import drawing
import numpy as np
from ranking_rows import MEASURES, Table

NAMES = {
    "acc %": "one-accuracy (%)",
    "prec %": "average precision (%)",
    "max. loss": "maximal loss",
    "rloss %": "ranking loss (%)",
    "pacc %": "parent one-accuracy (%)",
}
LOOKS = ((drawing.ORANGE, "s", "flat"), (drawing.BLUE, "o", "hierarchical"))


def by_size(rows: Table, folder: Path) -> None:
    """Figure 2: the SVM on few documents a category; bars are standard deviations of the draws."""
    with drawing.panels(folder, "figure_2", 2, 3, 4.2, sharex=True) as (figure, axes):
        for at, (ax, measure) in enumerate(zip(axes.flat, MEASURES, strict=False)):
            for side, (color, marker, label) in enumerate(LOOKS):
                draws = [np.nanmean(row[side], axis=1)[:, at] for row in rows.values()]
                middle, spread = np.mean(draws, axis=1), np.std(draws, axis=1, ddof=1)
                look = {"color": color, "marker": marker, "label": label, "capsize": 3}
                ax.errorbar(range(len(rows)), middle, spread, **look)
            sizes = [name.split()[0] for name in rows]
            ax.set(title=NAMES[measure], xticks=range(len(rows)), xticklabels=sizes)
        axes.flat[-1].axis("off")
        axes.flat[-1].legend(*axes.flat[0].get_legend_handles_labels(), loc="center")
        figure.supxlabel("training documents a category", fontsize="medium")


def flat_against_hierarchical(rows: Table, folder: Path) -> None:
    """Figure 3: the perceptron on few documents, a point for each section and draw.

    Points of sections in which minover did not converge are hollow.
    """
    shown = ("acc %", "prec %", "rloss %", "pacc %")
    with drawing.panels(folder, "figure_3", 2, 2, 5.4) as (_, axes):
        for ax, measure in zip(axes.flat, shown, strict=True):
            at = MEASURES.index(measure)
            values = []
            for row in rows.values():
                flat, hier = (np.nanmean(row[side], axis=1)[:, at] for side in (0, 1))
                fill = drawing.BLUE if row.finished else "white"
                ax.plot(flat, hier, "o", color=drawing.BLUE, markersize=4, markerfacecolor=fill)
                values += [*flat, *hier]
            ends = [min(values), max(values)]
            ax.plot(ends, ends, "k:", linewidth=1, zorder=0)
            better = "below" if "loss" in measure else "above"
            ax.set(title=f"{NAMES[measure]}, better {better}", aspect="equal")
            ax.set(xlabel="flat perceptron", ylabel="hierarchical perceptron")
