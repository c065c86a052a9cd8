"""A few queries in the format of the publisher of CLINC150."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

DOMAINS = {"banking": ["pay_bill", "routing"], "travel": ["book_flight"]}
QUERIES = {
    "val": [["send fifty to the landlord", "pay_bill"]],
    "train": [
        ["pay my phone bill", "pay_bill"],
        ['caf\u00e9 "zum [Anker]", {oslo}', "book_flight"],
        ["what's the routing number", "routing"],
    ],
    "oos_train": [["how tall is everest", "oos"]],
    "oos_val": [],
}


def write_corpus(
    folder: Path, queries: Any = QUERIES, domains: Any = DOMAINS, indent: int | None = 1
) -> Path:
    folder.mkdir(exist_ok=True)
    for name, content in (("data_full", queries), ("domains", domains)):
        text = json.dumps(content, indent=indent)
        (folder / f"{name}.json").write_text(text, encoding="utf-8")
    return folder
