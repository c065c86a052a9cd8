"""Decoders: the prediction of least expected loss under the probabilities of a model."""

import abc
import math
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
from river import base
from river import linear_model as river_linear_model

from .._core import (
    Batch,
    Labels,
    Nodes,
    child_counts,
    connected,
    deepest,
    expanded,
    labels_of,
    least_h_loss,
    likeliest,
)
from .._core.pickles import set_state
from ..base.answer import LabelAnswer, LabelRows, answer_of, answers_of, is_ours, reads_anything
from ..base.checks import check_positive, checked_weight
from ..base.classifiers import (
    ONE,
    check_weight_taken,
    is_multilabel,
    last_step,
    last_step_and_input,
    probabilities,
    shown,
    takes_weights,
)
from ..base.explanation import Floats
from ..base.predictor import Predictor, open_for_river
from ..base.targets import read_label
from ..base.wrapper import ModelWrapper, check_model
from ..linear_model import HAROW
from ..metrics.costs import Costs, check, check_values
from ..taxonomy import (
    Edit,
    Label,
    Taxonomy,
    UnknownLabelError,
    check_edits,
    check_taxonomy,
    extended,
)
from ..taxonomy.multilabel import spelled


class Decoder(ModelWrapper):
    """Base class of decoders, which predict the best multilabel under a model's probabilities.

    While the model learns, they count how many children of a node are on, beside what the model
    expected before it learned the example (`native/algorithms/child_counts.hpp`).
    """

    __setstate__ = set_state

    if TYPE_CHECKING:

        def predict_one(
            self, x: Any, threshold: float | None = None, max_depth: int | None = None
        ) -> dict[Label, bool]: ...

    def __init__(self, model: Any) -> None:
        check_model(model, "predict_proba_one", "predict_one")
        super().__init__(model)
        if not is_multilabel(self._last):
            raise TypeError(
                f"`model` must predict multilabels, got {shown(model)}; for single labels use "
                "`TreeBayes`"
            )
        if isinstance(self.taxonomy, Taxonomy):
            self._check_taxonomy(self.taxonomy)
        self._counts: Floats = np.zeros((0, 7))  # a row a node, for the functions of `_core`

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"model": HAROW()}

    def _answer(self, x: Any) -> Any:
        return answer_of(self.model, x).but(rule=self._decide)

    def _answers(self, X: Batch) -> Any:
        return answers_of(self.model, X).but(rule=self._decide)

    def _judge(self, answer: Any, y: Any) -> Any:
        with suppress(UnknownLabelError):  # a new label, or one that the model refuses
            return child_counts(answer.labels, answer.p(), y, self._counts)

    def _adjust(self, seen: Any, y: Any, w: float) -> None:
        if seen is not None:
            nodes, rows = seen
            self._with_all_nodes()[nodes] += w * rows

    def _forget(self, nodes: Nodes) -> None:
        self._with_all_nodes()[nodes] = 0.0

    def _edit(self, edit: Edit) -> None:
        counts = np.zeros((len(edit.after), 7))
        np.add.at(counts, edit._nodes[: len(self._counts)], self._counts)
        self._counts = counts

    def _with_all_nodes(self) -> Floats:
        if new := len(self._taxonomy) - len(self._counts):
            self._counts = np.concatenate([self._counts, np.zeros((new, 7))])
        return self._counts

    @abc.abstractmethod
    def _decide(self, answer: Any, marginals: Any) -> list[int]:
        """The nodes that are on but the root; no marginal is above that of a parent."""


