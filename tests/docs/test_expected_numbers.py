"""Doctests compare as many digits as an expected output has, so it must have some."""

import doctest
import importlib
import pkgutil
import re

import river_hier
from support.paths import ROOT

PAGES = [
    *ROOT.glob("*.md"),
    *(p for p in (ROOT / "docs").rglob("*.md") if "gallery" not in p.parts),
]
NO_DIGITS = re.compile(r"\d\.(?![\w.])")  # `1.` of a number; `1.0`, `0.123...` and `1.a` are fine


def examples():
    finder, parser = doctest.DocTestFinder(exclude_empty=True), doctest.DocTestParser()
    tests = [
        test
        for module in pkgutil.walk_packages(river_hier.__path__, "river_hier.")
        if not module.name.rpartition(".")[2].startswith("_native")
        for test in finder.find(importlib.import_module(module.name))
    ]
    tests += [
        parser.get_doctest(page.read_text("utf-8"), {}, str(page), str(page), 0) for page in PAGES
    ]
    return [(test.name, example) for test in tests for example in test.examples]


def test_expected_numbers_have_digits():
    found = examples()
    assert len(found) > 1000
    for where, example in found:
        bad = [line for line in example.want.splitlines() if NO_DIGITS.search(line)]
        assert not bad, (
            f"{where}, line {example.lineno + 1}: the doctest compares as many digits as the "
            f"expected output has, and {bad} has none: choose numbers that make it a fraction"
        )
