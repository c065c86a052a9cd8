"""Flipkart's products from small files in the publisher's format, and from the publisher's own."""

from __future__ import annotations

import csv
import gzip
import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_hier import Taxonomy, datasets
from support.flipkart_corpus import PRODUCTS, write_corpus, write_rows
from support.paths import DATA


def test_examples(tmp_path):
    stream = datasets.FlipkartProducts(write_corpus(tmp_path))
    assert list(stream) == list(stream) == [({"title": title}, y) for title, y in PRODUCTS]
    assert stream.taxonomy.root == "root"
    assert len(stream.taxonomy) == 10
    column = [path for _, path in PRODUCTS]
    assert stream.taxonomy == Taxonomy.from_paths(column, separator=" >> ", labels="path")
    assert (stream.task, stream.n_features) == ("Multi-class classification", 1)


def test_rare_categories(tmp_path):
    write_corpus(tmp_path)
    labels = [y for _, y in datasets.FlipkartProducts(tmp_path, min_size=2)]
    assert labels == ["Furniture >> Tables"] * 2 + ["Clothing"] * 2 + ["root"]
    assert datasets.FlipkartProducts(tmp_path, min_size=2).taxonomy.nodes == (
        "root", "Furniture", "Clothing", "Furniture >> Tables"
    )  # fmt: skip
    none = datasets.FlipkartProducts(tmp_path, min_size=9)
    assert none.taxonomy.nodes == ("root",)
    assert {y for _, y in none} == {"root"}
    for wrong in (0, -1, 1.5, "2", None):
        with pytest.raises((ValueError, TypeError), match=r"`min_size` must be"):
            datasets.FlipkartProducts(min_size=wrong)


names = st.text(st.characters(exclude_categories=["C", "Z"], exclude_characters=">"), min_size=1)
paths = st.lists(names.filter(lambda name: name != "root"), min_size=1, max_size=4)


@given(st.lists(st.tuples(names, paths), min_size=1, max_size=8), st.integers(1, 3))
def test_beside_one_that_counts_prefixes(tmp_path_factory, products, min_size):
    folder = tmp_path_factory.getbasetemp() / "flipkart"
    write_corpus(folder, [(title, " >> ".join(path)) for title, path in products])
    stream = datasets.FlipkartProducts(folder, min_size=min_size)
    below = lambda prefix: sum(path[: len(prefix)] == prefix for _, path in products)  # noqa: E731
    kept = {
        tuple(path[:k])
        for _, path in products
        for k in range(1, len(path) + 1)
        if below(path[:k]) >= min_size
    }
    assert set(stream.taxonomy) == {"root", *(" >> ".join(path) for path in kept)}
    expected = []
    for title, path in products:
        longest = max((p for p in kept if p == tuple(path[: len(p)])), key=len, default=("root",))
        expected.append(({"title": title}, " >> ".join(longest)))
    assert list(stream) == expected
    for label in set(stream.taxonomy) - {"root"}:
        assert stream.taxonomy.parent(label) == (label.rpartition(" >> ")[0] or "root")


def path_of(n):
    return json.dumps([" >> ".join(["a"] * n)])


