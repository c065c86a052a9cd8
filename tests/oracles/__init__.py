"""The papers as plain dicts and loops: the executable specification of river_hier.

Nothing here is fast and nothing imports the library. [H] is Dekel, Keshet & Singer 2004 (Hieron),
[R] is Cesa-Bianchi, Gentile & Zaniboni 2006 (H-RLS), [T] is Cai & Hofmann 2007, [E] is
El-Yaniv & Etzion-Rosenberg 2002.

A taxonomy is a dict `{node: tuple of its parents}` in taxonomy order, root first, with
`parents[root] == ()`; in a tree every other node has one parent, in a DAG perhaps several.
Features are `{name: value}` and weights `{name: weight}`; what is missing is 0.
"""

# ruff: noqa: F401 - names are imported here for all tests

from __future__ import annotations

from .averages import Averaged
from .branch_reset import BranchReset
from .calibration import Calibration, Temperatures
from .decompositions import (
    Decomposition,
    agglomerate,
    bayes_error,
    jensen_shannon,
    left_out_errors,
    lin_bounds,
    lost_information,
    recursion,
    side,
    split,
    tree_error,
)
from .discriminant import LinearDiscriminant
from .discriminant_neighbors import DiscriminantNeighbors, squared_distance
from .expected_losses import (
    expected_h_loss,
    expected_symmetric_difference_loss,
    expected_zero_one_loss,
    multilabels,
    probability,
)
from .features import read
from .forest import Forest
from .harow import HAROW
from .hieron import AveragedHieron, Hieron, argmax, hieron_loss, prototype_scores
from .inspection import cut, cut_multilabel, deepest, likely_enough, parts, top
from .kernels import (
    KernelAveraged,
    KernelAveragedHieron,
    KernelHieron,
    KernelRLS,
    linear_kernel,
    polynomial_kernel,
    rbf_kernel,
)
from .least_squares import HRLS, SHRLS, BudgetedSHRLS, HPerceptron, reference_classifier, top_down
from .local import PerLevel, PerNode, PerParent
from .losses import (
    differs,
    h_loss,
    precision_recall,
    symmetric_difference_loss,
    tree_induced_error,
    zero_one_loss,
)
from .merging import average_of_all, mixed, mixed_by_precision
from .newton_softmax import NewtonSoftmax
from .path_softmax import PathSoftmax
from .paths import names_in_two_places, parents_of_paths
from .pool import LogarithmicPool
from .pooled_auprc import pooled_auprc
from .random_fourier_features import random_fourier_features
from .rankings import (
    BatchHMinOver,
    HMinOver,
    average_precision,
    best_threshold,
    label_ranking_dual,
    leaves,
    maximal_loss,
    one_accuracy,
    pair_loss,
    parent_one_accuracy,
    ranking_loss,
    relevant,
    unit_attributes,
)
from .reliability import calibration_error, log_loss, reliability
from .selective import Selective
from .streams import after_drift, path_ends, priors, siblings, so_far
from .support_vectors import HSVM
from .trees import (
    ancestors,
    children,
    closure,
    depth,
    distance,
    ends,
    lca,
    misc_leaves,
    path,
    root,
    truncate,
)
from .vectors import add, dot
