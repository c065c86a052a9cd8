"""Learns from a Redis Stream, and answers in another.

    redis-server --port 6399 &
    python examples/streaming/redis_stream.py --redis redis://localhost:6399 \\
        --taxonomy taxonomy.json --checkpoint shop.checkpoint

Each entry of the stream has a field `message`, an example or a label (see delayed.py), as in

    XADD events * message '{"key": "order 7", "x": {"price": 3.5, "weight": 0.2}}'

and each example is answered in the stream of answers, under the id of its entry. An entry that
makes no sense is reported on standard error, by its id, and passed over: it changes nothing.

**Killed at any moment and started again**, it goes on after the last id of its checkpoint. Entries
are read by a consumer group, and acknowledged once a checkpoint holds what was learned from them:

* nothing is lost: what was delivered and is not in the checkpoint is delivered again;
* nothing is learned twice: what is in the checkpoint and was not acknowledged any more, is
  acknowledged now, and not learned. The model is, bit for bit, that of an undisturbed run;
* each example is answered exactly once: Redis refuses a second entry under the same id. It refuses
  one before the last, too, so nobody else may write to the stream of answers; what is not given
  because somebody did, or not again because it was trimmed, is reported on standard error;
* a group without pending entries says that a checkpoint holds all of them: they may be trimmed.

The checkpoint is the truth. With an older one, or none, the group goes back to where that stands,
as far as the stream has not been trimmed. One program reads for a group: a second one would take
away half of its entries.
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
    patience = 1000 * (asked.patience or 0)  # 0 waits for ever
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
    """Let the group read on after the last id of the checkpoint, and acknowledge all up to it."""
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
    """Write an answer under the id of what it answers, unless that was done before a crash."""
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
