from collections.abc import Iterator
from typing import Any

from river import base, linear_model

from ..base.checks import check_integer, checked_weight
from ..base.classifiers import check_weight_taken, probability, shown, takes_weights
from ..base.memory import raw_memory_usage
from ..base.predictor import open_for_river
from ..taxonomy import Label, Taxonomy
from ..taxonomy.graph import check_label
from .binary_tree import BinaryTree
from .divergence import read_counts
from .jensen_shannon_tree import JensenShannonTree


class BinaryDecomposition(base.Wrapper[base.Estimator], base.Classifier):
    """Multiclass classification by binary decisions along a tree.

    The classes are the leaves of a full binary tree. At each inner node, a binary classifier
    separates the classes on the right from those on the left, with examples of these classes only.
    Prediction starts at the root and follows their decisions (hard decoding). Learning and
    prediction call one classifier at each level above the class.

    Parameters
    ----------
    classifier
        A binary classifier, or a pipeline that ends in one.
    taxonomy
        A `Taxonomy` that is a full binary tree: its leaves are the classes, and other classes are
        refused. `None`: each new class is added beside all earlier ones under a new root, with one
        new classifier. A `JensenShannonTree`, which is cloned: start as with `None`, and rebuild
        the tree once, after the grace period.
    grace_period
        With a `JensenShannonTree`, the number of examples after which the tree is rebuilt. Splits
        in both trees keep their classifiers. Later classes are added as with `None`.

    Notes
    -----
    The decomposition of Propositions 3 and 4 of the paper [^1], which builds the tree before
    training and does not treat streams. If a classifier predicts `None`, x goes to the left. Before
    the first example, a model without a taxonomy predicts `None`. Inner nodes are no classes.
    Before a `JensenShannonTree` has been built, a feature that is negative or not finite raises a
    `ValueError`.

    Examples
    --------
    >>> from river import datasets, evaluate, linear_model, metrics, preprocessing
    >>> from river_hier import induction

    >>> model = preprocessing.MinMaxScaler() | induction.BinaryDecomposition(
    ...     preprocessing.StandardScaler() | linear_model.LogisticRegression(),
    ...     induction.JensenShannonTree(),
    ...     grace_period=200,
    ... )
    >>> evaluate.progressive_val_score(datasets.ImageSegments(), model, metrics.Accuracy())
    Accuracy: 83.98%

    References
    ----------
    [^1]: El-Yaniv and Etzion-Rosenberg, 2002, as in `induction.JensenShannonTree`.
    """

    _raw_memory_usage = raw_memory_usage
    _multiclass: bool = True

    def __init__(
        self,
        classifier: base.Estimator,
        taxonomy: Taxonomy | JensenShannonTree | None = None,
        grace_period: int = 1000,
    ) -> None:
        if not isinstance(classifier, base.Classifier):
            raise TypeError(
                "`classifier` must be a binary classifier of River, or a pipeline that ends in "
                f"one, got {shown(classifier)}"
            )
        if not isinstance(taxonomy, Taxonomy | JensenShannonTree | None):
            raise TypeError(
                "`taxonomy` must be a Taxonomy, a JensenShannonTree or None, got "
                f"{type(taxonomy).__name__}"
            )
        check_integer("grace_period", grace_period, at_least=1)
        self.classifier = classifier
        self.taxonomy = taxonomy
        self.grace_period = grace_period
        self._takes_weights = takes_weights(classifier)
        self._tree = BinaryTree.build((), ())
        self._builder: JensenShannonTree | None = None  # None once the tree is built
        if isinstance(taxonomy, Taxonomy):
            self._tree = BinaryTree.of(taxonomy)
        elif taxonomy is not None:
            self._builder = taxonomy.clone()
        self._classifiers = [classifier.clone() for _ in self._tree.splits]
        self._n_examples = 0

    @property
    def taxonomy_(self) -> Taxonomy:
        """The tree as it is now; its leaves are the classes, if there are any."""
        if isinstance(self.taxonomy, Taxonomy):
            return self.taxonomy
        return self._tree.taxonomy() if self._tree.classes else Taxonomy.flat([])

    def learn_one(self, x: Any, y: Label, w: float = 1.0, **kwargs: Any) -> None:
        """Learn from one example.

        x is a dictionary of features, or any other input that the classifier takes. The weight w is
        at least 0, and 0 changes nothing. Other arguments are passed on to the classifiers.
        """
        if w != 1.0 and not (w := checked_weight(w)):
            return
        check_weight_taken(self.classifier, self._takes_weights, w)
        if self._takes_weights:
            kwargs["w"] = w
        tree, given = self._tree, self.taxonomy
        if not isinstance(given, Taxonomy):
            check_label(y)
            tree = tree if y in tree.number else tree.with_label(y)
        elif y not in tree.number:
            y = given.nodes[given.index(y)]  # it may be a path
            if y not in tree.number:
                raise ValueError(
                    f"label {y!r} is an inner node of the taxonomy, not one of its leaves"
                )
        if self._builder is not None:
            read_counts(x)  # raises before any classifier has learned
        fresh = [self.classifier.clone() for _ in tree.splits[len(self._classifiers) :]]
        classifiers = self._classifiers + fresh if fresh else self._classifiers
        for split, right in tree.path(y):
            classifiers[split].learn_one(x, right, **kwargs)
        self._tree, self._classifiers = tree, classifiers
        self._n_examples += 1
        if self._builder is not None:
            self._builder.learn_one(x, y, w)
            if self._n_examples >= self.grace_period and self._builder.class_counts:
                self._rebuild(self._builder.taxonomy())
                self._builder = None

    @open_for_river
    def predict_one(self, x: Any) -> Any:
        """Predict the class of x, `None` if there is none: O(depth) calls of classifiers."""
        if not self._tree.classes:
            return None
        node = self._tree.root
        while node >= 0:
            right = bool(self._classifiers[node].predict_one(x))
            node = self._tree.splits[node][right]
        return self._tree.classes[~node]

    @open_for_river
    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        """Predict probability 1 for the class of `predict_one`, 0 for the others."""
        predicted = self.predict_one(x)
        return {label: float(label == predicted) for label in self._tree.classes}

    def _rebuild(self, taxonomy: Taxonomy) -> None:
        """Replace the tree; splits that are in both trees keep their classifiers."""
        tree = BinaryTree.of(taxonomy)
        for label in self._tree.classes:
            if label not in tree.number:  # all of its examples were empty
                tree = tree.with_label(label)
        trained = dict(zip(self._tree.sides(tree.number), self._classifiers, strict=True))
        self._classifiers = [
            trained[split] if split in trained else self.classifier.clone()
            for split in tree.sides(tree.number)
        ]
        self._tree = tree

    @property
    def _wrapped_model(self) -> base.Estimator:
        return self.classifier

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"classifier": linear_model.LogisticRegression()}


