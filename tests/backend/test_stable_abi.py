"""The C++ sources use only what the stable ABI has, for which wheels of Python 3.12 are built."""

from __future__ import annotations

import re

from support.paths import ROOT

# Macros that read the fields of objects, e.g. PyFloat_AS_DOUBLE; the stable ABI has functions.
MACROS = re.compile(r"\bPy[A-Z][A-Za-z]*_(?:AS|GET|SET)_[A-Z]\w*|\bPyUnicode_(?:DATA|KIND|READ)\w*")
# What only other versions compile.
OTHERS = re.compile(r"#ifndef Py_LIMITED_API.*?(?=#else|#endif)", re.DOTALL)


def test_no_macro_that_reads_the_fields_of_objects() -> None:
    sources = sorted((ROOT / "river_hier" / "_backend" / "native").rglob("*.[ch]pp"))
    assert len(sources) > 40
    found = {path.name: MACROS.findall(OTHERS.sub("", path.read_text())) for path in sources}
    assert {name: macros for name, macros in found.items() if macros} == {}
