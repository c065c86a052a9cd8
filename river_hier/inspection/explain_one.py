from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..base.classifiers import last_step, last_step_and_input, shown
from ..base.explanation import Explanation
from ..taxonomy import Label


def explain_one(model: Any, x: Mapping[Any, Any]) -> dict[Label, Explanation]:
    """Explain a prediction, also through a pipeline: `explain_one` of its last step.

    The features are those that the last step receives.

    Parameters
    ----------
    model
        A model of `linear_model`, `kernel` or `probabilistic`, or a pipeline that ends in one.
    x
        A dictionary of features, as the pipeline takes it.

    Returns
    -------
    `{label: explanation}`, as returned by the model's own `explain_one`.

    Raises
    ------
    TypeError
        If the model has no `explain_one`.

    Examples
    --------

    >>> from river import feature_extraction
    >>> from river_hier import Taxonomy, inspection, linear_model

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> model = feature_extraction.BagOfWords() | linear_model.HAROW(t)
    >>> for _ in range(5):
    ...     model.learn_one("grey fur, howls at night", {"wolf"})
    ...     model.learn_one("grey wings, hoots at night", {"owl"})

    >>> why = inspection.explain_one(model, "fur at night")["mammal"]
    >>> why.on, why.score
    (True, 0.4535)

    >>> why.contributions
    [('fur', 0.446), ('at', 0.00261), ('night', 0.00261), ('intercept', 0.00261)]

    >>> sum(c for _, c in why.contributions)
    0.4535

    """
    last = last_step(model)
    if isinstance(model, type) or not callable(getattr(last, "explain_one", None)):
        help_ = "; give the model that it wraps" * hasattr(last, "_wrapped_model")
        raise TypeError(
            "`model` must have an `explain_one`, as the models of linear_model do, or be a "
            f"pipeline that ends in one, got {shown(last)}{help_}"
        )
    last, x = last_step_and_input(model, x)
    explanations: dict[Label, Explanation] = last.explain_one(x)
    return explanations
