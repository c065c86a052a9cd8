"""What a `LeastSquares` keeps, as its pickles tell."""

from typing import Any


def kinds(rls: Any) -> list[str]:
    """How each system is solved: dual or primal."""
    return [system[0] for system in rls.saved()[-1]]


def n_instances(rls: Any) -> int:
    return len(rls.saved()[-2][0]) - 1