def test_the_deepest_path(tmp_path):
    stream = datasets.FlipkartProducts(write_rows(tmp_path, [("a", path_of(100))]))
    assert stream.taxonomy.height == 100
    assert [y for _, y in stream] == list(stream.taxonomy.leaves)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (("", '["A"]'), "the title is empty"),
        (("a", ""), "expected a path like [\"A >> B\"], got ''"),
        (("a", "A >> B"), "expected a path like [\"A >> B\"], got 'A >> B'"),
        (("a", "[]"), "expected a path like [\"A >> B\"], got '[]'"),
        (("a", '["A", "B"]'), 'expected a path like ["A >> B"], got \'["A", "B"]\''),
        (("a", "[3]"), "expected a path like [\"A >> B\"], got '[3]'"),
        (("a", "3"), "expected a path like [\"A >> B\"], got '3'"),
        (("a", '["A >>  >> B"]'), 'expected a path like ["A >> B"], got \'["A >>  >> B"]\''),
        (("a", '["A >> "]'), 'expected a path like ["A >> B"], got \'["A >> "]\''),
        (("a", "[" * 50_000), 'expected a path like ["A >> B"], got \'[[[['),
        (("a", path_of(101)), "expected a path of at most 100 levels, got 101"),
        (("a", path_of(10_000)), "expected a path of at most 100 levels, got 10,000"),
        (("a",), "expected 3 columns, got 2"),
        (("a", '["A"]', "b"), "expected 3 columns, got 4"),
    ],
)
def test_broken_products(tmp_path, row, message):
    write_rows(tmp_path, [("Oak Table", '["Furniture"]'), row, ("b", '["Furniture"]')])
    with pytest.raises(ValueError, match="line 3") as error:
        list(datasets.FlipkartProducts(tmp_path))
    assert str(error.value).startswith(f"products.csv, line 3: {message}")
    stream = datasets.FlipkartProducts(tmp_path, on_error="skip")
    assert [x["title"] for x, _ in stream] == ["Oak Table", "b"]
    assert stream.n_skipped == 1


def test_damaged_tables(tmp_path):
    path = write_corpus(tmp_path) / "products.csv"
    whole = path.read_text()
    for text, message in (
        ("", "products.csv is empty"),
        ("a,b\n", "products.csv: expected the columns 'product_name' and 'product_category_tree'"),
        (whole.rstrip()[:-1], "products.csv is damaged after line 7: unexpected end of data"),
        (whole + '9,"a"b,c\n', "products.csv is damaged after line 8: ',' expected after '\"'"),
        (whole + f'9,{"a" * 200_000},"b"\n', "products.csv is damaged after line 8: field larger"),
    ):
        path.write_text(text)
        for on_error in ("raise", "skip"):
            with pytest.raises(ValueError, match=r"products.csv") as error:
                list(datasets.FlipkartProducts(tmp_path, on_error=on_error))
            assert str(error.value).startswith(message)
    write_corpus(tmp_path, [("a", "root >> b")])
    with pytest.raises(ValueError, match=r"^products.csv: "):
        _ = datasets.FlipkartProducts(tmp_path).taxonomy


def test_names_of_files(tmp_path):
    write_corpus(tmp_path)
    (tmp_path / "products.csv").rename(tmp_path / "flipkart_com-ecommerce_sample.csv")
    (tmp_path / "other.csv").write_text("a\n")
    assert len(list(datasets.FlipkartProducts(tmp_path))) == len(PRODUCTS)
    assert len(list(datasets.FlipkartProducts(tmp_path / "flipkart_com-ecommerce_sample.csv"))) == 5
    with pytest.raises(FileNotFoundError, match=r"get flipkart_com-ecommerce_sample.csv from http"):
        list(datasets.FlipkartProducts(tmp_path / "nowhere"))


def test_the_publisher_s_file():
    file = DATA / "products" / "products.csv.gz"
    if not file.exists():
        pytest.skip(f"no products at {file}: set RIVER_HIER_DATA")
    with gzip.open(file, "rt", encoding="utf-8", newline="") as table:
        rows = list(csv.DictReader(table))
    stream = datasets.FlipkartProducts(file)
    categories = [json.loads(row["product_category_tree"])[0] for row in rows]
    assert [(x["title"], y) for x, y in stream] == [
        (row["product_name"].strip(), " >> ".join(part.strip() for part in category.split(">>")))
        for row, category in zip(rows, categories, strict=True)
    ]
    lengths = Counter(stream.taxonomy.depth(y) for _, y in stream)
    assert lengths == {1: 200, 2: 679, 3: 2655, 4: 2829, 5: 2958, 6: 2198, 7: 463, 8: 18}
    frequent = datasets.FlipkartProducts(file.parent, min_size=10)
    assert repr(frequent.taxonomy) == "Taxonomy(root='root', 432 nodes, 249 leaves, height 7)"
    assert sum(y == "root" for _, y in frequent) == 221
