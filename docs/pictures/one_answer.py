"""Draws one_answer.svg: what the model of the first page believes of a title, node by node.

Run it with `python docs/pictures/one_answer.py`.
"""

from __future__ import annotations

from pathlib import Path

from one_mistake import BOX, HEIGHT, INK, SAME, UP, WIDTH, places

from river_hier import Taxonomy, feature_extraction, linear_model

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


def panel(title: str, left: float) -> list[str]:
    model = feature_extraction.TextViews() | linear_model.PathSoftmax(SHOP, margin=1)
    for text, label in TITLES:
        model.learn_one(text, label)
    p = model.predict_proba_one(title)
    path = SHOP.path(model.predict_one(title, threshold=LEAST))
    at = places(SHOP)
    lines = [f'<g transform="translate({left} 0)">']
    lines.append(f'<text class="title" x="{WIDTH / 2}" y="30">{title}</text>')
    for parent, child in SHOP.edges:
        (x1, y1), (x2, y2) = at[str(parent)], at[str(child)]
        lines.append(f'<line x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}"/>')
    for label, (x, y) in at.items():
        color = UP if label in path else SAME
        fill = UP if label == path[-1] else "#fff"
        ink = "#fff" if label == path[-1] else color
        box = f'x="{x - BOX[0] / 2:.0f}" y="{y - BOX[1] / 2:.0f}" rx="6"'
        size = f'width="{BOX[0]}" height="{BOX[1]}" stroke="{color}" style="fill:{fill}"'
        lines.append(f"<rect {box} {size}/>")
        name = "#fff" if label == path[-1] else INK
        lines.append(f'<text x="{x:.0f}" y="{y - 3:.0f}" fill="{name}">{label}</text>')
        below = sum(p[v] for v in (label, *SHOP.descendants(label)))
        number = f'class="number" x="{x:.0f}" y="{y + 16:.0f}" fill="{ink}"'
        lines.append(f"<text {number}>{below:.2f}</text>")
    return [*lines, "</g>"]


def picture() -> str:
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * WIDTH + 40} {HEIGHT}">',
            "<style>text{font:15px system-ui,sans-serif;text-anchor:middle}"
            ".title{font-weight:600;font-size:17px}.number{font-size:14px;font-weight:600}"
            f"line{{stroke:{SAME}}}rect{{stroke-width:2}}</style>",
            f'<rect width="{2 * WIDTH + 40}" height="{HEIGHT}" rx="10" fill="#fff"/>',
            f'<g fill="{INK}">',
            *panel("boots of rubber", 0),
            *panel("red leather", WIDTH + 40),
            "</g>",
            "</svg>",
            "",
        ]
    )


if __name__ == "__main__":
    Path(__file__).with_suffix(".svg").write_text(picture(), encoding="utf-8")
