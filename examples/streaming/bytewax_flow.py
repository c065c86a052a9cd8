"""Learns from a file of JSON lines in a Bytewax dataflow, and writes predictions to another file.

    python examples/streaming/bytewax_flow.py --taxonomy taxonomy.json --recovery recovery \\
        --checkpoint shop.checkpoint events.jsonl answers.jsonl

Each line is a message, an example or a label (see delayed.py). For each example, a line is written
to the output file. An invalid line is reported on standard error, by its number, and skipped
without effect.

The learner is one stateful operator with one key, so it gets the lines in order. Every `--interval`
seconds Bytewax closes an epoch: its recovery store then has the position in the input, the length
of the output, and the state of the learner as the bytes of a checkpoint.

**If the program is killed and started again with the same files**, it continues from the last
complete epoch:

* each line is learned exactly once: the model is that of an uninterrupted run, bit for bit;
* each example is predicted exactly once in the final output file: Bytewax truncates the file to its
  length at the end of the epoch. A program that follows the file may see predictions that are
  written again;
* lines on standard error may be repeated after a crash.

At the end of the input, the state is saved as a checkpoint for other programs. More lines may then
be appended to the input, and the flow started again. The part of the input that has been read must
not change. The input must end with the end of a line, and must be UTF-8, since Bytewax stops at
invalid bytes.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any

import bytewax.operators as op
import delayed
from bytewax.connectors.files import FileSink, FileSource
from bytewax.dataflow import Dataflow
from bytewax.recovery import RecoveryConfig, init_db_dir
from bytewax.run import cli_main

from river_hier import checkpoint

parser = delayed.options(__doc__)
parser.add_argument("events", type=Path, help="the input")
parser.add_argument("answers", type=Path, help="the output")
parser.add_argument("--recovery", type=Path, required=True, help="the folder of the recovery store")
parser.add_argument("--checkpoint", type=Path, required=True, help="where the end state is saved")
parser.add_argument("--interval", type=float, default=10, help="seconds between two snapshots")


class Learner(op.StatefulLogic):
    """The learner, and the number of lines that it has read."""

    def __init__(self, state: delayed.State, asked: Any) -> None:
        self.state = state
        self.asked = asked

    def on_item(self, value: str) -> tuple[Iterable[str], bool]:
        self.state["lines"] += 1
        try:
            answer = delayed.step(self.state, value, self.asked.pending)
        except delayed.REFUSED as error:
            print(f"line {self.state['lines']}: {error}", file=sys.stderr)
            answer = None
        return [] if answer is None else [json.dumps(answer)], self.RETAIN

    def on_eof(self) -> tuple[Iterable[str], bool]:
        checkpoint.save(self.state, self.asked.checkpoint)
        print(delayed.summary(self.state), file=sys.stderr)
        return [], self.RETAIN

    def snapshot(self) -> bytes:
        return checkpoint.dumps(self.state)


def make_store(folder: Path) -> None:
    """Create an empty recovery store atomically; delete the remains of an earlier attempt."""
    if folder.is_dir():
        return
    new = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir()
    init_db_dir(new, 1)
    new.rename(folder)


def main() -> None:
    asked = parser.parse_args()
    taxonomy = delayed.read_taxonomy(asked.taxonomy)

    def learner(saved: bytes | None) -> Learner:
        if saved is None:
            return Learner(delayed.new_state(taxonomy, lines=0), asked)
        return Learner(checkpoint.loads(saved), asked)

    make_store(asked.recovery)
    flow = Dataflow("learner")
    lines = op.input("events", flow, FileSource(asked.events, batch_size=100))
    answers = op.stateful("learn", op.key_on("one", lines, lambda line: "all"), learner)
    op.output("answers", answers, FileSink(asked.answers))
    cli_main(
        flow,
        epoch_interval=timedelta(seconds=asked.interval),
        recovery_config=RecoveryConfig(asked.recovery),
    )


if __name__ == "__main__":
    main()
