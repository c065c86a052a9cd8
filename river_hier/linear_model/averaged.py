import copy
from collections.abc import Iterator, Mapping
from typing import Any

from ..base.classifiers import shown
from ..base.explanation import Explanation
from ..base.wrapper import ModelWrapper
from ..taxonomy import Label
from .hieron import Hieron


class Averaged(ModelWrapper):
    """The average of all hypotheses of a learner, whose learning stays the same.

    The last hypothesis of an online learner depends heavily on its last mistakes, whose labels may
    be wrong. The average of all hypotheses, $w_1, \\dots, w_{m+1}$ after m examples, has a lower
    error, unless the stream drifts. The average of a node starts again with the first example whose
    label is the node or below it, so that late labels are learned as fast as early ones.

    A step costs O(features of x * updated nodes) more than one of the model, or O(updated nodes)
    with a kernel; a prediction costs two of the model. Memory is twice that of its weights.

    Parameters
    ----------
    model
        A learner whose weights move in steps: `Hieron` of `linear_model` or `kernel`,
        `HPerceptron`, `HAROW`, or a `PathLearner` or `TopDownLearner` of your own. Its current
        weights are the first hypothesis. It continues to learn inside the average, by which it
        predicts from now on.
    from_first_round
        Whether the average of every node is over the hypotheses of all rounds, as in the papers.

    Notes
    -----
    For `Hieron` this is the batch rule of the paper of 2005[^1], which averages the hypotheses of
    online Hieron; for perceptrons it is the averaged form of voted perceptrons[^2], at every node.
    `AveragedHieron` is the batch rule of 2004. `HAROW` gains less from averages: they are better
    where labels are noisy, but worse where there is still much to learn, as in text.

    Examples
    --------
    >>> from river import evaluate
    >>> from river_hier import linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> stream = synth.PrototypeTree(branching=3, depth=3, noise=0.16, seed=42)
    >>> model = linear_model.Averaged(linear_model.Hieron(stream.taxonomy))
    >>> metric = metrics.TreeInducedError(stream.taxonomy)
    >>> evaluate.progressive_val_score(stream.take(2000), model, metric)
    TreeInducedError: 1.225

    References
    ----------
    [^1]: [Dekel, O., Keshet, J. and Singer, Y., 2005. An online algorithm for hierarchical phoneme
        classification. MLMI, pp. 146-158.](https://doi.org/10.1007/978-3-540-30568-2_13)
    [^2]: [Freund, Y. and Schapire, R. E., 1999. Large margin classification using the perceptron
        algorithm. Machine Learning, 37(3), pp. 277-296.](https://doi.org/10.1023/A:1007662407062)
    """

    def __init__(self, model: Any, from_first_round: bool = False) -> None:
        # A pipeline is an instance of its last step's class.
        if not getattr(type(model), "_averages", False) or model._averaged:
            raise TypeError(
                "`model` must be a learner whose weights move in steps, such as `Hieron`, "
                f"`HPerceptron` or `HAROW`, got {shown(model)}; put the average into the pipeline: "
                "`scaler | Averaged(model)`. Least squares solve for their weights, and `HMinOver` "
                "fits a threshold to those of the last hypothesis"
            )
        super().__init__(model)
        self.from_first_round = from_first_round
        model._start_average(from_first_round)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"model": Hieron()}

    @property
    def last(self) -> Any:
        """The last hypothesis $w_{m+1}$ without the average: a copy of the inner model."""
        last = copy.deepcopy(self.model)
        last._averaged = False
        return last

    @property
    def weights(self) -> Any:
        """The average of the weights, `{label: {feature: weight}}`, if the model is linear."""
        return self.model.weights

    @property
    def intercepts(self) -> Any:
        """The average of the intercepts, `{label: number}`, if the model is linear."""
        return self.model.intercepts

    def explain_one(self, x: Mapping[Any, Any]) -> dict[Label, Explanation]:
        """Explain the prediction for x, node by node, as the model does."""
        return self.model.explain_one(x)

    def debug_one(self, x: Mapping[Any, Any], decimals: int = 3) -> str:
        """Explain the prediction for x as text."""
        return self.model.debug_one(x, decimals)
