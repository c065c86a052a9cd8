"""The layers of the package, from the bottom up. Imports point downwards."""

from __future__ import annotations

LAYERS = [
    {"taxonomy"},
    {"base", "_core"},
    {"linear_model", "kernel", "probabilistic", "metrics", "datasets", "feature_extraction"}
    | {"checkpoint"},
    {"evaluate", "decision", "induction", "local", "batch", "inspection", "plot", "drift"}
    | {"model_selection", "stream"},
]
