"""Models are written and read by skops, which mlflow uses, without running what a pickle may."""

from typing import Any

import pytest

from river_hier import Taxonomy
from support.makers import TABLE

skops = pytest.importorskip("skops.io")
T = Taxonomy.from_nested({"r": {"a": {"b": ["c", "d"]}, "g": ["h", "i"]}})
X = [{"x": 1.0, "z": float(i % 3), str(i % 2): 1.0} for i in range(12)]


@pytest.mark.slow(but=12)
@pytest.mark.parametrize("name", TABLE)
def test_a_model_goes_on(name: str) -> None:
    model: Any = TABLE[name](T)
    for i, x in enumerate(X):
        y = ("c", "d", "h")[i % 3]
        model.learn_one(x, {y} if TABLE[name].several else y)
    written = skops.dumps(model)
    types = skops.get_untrusted_types(data=written)
    if any(".naive_bayes." in name for name in types):
        pytest.skip("skops writes River's naive Bayes, but cannot read it")
    again = skops.loads(written, trusted=types)
    for each in (model, again):
        each.learn_one(X[0], {"i"} if TABLE[name].several else "i")
    assert [again.predict_one(x) for x in X] == [model.predict_one(x) for x in X]
