"""Reports of mistakes, against sums in plain Python."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_hier import OpenTaxonomy, Taxonomy, evaluate, feature_extraction, inspection, losses
from river_hier import linear_model as lm
from river_hier.base.answer import SetAnswer
from support.strategies import multilabel_streams, single_label_streams

SHOP = Taxonomy.from_nested({"shop": {"clothes": ["shirt", "hat"], "shoes": ["boot"]}})


def on(t, y, several):
    """The label or labels with all ancestors."""
    return {label for one in (y if several else [y]) for label in {one, *t.ancestors(one)}} | {
        t.root
    }


def check(found, t, several, examples, answers, best):
    """Each number of a report is what counting gives."""
    loss = losses.h_loss if several else losses.tree_induced_error
    rows = [
        (on(t, y, several), on(t, a, several), loss(t, y, a))
        for y, a in zip(examples, answers, strict=True)
    ]
    wrong = [true != said for true, said, _ in rows]
    assert (found.n, found.right) == (len(rows), pytest.approx(1 - sum(wrong) / len(rows)))
    assert found.error == pytest.approx(sum(error for *_, error in rows) / len(rows))
    assert list(found.nodes.index) == list(t.nodes)
    for v, label in enumerate(t.nodes):
        row = found.nodes.iloc[v]
        inside = [
            (w, error) for w, (true, _, error) in zip(wrong, rows, strict=True) if label in true
        ]
        assert row["n"] == len(inside)
        assert row["missed"] == sum(label in true - said for true, said, _ in rows)
        assert row["spurious"] == sum(label in said - true for true, said, _ in rows)
        if inside:
            means = [sum(column) / len(inside) for column in zip(*inside, strict=True)]
            assert [row["wrong"], row["error"]] == pytest.approx(means)
    for depth, row in found.depths.iterrows():
        here = [v for v, label in enumerate(t.nodes) if t.depth(label) == depth]
        sums = found.nodes.iloc[here][["n", "missed", "spurious"]].sum()
        assert row[["n", "missed", "spurious"]].tolist() == sums.tolist()
    assert found.confusions["n"].sum() >= sum(wrong)
    if not several:
        assert found.confusions["n"].sum() == sum(wrong)
    bins = {}
    for p, was in best:
        bins.setdefault(min(int(10 * p), 9), []).append((p, was))
    means = [[sum(c) / len(c) for c in zip(*b, strict=True)] for _, b in sorted(bins.items())]
    shown = found.calibration[["predicted", "observed"]].to_numpy()
    assert shown == pytest.approx(np.array(means))
    away = sum(abs(sum(p - was for p, was in b)) for b in bins.values()) / len(best)
    assert found.calibration_error == pytest.approx(away)


@given(
    st.booleans().flatmap(
        lambda several: st.tuples(
            st.just(several), multilabel_streams() if several else single_label_streams()
        )
    )
)
def test_numbers(drawn):
    several, (t, stream) = drawn
    if not stream:
        return
    make = lm.HAROW if several else lm.PathSoftmax
    model, other, answers, best = make(t), make(t), [], []
    for x, y in stream:
        if several:
            answers.append(inspection.labels_one(other, x))
            proba = other.predict_proba_one(x)
            best += [(p[True], label in on(t, y, True)) for label, p in proba.items()]
        else:
            answers.append(other.predict_one(x))
            proba = other.predict_proba_one(x)
            top = max(proba, key=proba.get)
            best.append((proba[top], top == y))
        other.learn_one(x, y)
    found = evaluate.report(model, stream)
    ys = [y for _, y in stream]
    check(found, t, several, ys, answers, best)
    # Learned as in a loop; of given labels nothing is learned.
    xs = [x for x, _ in stream]
    assert model.predict_proba_one(xs[0]) == other.predict_proba_one(xs[0])
    again = evaluate.report(model, xs, ys)
    assert again.nodes.equals(evaluate.report(model, xs, ys).nodes)


def test_confusions_of_several_labels():
    class Says(lm.HAROW):
        def _answer(self, x):
            on = [self._taxonomy.index(label) for label in ("shoes", "boot")]
            return SetAnswer(self._labels, p=np.full(len(SHOP), 0.5), own=lambda: on)

    found = evaluate.report(Says(SHOP), [{}, {}, {}], [["hat", "shirt"], ["shoes"], ["boot"]])
    assert found.confusions.astype(object).where(lambda c: c.notna(), None).to_numpy().tolist() == [
        ["shirt", "boot", 1],
        ["hat", "boot", 1],
        [None, "boot", 1],
    ]


def titles():
    for i in range(40):
        yield "<b> warm hat", "hat", {"w": 2.0}
        yield "long boots" if i % 4 else "warm hat", "boot"


def test_text_and_page():
    model = feature_extraction.LogTFIDF() | lm.PathSoftmax(SHOP)
    found = evaluate.report(model, titles())
    assert repr(found).startswith("80 examples: 95.0% right, mean error 0.175, calibration")
    assert found.confusions.iloc[0].tolist() == ["boot", "hat", 3]
    assert "hat: missed 1 of 40, spurious 3" in repr(found)
    assert repr(found).count("\n") < 60
    page = found._repr_html_()
    assert "<summary>shop: missed 0 of 80, spurious 0</summary>" in page
    assert page.count("<table") == page.count("</table>") == 4
    # Of a dataframe the columns are features; of a large taxonomy only the worst labels are drawn.
    flat = Taxonomy.flat(map(str, range(2000)))
    frame = pd.DataFrame({"a": [1.0, 0.0], "b": [0.0, 1.0]})
    model = lm.PathSoftmax(flat)
    model.learn_many(frame, ["7", "8"])
    found = evaluate.report(model, frame, pd.Series(["7", "9"]))
    assert (found.n, found.right) == (2, 0.5)
    assert "├── 9: missed 1 of 1, spurious 0" in repr(found)
    assert repr(found).count("\n") < 100


def test_a_report_without_mistakes_shows_no_confusions():
    model = lm.PathSoftmax(SHOP)
    for _ in range(5):
        for label in ("shirt", "boot"):
            model.learn_one({label: 1.0}, label)
    found = evaluate.report(model, [({"boot": 1.0}, "boot"), ({"shirt": 1.0}, "shirt")])
    assert found.right == 1.0
    assert "confusions" not in repr(found) + found._repr_html_()
    assert "Depths" in repr(found)


def test_labels_that_come_and_paths_in_tuples():
    labels = OpenTaxonomy()
    model = lm.PathSoftmax(labels)
    stream = [({"a": 1.0}, ("b", "c")), ({"a": 1.0}, ("b", "c")), ({"d": 1.0}, ("b", "e"))]
    found = evaluate.report(model, stream)
    assert (found.n, found.right) == (3, pytest.approx(1 / 3))
    assert found.nodes["n"].tolist() == [3, 3, 2, 1]
    assert "c: missed 1 of 2, spurious 1" in repr(found)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: evaluate.report(lm.HAROW(SHOP), []), ValueError, "must hold examples"),
        (lambda: evaluate.report(lm.HAROW(SHOP), [{}], []), ValueError, "X has 1 rows and y has 0"),
        (lambda: evaluate.report(lm.PathSoftmax(SHOP), [{}], ["coat"]), ValueError, "'coat'"),
        (lambda: evaluate.report(evaluate.Ranked(lm.HAROW(SHOP)), [{}], ["hat"]), TypeError, "mod"),
    ],
)
def test_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_a_fitted_estimator() -> None:
    from river_hier.sklearn import HierarchicalClassifier

    texts, y = ["blue shirt", "warm hat", "old boots"], ["shirt", "hat", "boot"]
    model = HierarchicalClassifier(taxonomy=SHOP).fit(texts * 5, y * 5)
    found = evaluate.report(model, texts, ["shirt", "hat", "hat"])
    assert (found.n, found.right) == (3, pytest.approx(2 / 3))
    assert found.calibration.equals(
        evaluate.report(model.model_, texts, ["shirt", "hat", "hat"]).calibration
    )


def test_paths_that_are_lists() -> None:
    model = lm.PathSoftmax(OpenTaxonomy("/"))
    model.learn_one({"x": 1.0}, ["a", "b"])
    assert evaluate.report(model, [{"x": 1.0}] * 2, [["a", "b"], ["a", "c"]]).right == 0.5
