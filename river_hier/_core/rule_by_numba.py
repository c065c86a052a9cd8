"""A rule of one's own as machine code: numba compiles the methods that are written in Python.

A policy of the core calls them by their addresses. These belong to the process, so they are kept
with the class, never in a model or its pickle.
"""

from collections import namedtuple
from functools import cached_property
from typing import Any

from . import policies


class PolicyByNumba:
    """Learns as a compiled policy does. The rule is compiled when the first model learns."""

    def __init__(self, cls: Any, names: tuple[str, ...]) -> None:
        self.cls: Any = cls
        self.names: tuple[str, ...] = names

    def __reduce__(self) -> tuple[Any, ...]:
        return PolicyByNumba, (self.cls, self.names)

    def parameters(self, model: Any) -> tuple[Any, ...]:
        """The addresses, the attributes that the rule reads, and the forgetting of variances."""
        own = [float(getattr(model, name)) for name in self.names]
        return *self._addresses, own, model.forgetting

    @cached_property
    def learn_one(self) -> Any:
        return self._policy.learn_one

    @cached_property
    def learn_many(self) -> Any:
        return self._policy.learn_many

    @property
    def _policy(self) -> Any:
        kind = "second_order" if self.cls.second_order else "first_order"
        return policies["on_paths" if self.cls._by_numba == "rival" else kind]

    @cached_property
    def _addresses(self) -> tuple[int, int]:
        """Those of `rule` and of `learns` or `rival`; 0 for the usual one, which the core has."""
        cls, name = self.cls, self.cls._by_numba
        usual = next(vars(base)[name] for base in cls.__mro__ if "_by_numba" in vars(base))
        self._kept = [self._function("rule", 4 if cls.second_order else 3)]
        if getattr(cls, name) is not usual:
            self._kept.append(self._function(name, 2))
        rule, *other = (function.address for function in self._kept)
        return rule, *(other or [0])

    def _function(self, method: str, n_given: int) -> Any:
        """A method as a function of numbers: its arguments, the parameters, and what it returns."""
        import numba
        from numba.np.unsafe.ndarray import to_fixed_tuple

        own, n = namedtuple(self.cls.__name__, self.names), len(self.names)  # `self` to the rule
        number, numbers = numba.float64, numba.types.CPointer(numba.float64)
        rule = numba.njit(getattr(self.cls, method), error_model="numpy")

        def of_numbers(given: Any, p: Any) -> Any:
            return rule(own(*to_fixed_tuple(numba.carray(p, n), n)), *given)

        compiled = numba.njit(of_numbers)

        def one(a: Any, b: Any, c: Any, d: Any, p: Any, out: Any) -> None:
            out[0] = compiled((a, b, c, d)[:n_given], p)

        def two(a: Any, b: Any, c: Any, d: Any, p: Any, out: Any) -> None:
            out[0], out[1] = compiled((a, b, c, d), p)

        def of_scores(scores: Any, size: Any, y: Any, p: Any, out: Any) -> None:
            out[0] = compiled((numba.carray(scores, size), y), p)

        call = of_scores if method == "rival" else two if n_given == 4 else one
        kinds = (numbers, *(numba.int64,) * 2) if method == "rival" else (number,) * 4
        try:
            return numba.cfunc(numba.void(*kinds, numbers, numbers))(call)
        except numba.core.errors.NumbaError as error:
            raise TypeError(
                f"numba cannot compile `{method}` of {self.cls.__name__}; it may use its "
                f"arguments, numpy and the attributes that `numba=` names, {self.names}"
            ) from error
