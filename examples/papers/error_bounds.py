"""Lin's bounds on the Bayes error, and the paper's recursions over a binary tree."""

from __future__ import annotations

import functools
import operator

from river_hier import Taxonomy
from river_hier.induction.binary_tree import BinaryTree
from river_hier.induction.divergence import (
    Conditionals,
    Joint,
    Priors,
    Split,
    joints,
    merge,
    recursion,
    upper_bound,
)


def lower_bound(J: float, k: int = 2) -> float:
    """Lin's lower bound on the Bayes error of k classes (Eq. 4 and 5)."""
    return J**2 / (4.0 * (k - 1)) if k > 1 else 0.0


def bayes_error_bounds(priors: Priors, conditionals: Conditionals) -> tuple[float, float]:
    """Lin's lower and upper bound on the Bayes error, the smallest error of any classifier.

    Theorems 1 and 2 of El-Yaniv and Etzion-Rosenberg (2002), from Lin (1991). With the entropy
    J = H(pi) - JS of the class given x, in bits, they are J^2 / (4 (k - 1)) and J / 2. Both also
    bound the error of any binary decomposition, hard or soft, whose inner nodes decide for the
    larger posterior. If the x are words of documents, the bounds are for the class of a word.

    The priors are `{class: prior}`, the conditionals `{class: {x: probability}}`, of counts or
    probabilities; they are normalised.
    """
    classes = joints(priors, conditionals)
    row = functools.reduce(operator.add, (joint.row for joint in classes))
    J = max(Joint.of(row).plogp - sum(joint.plogp for joint in classes), 0.0)
    return lower_bound(J, len(classes)), upper_bound(J)


def tree_recursions(
    taxonomy: Taxonomy, priors: Priors, conditionals: Conditionals
) -> tuple[float, float]:
    """The paper's lower and upper figure for the error of a binary decomposition.

    Propositions 3 and 4 of El-Yaniv and Etzion-Rosenberg (2002). The upper figure is 1 - R(root)
    by Eq. 6, the lower one the same with J_v^2 / 4 in place of J_v / 2. They are not bounds,
    although the paper says so: if errors exclude each other, the true error is larger than the
    upper figure, and if they are nested, it is smaller than the lower one.

    The leaves of the taxonomy, a full binary tree, are the classes.
    """
    tree = BinaryTree.of(taxonomy)
    classes = joints({label: priors[label] for label in tree.classes}, conditionals)
    nodes: list[Joint] = []
    splits: list[Split] = []
    for pair in tree.splits:
        both, split = merge(*(nodes[v] if v >= 0 else classes[~v] for v in pair))
        nodes.append(both)
        splits.append(split)
    R_lower, R_upper = (recursion(tree.splits, splits, e) for e in (lower_bound, upper_bound))
    return 1.0 - R_lower, 1.0 - R_upper
