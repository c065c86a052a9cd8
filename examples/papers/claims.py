"""Verdicts: what each script of this folder prints about its paper's claims, one after another."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

# A claim is a sentence and a test, which answers with what speaks against it, or with nothing.
Claims = Mapping[str, Callable[[Any], str]]


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
    """What speaks against a claim that may hold."""
    return "" if holds else why


def missing(data: Path | None, *folders: str) -> str:
    """Which of the folders are not among the data, in words; nothing if all are there."""
    lacking = [name for name in folders if data is None or not (data / name).is_dir()]
    return f"there is no {' and no '.join(lacking)} in the data folder" if lacking else ""