class ZeroOneBayes(Decoder):
    r"""The most probable multilabel: the one with the least expected zero-one loss.

    Given that node $u$ is on, the set of its children that are on is $S$ with probability

    $$P(S \mid u) = \frac{w_{\min(|S|, 2)}}{Z} \prod_{i \in S} p_i \prod_{i \notin S} (1 - p_i)$$

    where $p_i$ is the model's probability that child $i$ is on, given that $u$ is, and $Z$ makes
    the sum 1. The factors $w_0, w_1, w_2$ of a node, for no child, one and more of them, are
    learned: $w_k$ is how often this has occurred, divided by how often independent children would
    have it by the model's probabilities before it learned the example, both increased by
    four examples as expected. So where every inner node that is on has a child on, or just one, the
    prediction has, too. Working up from the leaves, the best set of children of each node is
    found exactly.

    In a DAG the problem is NP-hard. There a node with several parents counts as a child of the
    least probable one, and is on only if all of them are, which nearly always finds the most
    probable multilabel; factors are 1 where children have several parents.

    Parameters
    ----------
    model
        A multilabel model in a taxonomy, with `predict_proba_one`, or a pipeline that ends in one.

    Notes
    -----
    With factors of 1, labels depend on their parents only, as in section 5 of the paper [^1]. The
    factors are ours. On top of the model's probabilities, a prediction takes O(nodes) time, and a
    step O(children of the nodes that are on).

    Examples
    --------

    >>> from river import evaluate
    >>> from river_hier import Taxonomy, decision, linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy.from_nested({"r": {"a": {"b": ["c", "d", "e"]}, "f": ["g", "h"]}})
    >>> stream = synth.LinearLabels(t, n_features=5, seed=42)

    >>> model = decision.ZeroOneBayes(linear_model.HRLS(t))
    >>> evaluate.progressive_val_score(stream.take(2000), model, metrics.ZeroOneLoss(t))
    ZeroOneLoss: 70.40%

    References
    ----------
    [^1]: [Cesa-Bianchi, N., Gentile, C. and Zaniboni, L., 2006. Incremental algorithms for
        hierarchical classification. JMLR 7.](https://www.jmlr.org/papers/v7/cesa-bianchi06a.html)

    """

    def _decide(self, answer: Any, marginals: Any) -> list[int]:
        return likeliest(answer.labels, marginals, self._counts)


class HLossBayes(Decoder):
    r"""The multilabel with the least expected H-loss under a model's probabilities.

    Let a node $i$ with parent $j$ be on with probability $P_i \le P_j$: that of the model, or of
    the joint model of `ZeroOneBayes`, at nodes where this has predicted the children that are on
    with the smaller logarithmic loss. The expected H-loss of a prediction that respects the
    taxonomy is

    $$\sum_{i\,:\,\hat{y}_j = 1} c_i \, (\hat{y}_i \, (P_j - P_i) + (1 - \hat{y}_i) \, P_i),$$

    since a node costs only if the prediction is right at all its ancestors. Working up from the
    leaves, it is best to switch a node on, if its parent is on, when

    $$c_i \, (P_j - P_i) + \sum_{k \textrm{ below } i} \ell_k \le c_i P_i$$

    with $\ell_k$ the least expected loss in the subtree of child $k$. Only nodes for which
    $2 P_i \ge P_j$ holds all the way up are visited, and their children.

    In a DAG, a node below several parents costs only if all of them are on, and for $P_j$ stands
    the probability that they are. This is not known, but at most that of the least probable one:
    the node is decided as a child of that one, and is on only if all its parents are. So whatever
    the joint distribution of the labels is, the expected loss is not above that of predicting no
    label. In trees it is the least one; in random DAGs of 8 nodes it was 0.1 to 1.4 % above it.

    Parameters
    ----------
    model
        A multilabel model in a taxonomy, with `predict_proba_one`, or a pipeline that ends in one.
    costs
        `{label: cost}`, positive and finite; other labels cost 1. In an open taxonomy, labels that
        have not arrived yet may be named.

    Notes
    -----
    The H-loss and its expectation are those of the paper [^1], whose own rule switches a node on if
    its probability, given that its parent is on, is at least 1/2. DAGs are ours. On top of the
    model's probabilities, a prediction takes O(nodes) time.

    Examples
    --------

    >>> from river import evaluate
    >>> from river_hier import Taxonomy, decision, linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy.from_nested({"r": {"a": {"b": ["c", "d", "e"]}, "f": ["g", "h"]}})
    >>> stream = synth.LinearLabels(t, n_features=5, seed=42)

    >>> model = decision.HLossBayes(linear_model.HRLS(t))
    >>> evaluate.progressive_val_score(stream.take(2000), model, metrics.HLoss(t))
    HLoss: 0.893

    References
    ----------
    [^1]: [Cesa-Bianchi, N., Gentile, C. and Zaniboni, L., 2006. Incremental algorithms for
        hierarchical classification. JMLR 7.](https://www.jmlr.org/papers/v7/cesa-bianchi06a.html)

    """

    def __init__(self, model: Any, costs: Costs | None = None) -> None:
        self.costs: Costs | None = costs
        check_values(costs, "costs")  # their labels may arrive later
        super().__init__(model)

    def _check_taxonomy(self, taxonomy: Taxonomy) -> None:
        check(taxonomy, self.costs, "costs")

    def _check_edit(self, edit: Edit) -> None:
        costs = self.costs
        self._rename_costs(edit)
        try:
            super()._check_edit(edit)
        finally:
            self.costs = costs

    def _edit(self, edit: Edit) -> None:
        super()._edit(edit)
        self._rename_costs(edit)

    def _rename_costs(self, edit: Edit) -> None:
        if self.costs is not None:
            costs = spelled(edit.before, self.costs).items()
            self.costs = {edit.labels.get(label, label): cost for label, cost in costs}

    def _decide(self, answer: Any, marginals: Any) -> list[int]:
        labels = answer.labels
        if self.costs is None:
            return least_h_loss(labels, marginals, self._counts)
        costs = np.ones(len(self._taxonomy))
        for label, cost in spelled(self._taxonomy, self.costs).items():
            if label in self._taxonomy:  # in an open one it may not have arrived yet
                costs[self._taxonomy.index(label)] = cost
        return least_h_loss(labels, marginals, self._counts, costs)


