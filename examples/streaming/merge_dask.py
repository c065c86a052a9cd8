"""Learns from files of JSON lines, each in a task of Dask, and merges the models in tasks, too.

    python examples/streaming/merge_dask.py --model new.pkl --merged shop.model *.jsonl

parts.py says what the files hold. With `--address tcp://scheduler:8786`, the tasks run on that
cluster.

A task reads one file, changes nothing, and returns a model that depends on nothing but the file. So
Dask may run it again when its worker is lost, and the result is the same, bit for bit. Models are
merged four at a time on the workers, and the last ones of these, until one is left.
"""

from __future__ import annotations

from pathlib import Path

import parts
from dask.distributed import Client

from river_hier import checkpoint

parser = parts.options(__doc__)
parser.add_argument("--merged", type=Path, required=True, help="where the merged model is saved")
parser.add_argument("--address", help="of a scheduler; by default two workers are started here")


def main() -> None:
    asked = parser.parse_args()
    here = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with Client(asked.address) if asked.address else Client(**here) as client:
        client.upload_file(parts.__file__)
        start = client.scatter(parts.opened(asked.model), broadcast=True)
        models = [client.submit(parts.learned, f, start, asked.x, asked.y) for f in asked.files]
        while len(models) > 1:
            models = [client.submit(parts.merged, start, *group) for group in parts.groups(models)]
        checkpoint.save(models[0].result(), asked.merged)


if __name__ == "__main__":
    main()
