"""What the programs share: how they refuse, open models, and say what a model answers."""

import argparse
import csv
import os
import pickle
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from . import __version__, checkpoint
from .base.wrapper import check_model
from .taxonomy import Label, Taxonomy

REFUSED = (
    ArithmeticError,
    EOFError,
    LookupError,
    OSError,
    TypeError,
    ValueError,
    csv.Error,
    zlib.error,
)


class Parser(argparse.ArgumentParser):
    """A command line that answers a mistake with one sentence and the status 2."""

    def __init__(self, name: str, description: str | None) -> None:
        super().__init__(f"python -m river_hier.{name}", description=description)
        self.add_argument("--version", action="version", version=__version__)

    def error(self, message: str) -> Any:
        self.exit(2, f"{self.prog}: {message}\n")

    @contextmanager
    def refusing(self, name: Any) -> Iterator[None]:
        """Make errors sentences about what has this name."""
        try:
            yield
        except KeyboardInterrupt:
            self.exit(130, "interrupted\n")
        except BrokenPipeError:  # whoever reads the answers has enough
            sys.stderr.close()
            sys.exit(1)
        except REFUSED as error:
            said = (getattr(error, "strerror", None) or str(error)).strip()
            self.error(said if said.startswith(str(name)) else f"{name}: {said}")

    def check_file(self, path: Path, *others: Path | None) -> None:
        """Refuse a file that cannot be written, or that is another one of the command line."""
        if path.is_dir() or not os.access(path.parent, os.W_OK):
            self.error(f"{path} cannot be written: name a file in a folder of your own")
        if path.resolve() in [other.resolve() for other in others if other]:
            self.error(f"{path} would be replaced; name another --output")


def share(text: str) -> float:
    """A number between 0 and 1 of a command line."""
    with suppress(ValueError):
        if 0.0 < (number := float(text)) < 1.0:
            return number
    raise argparse.ArgumentTypeError(f"expected a number between 0 and 1, got {text!r}")


def opened(data: bytes) -> dict[str, Any]:
    """The model in the bytes of a pickle or checkpoint, and what was saved with it."""
    ours = data.startswith(b"river_hier checkpoint")
    try:
        state = checkpoint.loads(data) if ours else pickle.loads(data)
        state = state if isinstance(state, dict) else {"model": state}
        state["model"] = getattr(state["model"], "model_", state["model"])  # scikit-learn's
        check_model(state["model"], "learn_one", "predict_one")
    except pickle.UnpicklingError as error:
        raise ValueError("this is neither a file of `fit` nor a pickle of a model") from error
    except Exception as error:  # a pickle may raise any
        raise ValueError(f"this is no model in a taxonomy: {error}") from error
    return state


def with_risk(state: dict[str, Any], risk: float, foreign: float | None = None) -> Any:
    """The model with a limit on wrong answers, calibrated by the rows that `fit` has held out."""
    from . import decision  # which takes a second, and others do without

    model = decision.Selective(state["model"], risk, max(1000, int(1 / risk) + 1), foreign=foreign)
    model.calibrate(state.get("held_out", ()))
    return model


def path(taxonomy: Taxonomy, label: Label) -> list[Label]:
    """The names on a path; the root's alone if it is the label."""
    return [*taxonomy._names(label)] or [*filter(None, [taxonomy.root])]


def labels(answer: Any, threshold: float | None = None) -> list[Label]:
    """The labels that a model predicts, of one by the scores that its probability will need."""
    if answer.several:
        nodes = answer.labels.taxonomy.nodes
        return [nodes[v] for v in answer.nodes_within(threshold, None)]
    if not answer.silent:
        with suppress(NotImplementedError):
            answer.p()
    label = answer.within(threshold, None)
    return [] if label is None else [label]


def probability(answer: Any, label: Label) -> float | None:
    """That of a label and all below it, if the model has one."""
    with suppress(NotImplementedError):
        return float(answer.probability(answer.labels.taxonomy.index(label)))
    return None
