"""The one criterion of all claims, and a table of the differences from the paper.

A claim says that one result is better than another. A script measures the difference several times,
in several orders or splits of the data for instance, and counts it as positive if it is in the
paper's favour. It prints means and standard errors; `verdict` judges them, when the script runs
and again when the pages are written. A law, which is proved, holds or is violated.
"""

from __future__ import annotations

import math
import statistics
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

VERDICTS = ("reproduced", "not reproduced", "undecided", "not testable")
# The differences of a claim's comparisons, by their names, positive in the paper's favour.
Differences = Mapping[str, Sequence[float]]
Claims = Mapping[str, Callable[[Any], Differences]]
# A law is a sentence and a test, which returns an objection, or "" if the law holds.
Laws = Mapping[str, Callable[[Any], str]]

# The aspects of the protocol that every script must describe; it may add more.
ASPECTS = (
    "data size",
    "splits",
    "order",
    "shuffling",
    "epochs",
    "normalisation",
    "averaging",
    "caps",
    "hyper-parameters",
)
Aspect = str | tuple[str, str, str]  # the same in both; or in the paper, here, and why


# %% The criterion
def verdict(mean: float, error: float) -> str:
    """Whether a difference has the paper's sign, by at least two standard errors."""
    if mean == 0 or abs(mean) < 2 * error:
        return "undecided"
    return "reproduced" if mean > 0 else "not reproduced"


def overall(verdicts: Iterable[str]) -> str:
    """Of a claim with several comparisons, all of which must be reproduced."""
    found = set(verdicts)
    return next(v for v in ("not reproduced", "undecided", "reproduced") if v in found)


def measured(differences: Sequence[float]) -> tuple[float, float]:
    """The mean and its standard error, as printed: the error with two digits; infinite of one."""
    mean = statistics.mean(differences)
    if len(differences) < 2:
        return round(mean, 3), math.inf
    error = statistics.stdev(differences) / math.sqrt(len(differences))
    digits = 1 - math.floor(math.log10(error)) if error else 3
    return round(mean, digits), round(error, digits)


def judge(claims: Claims, found: Any, pairs: str) -> None:
    """Print the claims; `pairs` says what the differences were measured on, e.g. "5 splits"."""
    print(f"differences in the paper's favour (standard errors over {pairs})")
    for claim, differences in claims.items():
        results = {name: measured(some) for name, some in differences(found).items()}
        cells = (f"{name} {mean:+} ({error})" for name, (mean, error) in results.items())
        show(overall(verdict(*one) for one in results.values()), f"{claim}: {'; '.join(cells)}")


def check(laws: Laws, found: Any) -> None:
    for law, objection in laws.items():
        why = objection(found)
        show("violated" if why else "holds", f"{law}: {why}" if why else law)


def untestable(claims: Iterable[str], lacking: str) -> None:
    for claim in claims:
        show("not testable", f"{claim}: {lacking}")


def show(verdict: str, text: str) -> None:
    line = f"{verdict:16}{text}"
    print(textwrap.fill(line, 100, subsequent_indent=16 * " ", break_on_hyphens=False))


# %% Data and protocols
def unless(holds: bool, why: str) -> str:
    """The objection, unless the law holds."""
    return "" if holds else why


def missing(data: Path | None, *folders: str) -> str:
    """A sentence about the missing folders; "" if there are none."""
    lacking = [name for name in folders if data is None or not (data / name).is_dir()]
    return f"there is no {' and no '.join(lacking)} in the data folder" if lacking else ""


def differs(protocol: Mapping[str, Aspect]) -> None:
    """Print a table of the aspects that differ from the paper, and a list of the others."""
    if forgotten := [name for name in ASPECTS if name not in protocol]:
        raise ValueError(f"the protocol does not mention {', '.join(forgotten)}")
    print("\nDiffers from the paper\n\n| | paper | here | why |\n|---|---|---|---|")
    for name, aspect in protocol.items():
        if not isinstance(aspect, str):
            print("| " + " | ".join(cell.replace("|", r"\|") for cell in (name, *aspect)) + " |")
    same = [f"{name} ({aspect})" for name, aspect in protocol.items() if isinstance(aspect, str)]
    if same:
        print(f"\nAs in the paper: {', '.join(same)}.")
