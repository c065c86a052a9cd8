"""A learner that starts anew in a branch, in dictionaries and loops."""

from .trees import children, closure, root


def branch(parents, top):
    """A node and all that hangs under it, by whichever parent."""
    found = {top}
    for v, above in parents.items():  # parents come before their children
        if found.intersection(above):
            found.add(v)
    return found


class BranchReset:
    """Around an oracle with weights `w`: every inner node has a detector, made by `detector`, that
    is shown each example for which the node is rightly told to be on: whether its children are
    told rightly, too. Where one gives alarm, the weights and the detectors below start anew, and
    the nodes there are off until their next example."""

    def __init__(self, learner, detector, min_age):
        self.learner = learner
        self.detector = detector
        self.detectors = {}
        self.min_age = min_age
        self.seen = {}
        self.drifts = []
        self.off = set()
        self.step = 0

    def predict(self, x):
        return {i: on and i not in self.off for i, on in self.learner.predict(x).items()}

    def learn(self, x, y):
        """Predict, learn, and look."""
        parents = self.learner.parents
        y = set(y)
        true = closure(parents, y)
        said = {i for i, on in self.predict(x).items() if on} | {root(parents)}
        self.learner.learn(x, y)
        self.off -= true
        alarms = []
        known = all(self.seen.get(i, 0) >= self.min_age for i in true)
        for i in true:
            self.seen[i] = self.seen.get(i, 0) + 1
        for i in parents:
            below = children(parents, i)
            if below and i in true and i in said and known:
                detector = self.detectors.setdefault(i, self.detector())
                detector.update(any((c in true) != (c in said) for c in below))
                if detector.drift_detected:
                    alarms.append(i)
        for i in alarms:
            if i in self.detectors:
                self.drifts.append((self.step, i))
                del self.detectors[i]
                for j in branch(parents, i) - {i}:
                    self.learner.w[j] = {}
                    self.off.add(j)
                    self.detectors.pop(j, None)
        self.step += 1
