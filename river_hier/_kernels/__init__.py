"""Floor 1: the arithmetic of the learners, on arrays; no River class comes in here.

Two cores offer the names below, in the way of PEP 399. The files of this folder are the reference,
in numpy. `river_hier._native`, compiled from the folder `native`, is its twin: same names, same
answers, tested by the same tests. It is taken where it is installed, unless the environment
variable `RIVER_HIER_PURE` is set to something other than 0.
"""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING

from .adopted_systems import Carried, carried_systems, shared_systems
from .adoption import carried, carried_values, own_prototypes, own_weights
from .averages import averaged_hieron_answer, averaged_scores, averaged_top_down_answer
from .batch import Batch, Multilabels, Vectors
from .batch_steps import (
    averaged_hieron_steps,
    closed_many,
    harow_steps,
    hieron_answers,
    hieron_steps,
    hperceptron_steps,
    hrls_steps,
    least_squares_answers,
    shrls_steps,
    top_down_answers,
)
from .calibration import Calibration, Temperature
from .closures import Closures, closures, star_closures
from .decoding import deepest, least_h_loss, likeliest, nearest
from .discriminant import Discriminant
from .expansion import Expansion
from .fading import fade, period
from .features import Features
from .gaussian_weights import GaussianWeights
from .harow import harow_step
from .hashed_features import HashedFeatures
from .hieron import (
    averaged_hieron_step,
    distances_from,
    hieron_answer,
    hieron_move,
    hieron_step,
)
from .hminover import hminover_step
from .hperceptron import hperceptron_step
from .kernel_hieron import kernel_averaged_hieron_step, kernel_hieron_step
from .kernel_instances import DotProducts, KernelInstances, Pairs
from .kernel_systems import KernelSystems, KernelVisit
from .labels import Labels
from .least_squares import LeastSquares
from .names import Names, Vector
from .parts import joined_weights, systems_of, weights_of
from .paths import (
    conditional_probabilities,
    path_sums,
    subtree_sums,
    top_down_probabilities,
    trained_nodes,
)
from .rankings import Ranking, worst_pair
from .rls_steps import (
    LARGEST_RATIO,
    decided,
    hrls_step,
    least_squares_answer,
    shrls_step,
    store_everywhere,
    store_where_in_doubt,
)
from .threshold import Threshold
from .top_down import top_down_answer
from .weights import Weights

TWINS = (
    "Features",
    "GaussianWeights",
    "HashedFeatures",
    "Labels",
    "LeastSquares",
    "Names",
    "Vector",
    "Vectors",
    "Weights",
    "averaged_hieron_answer",
    "averaged_hieron_step",
    "averaged_hieron_steps",
    "averaged_top_down_answer",
    "closed_many",
    "harow_step",
    "harow_steps",
    "hieron_answer",
    "hieron_answers",
    "hieron_step",
    "hieron_steps",
    "hperceptron_step",
    "hperceptron_steps",
    "hrls_step",
    "hrls_steps",
    "least_squares_answer",
    "least_squares_answers",
    "shrls_step",
    "shrls_steps",
    "top_down_answer",
    "top_down_answers",
)

core = "numpy"
why = "`RIVER_HIER_PURE` is set"
if not TYPE_CHECKING and os.environ.get("RIVER_HIER_PURE", "0") in ("", "0"):
    try:
        native = importlib.import_module("river_hier._native")
    except ImportError as error:  # it was installed without a compiler, or is run from its sources
        why = f"there is no compiled core: {error}"
    else:
        core, why = "native", "it is installed"
        globals().update({name: getattr(native, name) for name in TWINS})

__all__ = [
    "LARGEST_RATIO",
    "TWINS",
    "Batch",
    "Calibration",
    "Carried",
    "Closures",
    "Discriminant",
    "DotProducts",
    "Expansion",
    "Features",
    "GaussianWeights",
    "HashedFeatures",
    "KernelInstances",
    "KernelSystems",
    "KernelVisit",
    "Labels",
    "LeastSquares",
    "Multilabels",
    "Names",
    "Pairs",
    "Ranking",
    "Temperature",
    "Threshold",
    "Vector",
    "Vectors",
    "Weights",
    "averaged_hieron_answer",
    "averaged_hieron_step",
    "averaged_hieron_steps",
    "averaged_scores",
    "averaged_top_down_answer",
    "carried",
    "carried_systems",
    "carried_values",
    "closed_many",
    "closures",
    "conditional_probabilities",
    "core",
    "decided",
    "deepest",
    "distances_from",
    "fade",
    "harow_step",
    "harow_steps",
    "hieron_answer",
    "hieron_answers",
    "hieron_move",
    "hieron_step",
    "hieron_steps",
    "hminover_step",
    "hperceptron_step",
    "hperceptron_steps",
    "hrls_step",
    "hrls_steps",
    "joined_weights",
    "kernel_averaged_hieron_step",
    "kernel_hieron_step",
    "least_h_loss",
    "least_squares_answer",
    "least_squares_answers",
    "likeliest",
    "nearest",
    "own_prototypes",
    "own_weights",
    "path_sums",
    "period",
    "shared_systems",
    "shrls_step",
    "shrls_steps",
    "star_closures",
    "store_everywhere",
    "store_where_in_doubt",
    "subtree_sums",
    "systems_of",
    "top_down_answer",
    "top_down_answers",
    "top_down_probabilities",
    "trained_nodes",
    "weights_of",
    "why",
    "worst_pair",
]
