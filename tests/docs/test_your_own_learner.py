"""The learners of docs/your_own_learner.md pass what those of the library must pass."""

import doctest
import math
import re
import sys
from collections import defaultdict
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_hier import Taxonomy, base, decision, linear_model
from river_hier.base.model import SingleLabelModel
from support.paths import ROOT
from support.river_checks import rivers_checks
from support.river_data import GENE_TREE, TREE
from support.strategies import features, multilabels, taxonomies


def _classes():
    """The classes of the page, as a module of which pickles know the name."""
    page = ROOT / "docs" / "your_own_learner.md"
    examples = doctest.DocTestParser().get_examples(page.read_text(encoding="utf-8"))
    module = ModuleType("your_own_learner")
    sys.modules[module.__name__] = module
    vars(module)["np"], vars(module)["base"] = np, base
    vars(module)["defaultdict"], vars(module)["SingleLabelModel"] = defaultdict, SingleLabelModel
    for example in examples:
        if example.source.startswith("class "):
            exec(example.source, vars(module))
    vars(module)["sources"] = [e.source for e in examples if e.source.startswith("class ")]
    return module


PAGE = _classes()
T = Taxonomy.from_nested({"r": {"a": ["b", "c"], "d": ["e"]}})


def learned(model, examples):
    for x, y in examples:
        model.learn_one(x, y)
    return model


def test_the_learner_is_short():
    assert all(source.count("\n") <= 40 for source in PAGE.sources)
    rules = [source for source in PAGE.sources if "(SingleLabelModel)" not in source]
    assert len(rules) == len(PAGE.sources) - 1
    assert not any(re.search(r"_core|\._[a-z]", source) for source in rules)


class Oracle:
    """PA-I at every node, in dictionaries and loops."""

    def __init__(self, taxonomy, C):
        self.taxonomy, self.C = taxonomy, C
        self.w = {v: defaultdict(float) for v in taxonomy.nodes[1:]}

    def learn(self, x, y):
        on = {self.taxonomy.root}
        for label in y:
            on |= {label, *self.taxonomy.ancestors(label)}
        norm2 = math.fsum(value * value for value in x.values())
        for v, w in self.w.items():
            if norm2 > 0 and set(self.taxonomy.parents(v)) <= on:
                sign = 1.0 if v in on else -1.0
                score = math.fsum(w[name] * value for name, value in x.items())
                step = sign * min(self.C, max(0.0, 1.0 - sign * score) / norm2)
                for name, value in x.items():
                    w[name] += step * value


@given(data=st.data())
def test_weights_are_those_of_the_oracle(data):
    t = data.draw(taxonomies())
    examples = data.draw(st.lists(st.tuples(features(), multilabels(t)), max_size=10))
    model, oracle = PAGE.PassiveAggressive(t, C=0.5), Oracle(t, 0.5)
    for x, y in examples:
        model.learn_one(x, y)
        oracle.learn(x, [label for label, yes in y.items() if yes] if type(y) is dict else y)
        for v, w in model.weights.items():
            assert w.keys() <= oracle.w[v].keys()  # without those that are 0, up to rounding
            found = {name: w.get(name, 0.0) for name in oracle.w[v]}
            assert found == pytest.approx(oracle.w[v], rel=1e-9, abs=1e-9)


def everything():
    yield PAGE.PassiveAggressive(GENE_TREE)
    yield PAGE.PassiveAggressive(dtype="float32")
    yield linear_model.Averaged(PAGE.PassiveAggressive(GENE_TREE))
    yield decision.Calibrated(PAGE.PassiveAggressive(GENE_TREE))
    yield PAGE.CountWords(TREE)
    yield decision.Tempered(PAGE.CountWords())
    yield PAGE.SoftHieron(TREE)
    yield linear_model.Averaged(PAGE.SoftHieron(TREE))


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("model", list(everything()), ids=str)
def test_rivers_checks(model):
    for check in rivers_checks(model):
        check(model.clone())
