"""The arithmetic of the learners, on arrays, without River.

`reference` is written in numpy, for readability. `river_hier._native`, compiled from `native`,
contains the names in `NATIVE` and computes the same numbers, faster; the same tests run on both. It
is used if it is installed, unless the environment variable `RIVER_HIER_PURE` is set and not 0. The
other modules are used with both.
"""

# ruff: noqa: F401 - names are imported here for the whole package

from __future__ import annotations

import importlib
import os
import sys
from typing import TYPE_CHECKING, Any

from ..taxonomy import check_taxonomy
from . import least_squares
from .batch import Batch, Multilabels
from .closures import closure_of, closure_sums
from .ends import unless_it_ends
from .hidden import warn_of_hidden_backend
from .rankings import Ranking, worst_pair
from .reference import labels as reference_labels
from .reference.calibration import Calibration, remap_calibration
from .reference.clocks import (
    Clocks,
    of_averages,
    remap_clocks,
    rounds,
    start,
)
from .reference.decoding import (
    connected,
    least_h_loss,
    least_symmetric_difference,
    likeliest,
    node_probabilities,
    ranked,
    ranked_paths,
)
from .reference.descent import Descent, Scale
from .reference.digests import digests
from .reference.feature_hasher import FeatureHasher
from .reference.feature_index import FeatureIndex, FeatureRows
from .reference.feature_map import FeatureMap, Vector
from .reference.gaussian_weights import GaussianWeights
from .reference.labels import Labels, closed_many, without_path
from .reference.linear import (
    averaged_scores,
    column_weights,
    descend,
    distances_from,
    learn_on_paths,
    learn_top_down,
    path_answer,
    path_answers,
    path_difference,
    path_scores,
    top_down_answers,
    top_down_nodes,
)
from .reference.pairs import read_pairs
from .reference.paths import (
    conditional_probabilities,
    logistic,
    path_sums,
    softmax,
    subtree_sums,
    top_down,
    top_down_probabilities,
    trained_nodes,
)
from .reference.softmax import label_scores, learn_softmax, softmax_answer, softmax_answers
from .reference.vectors import Vectors
from .reference.vocabulary import Vocabulary
from .reference.weights import Weights
from .remapping import (
    joined_weights,
    own_prototypes,
    own_weights,
    remap_weights,
    shared_and_own,
    weights_of,
)
from .threshold import Threshold

# Classes whose pickles are written and read by the same methods in both backends.
_PICKLED = (
    "Calibration",
    "Clocks",
    "FeatureHasher",
    "FeatureIndex",
    "FeatureRows",
    "Labels",
    "Vocabulary",
    "Weights",
)
NATIVE = (
    "Calibration",
    "Clocks",
    "FeatureHasher",
    "FeatureIndex",
    "FeatureMap",
    "FeatureRows",
    "GaussianWeights",
    "Labels",
    "Vector",
    "Vectors",
    "Vocabulary",
    "Weights",
    "closed_many",
    "column_weights",
    "connected",
    "descend",
    "digests",
    "least_h_loss",
    "least_symmetric_difference",
    "likeliest",
    "logistic",
    "node_probabilities",
    "path_answer",
    "path_answers",
    "path_scores",
    "ranked",
    "ranked_paths",
    "read_pairs",
    "softmax_answer",
    "softmax_answers",
    "top_down_answers",
    "top_down_nodes",
)

# The compiled policies of learners, by name; each has `learn_one` and `learn_many`.
policies: dict[str, Any] = {}
native: Any = None  # the compiled module
LeastSquares: Any = None  # H-RLS and SH-RLS, which are compiled only
Example: Any = None  # for them
LARGEST_RATIO: float = 0.0  # of |x|^2 to l2; beyond it, l2 is lost in rounding

name = "numpy"
why = "`RIVER_HIER_PURE` is set"
if not TYPE_CHECKING and os.environ.get("RIVER_HIER_PURE", "0") in ("", "0"):
    try:
        native = importlib.import_module("river_hier._native")
    except ImportError as error:  # installed without a compiler, or run from the sources
        why = f"the native backend is not installed: {error}"
        warn_of_hidden_backend()
    else:
        name, why = "native", "it is installed"
        for kind in _PICKLED:
            methods, compiled = vars(globals()[kind]), getattr(native, kind)
            compiled.restore = methods["restore"]
            compiled.__reduce__ = unless_it_ends(methods["__reduce__"])
        LeastSquares, Example = native.LeastSquares, native.Example
        LARGEST_RATIO = native.LARGEST_RATIO
        LeastSquares.__reduce__ = unless_it_ends(least_squares.reduce)
        LeastSquares.restore = classmethod(least_squares.restore)
        globals().update({kernel: getattr(native, kernel) for kernel in NATIVE})
        # A free-threaded Python finds other strings a hundred times more slowly in further threads.
        policies.update({sys.intern(name): policy for name, policy in native.policies.items()})


def labels_of(taxonomy: Any) -> Labels:
    """The labels of a taxonomy, which are made once: O(1) afterwards."""
    check_taxonomy(taxonomy)
    labels = taxonomy._reader
    if not isinstance(labels, Labels):
        labels = Labels(taxonomy)
        object.__setattr__(taxonomy, "_reader", labels)
    return labels


def reader_of(taxonomy: Any) -> Labels:
    """`labels_of`, but those of numpy until a taxonomy is read so often that compiled ones pay."""
    check_taxonomy(taxonomy)
    reader = taxonomy._reader
    if not isinstance(reader, Labels):
        n_read = 1 + (reader if isinstance(reader, int) else 0)
        if 64 * n_read <= len(taxonomy):  # one that grows may be read only once
            object.__setattr__(taxonomy, "_reader", n_read)
            return reference_labels.Labels(taxonomy)
    return labels_of(taxonomy)
