from __future__ import annotations

from .divergence import Conditionals, Joint, Priors, joints, lower_bound, upper_bound


def bayes_error_bounds(priors: Priors, conditionals: Conditionals) -> tuple[float, float]:
    r"""Return Lin's bounds on the Bayes error, the smallest error of any classifier.

    With the priors $\pi$ of k classes, their conditionals $p_1, \dots, p_k$ and

    $$J = H(\pi) - JS_\pi(p_1, \dots, p_k),$$

    the entropy of the class given x, in bits, the Bayes error is at least $J^2 / (4 (k - 1))$ and
    at most $J / 2$. Computing the bounds takes O(features of all classes).

    Parameters
    ----------
    priors
        `{class: prior}`, counts or probabilities; they are normalised.
    conditionals
        `{class: {x: probability of x in that class}}`, counts or probabilities; each is
        normalised. An x that is missing has probability 0.

    Returns
    -------
    The lower and the upper bound, as `(float, float)`.

    Raises
    ------
    ValueError
        If a prior is not positive, a class is missing on one side, a conditional is all zero, or
        a value is negative or not a finite number.

    Notes
    -----
    Theorems 1 and 2 of the paper [^1], from Lin [^2]; for two classes they are the same formula.

    Both also bound the error of any binary decomposition, hard or soft, whose inner nodes decide
    for the larger posterior. Its error is at least the Bayes error. It is wrong only if an inner
    node on the path is, which has a probability of at most $\sum_v q_v J_v / 2$, where $q_v$ is the
    prior of the classes below v; by the chain rule of entropy, $\sum_v q_v J_v = J$ for every tree.

    If the x are words of documents, the bounds are for the class of a single word.

    Examples
    --------

    >>> from river_hier import induction

    >>> priors = {"sport": 2, "culture": 1}
    >>> conditionals = {
    ...     "sport": {"ball": 6, "stage": 1, "play": 3},
    ...     "culture": {"ball": 1, "stage": 7, "play": 2},
    ... }
    >>> lower, upper = induction.bayes_error_bounds(priors, conditionals)
    >>> round(lower, 3), round(upper, 3)
    (0.095, 0.308)

    The Bayes error itself, between the two:

    >>> 1 - (2 * 0.6 + 0.7 + 2 * 0.3) / 3
    0.167

    References
    ----------
    [^1]: El-Yaniv, R. and Etzion-Rosenberg, N., 2002. Hierarchical multiclass decompositions with
        application to authorship determination.
    [^2]: [Lin, J., 1991. Divergence measures based on the Shannon entropy. IEEE Transactions on
        Information Theory, 37(1), pp. 145-151.](https://doi.org/10.1109/18.61115)

    """
    classes = joints(priors, conditionals)
    row = classes[0].row
    for joint in classes[1:]:
        row = row + joint.row
    J = max(Joint.of(row).plogp - sum(joint.plogp for joint in classes), 0.0)
    return lower_bound(J, len(classes)), upper_bound(J)
