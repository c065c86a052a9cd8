"""Print verdicts on a paper's claims, and a table of the differences from the paper.

"Not testable" means that the data for a test are missing. A claim that was tested is reproduced or
not.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

# A claim is a sentence and a test, which returns an objection, or "" if the claim holds.
Claims = Mapping[str, Callable[[Any], str]]

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


def judge(claims: Claims, found: Any) -> None:
    for claim, objection in claims.items():
        if why := objection(found):
            show("not reproduced", claim, why)
        else:
            show("reproduced", claim)


def untestable(claims: Iterable[str], lacking: str) -> None:
    for claim in claims:
        show("not testable", claim, lacking)


def show(verdict: str, claim: str, why: str = "") -> None:
    text = f"{verdict:14}  {claim}" + (f": {why}" if why else "")
    print(textwrap.fill(text, 100, subsequent_indent=16 * " ", break_on_hyphens=False))


def unless(holds: bool, why: str) -> str:
    """The objection, unless the claim holds."""
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
