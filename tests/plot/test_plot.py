"""Plots: they are drawn without warnings and contain the right data."""

import itertools
import math
import random
import sys
import warnings
from itertools import combinations, pairwise

import pytest

from river_hier import Taxonomy, evaluate, linear_model, losses, plot
from river_hier.datasets import synth

plt = pytest.importorskip("matplotlib.pyplot", reason="matplotlib is an extra")

TREE = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
DAG = Taxonomy([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c"), ("b", "d")])
LARGE = Taxonomy.from_paths(  # with the size and the depths of RCV1's
    [(f"{a}CAT", f"{a}{i}", f"{a}{i}{j}") for a in "CEGM" for i in range(9) for j in range(i % 4)]
    + [(f"{a}CAT", f"{a}{word}") for a in "CEGM" for word in ("WELFARE", "SPORT", "VOTE")]
)


@pytest.fixture(autouse=True)
def quiet():
    plt.switch_backend("Agg")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield
    plt.close("all")


def drawn(ax):
    ax.figure.canvas.draw()
    return ax


def circles(ax):
    """The numbers of hollow and of coloured nodes."""
    return [len(points.get_offsets()) for points in ax.collections]


@pytest.mark.parametrize("taxonomy", [TREE, DAG, LARGE, Taxonomy.flat([]), Taxonomy.flat("ab")])
def test_every_node_and_edge_is_drawn(taxonomy):
    ax = drawn(plot.taxonomy(taxonomy))
    assert [text.get_text() for text in ax.texts] == [str(v) for v in taxonomy.nodes]
    assert circles(ax) == [len(taxonomy)]
    assert len(ax.lines) == len(taxonomy.edges)
    dashed = [line for line in ax.lines if line.get_linestyle() == "--"]
    assert len(dashed) == len(taxonomy.edges) - len(taxonomy) + 1
    values = {v: float(i) for i, v in enumerate(taxonomy.nodes)}
    assert circles(drawn(plot.taxonomy(taxonomy, values, label="n"))) == [0, len(taxonomy)]


RAGGED = Taxonomy.from_paths(  # names of leaves beside those of deeper inner nodes
    [
        path
        for i in range(9)
        for path in (
            (f"s{i}", f"a leaf (with a long name {i})"),
            (f"s{i}", f"b{i}", f"(an inner node {i})", f"c{i}"),
        )
    ]
)


@pytest.mark.parametrize("taxonomy", [TREE, DAG, LARGE, RAGGED, Taxonomy.flat(["a" * 60, "b"])])
@pytest.mark.parametrize("scale", [False, True])
def test_no_name_is_cut_or_meets_another(taxonomy, scale):
    values = dict.fromkeys(taxonomy, 1.0) if scale else None
    ax = drawn(plot.taxonomy(taxonomy, values))
    boxes = [text.get_window_extent() for text in ax.texts]
    for one, other in combinations(boxes, 2):
        assert not one.overlaps(other)
    for box in boxes:
        assert ax.figure.bbox.containsx(box.x0)
        assert ax.figure.bbox.containsx(box.x1)
        assert ax.figure.bbox.containsy(box.y0)
        assert ax.figure.bbox.containsy(box.y1)
    assert min(text.get_size() for text in ax.texts) >= 7
    for line in ax.lines:  # nor a vertical edge
        if line.get_linestyle() == "-":
            _, (x, y0), (_, y1), _ = ax.transData.transform(line.get_xydata())
            low, high = sorted((y0, y1))
            assert not any(b.x0 < x < b.x1 and b.y0 < high and low < b.y1 for b in boxes)


def test_nodes_stand_in_layers_and_do_not_meet():
    ax = drawn(plot.taxonomy(LARGE))
    points = ax.collections[0].get_offsets().tolist()
    assert len(set(map(tuple, points))) == len(LARGE)
    at = dict(zip(LARGE.nodes, points, strict=True))
    for parent, child in LARGE.edges:
        assert at[parent][0] < at[child][0]
    assert len({at[v][0] for v in LARGE}) == LARGE.height + 1
    leaves = sorted(LARGE.leaves, key=lambda v: [LARGE.index(u) for u in LARGE.path(v)])
    rows = [at[v][1] for v in leaves]
    assert min(low - high for high, low in pairwise(rows)) == 1.0  # from the top down
    assert len(leaves) - 1 <= rows[-1] < 1.5 * len(leaves)


HUGE = Taxonomy((v // 7, v) for v in range(1, 5_000))


def test_large_taxonomies_are_readable():
    """5,000 nodes: the largest branches, and the number of nodes that each node leaves out."""
    ax = drawn(plot.taxonomy(HUGE))
    names = [text.get_text() for text in ax.texts]
    assert len(names) == 120
    counts = [name.partition("(+")[2].rstrip(")").replace(",", "") for name in names]
    assert sum(int(count) for count in counts if count) == 5_000 - 120
    assert max(ax.figure.get_size_inches()) < 30
    ax = drawn(plot.taxonomy(HUGE, max_depth=2))
    assert len(ax.texts) == sum(HUGE.depth(v) <= 2 for v in HUGE)
    assert len(plot.taxonomy(HUGE, top=1).texts) == 1
    assert len(plot.taxonomy(LARGE, top=None).texts) == len(LARGE)


def test_the_nodes_with_the_largest_values_are_drawn():
    values = {v: float(v % 1000) for v in HUGE} | {4_321: -5_000.0}
    ax = drawn(plot.taxonomy(HUGE, values, top=20))
    names = {int(text.get_text().partition(" ")[0]) for text in ax.texts}
    assert 4_321 in names
    assert all(set(HUGE.path(v)) <= names for v in names)
    assert len(names) <= 20
    assert -5_000.0 in ax.collections[1].get_array()
    # a path is named by its last name, and a DAG keeps its edges
    t = Taxonomy.from_paths(["a > b", "a > c"], " > ", labels="path")
    assert [text.get_text() for text in plot.taxonomy(t).texts] == ["a", "b", "c"]
    assert len(plot.taxonomy(DAG, {"c": 1.0}, top=4).lines) == 4


@pytest.mark.parametrize(("name", "value"), [("max_depth", -1), ("top", 0)])
def test_bad_limits(name, value):
    limits = {name: value}
    with pytest.raises(ValueError, match=f"`{name}` must be at least {value + 1}, got {value}"):
        plot.taxonomy(TREE, **limits)
    assert not plt.get_fignums()


def test_names_are_not_formulas():
    ax = drawn(plot.taxonomy(Taxonomy.flat(["$10", "$x^{", "a$b_2$"])))
    assert [text.get_text() for text in ax.texts][1:] == ["$10", "$x^{", "a$b_2$"]


def test_values_are_colours_and_sizes():
    ax = drawn(plot.taxonomy(TREE, {"wolf": 4.0, "owl": -1.0, "bird": 0.0}, label="gain"))
    hollow, full = ax.collections
    assert circles(ax) == [3, 3]
    assert full.get_array().tolist() == [4.0, -1.0, 0.0]
    sizes = full.get_sizes().tolist()
    assert sizes[0] > sizes[1] > sizes[2]
    assert ax.figure.axes[1].get_xlabel() == "gain"
    assert hollow.get_facecolor().tolist()[0] == [1.0, 1.0, 1.0, 1.0]
    drawn(plot.taxonomy(TREE, dict.fromkeys(TREE, 0)))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), None, "much", [1.0]])
def test_bad_values(value):
    with pytest.raises(ValueError, match=r"the value of 'wolf' is .*; it must be a finite number"):
        plot.taxonomy(TREE, {"wolf": value})
    with pytest.raises(ValueError, match="label 'wolff' is not in the taxonomy"):
        plot.taxonomy(TREE, {"wolff": 1.0})
    with pytest.raises(TypeError, match="`taxonomy` must be a Taxonomy, got dict"):
        plot.taxonomy({})
    assert not plt.get_fignums(), "a figure of something that was refused"


def states():
    stream = synth.LinearLabels(TREE, n_features=3, seed=1)
    model = linear_model.HPerceptron(TREE)
    return list(
        evaluate.iter_regret(stream.take(60), model, stream.reference, losses.h_loss, step=20)
    )


def test_regret():
    rows = states()
    ax = drawn(plot.regret(iter(rows), bounds={"at most": 1e9}))
    curve, bound = ax.lines
    assert list(curve.get_xdata()) == list(bound.get_xdata()) == [20, 40, 60]
    assert list(curve.get_ydata()) == [row["Regret"] for row in rows]
    assert list(bound.get_ydata()) == [1e9] * 3
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["regret", "at most"]


def test_regret_of_several_models_and_seeds():
    rows = states()
    twice = [{k: v if k == "Step" else 3 * v for k, v in row.items()} for row in rows]
    runs = {"one": rows, "two seeds": [iter(rows), iter(twice)]}
    bound = {60: 70.0, 20: 30.0}
    ax = drawn(plot.regret(runs, bounds={"bound": bound}, value="Loss", log=True))
    one, mean, curve = ax.lines
    assert list(one.get_ydata()) == [row["Loss"] for row in rows]
    assert list(mean.get_ydata()) == [2 * row["Loss"] for row in rows]
    (band,) = ax.collections
    lowest, *_, highest = sorted(set(band.get_paths()[0].vertices[:, 1]))
    # Student's t of .975 with one degree of freedom is 12.706; the error of the mean is |b - a| / 2
    assert lowest == pytest.approx((2 - 12.706) * rows[-1]["Loss"], rel=1e-4)
    assert highest == pytest.approx((2 + 12.706) * rows[-1]["Loss"], rel=1e-4)
    text = ax.get_legend().get_texts()[1].get_text()
    rise = math.log(rows[2]["Loss"] / rows[1]["Loss"]) / math.log(60 / 40)
    assert text == f"two seeds, slope {rise:.2f}"
    assert (list(curve.get_xdata()), list(curve.get_ydata())) == ([20, 60], [30.0, 70.0])
    assert ax.get_xscale() == ax.get_yscale() == "log"
    assert ax.get_ylabel() == "loss so far"


def test_regret_that_logarithmic_axes_leave_out():
    rows = [{"Step": k, "Loss": 1, "Regret": r} for k, r in enumerate((-1.0, 0.0, 2.0, 4.0), 1)]
    for log, label in ((True, "regret, slope 2.41, 2 of 4 steps not above 0"), (False, "regret")):
        ax = drawn(plot.regret(rows, log=log))
        assert [text.get_text() for text in ax.get_legend().get_texts()] == [label]


def test_regret_of_several_models_in_one_pass():
    stream = synth.LinearLabels(TREE, n_features=3, seed=1)
    models = {"p": linear_model.HPerceptron(TREE), "r": linear_model.HRLS(TREE)}
    fixed = {"a": stream.reference, "p": models["p"]}
    rows = list(evaluate.iter_regret(stream.take(60), models, fixed, losses.h_loss, step=20))
    ax = drawn(plot.regret({"1": rows}))
    for line, (name, other) in zip(ax.lines, itertools.product("pr", "ap"), strict=True):
        assert line.get_label() == f"1, {name}, {other}"
        assert list(line.get_ydata()) == [row["Regret"][name][other] for row in rows]


def test_states_that_cannot_be_drawn():
    rows = states()
    for nothing in ([], [[]], {"a": []}, {"a": [rows, []]}, {}):
        with pytest.raises(ValueError, match="`states` is empty"):
            plot.regret(nothing)
    with pytest.raises(ValueError, match="`states` of several seeds must have the same steps"):
        plot.regret([rows, rows[:2]])
    with pytest.raises(ValueError, match="`value` must be 'Regret', 'Loss' or 'Comparator', got"):
        plot.regret(rows, value="loss")


def test_axes_that_are_given_are_drawn_on():
    figure, axes = plt.subplots(1, 2, figsize=(9, 3))
    made = [
        plot.taxonomy(TREE, {"wolf": random.Random(1).random()}, ax=axes[0]),
        plot.regret(states(), ax=axes[1]),
    ]
    assert made == list(axes)
    assert plt.get_fignums() == [figure.number]
    with pytest.raises(TypeError, match="`ax` must be the Axes of matplotlib, got 'here'"):
        plot.taxonomy(TREE, ax="here")


@pytest.mark.parametrize("top", [120, None])
def test_names_in_a_small_part_of_a_figure_can_be_read(top):
    _, axes = plt.subplots(1, 2, figsize=(9, 3.6))
    ax = plot.taxonomy(LARGE, ax=axes[0], top=top)
    assert min(text.get_size() for text in ax.texts) >= 7
    assert 10 <= len(ax.texts) < 60


def test_logarithmic_axes_within_a_decade_have_plain_numbers():
    rows = [
        {"Step": n, "Regret": float(n), "Loss": 0.0, "Comparator": 0.0} for n in (200, 400, 700)
    ]
    ax = drawn(plot.regret(rows, log=True))
    ticks = {text.get_text() for text in ax.get_xticklabels(which="both")}
    assert "200" in ticks
    assert not any("mathdefault" in text for text in ticks)


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r'pip install "river-hier\[plot\]"'):
        plot.taxonomy(TREE)
