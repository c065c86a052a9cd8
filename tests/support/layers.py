"""The layers of the package, from the bottom up. Imports point downwards."""

LAYERS = [
    {"taxonomy"},
    {"base", "_core"},
    {"linear_model", "probabilistic", "metrics", "datasets", "feature_extraction", "checkpoint"},
    {"kernel", "forest"},  # `kernel`: learners of linear_model in the space of a kernel
    {"active", "decision", "induction", "local", "batch", "plot", "drift"} | {"ensemble", "stream"},
    {"inspection", "programs", "tables"},
    {"evaluate", "distributed", "sklearn", "serve"},
    {"fit", "predict"},
    {"label"},  # the desk has the journal of `serve` and the model of `fit`
]
