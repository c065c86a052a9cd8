"""The programs of docs/your_dataframe.md, on the real data, and the numbers of their tables."""

import gzip
import importlib
import json
import random
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from river_hier import Taxonomy
from support.paths import DATA, DOCS, EXAMPLES

pytest.importorskip("sklearn")
PAGE = (DOCS / "your_dataframe.md").read_text(encoding="utf-8")
IMPORTS = """
import json
import random
from collections import Counter
import numpy as np
import pandas as pd
from river import preprocessing
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from river_hier import Taxonomy, datasets, feature_extraction, linear_model, metrics
"""
# In the order of the page: preparation, ours, scikit-learn's, HiClass's, evaluation; then ours.
PROGRAMS = [code for code in re.findall(r"```python\n(.*?)```", PAGE, re.S) if ">>>" not in code]


@pytest.fixture
def names(tmp_path, monkeypatch):
    """What the programs import, in a folder with the files that they read."""
    if not (DATA / "products").exists() or not (DATA / "clinc150").exists():
        pytest.skip(f"no products and queries at {DATA}: set RIVER_HIER_DATA")
    for file in ("products/products.csv", "clinc150/data_full.json"):
        with (
            gzip.open(DATA / f"{file}.gz") as packed,
            (tmp_path / Path(file).name).open("wb") as out,
        ):
            shutil.copyfileobj(packed, out)
    shutil.copy(DATA / "clinc150" / "domains.json", tmp_path)
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(IMPORTS, names)
    return names


def row(name, table):
    """The numbers of the first row of that name."""
    section = PAGE.partition(f"\n## {table}")[2].partition("\n## ")[0]
    line = next(s for s in section.splitlines() if s.startswith(f"| {name}"))
    return re.findall(r"\d+(?:\.\d+)?", line.partition("|")[2].partition("|")[2])


def hiclass(names):
    module = pytest.importorskip("hiclass", reason="hiclass is not installed")
    names["LocalClassifierPerParentNode"] = module.LocalClassifierPerParentNode


@pytest.mark.slow
@pytest.mark.parametrize(("at", "name"), [(1, "river_hier"), (2, "scikit-learn"), (3, "HiClass")])
def test_products(at, name, names):
    if name == "HiClass":
        hiclass(names)
    for program in (PROGRAMS[0], PROGRAMS[at], PROGRAMS[4]):
        exec(program, names)
    lines, share, distance, *_ = row(name, "Products")
    assert int(lines) == len(PROGRAMS[at].splitlines())
    assert 100 * names["right"] == pytest.approx(float(share), abs=0.2)
    assert names["error"].get() == pytest.approx(float(distance), abs=0.01)


@pytest.mark.slow
def test_queries(names):
    random.seed(0)
    rows = json.loads(Path("data_full.json").read_text(encoding="utf-8"))
    names["texts"] = [text for text, _ in rows["val"] + rows["oos_val"]]
    exec(PROGRAMS[5], names)
    answers = [str(answer) for answer in names["answers"]]
    domains = json.loads(Path("domains.json").read_text(encoding="utf-8"))
    t = Taxonomy.from_nested({"oos": domains})
    inside, outside = answers[:3000], answers[3000:]
    handled = [answer in t.leaves for answer in inside]
    right = [answer == y for answer, (_, y) in zip(inside, rows["val"], strict=True)]
    shares = [
        np.mean(handled),
        sum(right) / sum(handled),
        np.mean([a in t.leaves for a in outside]),
    ]
    expected = [*map(float, row("river_hier", "Queries")[:3])]
    assert [100 * share for share in shares] == pytest.approx(expected, abs=1.1)


@pytest.mark.slow
def test_the_benchmark_finds_what_the_page_says(monkeypatch, capsys, names):
    monkeypatch.syspath_prepend(str(EXAMPLES / "benchmarks"))
    real_texts = importlib.import_module("real_texts")
    real_texts.MODELS = {k: v for k, v in real_texts.MODELS.items() if "pass" in k}
    real_texts.main(DATA, 0, 1)
    real_texts.out_of_scope(DATA, 0)
    printed = capsys.readouterr().out
    found = re.findall(r"PathSoftmax, .* pass(?:es)? +(0\.\d+) +(0\.\d+)", printed)
    assert len(found) == 4
    for right, distance in found:
        assert f"| {100 * float(right):.1f} % | {distance} |" in PAGE.replace("*", "")
    one_pass = printed.partition("passes: 3")[0]
    shares = re.findall(r"(?:passes: 1|score) +90\.0% +(\d+\.\d%) +(\d+%)", one_pass)
    shares += re.findall(r"LinearSVC +90\.0% +(\d+\.\d%) +(\d+%)", printed)
    assert len(shares) == 3
    for line in shares:
        assert all(share.replace("%", " %") in PAGE for share in line)
