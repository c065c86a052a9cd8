"""Draws one_mistake.svg: the effect of one mistake on a learner, with a taxonomy and without.

Both panels show the same learner, Hieron, and its scores on the same two examples. Run it with
`python docs/pictures/one_mistake.py`.
"""

from __future__ import annotations

from pathlib import Path

from river_hier import Taxonomy, linear_model

ANIMALS = Taxonomy.from_nested(
    {"animal": {"mammal": ["wolf", "fox", "whale"], "bird": ["owl", "hen"]}}
)
X = {"seen at night": 1.0}
UP, DOWN, SAME, INK = "#0072B2", "#C04F00", "#767676", "#222222"
WIDTH, HEIGHT, BOX = 460, 310, (78, 46)


def changes(taxonomy: Taxonomy) -> dict[str, float]:
    """The change in the score of each label after a wolf has been mistaken for an owl."""
    model = linear_model.Hieron(taxonomy)
    model.learn_one(X, "owl")
    assert model.predict_one(X) == "owl"
    before = model.score_one(X)
    model.learn_one(X, "wolf")
    after = model.score_one(X)
    return {str(label): after[label] - before[label] for label in taxonomy}


def places(taxonomy: Taxonomy) -> dict[str, tuple[float, float]]:
    """Leaves side by side, every other node above the middle of its children."""
    leaves = taxonomy.leaves
    x = {leaf: WIDTH * (i + 0.5) / len(leaves) for i, leaf in enumerate(leaves)}
    for label in reversed(taxonomy.nodes):
        if children := taxonomy.children(label):
            x[label] = sum(x[child] for child in children) / len(children)
    rise = 180 / taxonomy.height
    return {str(label): (x[label], 75 + rise * taxonomy.depth(label)) for label in taxonomy}


def panel(title: str, taxonomy: Taxonomy, left: float) -> list[str]:
    at, change = places(taxonomy), changes(taxonomy)
    lines = [f'<g transform="translate({left} 0)">']
    lines.append(f'<text class="title" x="{WIDTH / 2}" y="30">{title}</text>')
    for parent, child in taxonomy.edges:
        (x1, y1), (x2, y2) = at[str(parent)], at[str(child)]
        lines.append(f'<line x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}"/>')
    for label, (x, y) in at.items():
        moved = change[label]
        color = UP if moved > 0 else DOWN if moved < 0 else SAME
        box = f'x="{x - BOX[0] / 2:.0f}" y="{y - BOX[1] / 2:.0f}" rx="6"'
        lines.append(f'<rect {box} width="{BOX[0]}" height="{BOX[1]}" stroke="{color}"/>')
        lines.append(f'<text x="{x:.0f}" y="{y - 3:.0f}">{label}</text>')
        text = f"{moved:+.2f}".replace("-", "\u2212") if moved else "0"
        number = f'class="number" x="{x:.0f}" y="{y + 16:.0f}" fill="{color}"'
        lines.append(f"<text {number}>{text}</text>")
    return [*lines, "</g>"]


def picture() -> str:
    flat = ANIMALS.subset(ANIMALS.leaves).flatten()
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * WIDTH + 40} {HEIGHT}">',
            "<style>text{font:15px system-ui,sans-serif;text-anchor:middle}"
            ".title{font-weight:600;font-size:17px}.number{font-size:14px;font-weight:600}"
            f"line{{stroke:{SAME}}}rect{{fill:#fff;stroke-width:2}}</style>",
            f'<rect width="{2 * WIDTH + 40}" height="{HEIGHT}" rx="10" style="stroke:none"/>',
            f'<g fill="{INK}">',
            *panel("without the taxonomy", flat, 0),
            *panel("with the taxonomy", ANIMALS, WIDTH + 40),
            "</g>",
            "</svg>",
            "",
        ]
    )


if __name__ == "__main__":
    Path(__file__).with_suffix(".svg").write_text(picture(), encoding="utf-8")
