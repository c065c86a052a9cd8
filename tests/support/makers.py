"""What makes models of every kind in a taxonomy, by name: of one label, and of several."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from river import linear_model as river_linear_model

from river_hier import decision, forest, kernel, linear_model, local, probabilistic

Make = Callable[[Any], Any]  # a model from a taxonomy
LOGISTIC = river_linear_model.LogisticRegression()
SOFTMAX = river_linear_model.SoftmaxRegression()

SINGLE: dict[str, Make] = {
    "Hieron": linear_model.Hieron,
    "AveragedHieron": linear_model.AveragedHieron,
    "PathSoftmax": linear_model.PathSoftmax,
    "Averaged": lambda t: linear_model.Averaged(linear_model.Hieron(t)),
    "LinearDiscriminant": probabilistic.LinearDiscriminant,
    "NewtonSoftmax": probabilistic.NewtonSoftmax,
    "DiscriminantNeighbors": probabilistic.DiscriminantNeighbors,
    "ExtraTrees": lambda t: forest.ExtraTrees(t, n_trees=10),
    "kernel Hieron": kernel.Hieron,
    "PerParent": lambda t: local.PerParent(SOFTMAX.clone(), t),
    "PerLevel": lambda t: local.PerLevel(SOFTMAX.clone(), t),
    "Tempered": lambda t: decision.Tempered(linear_model.Hieron(t)),
    "Selective": lambda t: decision.Selective(linear_model.PathSoftmax(t)),
}
SEVERAL: dict[str, Make] = {
    "HPerceptron": linear_model.HPerceptron,
    "HAROW": linear_model.HAROW,
    "HRLS": linear_model.HRLS,
    "SHRLS": linear_model.SHRLS,
    "HMinOver": linear_model.HMinOver,
    "MultilabelExtraTrees": lambda t: forest.MultilabelExtraTrees(t, n_trees=10),
    "PerNode": lambda t: local.PerNode(LOGISTIC.clone(), t),
    "Calibrated": lambda t: decision.Calibrated(linear_model.HAROW(t)),
    "HLossBayes": lambda t: decision.HLossBayes(decision.Calibrated(linear_model.HAROW(t))),
    "ZeroOneBayes": lambda t: decision.ZeroOneBayes(linear_model.HAROW(t)),
}
