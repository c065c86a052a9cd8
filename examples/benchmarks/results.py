"""The recorded results of the benchmark, by collection, and how they compare."""

from __future__ import annotations

import json
import math
import runpy
import statistics
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from methods import DEFAULTS, OURS, Method
from rivals import RIVALS
from splits import HMC, KINDS

Key = tuple[str, str, int]  # collection, method, seed
Results = dict[Key, dict[str, Any]]
METHODS: dict[str, Method] = OURS | RIVALS
RECORDED = Path(__file__).with_name("recorded.jsonl")
ONE_PASS = [name for name, method in METHODS.items() if method.one_pass]
LARGER_IS_BETTER = "AU(PRC)"
PAPERS = Path(__file__).resolve().parents[1] / "papers"
package_key = runpy.run_path(str(PAPERS / "package_key.py"))["package_key"]


def read(path: Path) -> Results:
    """The recorded results."""
    rows = map(json.loads, path.read_text("utf-8").splitlines()) if path.exists() else ()
    return {(row.pop("collection"), row.pop("method"), row.pop("seed")): row for row in rows}


def line(key: Key, found: dict[str, Any]) -> str:
    """A result as a line of JSON, with a few more digits than are printed."""
    short = {k: float(f"{v:.5g}") if isinstance(v, float) else v for k, v in found.items()}
    return json.dumps(dict(zip(("collection", "method", "seed"), key, strict=True)) | short) + "\n"


def write(path: Path, results: Results) -> None:
    """Write all results, in the order of their keys."""
    path.write_text("".join(line(key, results[key]) for key in sorted(results)), "utf-8")


# %% One collection
class Collection:
    """The results of one collection: `{method: {seed: figures}}`."""

    def __init__(self, name: str, results: Results) -> None:
        self.name = name
        self.rows: dict[str, dict[int, dict[str, Any]]] = {}
        self.reasons: dict[str, str] = {}
        for (where, method, seed), found in results.items():
            if where == name and method in METHODS:
                if "reason" in found:
                    self.reasons[method] = found["reason"]
                else:
                    self.rows.setdefault(method, {})[seed] = found
        self.defaults = DEFAULTS[KINDS[name.partition(",")[0]]]
        self.measures = [measure for measure in self.defaults if measure != LARGER_IS_BETTER]
        if name.partition(",")[0] in HMC:
            self.measures.insert(0, LARGER_IS_BETTER)
        self.default = self.defaults[self.measures[0]]

    def values(self, method: str, measure: str) -> list[float]:
        return [found[measure] for found in self.rows[method].values() if measure in found]

    def differences(self, method: str, measure: str) -> list[float]:
        """How much worse than the default for this measure, for each seed of both."""
        sign = -1 if measure == LARGER_IS_BETTER else 1
        ours, theirs = self.rows[self.defaults[measure]], self.rows[method]
        return [
            sign * (theirs[seed][measure] - ours[seed][measure])
            for seed in sorted(ours.keys() & theirs.keys())
            if measure in theirs[seed]
        ]

    def ratio(self, method: str, what: str) -> str:
        value = statistics.median(self.values(method, what)) / statistics.median(
            self.values(self.default, what)
        )
        return f"{value:.2g}" if value < 10 else f"{value:,.0f}"

    def table(self) -> Iterable[str]:
        columns = [*self.measures, "ECE"]
        yield "| method | " + " | ".join([*columns, "difference", "learn"]) + " |"
        yield "|---|" + "---:|" * (len(columns) + 2)
        order = [m for m in METHODS if m in self.rows]
        recommended = {self.defaults[measure]: None for measure in self.measures}
        for method in sorted(order, key=lambda m: (m not in recommended, m in RIVALS)):
            name = f"**{method}**" if method in recommended else method
            cells = [mean(self.values(method, measure)) for measure in columns]
            for i, measure in enumerate(self.measures):
                if method == self.defaults[measure]:
                    cells[i] = f"**{cells[i]}**"
            same = method == self.default
            cells.append("" if same else spread(self.differences(method, self.measures[0]), "+"))
            cells.append(self.ratio(method, "learn"))
            mark = " ¹" if METHODS[method].one_pass and method not in recommended else ""
            yield f"| {name}{mark} | " + " | ".join(cells) + " |"

    def best(self, measure: str, methods: Iterable[str]) -> tuple[str, list[float]] | None:
        """The best of some methods by a measure, and how much worse it is than the default."""
        others = [m for m in methods if m in self.rows and m != self.defaults[measure]]
        found = {m: self.differences(m, measure) for m in others}
        known = [m for m in found if found[m]]
        best = min(known, key=lambda m: statistics.mean(found[m]), default=None)
        return None if best is None else (best, found[best])

    def is_behind(self, measure: str, methods: Iterable[str]) -> bool:
        """Whether one of them is better than the default by more than one standard error."""
        _, values = self.best(measure, methods) or ("", [0.0])
        return -statistics.mean(values) > (standard_error(values) or 0.0)


def standard_error(values: Sequence[float]) -> float | None:
    return statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else None


def plus_minus(error: float | None) -> str:
    """The error after a plus-minus sign, with non-breaking spaces."""
    return "" if error is None else f"\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}{error:.3f}"


def mean(values: Sequence[float]) -> str:
    return f"{statistics.mean(values):.3f}" if values else ""


def spread(values: Sequence[float], sign: str = "") -> str:
    """The mean, with its standard error if there are several values."""
    if not values:
        return ""
    error = standard_error(values)
    return f"{statistics.mean(values):{sign}.3f}" + plus_minus(error)
