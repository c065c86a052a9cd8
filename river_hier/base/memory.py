"""The memory of models, as River's evaluation reports it."""

import gc
import sys
from types import FunctionType, ModuleType
from typing import Any

import numpy as np


def memory_of(thing: Any) -> int:
    """The bytes of an object and all that it refers to but for classes, modules and functions."""
    seen: set[int] = set()
    size, pending = 0, [thing]
    while pending:
        objects = []
        for one in pending:
            while isinstance(one, np.ndarray) and one.base is not None:
                one = one.base  # which has the numbers
            if id(one) not in seen and not isinstance(one, type | ModuleType | FunctionType):
                seen.add(id(one))
                size += sys.getsizeof(one)
                objects.append(one)
        pending = gc.get_referents(*objects)
    return size


# The `_raw_memory_usage` of an estimator. River's own would count the numbers of arrays twice.
raw_memory_usage: property = property(memory_of)
