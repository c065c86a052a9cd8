"""Predictions that are as specific as a limit on the share of wrong ones allows."""

import math
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator
from itertools import chain, takewhile
from typing import Any

from .._core import Batch
from ..base.answer import answer_of, answers_of
from ..base.checks import check, check_integer, number
from ..base.classifiers import last_step_and_input
from ..base.dataframes import pairs
from ..base.wrapper import ModelWrapper, check_model
from ..linear_model import PathSoftmax
from ..taxonomy import Edit, Label
from ..taxonomy.multilabel import implied_nodes

RATE = 0.1  # of the steps of the level, in units of the risk


class Group:
    """The latest examples of the stream or of a branch, and the level of its risk."""

    def __init__(self, level: float) -> None:
        self.level: float = level
        self._latest: list[tuple[float, float]] = []
        self._least: list[float] = []  # the smallest thresholds without a mistake, sorted
        self._first: list[float] = []  # from which thresholds on the answer is the root, sorted

    def threshold(self, level: float, root: float) -> float:
        n = len(self._least)
        wanted = (1.0 - level) * (n + 1)
        for k in range(max(math.ceil(wanted), 0), n + 1):
            threshold = self._least[k - 1] if k else 0.0
            silent = bisect_right(self._first, threshold)
            if k >= wanted + level * (1.0 - root) * silent:
                return threshold
        return 1.0

    def add(self, least: float, first: float, window: int) -> None:
        insort(self._least, least)
        insort(self._first, first)
        self._latest.append((least, first))
        if len(self._latest) > window:
            least, first = self._latest[0]
            del self._latest[0]
            del self._least[bisect_left(self._least, least)]
            del self._first[bisect_left(self._first, first)]


class Gate:
    """The latest known examples, and the level of those that are refused."""

    def __init__(self, level: float) -> None:
        self.level: float = level
        self._latest: list[float] = []
        self._sorted: list[float] = []

    def refuses(self, familiarity: float) -> bool:
        n = len(self._sorted)
        k = math.floor(self.level * (n + 1))
        return k > n or (k > 0 and familiarity < self._sorted[k - 1])

    def add(self, familiarity: float, share: float, window: int) -> None:
        level = self.level + RATE * share * (share - self.refuses(familiarity))
        self.level = min(level, 2.0 * share)
        insort(self._sorted, familiarity)
        self._latest.append(familiarity)
        if len(self._latest) > window:
            del self._sorted[bisect_left(self._sorted, self._latest[0])]
            del self._latest[0]


