"""The base classes of all learners in a taxonomy, of one label and of several."""

import abc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from river import base

from .._core import (
    Batch,
    Labels,
    Multilabels,
    Nodes,
    closed_many,
    connected,
    logistic,
    top_down,
    warn_if_sorted,
)
from .._core.batch import closed_table
from ..taxonomy import (
    Edit,
    Evidence,
    Label,
    Part,
    Taxonomy,
    TaxonomyLike,
    check_edits,
    extended,
    part_of,
)
from ..taxonomy.editing import check_current
from ..taxonomy.multilabel import implied_nodes
from ..taxonomy.open import initial_taxonomy, named, with_labels
from .answer import NONE, LabelAnswer, LabelRows, SetAnswer, SetRows, Unseen
from .checks import check_whole, checked_weight
from .classifiers import ONE, SEVERAL
from .explanation import Contribution, Explanation, Floats, effects, explained, ranked
from .predictor import Predictor, predict_labels_one, score_one
from .targets import read_label, says_nothing, unknown_nodes, whole

ROWS = 4096  # maximum number of rows of a slice
ROOT: Unseen = frozenset({0})


class TaxonomyModel(Predictor, base.Estimator):
    """A model with a score at every node of a taxonomy.

    A given taxonomy is closed: an unknown label is an error. `None` is an open, flat one under
    `"root"`, to which labels are added as they arrive; an `OpenTaxonomy` grows with paths.
    """

    def __init__(self, taxonomy: TaxonomyLike) -> None:
        self.taxonomy: TaxonomyLike = taxonomy
        self._labels = Labels(initial_taxonomy(taxonomy))
        self._check_taxonomy(self._taxonomy)

    @property
    def taxonomy_(self) -> Taxonomy:
        """The current taxonomy, with all labels that have arrived."""
        return self._labels.taxonomy

    _taxonomy = taxonomy_

    @property
    def _unseen(self) -> Unseen:
        return frozenset(self._labels.unseen) if self._labels.n_unseen else NONE

    score_one = score_one

    def explain_one(self, x: Mapping[Any, Any]) -> dict[Label, Explanation]:
        """Explain the prediction for x, node by node.

        Returns
        -------
        `{label: explanation}` from the top down. A multilabel model explains the nodes whose
        parents are on, a single-label model those on the path of its prediction and, at each step
        of the path, the other child with the largest score.

        An explanation has the fields `on`, whether the node is predicted to be on; `score`;
        `probability`, that the node is on or, for a single label, that the label lies at or below
        it; and `contributions`, a list of `(feature, contribution)` sorted by absolute value, or of
        `(stored example, contribution)` in kernel models. The score is their sum, to which
        `LinearDiscriminant` adds that of an empty x. It takes a prediction for each feature of x.

        """
        answer = self._answer(x)
        scores, p, visited = answer.scores(), answer.marginals(), answer.visited()
        contributions = self._contributions(x, list(visited))
        return {
            self._taxonomy.nodes[v]: Explanation(on, float(scores[v]), float(p[v]), ranked(terms))
            for (v, on), terms in zip(visited.items(), contributions, strict=True)
        }

    def adopt(self, taxonomy: Taxonomy | Edit) -> None:
        """Continue with a larger taxonomy, or with an edited one.

        In a trained model, a new node has probability 0 until its first example, whose label is the
        node or below it. It starts from its parent or, in models that store examples, counts as off
        in those of its siblings. An open model is closed. Takes O(new nodes) after `extend`.

        After an edit a model keeps what it can (docs/models/changing_taxonomies.md), and an open
        one stays open: O(size of the model).

        Parameters
        ----------
        taxonomy
            The taxonomy of the model with new nodes, the last ones, e.g.
            `model.taxonomy_.extend([(parent, child)])`; or `model.taxonomy_.edit(changes)`.

        """
        if isinstance(taxonomy, Edit):
            self._check_edit(taxonomy)
            self._follow(taxonomy)
            return
        taxonomy = extended(self._taxonomy, taxonomy)
        self._check_taxonomy(taxonomy)
        self._extend(taxonomy, self._labels.has_learned)
        self.taxonomy = taxonomy

    def _check_edit(self, edit: Edit) -> None:
        """Raise an error if the model cannot continue after this edit."""
        check_edits(self._taxonomy, edit)
        if not (self._edits or edit._renames):
            raise TypeError(
                f"{type(self).__name__} can follow an edit that renames nodes only; train a new "
                "model, or see docs/models/changing_taxonomies.md for those that can"
            )
        self._check_taxonomy(edit.after)

    def _follow(self, edit: Edit) -> None:
        """Continue after an edit that was checked."""
        labels = self._labels_after(edit)
        if edit._renames:
            self._rename(labels)
        else:
            self._edit(edit, labels)
        self._labels = labels
        if isinstance(self.taxonomy, Taxonomy):
            self.taxonomy = edit.after

    def _labels_after(self, edit: Edit) -> Labels:
        """Unseen are new nodes, but for those of a split, and those that were unseen before."""
        labels, unseen = self._labels, np.ones(len(edit.after), dtype=bool)
        seen = np.ones(len(edit.before), dtype=bool)
        seen[labels.unseen] = False
        unseen[edit._nodes[seen]] = False
        if self._splits_share:
            unseen[edit._split] = unseen[edit.after._arrays.parent_index[edit._split - 1]]
        return Labels(
            edit.after, np.flatnonzero(unseen & labels.has_learned).tolist(), labels.has_learned
        )

    def _rename(self, labels: Labels) -> None:
        """Go on with other names of the nodes."""

    def _edit(self, edit: Edit, labels: Labels) -> None:
        """Change what is learned as the nodes change."""

    def _check_taxonomy(self, taxonomy: Taxonomy) -> None:
        """Raise an error if the model does not work in this taxonomy."""

    def forget(self, label: Label) -> None:
        """Reset a node and all nodes below it; nothing changes elsewhere.

        They are then as `adopt` adds nodes: off, with probability 0, until their next example.
        Takes O(size of the model).

        Parameters
        ----------
        label
            The node; with the root, everything is reset.

        """
        check_current(self._taxonomy, label, v := self._taxonomy.index(label))
        self._check_forget(v)
        if v:
            nodes = self._taxonomy._arrays.branch(v)
            self._forget(nodes)
            self._labels.forget(nodes)
        else:
            self._start_anew()

    def _start_anew(self) -> None:
        """Become a model that has learned nothing, in the same taxonomy."""
        fresh = self.clone()
        fresh._extend(self._taxonomy, unseen=False)
        vars(self).update(vars(fresh))

    def debug_one(self, x: Mapping[Any, Any], decimals: int = 3) -> str:
        """Explain the prediction for x as text.

        Parameters
        ----------
        x
            A dictionary of features.
        decimals
            The number of decimals to print.

        Returns
        -------
        One line for each node of `explain_one`, with its score and largest contributions.

        """
        predict = predict_labels_one.__get__(self) if self._kind.several else self.predict_one
        nodes = explained(self.explain_one(x), self._taxonomy, decimals)
        return "\n".join([f"Prediction: {predict(x)!r}; {self._decision_rule}", *nodes])

    _decision_rule: str
    _edits = True  # whether it can follow edits that are more than new names
    _splits_share = False  # whether the children of a leaf that is split share its probability

    @abc.abstractmethod
    def _scores_one(self, x: Mapping[Any, Any]) -> Floats:
        """The score of every node."""

    def _scores_many(self, X: Batch) -> Floats:
        """The score of each node, (nodes, rows)."""
        n = len(self._taxonomy)  # first: another thread may add nodes
        return np.array([self._scores_one(x)[:n] for x in X]).reshape(X.n, n).T

    def _contributions(
        self, x: Mapping[Any, Any], nodes: Sequence[int]
    ) -> list[list[Contribution]]:
        """The contributions to the score of each of these nodes."""
        return effects(self._scores_one, x, nodes)

    @abc.abstractmethod
    def _learn(self, x: Mapping[Any, Any], y: Any, w: float) -> None:
        """Learn from an example of weight w, given its labels in the taxonomy or its one node.

        A model that learns from labels that are known in part is given these as `Part`, or as they
        are if it learns several labels.
        """

    def _grow(self, taxonomy: Taxonomy, x: Any, y: Any, w: float) -> None:
        """Learn from an example with new labels, which are in this larger taxonomy."""
        self._check(x, w)
        self._extend(taxonomy, unseen=False)
        self._learn(x, y, w)

    @contextmanager
    def _knowing(self, taxonomy: Taxonomy) -> Iterator[None]:
        """Ask a rule, which may raise, about new labels in this larger taxonomy: O(nodes)."""
        labels = self._labels
        self._labels = Labels(taxonomy, labels.unseen, labels.has_learned)
        try:
            yield
        finally:
            self._labels = labels

    @abc.abstractmethod
    def _record(self, y: Any) -> None:
        """Record that the model has learned from these targets of `_learn_slice`."""

    def _forget(self, nodes: Nodes) -> None:
        """Reset a branch below the root, given its nodes."""

    @abc.abstractmethod
    def _add_nodes(self, before: int, after: Taxonomy) -> None:
        """Make room for new nodes, the last ones."""

    def _extend(self, taxonomy: Taxonomy, unseen: bool) -> None:
        """Change to a taxonomy with new nodes, the last ones."""
        self._add_nodes(len(self._taxonomy), taxonomy)  # first: predictions beside it use labels
        self._labels.grow(taxonomy, unseen)

    def _known(self, y: Any) -> Any:
        """What is known of y, or an error if the model cannot learn from a part of a label."""
        if isinstance(y := whole(self, y), Evidence) and not self._learns_parts:
            check_whole(self, y)
        return y

    def _check_one(self, x: Any, y: Any, w: float) -> None:
        self._check(x, w)
        self._read(y)

    def _check(self, x: Mapping[Any, Any], w: float = 1.0) -> None:
        """Raise an error if the algorithm cannot learn from x with weight w."""
        self._scores_one(x)  # some x are too large for float32

    # Mini-batches

    def _in_slices(self, X: Batch) -> bool:
        """Whether these rows are learned by `_learn_slice`, not by a loop."""
        return False

    @abc.abstractmethod
    def _targets(self, ys: Any, first: int, last: int) -> Any:
        """The targets ys[first:last] in the taxonomy, up to one that `learn_one` must read."""

    @abc.abstractmethod
    def _read(self, y: Any) -> Any:
        """Read the target of an example, or refuse it."""

    def _learn_slice(self, X: Batch, y: Any) -> None:
        """Learn from rows with these targets; `X.n_learned` says how many are learned."""
        raise NotImplementedError

    def _watch(self, y: Any) -> None:
        """Look at the order of labels."""

    def _learn_rows(self, X: Batch, ys: Any) -> None:
        if not self._in_slices(X):
            super()._learn_rows(X, ys)
        while (first := X.n_learned) < X.n:
            y = self._targets(ys, first, min(first + ROWS, X.n))
            if not len(y):  # `learn_one` grows with a new label, and refuses a wrong one
                self._one_by_one(X, ys, first + 1)
                continue
            part = X.part(first, first + len(y))
            self._watch(y)
            try:
                self._learn_slice(part, y)
            finally:
                X.n_learned = first + part.n_learned
                if part.n_learned:
                    self._record(y[: part.n_learned])


