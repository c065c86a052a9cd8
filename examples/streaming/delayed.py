"""What the scripts of this folder share: a learner whose labels come later than its examples.

There are two kinds of messages, both JSON objects. An example,

    {"key": "order 7", "x": {"price": 3.5, "weight": 0.2}}

is answered at once and kept until its label comes; x may be a text instead, which stands for the
counts of its words. A label, or a list of labels,

    {"key": "order 7", "y": ["garden", "tools"]}

is learned under the key of its example, which is then forgotten. A message that makes no sense is
refused with one of the errors in `REFUSED`, and the state is as if it had not come.

The state is a dictionary of plain things, so that any program can open a checkpoint of it: the
model, the metric, the examples that wait, and what a script adds in order to find its place again.
"""

from __future__ import annotations

import argparse
import collections
import json
import re
import sys
from pathlib import Path
from typing import Any

from river_hier import Taxonomy, checkpoint, linear_model, metrics

State = dict[str, Any]
REFUSED = (ArithmeticError, LookupError, RecursionError, TypeError, ValueError)


def options(description: str | None) -> argparse.ArgumentParser:
    """The options of all the scripts."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--taxonomy", type=Path, required=True, help="JSON: {label: what is below}")
    parser.add_argument(
        "--pending", type=positive, default=10_000, help="examples that wait, at most"
    )
    return parser


def positive(text: str) -> int:
    """An option that counts something."""
    if (value := int(text)) < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, got {value}")
    return value


def read_taxonomy(path: Path) -> Taxonomy:
    """The taxonomy in a file of nested JSON objects."""
    return Taxonomy.from_nested(json.loads(path.read_text(encoding="utf-8")))


def new_state(taxonomy: Taxonomy, **place: Any) -> State:
    """The state before the first message. For another model, change this line."""
    model, metric = linear_model.HAROW(taxonomy), metrics.HLoss(taxonomy)
    return {"model": model, "metric": metric, "pending": {}, "forgotten": 0, **place}


def opened(path: Path, taxonomy: Taxonomy, **place: Any) -> State:
    """The state of the checkpoint, or a new one where there is none."""
    if not path.exists():
        return new_state(taxonomy, **place)
    state: State = checkpoint.load(path)
    if state["metric"].taxonomy != taxonomy:
        sys.exit(f"{path} was made in another taxonomy; its model can `adopt` the new one")
    return state


def step(state: State, text: str | bytes, most_pending: int) -> dict[str, Any] | None:
    """Take in one message. An example gives its answer, {"key": ..., "y": [...]}."""
    message = json.loads(text)
    model, pending = state["model"], state["pending"]
    match message:
        case {"key": str() | int() as key, "x": dict() | str() as x, **rest} if not rest:
            if key in pending:
                raise ValueError(f"the example {key!r} waits for its label already")
            x = features(x)
            on = [label for label, yes in model.predict_one(x).items() if yes]
            pending[key] = x, on
            if len(pending) > most_pending:  # the label of the oldest may never come
                del pending[next(iter(pending))]
                state["forgotten"] += 1
            return {"key": key, "y": on}
        case {"key": str() | int() as key, "y": list() | str() as y, **rest} if not rest:
            if key not in pending:
                raise ValueError(f"no example {key!r} waits for a label")
            x, answer = pending[key]
            model.learn_one(x, y)
            state["metric"].update(y, answer)
            del pending[key]
            return None
    raise ValueError('expected {"key": ..., "x": {...} or text} or {"key": ..., "y": [labels]}')


def features(x: dict[str, Any] | str) -> dict[str, Any]:
    """A text as the counts of its words."""
    return x if isinstance(x, dict) else collections.Counter(re.findall(r"\w+", x.lower()))


def summary(state: State) -> str:
    """One line about what has been learned."""
    waiting, forgotten = len(state["pending"]), state["forgotten"]
    return f"{state['metric']}; {waiting:,} examples wait, {forgotten:,} were forgotten"