class Selective(ModelWrapper):
    r"""Selective prediction: at most a given share of the answers is wrong, whatever the stream.

    **One label.** An answer may be any node, and is right if the label is this node or below it.
    From the root, it descends to the child $v$ with the most probable subtree, as long as the label
    is more likely there than at the node itself, and

    $$P_v = \sum_{u \textrm{ at or below } v} p_u > \tau.$$

    **Several labels.** An answer is a set of nodes, and is right if all of them are on; others may
    be missing. From the root alone, which is always right, it adds the node that is most likely on
    given that its parents are, of those whose parents have been added, as long as

    $$P_v = \prod_{u \textrm{ in the answer, } v \textrm{ included}} P(u \textrm{ on} \mid
    \textrm{parents on}) > \tau.$$

    For each learned example, the smallest threshold at which the answer would have been right is
    known: the probability $P_v$ of the first wrong node on the way, or 0. The threshold $\tau$
    is the $k$-th smallest of these values among the latest $n$ examples, where
    $k = \lceil (1 - \alpha)(n + 1) \rceil$, and 1 if $k > n$. With a level $\alpha$ of `risk`, an
    answer is wrong with probability at most `risk` if the example and those of the window are
    exchangeable. On other streams, this holds in the long run, as the level follows the mistakes:
    after each example, whose answer was a mistake (1) or none (0),

    $$\alpha \leftarrow \min(2 \cdot \textrm{risk}, \;
        \alpha + 0.1 \cdot \textrm{risk} \cdot (\textrm{risk} - \textrm{mistake})).$$

    As there is no mistake when the level is at most 0, it stays above $-0.1 \cdot$ `risk`. Hence on
    any stream at most `risk` $\cdot \, n + 21$ of any $n$ answers in succession are wrong, and
    `risk` $\cdot \, n + 11$ of the first $n$.

    **What the root counts.** The root is an answer, too, and right for every label. So among the
    answers below the root, the share of wrong ones is larger: up to `risk` divided by their share.
    With a smaller `root`, such an answer counts as so much of an answer: $n$ is the number of
    answers below the root and `root` times that of the others, in the steps, in the bounds, and in
    the $k$ above, as the mistakes of the window at a threshold must be at most $\alpha$ times its
    answers there. With 0, the risk is one among the answers that say something; but then a stream
    that has broken it may get no such answer again, so 0.1 is safer.

    **By branch.** A risk of the whole stream may be exceeded in a branch that is harder than
    others, or in which labels have changed. With `by_branch=True`, each child of the root has a
    window and a level of its own, for the examples whose way begins there, with steps for the
    mistakes that its own threshold makes. The threshold is that for the level
    $\alpha_v + \alpha_0 - \textrm{risk}$, where $\alpha_0 \le$ `risk` makes the same steps for the
    mistakes of all answers. So it is never below that of the branch alone, and both bounds hold:
    at most `risk` $\cdot \, n + 21$ of any $n$ answers in succession are wrong, in the whole stream
    and in each branch.

    **Strangers.** All this is about examples like those that are learned. With `foreign`, the
    answer is also the root for an x that is unlike them: whose familiarity, the largest score of a
    label (`inspection.familiarity_one`), is below the $k$-th smallest of the latest $n$ learned
    examples,
    where $k = \lfloor \beta (n + 1) \rfloor$. After each of them, refused (1) or not (0),

    $$\beta \leftarrow \min(2 \cdot \textrm{foreign}, \;
        \beta + 0.1 \cdot \textrm{foreign} \cdot (\textrm{foreign} - \textrm{refused})).$$

    Nothing is refused at a level of 0 or less, so by the same argument at most `foreign`
    $\cdot \, n + 21$ of any $n$ learned examples in succession are refused, on any stream. Examples
    of the root do not count: labels of strangers, from which the model learns what is foreign.

    Parameters
    ----------
    model
        A model in a taxonomy with `predict_proba_one`, or a pipeline that ends in one.
    risk
        The share of answers that may be wrong, above 0 and below 1.
    window
        The number of examples from which the threshold is computed, the latest ones. At least 1 /
        `risk`.
    root
        How much of an answer the root is, from 0 to 1.
    by_branch
        Whether the risk is also kept in each branch below the root.
    foreign
        The share of examples with a label that may be refused as foreign; `None` refuses none.

    Attributes
    ----------
    thresholds
        The value that $P_v$ must exceed, 1 if the answer is the root: `{branch: threshold}` with
        `by_branch`, else `{root: threshold}`.

    Notes
    -----
    The promise is about the answers before each `learn_one`, with all examples learned. If labels
    are delayed, `learn_one` does not remember the answer that was given: it recomputes it, and the
    promise is about this one. The answer is the root for the first 1 / `risk` examples, of each
    branch with `by_branch`. On top of the model, learning takes one computation of its
    probabilities and O(`window`) operations, a prediction O(nodes) time, or the children along one
    path with `HierarchicalSoftmax`. All weights but 0 count alike for the threshold. Selective
    prediction in a taxonomy with a threshold from held-out examples is due to [^1], the steps of
    the level to [^2]; sets of several labels that grow with one threshold are ours.

    Examples
    --------

    >>> from river_hier import decision, linear_model
    >>> from river_hier.datasets import synth

    >>> stream = synth.PrototypeTree(branching=3, depth=3, noise=0.16, seed=42)
    >>> t = stream.taxonomy
    >>> model = decision.Selective(linear_model.PathSoftmax(t), risk=0.05)

    >>> mistakes, depth = 0, 0
    >>> for x, y in stream.take(4000):
    ...     answer = model.predict_one(x)
    ...     mistakes += answer not in t.path(y)
    ...     depth += t.depth(answer)
    ...     model.learn_one(x, y)
    >>> mistakes / 4000, depth / 4000
    (0.05075, 1.708)

    References
    ----------
    [^1]: [Goren, S., Galil, I. and El-Yaniv, R., 2024. Hierarchical selective classification.
        Advances in Neural Information Processing Systems 37.](https://arxiv.org/abs/2405.11533)
    [^2]: [Gibbs, I. and Candès, E., 2021. Adaptive conformal inference under distribution shift.
        Advances in Neural Information Processing Systems 34.](https://arxiv.org/abs/2106.00170)

    """

    _multiclass: bool = True
    foreign: float | None = None  # of a model of 0.1.0
    _gate: Gate | None = None

    def __init__(
        self,
        model: Any,
        risk: float = 0.05,
        window: int = 1_000,
        root: float = 1.0,
        by_branch: bool = False,
        foreign: float | None = None,
    ) -> None:
        check_model(model, "predict_proba_one", "predict_one")
        super().__init__(model)
        check(0.0 < number(risk) < 1.0, "risk", risk, "above 0 and below 1")
        check_integer("window", window, math.ceil(1.0 / risk))
        check(0.0 <= number(root) <= 1.0, "root", root, "from 0 to 1")
        self.risk = risk
        self.window = window
        self.root = root
        self.by_branch = by_branch
        self.foreign = foreign
        if foreign is not None:
            check(0.0 < number(foreign) < 1.0, "foreign", foreign, "None, or above 0 and below 1")
            self._gate = Gate(foreign)
        self._groups: dict[Label, Group] = {}  # of branches, or that of the root
        self._whole = risk  # the level of the whole stream, beside those of branches

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"model": PathSoftmax()}

    @property
    def thresholds(self) -> dict[Label, float]:
        return {label: self._threshold(group) for label, group in self._groups.items()}

    def calibrate(self, X: Any, y: Any = None) -> None:
        """Set the thresholds by examples that the model has not learned, and does not learn now.

        Around a trained model, the first answers are then as specific as later ones. All bounds
        hold from here on.

        Parameters
        ----------
        X
            The validation part of a table, of which the latest `window` rows count; without `y`,
            pairs `(x, y)`.
        y
            Its labels.

        """
        for x, true in pairs(X, y):
            last, read = last_step_and_input(self.model, x)
            self._adjust(self._judge(answer_of(last, read), true), true, 1.0)
        self._whole = self.risk
        for group in self._groups.values():
            group.level = self.risk
        if self._gate is not None and self.foreign is not None:
            self._gate.level = self.foreign

    def _judge(self, answer: Any, y: Any) -> Any:
        return *self._begun(answer, answer.p()), self._gate and answer.familiarity()

    def _adjust(self, seen: Any, y: Any, w: float) -> None:
        branch, first, way, familiarity = seen
        on = implied_nodes(self._taxonomy, y if self._kind.several else [y])
        least = next((p for v, p in way if v not in on), 0.0)
        group = self._groups.setdefault(branch, Group(self.risk))
        own, threshold = group.threshold(group.level, self.root), self._threshold(group)
        refused = self._gate is not None and self._gate.refuses(familiarity)
        allowed = self.risk * (1.0 if first > threshold and not refused else self.root)
        step = RATE * self.risk
        group.level = min(group.level + step * (allowed - (least > own)), 2.0 * self.risk)
        if self.by_branch:
            self._whole = min(self._whole + step * (allowed - (least > threshold)), self.risk)
        group.add(least, first, self.window)
        if self._gate is not None and self.foreign is not None and len(on) > 1:
            self._gate.add(familiarity, self.foreign, self.window)

    def _answer(self, x: Any) -> Any:
        return answer_of(self.model, x).but(rule=self._decide)

    def _answers(self, X: Batch) -> Any:
        return answers_of(self.model, X).but(rule=self._decide)

    def _decide(self, answer: Any, p: Any) -> Any:
        """The last node on the way or, of several labels, all of them."""
        if self._gate is not None and self._gate.refuses(answer.familiarity()):
            return [] if self._kind.several else None if answer.silent else 0
        branch, _, way = self._begun(answer, p)
        threshold = self._threshold(self._groups.get(branch) or Group(self.risk))
        reached = [v for v, p in takewhile(lambda step: step[1] > threshold, way)]
        if self._kind.several:
            return sorted(reached)
        return None if answer.silent else [0, *reached][-1]

    def _begun(self, answer: Any, p: Any) -> tuple[Label, float, Iterator[tuple[int, float]]]:
        """The branch of the first node of the answers, its probability, and all answers.

        Each adds a node to that before it, and is right with a probability that is at most 1.
        """
        way = answer.way(p)
        v, first = next(way, (0, 0.0))
        branch = self._taxonomy.nodes[v if self.by_branch else 0]
        return branch, first, chain([(v, first)], way)

    def _edit(self, edit: Edit) -> None:
        groups = self._groups.items()
        self._groups = {edit.labels.get(label, label): group for label, group in groups}

    def _threshold(self, group: Group) -> float:
        return group.threshold(group.level + self._whole - self.risk, self.root)
