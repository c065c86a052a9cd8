"""A channel of wrong labels around a model, whose rates are learned with it."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from .._core import Nodes, learned_before, path_probabilities, repeats
from ..base.answer import answer_of, is_ours
from ..base.checks import checked_weight
from ..base.classifiers import last_step, last_step_and_input, shown, takes_weights
from ..base.targets import whole
from ..base.wrapper import ModelWrapper, check_model, learns_parts
from ..linear_model import PathSoftmax
from ..taxonomy import Below, Edit, Evidence, Label

FIRST = 0.01  # the rate of each depth at first
WAIT = 500  # examples that are learned before rates are
RATE = 0.003  # of the steps of the rates
LEAST, MOST = 0.001, 0.6  # limits of a rate
DOUBT = 0.5  # a larger share of wrong labels says that the model is wrong
FLOOR = 0.05  # the least weight of a label then
ENOUGH = 0.05  # of a weight, for what is known above a label to be learned


class Suspicion(NamedTuple):
    """What `NoisyLabels` believes of a label: see `suspect_one`."""

    wrong: float
    depth: int
    proposed: Label
    probability: float


class NoisyLabels(ModelWrapper):
    r"""Learns from labels of which some are wrong, and how many of them are wrong at which depth.

    With the rate $e_d$, a label is not the true one, but drawn from all labels that are seen below
    the ancestor of depth d of the true label: with $e_0$ any label at all, with the rate of the
    depth of its parent a sibling. Otherwise it is right. Let y be the label, $a_d$ its ancestors,
    $P_v$ the model's probability that the true label is v or below it, $p_y$ that it is y, and
    $q_d$ the share of y among the labels below $a_d$. Then by Bayes' rule

    $$r \propto \Big(1 - \sum_d e_d\Big) \, p_y, \qquad r_d \propto e_d \, q_d \, P_{a_d} \tag{1}$$

    are the probabilities that the label is right, and that it is known down to $a_d$ only. The
    model learns y with the weight r and `Below` $a_d$ with the weight $r_d$: the gradient of the
    likelihood of the label. The rates follow the means of $r_d$ (EM in a stream).

    Parameters
    ----------
    model
        A model of one label in a tree with probabilities, which learns with weights, or a pipeline
        that ends in one. Models that do not learn what is `Below` a node learn the weight r only.

    Attributes
    ----------
    noise_rates_
        The share of wrong labels of each depth: the list of $e_d$.

    Notes
    -----
    A label without earlier examples is trusted. If more than half of the labels seem wrong, it is
    rather the model: then the weight r is at least 0.05, and the model changes its mind. The rates
    move by 0.003 of the difference with each example after the first 500. Repeated examples do not
    move them, and what is known of a label in part is passed on. Put `stream.Replayed` inside, not
    around: it repeats the weights, while a model that has learned a wrong label before finds it
    likely. A step takes a prediction and a step of the model and, for a label that seems wrong, one
    step more for each depth.

    Examples
    --------
    >>> import random
    >>> from river_hier import decision, linear_model
    >>> from river_hier.datasets import synth

    >>> stream = synth.PrototypeTree(branching=3, depth=3, noise=0.04, seed=42)
    >>> t, rng = stream.taxonomy, random.Random(1)
    >>> model = decision.NoisyLabels(linear_model.PathSoftmax(t))
    >>> for x, y in stream.take(5000):
    ...     model.learn_one(x, rng.choice(t.leaves) if rng.random() < 0.2 else y)
    >>> model.noise_rates_[0]
    0.196

    References
    ----------
    [^1]: [Dawid and Skene, 1979. Maximum likelihood estimation of observer error-rates using the EM
        algorithm. Applied Statistics, 28(1).](https://doi.org/10.2307/2346806)
    """

    _multiclass: bool = True

    def __init__(self, model: Any) -> None:
        check_model(model, "predict_proba_one")
        super().__init__(model)
        if self._kind.several:
            raise TypeError(
                f"`model` must be a model of one label, got {shown(model)}, which learns several"
            )
        learner = self._last
        while hasattr(learner, "_wrapped_model"):
            learner = last_step(learner._wrapped_model)
        if not takes_weights(learner):
            raise TypeError(f"`model` must learn with weights, and {shown(learner)} takes none")
        self._rates: list[float] = []
        self._n = 0.0
        # Of each node as a label, of the labels at or below it, and how many of these differ.
        self._counts: dict[Any, tuple[float, float, int]] = {}

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"model": PathSoftmax()}

    @property
    def noise_rates_(self) -> list[float]:
        return list(self._rates)

    def suspect_one(self, x: Any, y: Label) -> Suspicion:
        """How likely a label is wrong, before it is learned.

        Parameters
        ----------
        x
            The x of the example.
        y
            Its label.

        Returns
        -------
        The probability that it is `wrong`; the `depth` down to which it is most likely right, if it
        is; the likeliest other label, which is `proposed`, and its `probability` given x and y.
        """
        answer, t = answer_of(*last_step_and_input(self.model, x)), self._taxonomy
        path = self._path(y)
        right, below = self._posterior(answer, path)
        if right == 1.0:
            return Suspicion(0.0, 0, path[-1], 1.0)
        tree, likelihood, chance = t._arrays, np.zeros(len(t)), 0.0
        for label, more in zip(path, self._chances(path), strict=False):
            chance += more
            v = t.index(label)
            likelihood[v] = likelihood[tree.branch(v)] = chance
        likelihood[t.index(path[-1])] += self._right(path)
        posterior = answer.array() * likelihood
        total = float(posterior.sum())
        posterior[t.index(path[-1])] = 0.0
        best = int(posterior.argmax())
        depth = max(range(len(below)), key=below.__getitem__)
        return Suspicion(1.0 - right, depth, t.nodes[best], float(posterior[best]) / total)

    def learn_one(self, x: Any, y: Any, w: float = 1.0, **kwargs: Any) -> None:
        if w != 1.0 and not (w := checked_weight(w)):
            return
        last, read = last_step_and_input(self.model, x)
        if is_ours(last):  # before a transformer learns from x
            last._check_one(read, y, w)
        if isinstance(y := whole(self, y), Evidence):
            return self.model.learn_one(x, y, w=w, **kwargs)
        if y not in self._taxonomy:
            self.model.learn_one(x, y, w=w, **kwargs)
            return None if repeats() else self._count(self._path(y), [], w)
        path = self._path(y)
        right, below = self._posterior(answer_of(last, read), path)
        if below:
            self._rates = self._rates_of(path)
        doubtful = sum(self._rates) > DOUBT
        if (weight := max(right, FLOOR) if doubtful else right) > 0.0:
            self.model.learn_one(x, y, w=w * weight, **kwargs)
        if learns_parts(last):
            for ancestor, r in zip(path[1:-1], below[1:], strict=False):
                if r > ENOUGH:
                    with learned_before:
                        last.learn_one(read, Below(ancestor), w=w * r)
        if not repeats():
            self._count(path, below, w)

    def _path(self, y: Label) -> tuple[Label, ...]:
        t = self._taxonomy
        return t.path(t.nodes[t.index(y)])

    def _seen(self, y: Label) -> bool:
        """Whether there was an example with this label."""
        return self._counts.get(y, (0.0,))[0] > 0.0

    def _right(self, path: tuple[Label, ...]) -> float:
        """The share of labels of this depth that are right."""
        return max(1.0 - sum(self._rates_of(path)[: len(path) - 1]), 0.0)

    def _rates_of(self, path: tuple[Label, ...]) -> list[float]:
        """The rates so far, and first ones down to the depth of a label."""
        return self._rates + [FIRST] * (len(path) - 1 - len(self._rates))

    def _chances(self, path: tuple[Label, ...]) -> list[float]:
        """e_d q_d for each depth above a label."""
        none = 0.0, 0.0, 0
        n, chances = self._counts.get(path[-1], none)[0] + 1.0, []
        for rate, label in zip(self._rates_of(path), path[:-1], strict=False):
            _, total, distinct = self._counts.get(label, none)
            chances.append(rate * n / (total + distinct + 1.0))
        return chances

    def _posterior(self, answer: Any, path: tuple[Label, ...]) -> tuple[float, list[float]]:
        """The probabilities that a label is right, and that it is down to each depth only."""
        p = None if answer.silent or not self._seen(path[-1]) else answer.p()
        if p is not None:
            labels = answer.labels
            *below, own = path_probabilities(labels, p, labels.taxonomy.index(path[-1]))
            wrong = [q * r for q, r in zip(self._chances(path), below, strict=False)]
            right = self._right(path) * own
            if (total := right + sum(wrong)) > 0.0:
                return right / total, [r / total for r in wrong]
        return 1.0, []  # it is trusted

    def _count(self, path: tuple[Label, ...], below: list[float], w: float) -> None:
        """Count a label, and move the rates of its depths."""
        new = not self._seen(path[-1])
        for label in path:
            own, total, distinct = self._counts.get(label, (0.0, 0.0, 0))
            self._counts[label] = own + w * (label is path[-1]), total + w, distinct + new
        self._n += w
        if self._n > WAIT:
            step = min(RATE * w, 1.0)
            for d, r in enumerate(below):
                rate = self._rates[d] + step * (r - self._rates[d])
                self._rates[d] = min(max(rate, LEAST), MOST)

    def _edit(self, edit: Edit) -> None:
        before, total, self._counts = self._counts, self._n, {}
        for old, (n, *_) in before.items():
            if n:
                self._count(edit.after.path(edit.labels.get(old, old)), [], n)
        self._n = total

    def _forget(self, nodes: Nodes) -> None:
        t = self._taxonomy
        *above, top = t.path(t.nodes[int(nodes[0])])
        _, total, distinct = self._counts.get(top, (0.0, 0.0, 0))
        for label in above:
            own, all_below, different = self._counts.get(label, (0.0, 0.0, 0))
            self._counts[label] = own, all_below - total, different - distinct
        for v in nodes.tolist():
            self._counts.pop(t.nodes[v], None)
