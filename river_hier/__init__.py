"""Online hierarchical classification for River."""

import importlib
from typing import TYPE_CHECKING, Any

from .taxonomy import Among, Below, Known, Not, OpenTaxonomy, Taxonomy

if TYPE_CHECKING:
    from . import (
        active,
        base,
        batch,
        checkpoint,
        datasets,
        decision,
        distributed,
        drift,
        ensemble,
        evaluate,
        feature_extraction,
        forest,
        induction,
        inspection,
        kernel,
        linear_model,
        local,
        losses,
        metrics,
        plot,
        probabilistic,
        sklearn,
        stream,
    )

__version__ = "0.2.0"
"""The version of this library, as its package metadata have it."""

__all__ = [
    "Among",
    "Below",
    "Known",
    "Not",
    "OpenTaxonomy",
    "Taxonomy",
    "__version__",
    "active",
    "base",
    "batch",
    "checkpoint",
    "datasets",
    "decision",
    "distributed",
    "drift",
    "ensemble",
    "evaluate",
    "feature_extraction",
    "forest",
    "induction",
    "inspection",
    "kernel",
    "linear_model",
    "local",
    "losses",
    "metrics",
    "plot",
    "probabilistic",
    "sklearn",
    "stream",
]


def __getattr__(name: str) -> Any:
    """Import a package when it is first used, so that unused ones take no time."""
    if name in __all__:
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
