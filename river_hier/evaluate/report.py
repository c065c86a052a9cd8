"""What a model gets wrong, and where in the taxonomy."""

from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from .. import inspection, losses
from ..base.answer import answer_of, taxonomy_of
from ..base.classifiers import last_step
from ..base.dataframes import pairs
from ..base.targets import judged
from ..plot.taxonomy import selected
from ..taxonomy import Evidence, Taxonomy
from ..taxonomy.multilabel import closure_nodes, predicted_nodes
from ..taxonomy.open import stated, with_labels
from ..taxonomy.show import page, text

_ROWS, _NODES, _BINS = 12, 40, 10  # rows of a table and nodes of the tree that are shown; bins
_SHARES: Any = dict.fromkeys(("wrong", "predicted", "observed"), "{:.1%}".format)
_SHOWN: Any = {"formatters": _SHARES | {"error": "{:.3f}".format}, "na_rep": "-"}


class Report:
    """Tables of mistakes; `bins` are sums of probabilities and of what was true, and numbers."""

    def __init__(self, t: Taxonomy, several: bool, answers: list[tuple[Any, Any]], bins: Any):
        loss = losses.h_loss if several else losses.tree_induced_error
        sums, pairs = np.zeros((len(t), 5)), Counter[tuple[Any, Any]]()
        for y, answer in answers:
            true, said = closure_nodes(t, y), predicted_nodes(t, answer)
            sums[list(true)] += 1, true != said, loss(t, y, answer), 0, 0
            sums[list(true - said), 3] += 1
            sums[list(said - true), 4] += 1
            if true != said:
                lowest = _lowest(t, true - said), _lowest(t, said - true)
                pairs.update(product(*lowest) if several else [(y, answer)])
        columns = ["n", "wrong", "error", "missed", "spurious"]
        nodes = pd.DataFrame(sums, pd.Index(t.nodes, tupleize_cols=False), columns)
        rows = [(*pair, count) for pair, count in pairs.most_common()]
        p = pd.DataFrame(bins[bins[:, 2] > 0], columns=["predicted", "observed", "n"])
        away = (p["predicted"] - p["observed"]).abs().sum() / max(p["n"].sum(), 1.0)
        self.taxonomy: Taxonomy = t
        self.n: int = len(answers)
        self.right: float = 1.0 - float(sums[0, 1]) / self.n
        self.error: float = float(sums[0, 2]) / self.n
        self.calibration_error: float = float(away)
        self.nodes: pd.DataFrame = _means(nodes, "wrong", "error")
        depths = nodes.groupby(t._arrays.depth).sum()[1:]
        self.depths: pd.DataFrame = _means(depths, "wrong", "error")
        self.confusions: pd.DataFrame = pd.DataFrame(rows, columns=["true", "answer", "n"])
        self.calibration: pd.DataFrame = _means(p, "predicted", "observed")

    def __repr__(self) -> str:
        line, tables, tree = self._shown("{}\n{}", pd.DataFrame.to_string)
        return "\n\n".join([line, *tables, text(tree[0], None, tree[1])])

    def _repr_html_(self) -> str:
        line, tables, tree = self._shown("<h4>{}</h4>{}", pd.DataFrame.to_html)
        return "".join([f"<p>{line}</p>", *tables, page(*tree)])

    def _shown(self, titled: str, written: Any) -> tuple[str, list[str], tuple[Any, list[str]]]:
        """The first line, tables, and the labels with the most mistakes and their ancestors."""
        line = f"{self.n:,} examples: {self.right:.1%} right, mean error {self.error:.3f}"
        line += f", calibration error {self.calibration_error:.1%}"
        branches = self.nodes[self.taxonomy._arrays.depth == 1]
        worst = np.argsort(-(branches["wrong"] * branches["n"]).fillna(0.0), kind="stable")
        tables = {
            "Branches, the most mistakes first": branches.iloc[worst[:_ROWS]],
            "Depths": self.depths,
            "Most frequent confusions": self.confusions.head(_ROWS),
            "Calibration": self.calibration,
        }
        rows = self.nodes[["missed", "n", "spurious"]].to_numpy()
        wrong = dict(enumerate((rows[:, 0] + rows[:, 2]).tolist()))
        part, *_ = selected(self.taxonomy, wrong, None, _NODES)
        kept = rows[[self.taxonomy.index(label) for label in part.nodes]].tolist()
        notes = [": missed {} of {}, spurious {}".format(*row) for row in kept]
        parts = [
            titled.format(title, written(t, **_SHOWN)) for title, t in tables.items() if len(t)
        ]
        return line, parts, (part, notes)


