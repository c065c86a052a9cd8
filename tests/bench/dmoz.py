"""How fast the dumps of the Open Directory are read: megabytes (unpacked) a second.

    python tests/bench/dmoz.py [--pages 300000]

A dump of made-up pages is written to a temporary folder, some 100 MB, plain and packed. Times are
the processor's. `count` is the pass in which the taxonomy is made, `read` the one that gives
examples; a part of the directory is read faster than all of it, because only its pages are parsed.
"""

from __future__ import annotations

import argparse
import collections
import gzip
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from river_hier import datasets

sys.path.insert(0, str(Path(__file__).parents[1]))
from support import odp_dump


def seconds(call: Callable[[], Any]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def main(n_pages: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        plain, packed = Path(folder, "content.rdf.u8"), Path(folder, "packed", "content.rdf.u8.gz")
        with plain.open("w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in odp_dump.content(odp_dump.many(n_pages)))
        packed.parent.mkdir()
        with plain.open("rb") as source, gzip.open(packed, "wb", compresslevel=6) as target:
            shutil.copyfileobj(source, target)
        size = plain.stat().st_size / 1e6
        print(f"{size:,.0f} MB, {n_pages:,} pages{'count':>12}{'read':>8}{'pages/s':>10}")
        for path in (plain, packed):
            for topic in ("Top", "Top/Science"):
                stream = datasets.DMOZ(path, topics=[topic])
                count = seconds(lambda stream=stream: stream.taxonomy)
                read = seconds(lambda stream=stream: collections.deque(stream, maxlen=0))
                name = f"{path.name}, {topic}"
                print(f"{name:34}{size / count:>5.0f}{size / read:>8.0f}{n_pages / read:>10,.0f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pages", type=int, default=300_000, help="how many are made up")
    main(parser.parse_args().pages)
