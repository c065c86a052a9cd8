"""Learns from JSON lines on standard input, and writes predictions to standard output.

    python examples/streaming/json_lines.py --taxonomy taxonomy.json --checkpoint shop.checkpoint \\
        < events.jsonl > answers.jsonl

Each line is a message, an example or a label (see delayed.py). Each example is predicted at once,
in a line such as

    {"line": 3, "key": "order 7", "y": ["garden", "tools"]}

where "line" is the number of the example's line, counted from 1. An invalid line is reported on
standard error, by its number, and skipped without effect. An incomplete last line is left for the
next run.

**If the program is killed, start it again with the same input from the beginning**, possibly with
more lines at the end. It continues from the last checkpoint. Then

* each line is learned exactly once: the model is that of an uninterrupted run, bit for bit;
* each example is predicted at least once: predictions since the last checkpoint are written again,
  identical in every character. To ignore repetitions, skip each "line" that is not above the last
  one;
* if the lines that have been read are not the same any more, the program stops before it learns
  anything.

This requires an input that can be read again: a file, or `tail -n +1 -F events.jsonl`.
"""

from __future__ import annotations

import json
import sys
import zlib
from pathlib import Path

import delayed

from river_hier import checkpoint

parser = delayed.options(__doc__)
parser.add_argument("--checkpoint", type=Path, required=True, help="the file that is resumed from")
parser.add_argument(
    "--every", type=delayed.positive, default=1000, help="lines between two checkpoints"
)


def main() -> None:
    asked = parser.parse_args()
    taxonomy = delayed.read_taxonomy(asked.taxonomy)
    state = delayed.opened(asked.checkpoint, taxonomy, lines=0, crc=0)
    number = crc = 0
    for number, line in enumerate(sys.stdin.buffer, 1):
        if not line.endswith(b"\n"):
            print(f"line {number} has not ended: it is left for the next run", file=sys.stderr)
            number -= 1
            break
        crc = zlib.crc32(line, crc)
        if number < state["lines"]:
            continue
        if number == state["lines"]:
            check(crc == state["crc"], asked.checkpoint, state)
            continue
        try:
            answer = delayed.step(state, line, asked.pending)
        except delayed.REFUSED as error:
            print(f"line {number}: {error}", file=sys.stderr)
        else:
            if answer is not None:
                text = json.dumps({"line": number, **answer})
                # Written at once, so that no reader sees half of it, and before the checkpoint.
                print(f"{text}\n", end="", flush=True)
        state.update(lines=number, crc=crc)
        if number % asked.every == 0:
            checkpoint.save(state, asked.checkpoint)
    check(number >= state["lines"], asked.checkpoint, state)
    checkpoint.save(state, asked.checkpoint)
    print(delayed.summary(state), file=sys.stderr)


def check(same: bool, path: Path, state: delayed.State) -> None:
    if not same:
        sys.exit(f"the first {state['lines']:,} lines are not those that {path} was made from")


if __name__ == "__main__":
    main()
