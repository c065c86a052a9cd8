from __future__ import annotations

from typing import Any

from ..base.classifiers import probability
from ..base.predictor import refuse_unknown
from .binary_decomposition import BinaryDecomposition


class SoftBinaryDecomposition(BinaryDecomposition):
    """Multiclass classification by the probabilities of binary decisions along a tree.

    It learns as `BinaryDecomposition`. To predict, it multiplies the probabilities of the
    classifiers along the path to each class and takes the class with the largest product (soft
    decoding). So a close decision near the root can be outweighed by those below, and the
    prediction has a probability.

    Learning calls one classifier at each level above the class; prediction calls all $k - 1$.

    Parameters
    ----------
    classifier
        A binary classifier, or a pipeline that ends in one. If it has no probabilities, its
        prediction has probability 1.
    taxonomy
        A `Taxonomy` that is a full binary tree: its leaves are the classes, and other classes are
        refused. `None`: each new class is added beside all earlier ones under a new root, which
        takes one new classifier and leaves the others unchanged. A `JensenShannonTree` (it is
        cloned): start as with `None`, and rebuild the tree once, after the grace period.
    grace_period
        With a `JensenShannonTree`, the number of examples after which the tree is rebuilt from the
        counts. Splits of the old tree that are also in the new one keep their classifiers; the
        others start untrained, as no examples are stored. Later classes are added as with `None`.

    Attributes
    ----------
    tree : Taxonomy
        The current tree.

    Raises
    ------
    ValueError
        If the taxonomy is not a full binary tree; from `learn_one`, if a label is unknown or an
        inner node, or, before a `JensenShannonTree` has been built, a value of x is negative or
        not a finite number.

    Notes
    -----
    The decoding that the paper [^1] proposes for classifiers with probabilities. If the
    probabilities at the splits are correct, so are those of the classes, in any tree, and no
    classifier has a smaller error. Underconfident classifiers, as many are after a few examples,
    favour classes near the root. Ties go to the first class of the tree. A classifier that returns
    no probabilities counts as 1/2. Before the first example, a model without a taxonomy predicts
    `None`.

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
            A dictionary of features, or any other input that the classifier takes.

        Returns
        -------
        The class; `None` if none has been seen yet.

        """
        refuse_unknown(self.predict_one, kwargs)
        p = self.predict_proba_one(x)
        return max(p, key=p.__getitem__, default=None)

    def predict_proba_one(self, x: Any, **kwargs: Any) -> dict[Any, float]:
        """Predict a distribution over all classes: O(classes) calls of classifiers.

        Parameters
        ----------
        x
            A dictionary of features, or any other input that the classifier takes.

        Returns
        -------
        `{class: probability}`, with sum 1; `{}` if none has been seen yet.

        """
        refuse_unknown(self.predict_proba_one, kwargs)
        p = {self._tree.root: 1.0}
        for split in range(self._tree.root, -1, -1):  # parents come before their children
            p_right = probability(self._classifiers[split], x)
            left, right = self._tree.splits[split]
            p[left], p[right] = p[split] * (1.0 - p_right), p[split] * p_right
        return {label: p[~c] for c, label in enumerate(self._tree.classes)}