class SymmetricDifferenceBayes(Decoder):
    r"""The multilabel with the least expected symmetric difference from the truth.

    This loss is a sum over nodes, so each node is decided on its own. It is on if

    $$\textrm{missed} \cdot P_i \ge \textrm{spurious} \cdot (1 - P_i)$$

    with $P_i$ the probability that it is on, as in `HLossBayes`. As no node is more probable than
    its parent, the prediction respects the taxonomy. The `volumes` of the metric have no effect.

    The same rule is best for hierarchical F$_\beta$ (`metrics.HFBeta`), with
    $\textrm{missed} / \textrm{spurious} = (1 + \beta^2) / F - 1$ and $F$ the best value that can be
    reached [^1]: `missed=1.5` suits an HF1 of 0.8, `missed=4` one of 0.4.

    Parameters
    ----------
    model
        A multilabel model in a taxonomy, with `predict_proba_one`, or a pipeline that ends in one.
    missed
        The cost of a label that is missed, positive.
    spurious
        The cost of a label that is wrongly predicted, positive.

    Examples
    --------

    >>> from river import evaluate
    >>> from river_hier import Taxonomy, decision, linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy.from_nested({"r": {"a": {"b": ["c", "d", "e"]}, "f": ["g", "h"]}})
    >>> stream = synth.LinearLabels(t, n_features=5, seed=42)

    >>> model = decision.SymmetricDifferenceBayes(linear_model.HRLS(t))
    >>> evaluate.progressive_val_score(stream.take(2000), model, metrics.SymmetricDifferenceLoss(t))
    SymmetricDifferenceLoss: 1.737

    References
    ----------
    [^1]: [Lipton, Z.C., Elkan, C. and Naryanaswamy, B., 2014. Optimal thresholding of classifiers
        to maximize F1 measure. In Machine Learning and Knowledge Discovery in Databases, pp.
        225-239.](https://doi.org/10.1007/978-3-662-44851-9_15)

    """

    def __init__(self, model: Any, missed: float = 1.0, spurious: float = 1.0) -> None:
        super().__init__(model)
        check_positive("missed", missed)
        check_positive("spurious", spurious)
        self.missed = missed
        self.spurious = spurious

    def _decide(self, answer: Any, marginals: Any) -> list[int]:
        # missed p >= spurious (1 - p)
        threshold = 1.0 / (1.0 + self.missed / self.spurious)
        return connected(answer.labels, marginals, threshold, None, self._counts)


