"""Topics of the Open Directory Project: names that are paths, parts of the tree, what is too small."""  # noqa: E501

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import takewhile

from ..taxonomy import Taxonomy

__all__ = ["Part"]


class Part:
    """The part of the directory that some topics and what is below them make.

    A label is a topic without `Top/`. The root is the nearest common ancestor of the topics.
    """

    def __init__(self, topics: Sequence[str], depth: int | None) -> None:
        columns = zip(*(topic.split("/") for topic in topics), strict=False)
        common = "/".join(names[0] for names in takewhile(lambda c: len(set(c)) == 1, columns))
        if not common:
            raise ValueError(f"`topics` have no ancestor in common: {', '.join(topics)}")
        self.root = common.removeprefix("Top/")
        self._prefixes = tuple(f"{topic}/" for topic in topics)
        above = 0 if self.root == "Top" else 1 + self.root.count("/")
        self._n_names = None if depth is None else above + depth

    def label(self, topic: str) -> str | None:
        """The label of a topic, cut at the depth; None where the topic is in another part."""
        if not f"{topic}/".startswith(self._prefixes):
            return None
        label = topic.removeprefix("Top/")
        return label if self._n_names is None else "/".join(label.split("/")[: self._n_names])

    def parent(self, label: str) -> str:
        """The parent of a label that is not the root."""
        return label.rpartition("/")[0] or self.root

    def taxonomy(self, sizes: Mapping[str, int], min_size: int) -> Taxonomy:
        """The labels and their ancestors, those that have fewer pages left out.

        `sizes` are the pages of each label itself; what counts is those below it, too.
        """
        parents: dict[str, str | None] = {self.root: None}
        totals = Counter[str]()
        for label, size in sizes.items():
            totals[label] += size
            while label != self.root:
                parent = parents[label] = self.parent(label)
                totals[parent] += size
                label = parent
        return Taxonomy.from_parents(
            {
                label: parent
                for label, parent in parents.items()
                if parent is None or totals[label] >= min_size
            }
        )
