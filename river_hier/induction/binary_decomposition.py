from __future__ import annotations

from typing import Any

from .decomposition import Decomposition

__all__ = ["BinaryDecomposition"]


class BinaryDecomposition(Decomposition):
    """Many classes as binary decisions along a tree: from the root, each sends x left or right.

    A full binary tree has the classes as its leaves. At each inner node a binary classifier tells
    the classes on the right from those on the left, trained only with the examples of these
    classes. Prediction starts at the root and goes where the classifiers say (hard decoding).

    Learning and predicting take as many calls of a classifier as the class lies deep: between
    $\\log_2 k$ and $k - 1$ of the $k - 1$ classifiers. All-pairs, River's
    `multiclass.OneVsOneClassifier`, learns with $k - 1$ classifiers and asks $k (k - 1) / 2$.

    Parameters
    ----------
    classifier
        A binary classifier, or a pipeline that ends in one.
    taxonomy
        A `Taxonomy` that is a full binary tree: its leaves are the classes, and no others may
        come. `None`: classes join as they arrive, each beside all the earlier ones under a
        new root, which needs one new classifier and leaves the others as they are. A
        `JensenShannonTree` (a clone of it counts): begin so, and rebuild once after the grace
        period.
    grace_period
        With a `JensenShannonTree`, after how many examples the tree is rebuilt from what has been
        counted so far. Classifiers of splits that the new tree has too go on, the others start
        anew: no example is kept to be learned from again. Classes that come later join
        as they do with `None`.

    Attributes
    ----------
    tree : Taxonomy
        The tree as it is now.

    Raises
    ------
    ValueError
        If the taxonomy is not a full binary tree; from `learn_one`, if a label is unknown or an
        inner node, or a `JensenShannonTree` is still counting and a value of x is negative or
        not a finite number.

    Notes
    -----
    The decomposition that Propositions 3 and 4 of the paper [^1] are about. It builds its tree
    before training and has nothing to say about streams. A classifier that does not answer sends x
    to the left. Before the first example, a model without a taxonomy predicts `None`.

    `predict_proba_one` gives the prediction probability 1, so that it says what `predict_one`
    says; for graded probabilities, take `SoftBinaryDecomposition`.

    Examples
    --------

    >>> from river import datasets, evaluate, linear_model, metrics, preprocessing
    >>> from river_hier import induction

    >>> model = preprocessing.MinMaxScaler() | induction.BinaryDecomposition(
    ...     preprocessing.StandardScaler() | linear_model.LogisticRegression(),
    ...     induction.JensenShannonTree(seed=42),
    ...     grace_period=200,
    ... )
    >>> evaluate.progressive_val_score(datasets.ImageSegments(), model, metrics.Accuracy())
    Accuracy: 73.06%

    References
    ----------
    [^1]: El-Yaniv, R. and Etzion-Rosenberg, N., 2002. Hierarchical multiclass decompositions with
        application to authorship determination.

    """

    def predict_one(self, x: Any, **kwargs: Any) -> Any:
        """Predict the class of x: O(depth) answers of classifiers.

        Parameters
        ----------
        x
            A dictionary of features, or what else the classifier takes.

        Returns
        -------
        The class; `None` if none has been seen yet.

        """
        if not self._tree.classes:
            return None
        node = self._tree.root
        while node >= 0:
            right = bool(self._classifiers[node].predict_one(x, **kwargs))
            node = self._tree.splits[node][right]
        return self._tree.classes[~node]

    def predict_proba_one(self, x: Any, **kwargs: Any) -> dict[Any, float]:
        """1 for the prediction, 0 for all other classes.

        Parameters
        ----------
        x
            A dictionary of features, or what else the classifier takes.

        Returns
        -------
        `{class: probability}`; `{}` if none has been seen yet.

        """
        answer = self.predict_one(x, **kwargs)
        return {label: float(label == answer) for label in self._tree.classes}
