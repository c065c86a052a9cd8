"""A learner that starts anew in a branch, in dictionaries and loops."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .trees import Features, Node, Parents, closure, labels_below_root, root


def branch(parents: Parents, top: Node) -> set[Node]:
    """A node and all that hangs under it, by whichever parent."""
    found = {top}
    for v, above in parents.items():  # parents come before their children
        if found.intersection(above):
            found.add(v)
    return found


class BranchReset:
    """Around an oracle with weights `w`: every node has a detector, made by `detector`, that is
    shown each example whose parents it has been told rightly to be on, before the learner learns;
    where one gives alarm, the weights and the detectors of its branch start anew."""

    def __init__(self, learner: Any, detector: Callable[[], Any]) -> None:
        self.learner = learner
        self.detector = detector
        self.detectors: dict[Node, Any] = {}
        self.drifts: list[tuple[int, Node]] = []
        self.step = 0

    def learn(self, x: Features, y: Iterable[Node]) -> None:
        """Predict, learn, and look."""
        parents = self.learner.parents
        y = set(y)
        true = closure(parents, y)
        said = {i for i, on in self.learner.predict(x).items() if on} | {root(parents)}
        self.learner.learn(x, y)
        alarms = []
        for i in labels_below_root(parents):
            if all(j in true and j in said for j in parents[i]):
                detector = self.detectors.setdefault(i, self.detector())
                detector.update((i in true) != (i in said))
                if detector.drift_detected:
                    alarms.append(i)
        gone: set[Node] = set()
        for i in alarms:
            if i not in gone:
                self.drifts.append((self.step, i))
                gone |= branch(parents, i)
        for i in gone:
            self.learner.w[i] = {}
            self.detectors.pop(i, None)
        self.step += 1
