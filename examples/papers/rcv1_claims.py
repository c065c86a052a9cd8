"""What the paper on H-RLS prints about RCV1, and what it claims."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import claims
from multilabel_rows import LOSSES, Counts, Found, Result, mean, per_thousand

PAPER_TABLE_1 = {
    "PERC": (0.702, 1.196, 1.695),
    "H-PERC": (0.655, 1.224, 1.861),
    "S-RLS": (0.559, 0.981, 1.413),
    "SH-RLS": (0.456, 0.743, 1.086),
    "SVM": (0.482, 0.790, 1.173),
    "H-SVM": (0.440, 0.712, 1.050),
}
PAPER_SPREAD = {
    "PERC": (0.045, 0.127, 0.182),
    "H-PERC": (0.040, 0.114, 0.172),
    "S-RLS": (0.005, 0.020, 0.033),
    "SH-RLS": (0.010, 0.026, 0.036),
    "SVM": (0.009, 0.023, 0.051),
    "H-SVM": (0.008, 0.021, 0.027),
}
PAPER_TABLE_2 = {  # by depth: (false positives, false negatives), in 20,000 documents
    "H-PERC": [(4144, 2690), (6769, 7961), (1161, 1513), (161, 88)],
    "SH-RLS": [(1449, 2436), (1361, 8135), (413, 937), (14, 115)],
    "H-SVM": [(1769, 2513), (1317, 7260), (380, 624), (20, 94)],
}
PAPER_N_TEST = 20_000
ONLINE = ("PERC", "H-PERC", "S-RLS", "SH-RLS")


def in_paper(name: str) -> Counts:
    return [per_thousand(counts, PAPER_N_TEST) for counts in PAPER_TABLE_2[name]]


def below(
    found: Found, better: str, *others: str, losses: Sequence[str] = LOSSES, form: str = "losses"
) -> claims.Differences:
    """How far a learner is below the best of the others in each loss, for each group."""
    differences = {}
    for k, loss in enumerate(LOSSES):
        if loss in losses:
            best = min(others, key=lambda name: mean(found[name])[k])
            both = zip(found[better], found[best], strict=True)
            differences[loss] = [b.losses[k] - getattr(a, form)[k] for a, b in both]
    return differences


def nearer(found: Found) -> claims.Differences:
    """How much nearer SH-RLS is to H-SVM than to its flat variant."""
    rows = [[result.losses for result in found[name]] for name in ("S-RLS", "SH-RLS", "H-SVM")]
    groups = list(zip(*rows, strict=True))
    return {
        loss: [abs(flat[k] - ours[k]) - abs(ours[k] - best[k]) for flat, ours, best in groups]
        for k, loss in enumerate(LOSSES)
    }


def elsewhere(one: Result, other: Result) -> float:
    """The percentage of the mistakes of one that are at other depths or of the other kind."""
    shares = []
    for result in (one, other):
        counts = [count for pair in result.by_depth for count in pair]
        shares.append([count / sum(counts) for count in counts])
    return 50 * sum(abs(a - b) for a, b in zip(*shares, strict=True))


def distributed(found: Found) -> claims.Differences:
    """How many more mistakes of H-PERC than of SH-RLS are elsewhere than those of H-SVM."""
    rows = zip(found["H-PERC"], found["SH-RLS"], found["H-SVM"], strict=True)
    return {"points": [elsewhere(perc, svm) - elsewhere(rls, svm) for perc, rls, svm in rows]}


def about_four_times(
    found: Any, work: Callable[[Any], float], names: dict[str, str]
) -> claims.Differences:
    """How far the factor is from two and from eight, in doublings."""
    factors = {
        hierarchical: [
            math.log2(work(a) / work(b))
            for a, b in zip(found[flat], found[hierarchical], strict=True)
        ]
        for flat, hierarchical in names.items()
    }
    return between(factors, 1, 3, ("above 2", "below 8"))


def between(
    found: dict[str, list[float]], low: float, high: float, says: tuple[str, str]
) -> claims.Differences:
    """How far values are above one limit and below another: a claim with a value says both."""
    sides: dict[str, list[float]] = {}
    for name, values in found.items():
        sides[f"{name}, {says[0]}"] = [value - low for value in values]
        sides[f"{name}, {says[1]}"] = [high - value for value in values]
    return sides


def raised(found: Found) -> str:
    names = [
        name
        for name, results in found.items()
        if any(r.truncated[1] > r.losses[1] for r in results)
    ]
    return claims.unless(not names, f"{names}")


def best_cost(by_cost: dict[float, list[Result]]) -> claims.Differences:
    """How far C = 1 is below the best other C in H-loss."""
    others = {C: results for C, results in by_cost.items() if C != 1.0}
    best = min(others.values(), key=lambda results: mean(results)[1])
    pairs = zip(by_cost[1.0], best, strict=True)
    return {"H-loss": [theirs.losses[1] - ours.losses[1] for ours, theirs in pairs]}


def growth(exponents: dict[str, list[float]]) -> claims.Differences:
    """How far the exponents of time are from 1.5 and 2.5, or from 0.5 and 1.5."""
    found: claims.Differences = {}
    for name, power in (("SH-RLS", 2), ("H-PERC", 1)):
        limits = power - 0.5, power + 0.5
        says = f"above N^{limits[0]}", f"below N^{limits[1]}"
        found = {**found, **between({name: exponents[name]}, *limits, says)}
    return found


def linear_memory(exponents: dict[str, list[float]]) -> claims.Differences:
    return between({"bytes": exponents["memory"]}, 0.5, 1.5, ("above N^0.5", "below N^1.5"))


BEST_COST = "Section 8: C = 1 is best"
GROWTH = "Section 8: the time of SH-RLS is quadratic in stored instances, that of H-PERC linear"
MEMORY = "Section 8: the memory of H-RLS is linear in time"
FASTER = "Section 8: hierarchical learners are about four times faster: between two and eight times"
PERC_BELOW = "Table 1: PERC, truncated, below H-PERC in H-loss and Delta"


def perc_below(found: Found) -> claims.Differences:
    return below(found, "PERC", "H-PERC", losses=("H-loss", "Delta"), form="truncated")


CLAIMS: claims.Claims = {
    "Table 1: SH-RLS below its flat variant S-RLS": lambda f: below(f, "SH-RLS", "S-RLS"),
    "Table 1: SH-RLS below both perceptrons": lambda f: below(f, "SH-RLS", "PERC", "H-PERC"),
    "Table 1: SH-RLS below the flat SVM": lambda f: below(f, "SH-RLS", "SVM"),
    "Table 1: SH-RLS nearer to H-SVM than to S-RLS": nearer,
    "Table 1: H-SVM best of all": lambda f: below(f, "H-SVM", "SVM", *ONLINE),
    "Section 8: the flat SVM is surprisingly good: below the other flat learners": lambda f: below(
        f, "SVM", "PERC", "S-RLS"
    ),
    "Table 1: H-PERC below PERC in zero-one loss": lambda f: below(
        f, "H-PERC", "PERC", losses=["zero-one"]
    ),
    PERC_BELOW: perc_below,
    "Table 2, Figure 4: mistakes of SH-RLS distributed as those of H-SVM, of H-PERC otherwise": (
        distributed
    ),
}
SPEED: dict[str, claims.Claims] = {
    "by node evaluations": {
        FASTER: partial(
            about_four_times,
            work=lambda r: sum(r.evaluations),
            names={"S-RLS": "SH-RLS", "PERC": "H-PERC"},
        )
    },
    "by processor time, with a program that evaluates one node after the other": {
        FASTER: partial(
            about_four_times, work=lambda r: r.seconds, names={"PERC, a node": "H-PERC, a node"}
        )
    },
}
LAWS: claims.Laws = {"Lemma 1: truncation does not increase the H-loss": raised}
