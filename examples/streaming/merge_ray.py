"""Learns from files of JSON lines, each in a task of Ray, and merges the models in tasks, too.

    python examples/streaming/merge_ray.py --model new.pkl --merged shop.model *.jsonl

parts.py says what the files hold. With `--address ray://head:10001`, the tasks run on that cluster.

A task reads one file, changes nothing, and returns a model that depends on nothing but the file. So
Ray may run it again when its worker is lost, and the result is the same, bit for bit. Models are
merged four at a time on the workers, and the last ones of these, until one is left.
"""

from __future__ import annotations

from pathlib import Path

import parts
import ray

from river_hier import checkpoint

parser = parts.options(__doc__)
parser.add_argument("--merged", type=Path, required=True, help="where the merged model is saved")
parser.add_argument("--address", help="of a cluster; by default one is started here")


def main() -> None:
    asked = parser.parse_args()
    ray.init(asked.address, runtime_env={"working_dir": str(Path(__file__).parent)})
    start = ray.put(parts.opened(asked.model))
    learned, merged = ray.remote(parts.learned), ray.remote(parts.merged)
    models = [learned.remote(file, start, asked.x, asked.y) for file in asked.files]
    while len(models) > 1:
        models = [merged.remote(start, *group) for group in parts.groups(models)]
    checkpoint.save(ray.get(models[0]), asked.merged)


if __name__ == "__main__":
    main()
