"""Sharding: who learns what, how often, and the best that any plan could do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

from .trees import Node, Parents, children, labels_below_root


def reached(parents: Parents, v: Node) -> float:
    """The part of all examples that trains v if each goes on to every child equally often."""
    return min(_frequency(parents, p) for p in parents[v])


def _frequency(parents: Parents, v: Node) -> float:
    if parents[v] == ():
        return 1.0
    return min(_frequency(parents, p) / len(children(parents, p)) for p in parents[v])


def longest_first(work: Sequence[float], k: int) -> list[int]:
    """Where each job goes: the longest first, always to the first machine with the least work."""
    machines: list[list[int]] = [[] for _ in range(k)]
    for job in sorted(range(len(work)), key=lambda j: (-work[j], j)):
        loads = [sum(work[j] for j in jobs) for jobs in machines]
        machines[loads.index(min(loads))].append(job)
    return [next(m for m in range(k) if job in machines[m]) for job in range(len(work))]


def least_makespan(work: Sequence[float], k: int) -> float:
    """The largest load of the best plan there is, by trying all."""
    loads = (
        max(sum(w for w, machine in zip(work, plan, strict=True) if machine == m) for m in range(k))
        for plan in product(range(k), repeat=len(work))
    )
    return min(loads)


def in_turns(parents: Parents, owner: Mapping[Node, int], true: set[Node]) -> dict[int, list[Node]]:
    """The nodes that an example trains, shard by shard."""
    trained = [v for v in labels_below_root(parents) if all(p in true for p in parents[v])]
    return {shard: [v for v in trained if owner[v] == shard] for shard in set(owner.values())}