def report(model: Any, X: Any, y: Any = None) -> Report:
    """What a model gets wrong, and where in the taxonomy: text in a terminal, HTML in a notebook.

    Parameters
    ----------
    model
        A model in a taxonomy with probabilities, a pipeline that ends in one, or a fitted
        `HierarchicalClassifier`.
    X
        A dataframe, or anything to iterate over, of what `predict_one` takes. Without `y` a stream
        of `(x, y)` or `(x, y, kwargs)`: each example is predicted and then learned.
    y
        The labels, one or several for each x, or what is known of them. The model does not learn
        them. Those that an open taxonomy lacks are mistakes.

    Returns
    -------
    An object with `n`, `right`, `error`, the mean tree-induced error or, of several labels, H-loss,
    `calibration_error`, and dataframes:

    * `nodes`: of the `n` examples in a label or below, the share `wrong`, or not exactly right, the
      mean `error`, and how many `missed` the label; how many others were put there, `spurious`.
      `plot.taxonomy(t, result.nodes.missed)` draws them.
    * `depths`: the same for all labels at a depth.
    * `confusions`: true labels and answers by frequency; of several labels, each of the lowest
      missed ones with each of the lowest spurious ones, or with `None`.
    * `calibration`: bins of the probabilities of the best label or, of several labels, of all.

    Examples
    --------

    >>> from river_hier import evaluate, linear_model
    >>> from river_hier.datasets import synth

    >>> stream = synth.PrototypeTree(branching=2, depth=2, noise=0.04, seed=1)
    >>> result = evaluate.report(linear_model.PathSoftmax(stream.taxonomy), stream.take(1000))
    >>> result.depths
         n     wrong     error  missed  spurious
    1  860  0.033721  0.039535       7        10
    2  556  0.026978  0.035971      15        11
    >>> result.error
    0.043

    """
    model, answers, bins = inspection.fitted(model), [], np.zeros((_BINS, 3))
    inspection.check_in_taxonomy(model)
    t = taxonomy_of(model)
    for x, true, *given in pairs(X, y):
        answer = answer_of(model, x)
        if several := answer.several:
            said: Any = [answer.labels.taxonomy.nodes[v] for v in answer.nodes()]
            p = {label: p[True] for label, p in answer.distribution().items()}
        else:
            said = answer.prediction()
            p = {path[-1]: p for path, p in answer.top(1, False, None)}
        if y is None:
            model.learn_one(x, true, **(given[0] if given else {}))
            t = taxonomy_of(model)
        if not isinstance(open_ := last_step(model).taxonomy, Taxonomy):  # which may lack labels
            part = isinstance(true, Evidence) and not several
            t = with_labels(
                open_, t, true._stated() if part else stated(true) if several else [true]
            )
        if isinstance(true, Evidence):  # the rest of the answer may be right
            answers.append(judged(t, true, said))
            continue
        true = true if several else t.nodes[t.index(true)]  # a path may be a list
        answers.append((true, said))
        on = closure_nodes(t, true) if several else {t.index(true)}
        for label, share in p.items():
            bins[min(int(share * _BINS), _BINS - 1)] += share, t.index(label) in on, 1
    if not answers:
        raise ValueError("`X` must hold examples, got none")
    return Report(t, several, answers, bins)


def _means(sums: pd.DataFrame, *names: str) -> pd.DataFrame:
    return sums.astype(int).assign(**sums[[*names]].div(sums["n"], axis=0))


def _lowest(t: Taxonomy, nodes: set[int]) -> list[Any]:
    """The labels of the nodes that have no child among them; `[None]` if there is none."""
    return [t.nodes[v] for v in sorted(nodes) if nodes.isdisjoint(t._arrays.children[v])] or [None]