class HFBetaBayes(Decoder):
    r"""The multilabel with the greatest expected hierarchical F of one example.

    Let $Y$ be the set of the nodes below the root that are on. The prediction $S$ maximises

    $$E \, \frac{(1 + \beta^2) \, |S \cap Y|}{\beta^2 |Y| + |S|} = \sum_{i \in S} \sum_n
    P(i \in Y, |Y| = n) \, \frac{1 + \beta^2}{\beta^2 n + |S|}$$

    for children that are independent given their parent. Of all sets of a size, it consists of the
    nodes with the largest terms, as for one label an example in [^1]; the best size is tried out.
    No term is above that of the parent, so the prediction respects the taxonomy. The joint
    probabilities are the coefficients of polynomials, which are computed down the tree.

    Parameters
    ----------
    model
        A multilabel model in a tree, with `predict_proba_one`, or a pipeline that ends in one.
    beta
        The weight of recall over precision, positive.

    Notes
    -----
    On top of the model's probabilities, a prediction takes O(nodes^3) time: a few
    milliseconds for 100 nodes, where other decoders take a fraction of one. `metrics.HFBeta` with
    `average="macro"` is the mean over the examples; for the micro average, see
    `SymmetricDifferenceBayes`.

    Examples
    --------

    >>> from river import evaluate
    >>> from river_hier import Taxonomy, decision, linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy.from_nested({"r": {"a": {"b": ["c", "d", "e"]}, "f": ["g", "h"]}})
    >>> stream = synth.LinearLabels(t, n_features=5, seed=42)

    >>> model = decision.HFBetaBayes(linear_model.HRLS(t))
    >>> metric = metrics.HFBeta(t, beta=1.0, average="macro")
    >>> evaluate.progressive_val_score(stream.take(500), model, metric)
    HFBeta: 50.21%

    References
    ----------
    [^1]: [Plaud, R., Perez-Lebel, A., Labeau, M., Saillenfest, A. and Bonald, T., 2025. To each
        metric its decoding. ICML 42, pp. 49493-49536.](
        https://proceedings.mlr.press/v267/plaud25a.html)

    """

    def __init__(self, model: Any, beta: float = 1.0) -> None:
        super().__init__(model)
        check_positive("beta", beta)
        self.beta = beta

    def _check_taxonomy(self, taxonomy: Taxonomy) -> None:
        taxonomy._arrays.check_tree()

    def _decide(self, answer: Any, marginals: Any) -> list[int]:
        marginals = expanded(answer.labels, marginals)
        if not marginals[1:].any():
            return []
        t, n = self._taxonomy._arrays, len(marginals)
        m = n // 2 + 1  # the other half of the circle is conjugate
        z = np.exp(-2j * np.pi * np.arange(m) / n)
        above = marginals[t.parent_index]
        given = np.divide(marginals[1:], above, out=np.zeros(n - 1), where=above > 0.0)
        given = np.array([1.0, *given])[:, None]
        below = np.empty((n, m), complex)  # E z^(nodes below that are on), given the node
        whole = np.empty((n, m), complex)  # E z^(nodes at or below), given the parent
        for u in reversed(range(n)):
            below[u] = whole[list(t.children[u])].prod(axis=0)
            whole[u] = 1.0 - given[u] + given[u] * z * below[u]
        outside = np.ones((n, m), complex)  # E z^(what is not below the node) [it is on]
        for u, children in enumerate(map(list, t.children)):
            rows = np.vstack([np.ones(m), whole[children], np.ones(m)])
            others = rows[:-2].cumprod(axis=0) * rows[:1:-1].cumprod(axis=0)[::-1]
            outside[children] = outside[u] * given[children] * z * others
        joint = np.fft.irfft(outside * below, n)[1:, 1:]  # P(node on, so many are on)
        sizes, beta2 = np.arange(1, n), self.beta**2
        gains = joint @ ((1.0 + beta2) / (beta2 * sizes[:, None] + sizes))
        order = np.argsort(-gains.round(12), axis=0, kind="stable")
        k = np.take_along_axis(gains, order, axis=0).cumsum(axis=0).diagonal().argmax()
        return sorted((order[: k + 1, k] + 1).tolist())


