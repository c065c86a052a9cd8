"""Linear learners of one label, of multilabels and of rankings."""

from .averaged import Averaged
from .averaged_hieron import AveragedHieron
from .harow import HAROW
from .hierarchical_softmax import HierarchicalSoftmax
from .hieron import Hieron
from .hminover import HMinOver
from .hperceptron import HPerceptron
from .hrls import HRLS
from .path_softmax import PathSoftmax
from .shrls import SHRLS

__all__ = [
    "HAROW",
    "HRLS",
    "SHRLS",
    "Averaged",
    "AveragedHieron",
    "HMinOver",
    "HPerceptron",
    "HierarchicalSoftmax",
    "Hieron",
    "PathSoftmax",
]
