"""What some tests need beyond the library, be it a module or a program.

Where it is absent they skip and say what would bring it; with RIVER_HIER_REQUIRE_ALL=1 they fail.
"""

import importlib
import os
import shutil

import pytest

ALL = os.environ.get("RIVER_HIER_REQUIRE_ALL", "0") not in ("", "0")


def require_module(name, extra):
    """The module, which comes with an extra of this library."""
    try:
        return importlib.import_module(name)
    except ImportError:
        _miss(f"{name} is missing: pip install '.[{extra}]'")


def require_program(*names):
    """The path of the first of these programs, names of the same one, that is installed."""
    for name in names:
        if path := shutil.which(name):
            return path
    return _miss(f"the program {names[0]} is not installed")


def _miss(reason):
    if ALL:
        raise AssertionError(f"RIVER_HIER_REQUIRE_ALL is set, and {reason}")
    pytest.skip(reason, allow_module_level=True)
