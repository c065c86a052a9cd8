"""Learns from a Kafka topic, and writes predictions to another.

    python examples/streaming/kafka_stream.py --kafka localhost:9092 \\
        --taxonomy taxonomy.json --checkpoint shop.checkpoint

The value of each message is an example or a label (see delayed.py), as in

    {"key": "order 7", "x": {"price": 3.5, "weight": 0.2}}

Produce it with the same key as Kafka's key: then an example and its label, however late, are in one
partition and are read in this order. The prediction for each example is written to the topic of
answers under its key, with the partition and the offset of the example in the header `example`. An
invalid message is reported on standard error, by its partition and offset, and skipped without
effect.

**If the program is killed and started again**, it continues at the offsets of its checkpoint, one
per partition, and not at those that the broker keeps for a group:

* nothing is lost and nothing is learned twice: the model and the offsets are one file. With one
  partition the model is that of an uninterrupted run, bit for bit; with several, Kafka gives no
  order between them;
* each example is predicted at least once: answers are written before the checkpoint. A repetition
  has the same header, and with one partition the same prediction;
* partitions that were added meanwhile are read from their beginning.

If an offset of the checkpoint is not in the topic, which was trimmed or begun anew, the program
stops and says so. The offsets are also committed for the group, for programs that watch how far it
is. Only one program may use a checkpoint.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import delayed
from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaException, Producer, TopicPartition

from river_hier import checkpoint

parser = delayed.options(__doc__)
parser.add_argument("--checkpoint", type=Path, required=True, help="the file that is resumed from")
parser.add_argument("--kafka", default="localhost:9092", help="where the brokers are")
parser.add_argument("--topic", default="events")
parser.add_argument("--answers", default="answers", help="the topic of answers")
parser.add_argument("--group", default="learners")
parser.add_argument(
    "--every", type=delayed.positive, default=1000, help="messages between two checkpoints, at most"
)
parser.add_argument(
    "--patience", type=delayed.positive, help="seconds without messages to stop after; or never"
)
parser.add_argument(
    "--set", action="append", default=[], help="NAME=VALUE for librdkafka: TLS, passwords, ..."
)


def main() -> None:
    asked = parser.parse_args()
    taxonomy = delayed.read_taxonomy(asked.taxonomy)
    state = delayed.opened(asked.checkpoint, taxonomy, offsets={})
    common = {"bootstrap.servers": asked.kafka, **dict(pair.split("=", 1) for pair in asked.set)}
    producer = Producer({**common, "enable.idempotence": True})
    consumer = Consumer({
        **common,
        "group.id": asked.group,
        "enable.auto.commit": False,
        "auto.offset.reset": "error",  # an offset that is no longer there is not passed over
    })  # fmt: skip
    partitions = consumer.list_topics(asked.topic, timeout=30).topics[asked.topic].partitions
    if not partitions:
        sys.exit(f"there is no topic {asked.topic!r} at {asked.kafka}")
    offsets = {p: state["offsets"].get(p, OFFSET_BEGINNING) for p in partitions}
    consumer.assign([TopicPartition(asked.topic, p, at) for p, at in offsets.items()])
    for messages in batches(consumer, asked.every, asked.patience):
        for message in messages:
            place = message.partition(), message.offset()
            try:
                answer = delayed.step(state, message.value() or b"", asked.pending)
            except delayed.REFUSED as error:
                print(f"partition {place[0]}, offset {place[1]}: {error}", file=sys.stderr)
            else:
                if answer is not None:
                    producer.produce(
                        asked.answers,
                        json.dumps(answer),
                        key=message.key(),
                        headers={"example": json.dumps(place)},
                        on_delivery=raise_failure,
                    )
            state["offsets"][place[0]] = place[1] + 1
        producer.flush()
        checkpoint.save(state, asked.checkpoint)
        consumer.commit(asynchronous=True)
    consumer.close()
    print(delayed.summary(state), file=sys.stderr)


def batches(consumer: Consumer, every: int, patience: int | None) -> Iterator[list[Any]]:
    """Messages, as many as there are already, until none come for some seconds."""
    while (first := consumer.poll(patience or -1)) is not None:  # an empty one is false
        messages = [first, *consumer.consume(every - 1, timeout=0)]
        for message in messages:
            if error := message.error():
                sys.exit(f"partition {message.partition()} cannot be read on: {error.str()}")
        yield messages


def raise_failure(error: Any, message: Any) -> None:
    """The program stops before a checkpoint if an answer could not be written."""
    if error:
        raise KafkaException(error)


if __name__ == "__main__":
    main()