class ScoredLabel(LabelAnswer):
    """The label with the largest score of a model; probabilities are the softmax."""

    def __init__(self, model: Any, x: Any) -> None:
        self.model: Any = model
        self.x: Any = x
        self.labels: Any = model._labels

    first: Any = property(attrgetter("model._first_label"))
    never: Any = property(attrgetter("model._never_predicted"))

    def scores(self) -> Floats:
        if self._scores is None:
            self._scores = self.model._scores_one(self.x)
        return self._scores


class ScoredSet(SetAnswer):
    """The nodes whose parents are on and whose score by a model is at least 0."""

    def __init__(self, model: Any, x: Any) -> None:
        self.model: Any = model
        self.x: Any = x
        self.labels: Any = model._labels

    never: Any = property(attrgetter("model._never_predicted"))
    conditionals: Any = property(attrgetter("model._conditionals"))
    scores: Any = ScoredLabel.scores

    def own(self) -> list[int]:
        if self.link is not None:
            return super().own()
        return connected(self.labels, self.scores(), 0.0, None)


class SingleLabelModel(TaxonomyModel, base.MiniBatchClassifier):
    """A classifier whose labels are the nodes of a tree, the root and inner nodes included.

    The prediction is the label with the largest score; ties go to the first in taxonomy order. As
    in River, it is `None` before the first label of an open taxonomy.
    """

    _kind = ONE
    _splits_share = True
    _multiclass: bool = True
    _decision_rule = "by the sum of the weights on its path"

    def _check_taxonomy(self, taxonomy: Taxonomy) -> None:
        taxonomy._arrays.check_tree()

    def learn_one(self, x: Mapping[Any, Any], y: Label, w: float = 1.0) -> None:
        if w != 1.0 and not (w := checked_weight(w)):
            return
        if node := self._labels.node(y):
            self._learn(x, node, w)
        else:  # a label that is new, unusual, the root or known in part
            taxonomy, node = self._read(y)
            if type(node) is Part and node.cuts == {0: True}:
                return self._check(x, w)
            (self._learn if taxonomy is self._taxonomy else partial(self._grow, taxonomy))(
                x, node, w
            )
            node = node.node if type(node) is Part else node
        self._labels.learned_path(node)

    def _answer(self, x: Mapping[Any, Any]) -> Any:
        return ScoredLabel(self, x)

    def _answers(self, X: Batch) -> Any:
        scores, first = lambda: self._scores_many(X), self._first_label
        return LabelRows(self._labels, scores, None, None, first, self._never_predicted)

    def _targets(self, ys: Any, first: int, last: int) -> Nodes:
        taxonomy, nodes = self._taxonomy, list[int]()
        with suppress(TypeError):  # a label that is not hashable
            for y in ys[first:last]:
                v = taxonomy._arrays.number(y)
                # The root may be new; True is not 1.
                if not v or type(taxonomy.nodes[v]) is not type(y):
                    break
                nodes.append(v)
        return np.array(nodes, dtype=np.uint32)

    def _read(self, y: Any) -> Any:
        if not isinstance(y := self._known(y), Evidence):
            return read_label(self, y)
        taxonomy = self._taxonomy
        if not isinstance(self.taxonomy, Taxonomy):
            taxonomy = with_labels(self.taxonomy, taxonomy, y._may_be())
        return taxonomy, part_of(taxonomy, y, self.taxonomy is taxonomy)

    @property
    def _first_label(self) -> int:
        """The first node that can be predicted; the root of an open taxonomy may be no label."""
        if isinstance(self.taxonomy, Taxonomy):
            return 0
        return int(self.taxonomy is None or len(self._taxonomy) == 1)

    @property
    def _never_predicted(self) -> Unseen:
        with_root = self._first_label and len(self._taxonomy) > 1
        return self._unseen | ROOT if with_root else self._unseen

    def _watch(self, y: Nodes) -> None:
        if not self._labels.has_learned:  # a whole table
            warn_if_sorted(y)
        self._labels.watch(y)

    def _record(self, y: Any) -> None:
        if self._labels.n_unseen or not self._labels.has_learned:
            for v in set(y.tolist()):
                self._labels.learned_path(v)


