"""Draws the trees of the first page: `python docs/pictures/trees.py`.

one_mistake.svg has the effect of one mistake on a learner, with a taxonomy and without: both panels
show the same learner, Hieron, and its scores on the same two examples. one_answer.svg has what the
model of the page believes of two titles, node by node.
"""

from __future__ import annotations

from pathlib import Path

from river_hier import Taxonomy, feature_extraction, linear_model

ANIMALS = Taxonomy.from_nested(
    {"animal": {"mammal": ["wolf", "fox", "whale"], "bird": ["owl", "hen"]}}
)
X = {"seen at night": 1.0}
SHOP = Taxonomy.from_nested({"shop": {"clothes": ["shirt", "hat"], "shoes": ["boot", "sandal"]}})
TITLES = [
    ("white silk shirt", "shirt"),
    ("warm wool hat", "hat"),
    ("wool cloth", "clothes"),
    ("leather boots", "boot"),
    ("open leather sandals", "sandal"),
    ("rubber boots", "boot"),
]
LEAST = 0.7  # the threshold of the answers
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


def panel(
    title: str, taxonomy: Taxonomy, left: float, numbers: dict[str, tuple[str, str]], answer: str
) -> list[str]:
    """A tree with a number in each node and its colour; the answer is filled."""
    at = places(taxonomy)
    lines = [f'<g transform="translate({left} 0)">']
    lines.append(f'<text class="title" x="{WIDTH / 2}" y="30">{title}</text>')
    for parent, child in taxonomy.edges:
        (x1, y1), (x2, y2) = at[str(parent)], at[str(child)]
        lines.append(f'<line x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}"/>')
    for label, (x, y) in at.items():
        text, color = numbers[label]
        fill, name, ink = (color, "#fff", "#fff") if label == answer else ("#fff", INK, color)
        box = f'x="{x - BOX[0] / 2:.0f}" y="{y - BOX[1] / 2:.0f}" rx="6"'
        size = f'width="{BOX[0]}" height="{BOX[1]}" stroke="{color}"'
        lines.append(f'<rect {box} {size} fill="{fill}"/>')
        lines.append(f'<text x="{x:.0f}" y="{y - 3:.0f}" fill="{name}">{label}</text>')
        number = f'class="number" x="{x:.0f}" y="{y + 16:.0f}" fill="{ink}"'
        lines.append(f"<text {number}>{text}</text>")
    return [*lines, "</g>"]


def changed(title: str, taxonomy: Taxonomy, left: float) -> list[str]:
    numbers = {}
    for label, moved in changes(taxonomy).items():
        color = UP if moved > 0 else DOWN if moved < 0 else SAME
        numbers[label] = f"{moved:+.2f}".replace("-", "\u2212") if moved else "0", color
    return panel(title, taxonomy, left, numbers, "")


def believed(title: str, left: float) -> list[str]:
    model = feature_extraction.TextViews() | linear_model.PathSoftmax(SHOP, margin=1)
    for text, label in TITLES:
        model.learn_one(text, label)
    p = model.predict_proba_one(title)
    path = SHOP.path(model.predict_one(title, threshold=LEAST))
    below = {v: sum(p[u] for u in (v, *SHOP.descendants(v))) for v in SHOP}
    numbers = {str(v): (f"{q:.2f}", UP if v in path else SAME) for v, q in below.items()}
    return panel(title, SHOP, left, numbers, str(path[-1]))


def picture(*panels: list[str]) -> str:
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * WIDTH + 40} {HEIGHT}">',
            "<style>text{font:15px system-ui,sans-serif;text-anchor:middle}"
            ".title{font-weight:600;font-size:17px}.number{font-size:14px;font-weight:600}"
            f"line{{stroke:{SAME}}}rect{{stroke-width:2}}</style>",
            f'<rect width="{2 * WIDTH + 40}" height="{HEIGHT}" rx="10" fill="#fff"/>',
            f'<g fill="{INK}">',
            *(line for panel in panels for line in panel),
            "</g>",
            "</svg>",
            "",
        ]
    )


def pictures() -> dict[str, str]:
    flat = ANIMALS.subset(ANIMALS.leaves).flatten()
    return {
        "one_mistake.svg": picture(
            changed("without the taxonomy", flat, 0),
            changed("with the taxonomy", ANIMALS, WIDTH + 40),
        ),
        "one_answer.svg": picture(
            believed("boots of rubber", 0), believed("red leather", WIDTH + 40)
        ),
    }


if __name__ == "__main__":
    for name, drawn in pictures().items():
        Path(__file__).with_name(name).write_text(drawn, encoding="utf-8")
