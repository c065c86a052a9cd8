"""CLINC150 from small files in the publisher's format, and from the publisher's own."""

from __future__ import annotations

import gzip
import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_hier import Taxonomy, datasets
from river_hier.datasets.corpora import clinc150
from support.clinc_corpus import DOMAINS, QUERIES, write_corpus
from support.file_server import serving
from support.paths import DATA

ALL = list(QUERIES)


def test_examples(tmp_path):
    stream = datasets.CLINC150(write_corpus(tmp_path), splits=ALL)
    assert stream.taxonomy == Taxonomy.from_nested({"oos": DOMAINS})
    expected = [({"text": text}, y) for pairs in QUERIES.values() for text, y in pairs]
    assert list(stream) == list(stream) == expected
    assert stream.taxonomy.root == "oos"
    assert (stream.task, stream.n_samples, stream.n_classes) == (
        "Multi-class classification", None, 151
    )  # fmt: skip


def test_splits(tmp_path):
    write_corpus(tmp_path)
    for split, pairs in QUERIES.items():
        stream = datasets.CLINC150(tmp_path, splits=[split])
        assert [(x["text"], y) for x, y in stream] == [tuple(pair) for pair in pairs]
    assert datasets.CLINC150(splits=["train", "oos_val"]).n_samples == 15_100
    with pytest.raises(ValueError, match=r"^data_full.json lacks the split test, oos_test$"):
        list(datasets.CLINC150(tmp_path, splits=["test", "train", "oos_test"]))
    for wrong in ("train", [], ["dev"], None, 3):
        with pytest.raises(ValueError, match=r"^`splits` must be a list or tuple of some of"):
            datasets.CLINC150(splits=wrong)


pairs = st.lists(st.tuples(st.text(min_size=1).filter(str.strip), st.sampled_from(["a", "oos"])))


@given(
    st.dictionaries(st.sampled_from(["train", "val", "oos_train"]), pairs, min_size=1),
    st.sampled_from([None, 0, 2]),
)
def test_beside_the_standard_library(tmp_path_factory, queries, indent):
    folder = tmp_path_factory.getbasetemp() / "clinc"
    write_corpus(folder, queries, {"d": ["a"]}, indent)
    stream = datasets.CLINC150(folder, splits=list(queries))
    assert [(x["text"], y) for x, y in stream] == [
        pair for split in queries.values() for pair in split
    ]


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        (["pay"], "expected a query and its intent, got ['pay']"),
        (["pay", "pay_bill", 1], "expected a query and its intent, got ['pay', 'pay_bill', 1]"),
        ([3, "pay_bill"], "expected a query and its intent, got [3, 'pay_bill']"),
        (["pay", None], "expected a query and its intent, got ['pay', None]"),
        ([" ", "pay_bill"], "expected a query and its intent, got [' ', 'pay_bill']"),
        ("ab", "expected a query and its intent, got 'ab'"),
        ({"pay": 1}, "expected a query and its intent, got {'pay': 1}"),
        (["pay", "pay_bil"], "label 'pay_bil' is not in the taxonomy (6 nodes); did you mean"),
    ],
)
def test_broken_queries(tmp_path, pair, message):
    write_corpus(tmp_path, {"train": []})
    first, last = (json.dumps(pair) for pair in QUERIES["train"][:2])
    text = f'{{"val": [],\n"train": [\n{first},\n{json.dumps(pair)}, {last}]\n}}'
    (tmp_path / "data_full.json").write_text(text)
    with pytest.raises(ValueError, match="line 4") as error:
        list(datasets.CLINC150(tmp_path))
    assert str(error.value).startswith(f"data_full.json, line 4: {message}")
    stream = datasets.CLINC150(tmp_path, on_error="skip")
    assert [x["text"] for x, _ in stream] == [text for text, _ in QUERIES["train"][:2]]
    assert stream.n_skipped == 1
    # A broken query of a split that is not read does no harm.
    assert not list(datasets.CLINC150(tmp_path, splits=["val"]))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "line 1: expected '{', got '[]'"),
        ('{"train"', "line 1: expected ':', got the end"),
        ('{"train": {}}', "line 1: expected '[', got '{}}'"),
        ('{"train": [["a", "b"]', "line 1: expected ',', got the end"),
        ('{"train": [\n[1, 2] [', "line 2: expected ',', got '['"),
        ('{"train": [\n["a, "b"]', 'line 2: expected a value, got \'["a, "b"]\''),
        ('{"train": [],\n\n}', "line 3: expected a value, got '}'"),
        ("{1: []}", "line 1: expected the name of a split, got ': []}'"),
        ('{"train": []}\n {', "line 2: expected the end, got '{'"),
        ('{"train": [' + "[" * 100_000, "line 1: expected a value, got '[[["),
    ],
)
def test_damaged_queries(tmp_path, text, message):
    (write_corpus(tmp_path) / "data_full.json").write_text(text)
    for on_error in ("raise", "skip"):  # it is unknown how much is missing
        with pytest.raises(ValueError, match="expected") as error:
            list(datasets.CLINC150(tmp_path, splits=["oos_val"], on_error=on_error))
        assert str(error.value).startswith(f"data_full.json, {message}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "domains.json is not JSON: Expecting"),
        ("[" * 100_000, "domains.json is not JSON: maximum recursion"),
        ("{}", "domains.json: expected domains with intents, got {}"),
        ("[1]", "domains.json: expected domains with intents, got [1]"),
        ('{"a": "b"}', "domains.json: domain 'a': expected a list of intents, got 'b'"),
        ('{"a": ["b", 1]}', "domains.json: domain 'a': expected a list of intents, got ['b', 1]"),
        ('{"a": ["b"], "c": ["b"]}', "domains.json: the name 'b' is in two places"),
        ('{"a": ["oos"]}', "domains.json: "),
        ('{"a": ["a"]}', "domains.json: "),
        ('{"oos": ["a"]}', "domains.json: "),
    ],
)
def test_broken_domains(tmp_path, text, message):
    (write_corpus(tmp_path) / "domains.json").write_text(text)
    with pytest.raises(ValueError, match=r"domains.json") as error:
        _ = datasets.CLINC150(tmp_path).taxonomy
    assert str(error.value).startswith(message)


