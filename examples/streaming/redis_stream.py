"""Learns from a Redis Stream, and writes predictions to another.

    redis-server --port 6399 &
    python examples/streaming/redis_stream.py --redis redis://localhost:6399 \\
        --taxonomy taxonomy.json --checkpoint shop.checkpoint

Each entry of the stream has a field `message`, an example or a label (see delayed.py), as in

    XADD events * message '{"key": "order 7", "x": {"price": 3.5, "weight": 0.2}}'

The prediction for each example is written to the output stream, under the id of its entry. An
invalid entry is reported on standard error, by its id, and skipped without effect.

**If the program is killed and started again**, it continues after the last id of its checkpoint.
Entries are read by a consumer group, and acknowledged once they are part of a checkpoint:

* nothing is lost: entries that were delivered but are not in the checkpoint are delivered again;
* nothing is learned twice: entries that are in the checkpoint but were not acknowledged are now
  acknowledged, and not learned. The model is that of an uninterrupted run, bit for bit;
* each example is predicted exactly once: Redis refuses a second entry with the same id. It also
  refuses an id below the last one, so no other program may write to the output stream. Predictions
  that could not be written for this reason, or not again because they were trimmed, are reported on
  standard error;
* if the group has no pending entries, all entries read so far are in a checkpoint and may be
  trimmed.

The checkpoint determines the position. With an older checkpoint, or none, the group is reset to
that position, as far as the stream has not been trimmed. Only one program may read for a group,
since a second one would receive half of its entries.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import delayed
import redis

from river_hier import checkpoint

parser = delayed.options(__doc__)
parser.add_argument("--checkpoint", type=Path, required=True, help="the file that is resumed from")
parser.add_argument("--redis", default="redis://localhost:6379", help="where the server is")
parser.add_argument("--stream", default="events")
parser.add_argument("--answers", default="answers", help="the stream of answers")
parser.add_argument("--group", default="learners")
parser.add_argument(
    "--every", type=delayed.positive, default=1000, help="entries between two checkpoints, at most"
)
parser.add_argument(
    "--patience", type=delayed.positive, help="seconds without entries to stop after; or never"
)


def main() -> None:
    asked = parser.parse_args()
    client: Any = redis.Redis.from_url(asked.redis, protocol=2, socket_timeout=None)
    taxonomy = delayed.read_taxonomy(asked.taxonomy)
    state = delayed.opened(asked.checkpoint, taxonomy, last="0-0")
    go_back(client, asked.stream, asked.group, state["last"])
    patience = 1000 * (asked.patience or 0)  # 0 waits forever
    while batch := client.xreadgroup(
        asked.group, "learner", {asked.stream: ">"}, count=asked.every, block=patience
    ):
        [(_, entries)] = batch
        for i, fields in entries:
            try:
                answer = delayed.step(state, fields.get(b"message", b""), asked.pending)
            except delayed.REFUSED as error:
                print(f"entry {i.decode()}: {error}", file=sys.stderr)
            else:
                if answer is not None:
                    give(client, asked.answers, i, answer)
            state["last"] = i.decode()
        checkpoint.save(state, asked.checkpoint)
        client.xack(asked.stream, asked.group, *(i for i, _ in entries))
    print(delayed.summary(state), file=sys.stderr)


def go_back(client: Any, stream: str, group: str, last: str) -> None:
    """Reset the group to the last id of the checkpoint, and acknowledge all entries up to it."""
    try:
        client.xgroup_create(stream, group, id=last, mkstream=True)
    except redis.ResponseError as error:
        if "BUSYGROUP" not in str(error):
            raise
        client.xgroup_setid(stream, group, id=last)
    newest = client.xinfo_stream(stream)["last-generated-id"].decode()
    if as_numbers(newest) < as_numbers(last):
        sys.exit(f"this is another stream: it ends at {newest}, and the checkpoint is at {last}")
    while learned := client.xpending_range(stream, group, min="-", max=last, count=1000):
        client.xack(stream, group, *(entry["message_id"] for entry in learned))


def give(client: redis.Redis, answers: str, i: bytes, answer: dict[str, Any]) -> None:
    """Write a prediction under the id of its example, unless it was written before a crash."""
    message = json.dumps(answer)
    try:
        client.xadd(answers, {"message": message}, id=i)
    except redis.ResponseError as error:
        if "equal or smaller" not in str(error):
            raise
        if client.xrange(answers, i, i) != [(i, {b"message": message.encode()})]:
            said = f"its answer is not given: {answers!r} has gone past it without, or has another"
            print(f"entry {i.decode()}: {said}", file=sys.stderr)


def as_numbers(i: str) -> tuple[int, ...]:
    return tuple(map(int, i.split("-")))


if __name__ == "__main__":
    main()
