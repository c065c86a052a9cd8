"""Rows whose label is most likely wrong."""

import random
from typing import Any

import pandas as pd
import pytest

from river_hier import OpenTaxonomy, decision, inspection, linear_model, stream
from river_hier.datasets import synth
from river_hier.feature_extraction import TextViews

WORDS = {"a/b": "red green", "a/c": "red blue", "d": "loud slow"}


def texts(n: int, seed: int = 0) -> tuple[list[tuple[str, str]], set[int]]:
    """Texts of a few words, and which of them have a wrong label."""
    rng, rows, wrong = random.Random(seed), [], set()
    for i in range(n):
        y = rng.choice(list(WORDS))
        words = [*WORDS[y].split(), *(f"w{rng.randrange(200)}" for _ in range(3))]
        if rng.random() < 0.1:
            wrong.add(i)
        label = rng.choice([v for v in WORDS if v != y]) if i in wrong else y
        rows.append((" ".join(words), label))
    return rows, wrong


def model() -> Any:
    return TextViews() | linear_model.PathSoftmax(OpenTaxonomy("/"), margin=1)


@pytest.mark.parametrize("once", [False, True])
def test_wrong_labels_come_first(once: bool) -> None:
    rows, wrong = texts(2000)
    ours = model()
    found = inspection.suspects(ours, iter(rows) if once else rows, k=len(wrong))
    hits = wrong.intersection(s.row for s in found)
    assert len(hits) > (0.8 if once else 0.95) * len(wrong)
    assert all((s.x, s.y) == rows[s.row] for s in found)
    assert [s.wrong for s in found] == sorted((s.wrong for s in found), reverse=True)
    assert ours.steps["PathSoftmax"].taxonomy_.nodes == ("",)  # it has learned nothing


def test_what_is_proposed_is_right() -> None:
    rows, wrong = texts(2000)
    clean = {i: next(y for y, some in WORDS.items() if some in x) for i, (x, _) in enumerate(rows)}
    found = inspection.suspects(model(), rows, k=len(wrong))
    assert sum(s.proposed == clean[s.row] for s in found) > 0.95 * len(found)


def test_a_channel_may_stand_anywhere() -> None:
    rows, _ = texts(300)
    softmax = linear_model.PathSoftmax(OpenTaxonomy("/"), margin=1)
    outside = decision.NoisyLabels(TextViews() | softmax.clone())
    inside = TextViews() | decision.NoisyLabels(softmax.clone())
    found = [inspection.suspects(m, iter(rows)) for m in (outside, inside, TextViews() | softmax)]
    assert found[0] == found[1] == found[2]


def test_what_cannot_be_asked() -> None:
    data = synth.PrototypeTree(seed=1)
    with pytest.raises(TypeError, match="must be a model of one label"):
        inspection.suspects(linear_model.HAROW(data.taxonomy), [])
    with pytest.raises(ValueError, match="`k`"):
        inspection.suspects(model(), [], k=0)
    assert inspection.suspects(model(), []) == []
    titles = pd.DataFrame({"title": ["red", "blue"]})
    with pytest.raises(TypeError, match="X is a DataFrame and has no labels; give them as `y`"):
        inspection.suspects(model(), titles)
    replayed = stream.Replayed(model(), 2, 100)
    assert len(inspection.suspects(replayed, texts(60)[0])) == 60
