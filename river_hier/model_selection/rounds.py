"""Which models learn: rounds of successive halving."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

MODELS_PER_EXAMPLE = 1.25  # how many learn, on average over a round


class Rounds:
    """The numbers of the models that learn, in rounds of windows.

    Attributes
    ----------
    learning
        The numbers of the models that learn, in order.
    n
        The number of examples in the present window.

    """

    def __init__(self, n_models: int, window: int) -> None:
        self.n_models = n_models
        self.window = window
        self.decided: bool = False  # after the very first window
        self.start()

    def start(self) -> None:
        """Start a round, in which all models learn."""
        self.excess: float = 0.0  # steps of models in this round, above MODELS_PER_EXAMPLE
        self._start_window(range(self.n_models), self.window)

    def _start_window(self, learning: Sequence[int], length: int) -> None:
        self.learning: list[int] = sorted(learning)
        self.length = length
        self.n: int = 0

    @property
    def compared(self) -> list[int]:
        """The models to compare: those that learn, if there are several."""
        return self.learning if len(self.learning) > 1 else []

    def advance(self, key: Callable[[int], Any]) -> int | None:
        """Count an example; return the best model if it is chosen now, else None.

        `key` sorts models, the best first.
        """
        self.n += 1
        self.excess += len(self.learning) - MODELS_PER_EXAMPLE
        best = None
        ends = self.n == self.length
        if self.compared and (ends or (not self.decided and self.n & (self.n - 1) == 0)):
            ranking = sorted(self.learning, key=key)
            best = ranking[0]
            if ends:
                self.decided = True
                self._start_window(ranking[: (len(ranking) + 1) // 2], 2 * self.length)
        if not self.compared and self.n_models > 1 and self.excess <= 0:
            self.start()
        return best
