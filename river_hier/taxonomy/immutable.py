"""Objects whose attributes cannot be changed."""

from __future__ import annotations

from typing import Any, Self


class Immutable:
    """Base class; constructors use `object.__setattr__`, and a copy is the object itself."""

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a taxonomy is immutable: {name!r} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a taxonomy is immutable: {name!r} cannot be deleted")

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self