class MultiLabelModel(TaxonomyModel, base.MultiLabelClassifier):
    """A multilabel classifier whose predictions contain all ancestors of their labels.

    Unless a learner defines another rule, a node is predicted on if its parents are on and its own
    score is at least zero, so an untrained node is on. Before its first example a model predicts no
    label; its probabilities given that the parents are on are then 1/2.
    """

    if TYPE_CHECKING:

        def predict_one(
            self, x: Mapping[Any, Any], threshold: float | None = None, max_depth: int | None = None
        ) -> dict[Label, bool]: ...

    _kind = SEVERAL
    _decision_rule = "a node is on if its parent is on and its score is >= 0"
    predict_labels_one = predict_labels_one

    def learn_one(self, x: Mapping[Any, Any], y: Any, w: float = 1.0) -> None:
        if w != 1.0 and not (w := checked_weight(w)):
            return
        if hasattr(y, "__next__"):  # it can be iterated over only once
            y = list(y)
        labels, before, known = self._labels, self._taxonomy, y
        if isinstance(y, Evidence):
            known = self._known(y)
        y = known.label if (part := isinstance(known, Evidence)) else known
        taxonomy = before if self.taxonomy is before else self._with_labels(y)
        if part:
            if says_nothing(self, known):
                return self._check(x, w)
            known = known if unknown_nodes(taxonomy, known) else y
        if taxonomy is not before:
            self._grow(taxonomy, x, known, w)
        else:
            self._learn(x, known, w)
        if labels.n_unseen or not labels.has_learned:
            labels.learned(np.array(sorted(implied_nodes(self._taxonomy, y)), dtype=np.uint32))

    @property
    def _never_predicted(self) -> Unseen:
        """The unseen nodes; all of them before the first example."""
        if self._labels.has_learned:
            return self._unseen
        return frozenset(range(1, len(self._taxonomy)))

    def _with_labels(self, y: Any) -> Taxonomy:
        """The taxonomy with the labels of a multilabel, which an open one may lack."""
        taxonomy = self._taxonomy
        if not isinstance(self.taxonomy, Taxonomy):
            taxonomy = with_labels(self.taxonomy, taxonomy, named(y))
            if taxonomy is not self._taxonomy and isinstance(y, Mapping):
                implied_nodes(taxonomy, y)  # an error if y is invalid
        return taxonomy

    def _answer(self, x: Mapping[Any, Any]) -> Any:
        return ScoredSet(self, x)

    def _answers(self, X: Batch) -> Any:
        rows = SetRows(self._labels, lambda: self._scores_many(X), never=self._never_predicted)
        own = partial(self._masks, X, rows)
        return rows.but(conditionals=self._conditionals, _own=own)

    def _masks(self, X: Batch, rows: SetRows) -> Any:
        """The nodes of each row that are on, (rows, nodes), given what else is said of them."""
        return top_down(rows.scores() >= 0.0, rows.taxonomy._arrays).T

    def _targets(self, ys: Any, first: int, last: int) -> Multilabels:
        if isinstance(ys, Batch):
            if (table := closed_table(self._taxonomy, ys, first, last)) is not None:
                return table
            ys, first, last = list(ys.part(first, last)), 0, last - first
        is_open = not isinstance(self.taxonomy, Taxonomy)
        return Multilabels(*closed_many(self._labels, ys, first, last, is_open))

    def _read(self, y: Any) -> Any:
        y = self._known(y)
        y = y.label if isinstance(y, Evidence) else y
        return implied_nodes(self._with_labels(y), y)

    def _record(self, y: Multilabels) -> None:
        if self._labels.n_unseen or not self._labels.has_learned:
            self._labels.learned(np.unique(y.nodes))

    def _conditionals(self, scores: Floats) -> Floats:
        """P(node on | parents on) of each node, from the scores, (nodes, ...)."""
        return logistic(scores)
