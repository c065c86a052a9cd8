"""Lin's bounds on the Bayes error, and the paper's recursions over a binary tree."""

import functools
import operator

from ..taxonomy import Taxonomy
from .binary_tree import BinaryTree
from .divergence import Conditionals, Joint, Priors, Split, joints, merge, recursion, upper_bound


def bayes_error_bounds(priors: Priors, conditionals: Conditionals) -> tuple[float, float]:
    """Lin's lower and upper bound on the Bayes error, the smallest error of any classifier.

    Theorems 1 and 2 of the paper of `JensenShannonTree` (Eq. 4 and 5): with the entropy
    $J = H(\\pi) - JS$ of the class given x, in bits, $J^2 / (4 (k - 1))$ and $J / 2$ for k classes.
    Both also bound the error of any binary decomposition, hard or soft, whose inner nodes decide
    for the larger posterior. If the x are words of documents, this is the class of a word.

    The priors are `{class: prior}`, the conditionals `{class: {x: probability}}`, of counts or
    probabilities; they are normalised.

    Examples
    --------
    >>> from river_hier import induction

    >>> conditionals = {"a": {"x": 1, "y": 1}, "b": {"y": 1, "z": 1}}
    >>> induction.bayes_error_bounds({"a": 1, "b": 1}, conditionals)
    (0.0625, 0.25)
    """
    classes = joints(priors, conditionals)
    row = functools.reduce(operator.add, (joint.row for joint in classes))
    J = max(Joint.of(row).plogp - sum(joint.plogp for joint in classes), 0.0)
    return J**2 / (4.0 * max(len(classes) - 1, 1)), upper_bound(J)


def tree_recursions(
    taxonomy: Taxonomy, priors: Priors, conditionals: Conditionals
) -> tuple[float, float]:
    """The paper's lower and upper figure for the error of a binary decomposition.

    Propositions 3 and 4 of the paper of `JensenShannonTree`. The upper figure is 1 - R(root) by
    Eq. 6, the lower one the same with $J_v^2 / 4$ in place of $J_v / 2$. **They are no bounds**,
    although the paper says so: if errors exclude each other, the true error is larger than the
    upper figure, and if they are nested, it is smaller than the lower one. The leaves of the
    taxonomy, a full binary tree, are the classes; see `bayes_error_bounds`.

    Examples
    --------
    The error of the best classifier is 0.25:

    >>> from river_hier import Taxonomy, induction

    >>> t = Taxonomy.from_nested({"all": {"ab": ["a", "b"], "c": None}})
    >>> priors = {"a": 0.25, "b": 0.25, "c": 0.5}
    >>> conditionals = {"a": {1: 0.4, 2: 0.6}, "b": {2: 0.6, 3: 0.4}, "c": {1: 0.2, 4: 0.8}}
    >>> induction.tree_recursions(t, priors, conditionals)
    (0.0545, 0.235)
    """
    tree = BinaryTree.of(taxonomy)
    classes = joints({label: priors[label] for label in tree.classes}, conditionals)
    nodes: list[Joint] = []
    splits: list[Split] = []
    for pair in tree.splits:
        both, split = merge(*(nodes[v] if v >= 0 else classes[~v] for v in pair))
        nodes.append(both)
        splits.append(split)
    R_lower = recursion(tree.splits, splits, lambda J: J**2 / 4)
    return 1.0 - R_lower, 1.0 - recursion(tree.splits, splits, upper_bound)