class SoftBinaryDecomposition(BinaryDecomposition):
    """Multiclass classification by the probabilities of binary decisions along a tree.

    It learns as `BinaryDecomposition`, and predicts the class with the largest product of the
    probabilities of all $k - 1$ classifiers along the path to it (soft decoding).

    Parameters
    ----------
    classifier
        A binary classifier, or a pipeline that ends in one. If the classifier has no probabilities,
        its prediction has probability 1; if there is none yet, 1/2.
    taxonomy
        A `Taxonomy` that is a full binary tree: its leaves are the classes, and other classes are
        refused.
    grace_period
        With a `JensenShannonTree`, the number of examples after which the tree is rebuilt.

    Notes
    -----
    The decoding that the paper [^1] proposes for probabilities. Underconfident
    classifiers, as many are after a few examples, favour classes near the root. Ties go to the
    first class.

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
    [^1]: El-Yaniv and Etzion-Rosenberg, 2002, as in `induction.JensenShannonTree`.
    """

    @open_for_river
    def predict_one(self, x: Any) -> Any:
        """Predict the class of x: the most probable one; `None` if there is none yet."""
        p = self.predict_proba_one(x)
        return max(p, key=p.__getitem__, default=None)

    @open_for_river
    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        """Predict a distribution over all classes: O(classes) calls of classifiers.

        `{class: probability}`, with sum 1; `{}` if there is no class yet.
        """
        p = {self._tree.root: 1.0}
        for split in range(self._tree.root, -1, -1):  # parents come before their children
            p_right = probability(self._classifiers[split], x)
            left, right = self._tree.splits[split]
            p[left], p[right] = p[split] * (1.0 - p_right), p[split] * p_right
        return {label: p[~c] for c, label in enumerate(self._tree.classes)}
