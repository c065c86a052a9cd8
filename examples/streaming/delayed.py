"""A learner whose labels arrive later than its examples, for all scripts of this folder.

There are two kinds of messages, both JSON objects. An example,

    {"key": "order 7", "x": {"price": 3.5, "weight": 0.2}}

is predicted at once and kept until its label arrives. x may be a text instead, if the model takes
texts. A label, or a list of labels for a model of several,

    {"key": "order 7", "y": ["garden", "tools"]}

is learned together with the example of the same key, which is then removed. An invalid message
raises one of the errors in `REFUSED` and does not change the state.

The state is a dictionary of standard objects, so any program can open a checkpoint of it: the
model, the metric, the waiting examples, and the position that a script adds.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from river_hier import Taxonomy, checkpoint, linear_model, metrics

State = dict[str, Any]
REFUSED = (ArithmeticError, LookupError, RecursionError, TypeError, ValueError)


def options(description: str | None) -> argparse.ArgumentParser:
    """The options of all scripts."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--taxonomy", type=Path, required=True, help="JSON: {label: what is below}")
    parser.add_argument(
        "--pending", type=positive, default=10_000, help="examples that wait, at most"
    )
    return parser


def positive(text: str) -> int:
    """The type of options that must be positive integers."""
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
    """The state of the checkpoint, or a new one if there is none."""
    if not path.exists():
        return new_state(taxonomy, **place)
    state: State = checkpoint.load(path)
    if state["metric"].taxonomy != taxonomy:
        sys.exit(f"{path} was made in another taxonomy; its model can `adopt` a larger one")
    return state


def step(state: State, text: str | bytes, most_pending: int) -> dict[str, Any] | None:
    """Process one message. An example returns its prediction, {"key": ..., "y": [...]}."""
    message = json.loads(text)
    model, pending = state["model"], state["pending"]
    match message:
        case {"key": str() | int() as key, "x": dict() | str() as x, **rest} if not rest:
            if key in pending:
                raise ValueError(f"the example {key!r} waits for its label already")
            on = predict(model, x)
            pending[key] = x, on
            if len(pending) > most_pending:  # the label of the oldest may never arrive
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


def predict(model: Any, x: Any) -> Any:
    """The label, or the labels that are on."""
    y = model.predict_one(x)
    return [label for label, on in y.items() if on] if isinstance(y, dict) else y


def summary(state: State) -> str:
    """One line about what has been learned."""
    waiting, forgotten = len(state["pending"]), state["forgotten"]
    return f"{state['metric']}; {waiting:,} examples wait, {forgotten:,} were forgotten"
