"""What `debug_one` says of the nodes that were asked."""

from __future__ import annotations

from ..taxonomy import Label, Taxonomy

Asked = dict[Label, tuple[float, bool]]  # how likely each node is on, given its parents; is it?


def told(taxonomy: Taxonomy, asked: Asked, decimals: int) -> str:
    """The nodes that were asked, each below its first parent, and once though it may have more."""
    labels = [label for label, (_, yes) in asked.items() if yes]
    lines = [f"Prediction: {labels!r}; a node is on if its parents are and it is likely enough"]
    trail: dict[Label, tuple[int, ...]] = {taxonomy.root: ()}
    for label in asked:
        above, *_ = taxonomy.parents(label)
        trail[label] = (*trail[above], taxonomy.index(label))
    lines += (
        f"{'  ' * len(trail[label])}{label!r}: {asked[label][0]:.{decimals}f}"
        for label in sorted(asked, key=trail.__getitem__)
    )
    return "\n".join(lines)
