"""The losses: their laws, their expectations and their error messages."""

import itertools
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from river_hier import Taxonomy, losses
from river_hier.taxonomy import UnknownLabelError
from support.hypothesis_settings import n_examples
from support.predictions import ANIMALS, P_ANIMALS, answers, truths
from support.strategies import multilabels, parents_of, taxonomies, trees

DIAMOND = Taxonomy([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c"), ("c", "d")])

costs = st.floats(0.01, 100)


@st.composite
def cases(draw, kind=lambda: taxonomies(4)):
    """A taxonomy for us and for the oracles, a truth, a prediction, costs."""
    taxonomy = draw(kind())
    y_true, true = draw(truths(taxonomy))
    y_pred, pred = draw(answers(taxonomy))
    c = draw(st.dictionaries(st.sampled_from(taxonomy.nodes), costs))
    return taxonomy, parents_of(taxonomy), y_true, true, y_pred, pred, c


@given(taxonomy=trees())
def test_tree_induced_error_of_labels_is_their_distance(taxonomy):
    parents = parents_of(taxonomy)
    for u, v in itertools.product(taxonomy, repeat=2):
        gamma = losses.tree_induced_error(taxonomy, u, v)
        assert gamma == taxonomy.distance(u, v) == oracles.tree_induced_error(parents, u, v)


@given(data=st.data(), taxonomy=taxonomies())
def test_truncation_never_raises_the_h_loss(data, taxonomy):
    """Lemma 1."""
    y_true, on = data.draw(multilabels(taxonomy)), data.draw(multilabels(taxonomy))
    c = data.draw(st.dictionaries(st.sampled_from(taxonomy.nodes), costs))
    kept = oracles.truncate(parents_of(taxonomy), on)
    y_pred, truncated = ({v: v in y for v in taxonomy.nodes[1:]} for y in (on, kept))
    loss = losses.h_loss(taxonomy, y_true, y_pred, c)
    assert losses.h_loss(taxonomy, y_true, truncated, c) <= loss


@n_examples(200)
@given(
    case=cases(lambda: trees(4, 7)), data=st.data(),
    missed=st.floats(0, 10), spurious=st.floats(0, 10),
)  # fmt: skip
def test_expected_losses_equal_the_sum_over_all_multilabels(case, data, missed, spurious):
    taxonomy, parents, _, _, y_pred, pred, c = case
    p = {v: data.draw(st.floats(0, 1)) for v in taxonomy.nodes[1:]}
    assert losses.expected_zero_one_loss(taxonomy, p, y_pred) == pytest.approx(
        oracles.expected_zero_one_loss(parents, p, pred)
    )
    for some in (None, c):
        assert losses.expected_h_loss(taxonomy, p, y_pred, some) == pytest.approx(
            oracles.expected_h_loss(parents, p, pred, some)
        )
        assert losses.expected_symmetric_difference_loss(
            taxonomy, p, y_pred, some, missed, spurious
        ) == pytest.approx(
            oracles.expected_symmetric_difference_loss(parents, p, pred, some, missed, spurious)
        )


def test_the_papers_first_figure():
    """Figure 1: the union of 1-2, 1-3 and 6-8-10 respects the forest."""
    t = Taxonomy([(1, 2), (1, 3), (3, 4), (3, 5), (6, 7), (6, 8), (8, 9), (8, 10), (8, 11)])
    y_true = {2, 3, 10}
    assert t.closure(y_true) == {"root", 1, 2, 3, 6, 8, 10}
    assert losses.h_loss(t, y_true, {2, 3, 9}) == 2  # 10 missed, 9 wrong
    assert losses.h_loss(t, y_true, {2, 3}) == 1  # 6 is missed; 8 and 10 lie below
    assert losses.symmetric_difference_loss(t, y_true, {2, 3}) == 3
    assert losses.h_loss(t, y_true, {2, 4, 10}) == 1  # 4 is wrong below 3, which is right
    # 1-2-4 is no path: 4 without 3 does not respect the forest, and 3 is charged, not 4.
    odd = {v: v in {1, 2, 4} for v in t.nodes[1:]}
    assert losses.h_loss(t, {2}, odd) == 1
    assert losses.h_loss(t, {4, 2}, odd) == 1
    assert losses.symmetric_difference_loss(t, {4, 2}, odd) == 1


def test_the_root_never_costs():
    assert losses.h_loss(ANIMALS, "wolf", {"animal": False, "mammal": True, "wolf": True}) == 0
    assert losses.h_loss(ANIMALS, "wolf", [], costs={"animal": 100}) == 1
    assert losses.symmetric_difference_loss(ANIMALS, [], "animal", volumes={"animal": 9}) == 0


def test_explicitly_off_ancestors_stay_off():
    y_pred = {"wolf": True, "mammal": False}
    assert losses.h_loss(ANIMALS, "wolf", y_pred) == 1
    assert losses.symmetric_difference_loss(ANIMALS, "wolf", y_pred) == 1
    with pytest.raises(ValueError, match="'wolf' is on but its ancestor 'mammal' is False"):
        losses.h_loss(ANIMALS, y_pred, "wolf")


def test_a_ladder_of_diamonds_takes_no_exponential_time():
    edges = [((i, 0), (i, side)) for i in range(60) for side in "ab"]
    edges += [((i, side), (i + 1, 0)) for i in range(60) for side in "ab"]
    assert losses.h_loss(Taxonomy(edges), (60, 0), (59, "a")) == 1


FUNCTIONS = [
    losses.tree_induced_error, losses.zero_one_loss, losses.h_loss,
    losses.symmetric_difference_loss,
]  # fmt: skip
EXPECTED = [
    losses.expected_zero_one_loss, losses.expected_h_loss,
    losses.expected_symmetric_difference_loss,
]  # fmt: skip


BAD = [0, 0.0, -1.0, float("nan"), float("inf"), "1", None, True, 1j]


@pytest.mark.parametrize(
    ("name", "loss"),
    [
        ("costs", partial(losses.h_loss, ANIMALS, "wolf", "mammal")),
        ("costs", partial(losses.expected_h_loss, ANIMALS, P_ANIMALS, "wolf")),
        ("volumes", partial(losses.symmetric_difference_loss, ANIMALS, "wolf", "mammal")),
        ("volumes", partial(losses.expected_symmetric_difference_loss, ANIMALS, P_ANIMALS, "owl")),
    ],
)
def test_bad_costs_and_volumes(name, loss):
    for value in BAD:
        message = rf"`{name}\['wolf'\]` must be a positive finite number, got "
        with pytest.raises(ValueError, match=message):
            loss(**{name: {"wolf": value}})
    with pytest.raises(UnknownLabelError, match="'wolff' is not in"):
        loss(**{name: {"wolff": 2.0}})
    with pytest.raises(TypeError, match=rf"`{name}` must be {{label: number}}, got list"):
        loss(**{name: [2.0]})


@pytest.mark.parametrize("value", [-0.1, float("nan"), float("inf"), "1", None, True])
@pytest.mark.parametrize("name", ["missed", "spurious"])
def test_bad_factors(name, value):
    with pytest.raises(ValueError, match=f"`{name}` must be a finite number of at least 0, got"):
        losses.symmetric_difference_loss(ANIMALS, "wolf", "owl", **{name: value})
    with pytest.raises(ValueError, match=f"`{name}` must be a finite number of at least 0, got"):
        losses.expected_symmetric_difference_loss(ANIMALS, P_ANIMALS, "owl", **{name: value})


@pytest.mark.parametrize("loss", EXPECTED)
def test_bad_probabilities(loss):
    with pytest.raises(ValueError, match="label 'wolf' has no probability; `probabilities` must"):
        loss(ANIMALS, {v: 0.5 for v in P_ANIMALS if v != "wolf"}, "wolf")
    for value in (-0.1, 1.1, float("nan"), "0.5", None):
        with pytest.raises(ValueError, match=r"`probabilities\['wolf'\]` must be in \[0, 1\]"):
            loss(ANIMALS, {**P_ANIMALS, "wolf": value}, "wolf")
    with pytest.raises(TypeError, match=r"`probabilities` must be {label: .*}, got list"):
        loss(ANIMALS, [0.5], "wolf")
    with pytest.raises(UnknownLabelError, match="'wolff' is not in"):
        loss(ANIMALS, P_ANIMALS, "wolff")


@pytest.mark.parametrize("loss", EXPECTED)
@pytest.mark.parametrize("y_pred", [[], "a", "d"])
def test_expected_losses_are_for_trees(loss, y_pred):
    with pytest.raises(
        ValueError, match=r"node 'c' has 2 parents \('.', '.'\), and this is defined in trees only"
    ):
        loss(DIAMOND, dict.fromkeys("abcd", 0.5), y_pred)


@pytest.mark.parametrize("loss", FUNCTIONS)
def test_arguments_in_the_wrong_order(loss):
    with pytest.raises(TypeError, match="`taxonomy` must be a Taxonomy, got str"):
        loss("wolf", "owl", ANIMALS)


def test_an_answer_that_states_the_root_still_has_its_gaps_filled():
    t = Taxonomy.from_nested({"r": {"a": ["b"]}})
    assert losses.h_loss(t, "b", {"r": True, "b": True}) == 0.0
    assert losses.h_loss(t, "b", {"r": True, "a": False, "b": True}) == 1.0
