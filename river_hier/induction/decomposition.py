"""What binary decompositions share: a binary classifier at every inner node of a tree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from river import base, linear_model

from ..base import check_integer
from ..base.classifiers import shown, takes_weights
from ..taxonomy import Label, Taxonomy
from ..taxonomy.graph import check_label, check_spelling
from .binary_tree import BinaryTree
from .distributions import read_counts
from .jensen_shannon_tree import JensenShannonTree


class Decomposition(base.Wrapper[base.Estimator], base.Classifier):
    """At every split of the tree, a clone of a classifier says whether the class is on the right.

    It learns from the examples of the classes below that split, and from no others.
    """

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
        self._builder: JensenShannonTree | None = None  # until it has built
        if isinstance(taxonomy, Taxonomy):
            self._tree = BinaryTree.of(taxonomy)
        elif taxonomy is not None:
            self._builder = taxonomy.clone()
        self._classifiers = [classifier.clone() for _ in self._tree.splits]
        self._n_examples = 0

    @property
    def tree(self) -> Taxonomy:
        """The tree as it is now; its leaves are the classes."""
        if isinstance(self.taxonomy, Taxonomy):
            return self.taxonomy
        if not self._tree.classes:
            raise ValueError("no example has been learned, so there is no class yet")
        return self._tree.taxonomy()

    def learn_one(self, x: Any, y: Label, **kwargs: Any) -> None:
        """Learn from one example.

        Parameters
        ----------
        x
            A dictionary of features, or what else the classifier takes.
        y
            The class.
        kwargs
            Handed to the classifiers; the weight `w` only if they take one.

        """
        tree = self._tree_with(y)
        if self._builder is not None:
            read_counts(x)  # what the builder refuses no classifier shall learn
        if not self._takes_weights:
            kwargs.pop("w", None)
        fresh = [self.classifier.clone() for _ in tree.splits[len(self._classifiers) :]]
        classifiers = self._classifiers + fresh if fresh else self._classifiers
        for split, right in tree.path(y):
            classifiers[split].learn_one(x, right, **kwargs)
        self._tree, self._classifiers = tree, classifiers
        self._n_examples += 1
        if self._builder is not None:
            self._builder.learn_one(x, y)
            if self._n_examples >= self.grace_period and self._builder.class_counts:
                self._rebuild(self._builder.taxonomy())
                self._builder = None

    def _tree_with(self, y: Label) -> BinaryTree:
        """The tree in which y is a class."""
        tree = self._tree
        check_label(y)
        if y in tree.number:
            check_spelling(y, tree.classes[tree.number[y]])
            return tree
        if isinstance(self.taxonomy, Taxonomy):
            self.taxonomy.index(y)  # raises, unless y is an inner node
            raise ValueError(f"label {y!r} is an inner node of the taxonomy, not one of its leaves")
        return tree.with_label(y)

    def _rebuild(self, taxonomy: Taxonomy) -> None:
        """Take another tree, with the classifiers of the splits that it has kept."""
        tree = BinaryTree.of(taxonomy)
        for label in self._tree.classes:
            if label not in tree.number:  # only empty examples so far
                tree = tree.with_label(label)
        trained = dict(zip(self._tree.sides(tree.number), self._classifiers, strict=True))
        self._classifiers = [
            trained[split] if split in trained else self.classifier.clone()
            for split in tree.sides(tree.number)
        ]
        self._tree = tree

    # What River asks

    @property
    def _wrapped_model(self) -> base.Estimator:
        return self.classifier

    @property
    def _multiclass(self) -> bool:
        return True

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"classifier": linear_model.LogisticRegression()}