class TreeBayes(Predictor, base.Wrapper[Any], base.Classifier):
    r"""The node with the least expected tree distance under any classifier's probabilities.

    Given the probability $p_u$ of each label by a classifier, which need not know the taxonomy, the
    prediction is the node, inner nodes and the root included, that minimises

    $$E\,\gamma(u, v) = \sum_u p_u \, \gamma(u, v).$$

    This is the deepest node whose subtree has more than half of the probability; of ties, the node
    nearest to the root. A model of this library needs no wrapper: `model.predict_one(x,
    threshold=0.5)` differs only in entering a subtree of exactly one half.

    Parameters
    ----------
    classifier
        Any multiclass classifier or pipeline of River. Without `predict_proba_one`, its prediction
        has probability 1.
    taxonomy
        A tree that contains its labels.

    Notes
    -----
    On top of the classifier, a prediction takes O(nodes) time. The node may have probability 0. A
    negative or infinite one raises a `ValueError`.

    Examples
    --------

    >>> from river import evaluate, naive_bayes
    >>> from river_hier import decision, metrics
    >>> from river_hier.datasets import synth

    >>> stream = synth.PrototypeTree(branching=3, depth=2, noise=0.16, seed=42)
    >>> t = stream.taxonomy

    >>> model = decision.TreeBayes(naive_bayes.GaussianNB(), t)
    >>> evaluate.progressive_val_score(stream.take(1000), model, metrics.TreeInducedError(t))
    TreeInducedError: 0.502

    """

    _kind = ONE
    _multiclass: bool = True

    def __init__(self, classifier: base.Estimator, taxonomy: Taxonomy) -> None:
        check_taxonomy(taxonomy)
        taxonomy._arrays.check_tree()
        if not isinstance(classifier, base.Classifier):
            several = isinstance(classifier, base.MultiLabelClassifier)
            help_ = "; for multilabels use `HLossBayes`" * several
            raise TypeError(f"`classifier` must be a classifier, got {shown(classifier)}{help_}")
        self.classifier = classifier
        self._takes_weights = takes_weights(classifier)
        self.taxonomy: Taxonomy = taxonomy

    @property
    def taxonomy_(self) -> Taxonomy:
        """The taxonomy as it is now."""
        return self.taxonomy

    _taxonomy = taxonomy_

    @property
    def _wrapped_model(self) -> Any:
        return self.classifier

    @property
    def _of_pipeline(self) -> bool:
        return reads_anything(self.classifier)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        labels = [True, False, "path", "cement", "sky", "window", "brickface", "foliage", "grass"]
        softmax = river_linear_model.SoftmaxRegression()
        yield {"classifier": softmax, "taxonomy": Taxonomy.flat(labels)}

    def adopt(self, taxonomy: Taxonomy | Edit) -> None:
        """Continue with a larger tree, and let the classifier adopt it if it has a taxonomy.

        An `Edit` is refused if it has none, as it keeps its labels.
        """
        if isinstance(taxonomy, Edit):
            self._check_edit(taxonomy)
            return self._follow(taxonomy)
        taxonomy = extended(self.taxonomy, taxonomy)
        taxonomy._arrays.check_tree()
        inner = last_step(self.classifier)
        if hasattr(inner, "adopt"):
            inner.adopt(taxonomy)
        self.taxonomy = taxonomy

    def _check_edit(self, edit: Edit) -> None:
        check_edits(self.taxonomy, edit)
        edit.after._arrays.check_tree()
        if not hasattr(inner := last_step(self.classifier), "_check_edit"):
            raise TypeError(
                f"{shown(self.classifier)} cannot follow an edit, since it keeps its labels; "
                "train a new model"
            )
        inner._check_edit(edit)

    def _follow(self, edit: Edit) -> None:
        last_step(self.classifier)._follow(edit)
        self.taxonomy = edit.after

    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0, **kwargs: Any) -> None:
        """Learn from one example, as the classifier does; y may be any node of the taxonomy."""
        if w != 1.0 and not (w := checked_weight(w)):
            return
        check_weight_taken(self.classifier, self._takes_weights, w)
        if self._takes_weights:
            kwargs["w"] = w
        _, v = read_label(self, y)  # which may be a path
        self.classifier.learn_one(x, self.taxonomy.nodes[v], **kwargs)

    @property
    def _labels(self) -> Labels:
        return labels_of(self.taxonomy)

    @open_for_river
    def predict_proba_one(self, x: dict[Any, Any]) -> dict[Any, float]:
        """The probability of each label, as the classifier gives it."""
        return self.classifier.predict_proba_one(x)

    def _decide(self, answer: Any, p: Any) -> int:
        return deepest(answer.labels, p, None)

    def _answer(self, x: Any) -> Any:
        last, read = last_step_and_input(self.classifier, x)
        if is_ours(last) and last._taxonomy is self.taxonomy:  # without dictionaries
            p = last._answer(read).p()
        else:
            p = np.full(len(self.taxonomy), np.nan)
            for label, share in probabilities(self.classifier, x).items():
                if not 0.0 <= share < math.inf:
                    raise ValueError(f"the classifier gives {label!r} the probability {share!r}")
                p[self.taxonomy.index(label)] = share
        return LabelAnswer(self._labels, p=p).but(rule=self._decide)

    def _answers(self, X: Batch) -> Any:
        classifier: Any = self.classifier
        if not is_ours(classifier):
            return super()._answers(X).but(rule=self._decide)
        nodes = [self.taxonomy.index(label) for label in classifier._taxonomy.nodes]
        p = np.zeros((X.n, len(self.taxonomy)))
        p[:, nodes] = classifier._answers(X).p()
        return LabelRows(self._labels, p=p).but(rule=self._decide)