def test_missing_files(tmp_path):
    (write_corpus(tmp_path) / "data_full.json").unlink()
    stream = datasets.CLINC150(tmp_path)
    assert len(stream.taxonomy) == 6
    with pytest.raises(FileNotFoundError, match=r"lacks data_full.json; call `download\(\)` or"):
        list(stream)


@pytest.fixture
def publisher(tmp_path, monkeypatch):
    """What is asked of a server in place of the publisher's, and an empty data home."""
    site = write_corpus(tmp_path / "site")
    monkeypatch.setenv("RIVER_DATA", str(tmp_path / "home"))
    domains = (site / "domains.json").read_bytes()
    monkeypatch.setattr(clinc150, "_SHA256", hashlib.sha256(domains).hexdigest())
    with serving(site) as (address, asked):
        monkeypatch.setattr(clinc150, "_ADDRESS", address)
        yield asked


def test_downloading_when_it_is_needed(publisher, tmp_path):
    stream = datasets.CLINC150()
    repr(stream)
    assert not publisher
    assert len(stream.taxonomy) == 6
    assert publisher == ["/domains.json"]
    assert [[x["text"], y] for x, y in stream] == QUERIES["train"]
    stream.download()
    assert publisher == ["/domains.json", "/data_full.json"]
    home = tmp_path / "home" / "CLINC150"
    assert {path.name for path in home.iterdir()} == {"domains.json", "data_full.json"}


def test_a_download_with_other_bytes(publisher, tmp_path):
    (tmp_path / "site" / "domains.json").write_text('{"a": ["b"]}')
    with pytest.raises(ValueError, match=r"domains.json: the SHA-256 is"):
        _ = datasets.CLINC150().taxonomy
    with pytest.raises(FileNotFoundError):  # a folder of your own is not filled unasked
        list(datasets.CLINC150(tmp_path / "mine"))
    assert publisher == ["/domains.json"]


def test_the_publisher_s_files():
    folder = DATA / "clinc150"
    if not folder.exists():
        pytest.skip(f"no CLINC150 at {folder}: set RIVER_HIER_DATA")
    domains = (folder / "domains.json").read_bytes()
    assert hashlib.sha256(domains).hexdigest() == clinc150._SHA256
    with gzip.open(folder / "data_full.json.gz", "rt", encoding="utf-8") as file:
        rows = json.load(file)
    for split, size in (("train", 15_000), ("val", 3_000), ("oos_train", 100), ("oos_val", 100)):
        stream = datasets.CLINC150(folder, splits=[split])
        assert [[x["text"], y] for x, y in stream] == rows[split]
        assert len(rows[split]) == clinc150._SPLITS[split] == size
    assert repr(stream.taxonomy) == "Taxonomy(root='oos', 161 nodes, 150 leaves, height 2)"
