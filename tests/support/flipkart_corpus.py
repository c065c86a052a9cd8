"""A few products in the format of the publisher's sample of Flipkart."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from pathlib import Path

HEADER = ("uniq_id", "product_name", "product_category_tree")
PRODUCTS = [
    ("Oak Table", "Furniture >> Tables"),
    ('Pine Table, 5" thick', 'Furniture >> Tables >> Pine Table, 5" thick'),
    ("Silk Shirt", "Clothing >> Women's >> Shirts"),
    ("Denim Shirt\nblue", "Clothing >> Men's >> Shirts"),
    ("Cr\u00e8me", "Cr\u00e8me"),
]


def write_corpus(folder: Path, products: Iterable[tuple[str, str]] = PRODUCTS) -> Path:
    return write_rows(folder, [(title, json.dumps([path])) for title, path in products])


def write_rows(
    folder: Path, rows: Iterable[tuple[str, ...]], header: tuple[str, ...] = HEADER
) -> Path:
    """Rows of title and category, to which a number is added."""
    folder.mkdir(exist_ok=True)
    with (folder / "products.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerows([header, *((str(i), *row) for i, row in enumerate(rows))])
    return folder
