from __future__ import annotations

from typing import Any

from ..base.classifiers import probability
from .decomposition import Decomposition

__all__ = ["SoftBinaryDecomposition"]


class SoftBinaryDecomposition(Decomposition):
    """Many classes as binary decisions along a tree, whose probabilities are multiplied.

    It learns as `BinaryDecomposition` does. To predict, it asks all classifiers for
    probabilities, multiplies them along the path to each class, and takes the class with the
    largest product (soft decoding). So it can repair a decision near the root that was a close
    one, and it knows how sure it is.

    Learning takes as many calls of a classifier as the class lies deep, predicting $k - 1$.

    Parameters
    ----------
    classifier
        A binary classifier, or a pipeline that ends in one. One that gives no probabilities is
        taken to be sure of its answer.
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
    The decoding that the paper [^1] proposes for classifiers that give probabilities. If the
    probabilities at the splits are right, so are those of the classes, whatever the tree, and no
    classifier errs less. Classifiers that are too unsure, as many are that have seen little, favour
    classes near the root. Ties go to the first class of the tree. A classifier that does not answer
    counts as undecided, 1/2. Before the first example, a model without a taxonomy predicts `None`.

    Examples
    --------

    >>> from river import datasets, evaluate, linear_model, metrics, preprocessing
    >>> from river_hier import induction

    >>> model = preprocessing.StandardScaler() | induction.SoftBinaryDecomposition(
    ...     linear_model.LogisticRegression()
    ... )
    >>> evaluate.progressive_val_score(datasets.ImageSegments(), model, metrics.Accuracy())
    Accuracy: 68.90%

    References
    ----------
    [^1]: El-Yaniv, R. and Etzion-Rosenberg, N., 2002. Hierarchical multiclass decompositions with
        application to authorship determination.

    """

    def predict_one(self, x: Any, **kwargs: Any) -> Any:
        """Predict the class of x: the most probable one.

        Parameters
        ----------
        x
            A dictionary of features, or what else the classifier takes.

        Returns
        -------
        The class; `None` if none has been seen yet.

        """
        p = self.predict_proba_one(x, **kwargs)
        return max(p, key=p.__getitem__, default=None)

    def predict_proba_one(self, x: Any, **kwargs: Any) -> dict[Any, float]:
        """A distribution over all classes: O(classes) answers of classifiers.

        Parameters
        ----------
        x
            A dictionary of features, or what else the classifier takes.

        Returns
        -------
        `{class: probability}`, with sum 1; `{}` if none has been seen yet.

        """
        p = {self._tree.root: 1.0}
        for split in range(self._tree.root, -1, -1):  # parents come before their children
            likely = probability(self._classifiers[split], x, kwargs)
            left, right = self._tree.splits[split]
            p[left], p[right] = p[split] * (1.0 - likely), p[split] * likely
        return {label: p[~c] for c, label in enumerate(self._tree.classes)}
