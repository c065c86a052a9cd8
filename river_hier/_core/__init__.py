"""Arrays inside: compiled code and what belongs to it, without River.

`river_hier._native` is compiled from `native`; the stub beside it says what it contains. The
modules of this folder have the arithmetic on arrays that needs no compiled code.
"""

# ruff: noqa: F401 - names are imported here for the whole package

from typing import Any

try:
    from .. import _native
except ImportError as error:
    raise ImportError(
        f"river_hier is imported from its sources, which have no compiled core: {error}; start "
        "Python in another folder, or install with `pip install -e .`"
    ) from None
from .._native import (
    LARGEST_RATIO,
    Calibration,
    Example,
    FeatureIndex,
    Forest,
    Instances,
    LabelProbabilities,
    LabelRanking,
    Labels,
    LeastSquares,
    LinearState,
    NodeProbabilities,
    Vector,
    Vectors,
    Vocabulary,
    below,
    best_label,
    child_counts,
    closed_many,
    connected,
    deepest,
    descent,
    distribution,
    expanded,
    learned_before,
    least_h_loss,
    likeliest,
    logistic,
    member_probabilities,
    path_probabilities,
    pool_probabilities,
    pool_scores,
    pool_step,
    probability,
    ranked,
    repeats,
)
from ..taxonomy import Taxonomy, check_taxonomy, multilabel
from . import features, pickles
from .batch import Batch, Examples, Multilabels, Nodes, warn_if_sorted
from .features import read, read_pairs
from .paths import (
    closure_difference,
    closure_of,
    closure_sums,
    distances_from,
    distances_to,
    path_difference,
    path_sums,
    subtree_maxima,
    subtree_sums,
)
from .probabilities import (
    conditional_probabilities,
    softmax,
    top_down,
    top_down_probabilities,
    trained_nodes,
)

_native.set_callbacks(
    read_odd=features.read_odd,
    closure_nodes=multilabel.closure_nodes,
    predicted_nodes=multilabel.predicted_nodes,
    given_closure=multilabel.given_closure,
    closure_mask=multilabel.closure_mask,
    warn_if_sorted=warn_if_sorted,
)

# The compiled policies of learners, by name; each has `learn_one` and `learn_many`.
policies: dict[str, Any] = dict(_native.policies)


def labels_of(taxonomy: Taxonomy, before: Taxonomy | None = None) -> Labels:
    """The labels of a taxonomy, which are made once: O(1) afterwards.

    Those of the taxonomy `before`, which this one extends, may be taken over: O(new nodes).
    """
    check_taxonomy(taxonomy)
    labels: Labels | None = taxonomy._arrays.reader
    if labels is None:
        if before is not None and before._arrays.reader is not None:
            labels, before._arrays.reader = before._arrays.reader, None
            labels.grow(taxonomy)
        else:
            labels = Labels(taxonomy)
        taxonomy._arrays.reader = labels
    return labels
