"""What the papers prove, on sequences that come near their bounds, and what is false in them."""

import runpy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.paper_scripts import PAPERS


@pytest.fixture
def tight(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    return names(monkeypatch, "dekel_2004_tight")


def names(patch: pytest.MonkeyPatch, script: str) -> dict[str, Any]:
    patch.syspath_prepend(str(PAPERS))
    return runpy.run_path(str(PAPERS / f"{script}.py"))


# --- Theorem 1 of 2004: the squared loss of Hieron ----------------------------------------------


def test_orthogonal_examples_come_near_theorem_1(tight: dict[str, Any]) -> None:
    t, examples, omega = tight["orthogonal"]()
    found = tight["share"](tight["learner"]("right", t), examples, omega)
    assert found == pytest.approx(0.854, abs=5e-4)  # so half the constant would be wrong


def test_theorem_1_tells_the_right_rule_from_wrong_ones(tight: dict[str, Any]) -> None:
    t, examples, omega = tight["opposite"]()
    assert len(tight["RULES"]) == 7
    for rule in tight["RULES"]:
        found = tight["share"](tight["learner"](rule, t), examples, omega)
        assert (0.8 < found <= 1) if rule == "right" else found > 1.02, rule
    right = tight["RULES"]["right"]  # the library's own, without a cap
    assert tight["LargestLoss"](t, C=1e9).rule(0.5, 4.0, 0.25) == right(0.5, 4.0, 0.25) == 1.5


# --- Theorem 2 and Lemmas 7 to 9 of 2006, Propositions 1 and 2 of 2007 ---------------------------

lemmas = names(pytest.MonkeyPatch(), "cesa_bianchi_2006_lemmas")
propositions = names(pytest.MonkeyPatch(), "cai_hofmann_2007_propositions")
SHARES = lemmas["LEMMAS"] | propositions["PROPOSITIONS"]
each_share = pytest.mark.parametrize("share", SHARES.values(), ids=SHARES)


@pytest.mark.slow
def test_theorem_2_tells_least_squares_from_a_perceptron() -> None:
    found, bound = lemmas["regrets"]()
    assert found["H-RLS"] < 2 < bound < found["H-PERC"]
    assert bound < lemmas["N_EXAMPLES"] / 50


@each_share
@given(seed=st.integers(0, 2**32 - 1))
def test_lemmas_7_to_9_of_2006_and_both_propositions_of_2007(share: Any, seed: int) -> None:
    assert share(seed) <= 1 + 1e-9


@each_share
def test_they_can_fail(share: Any) -> None:
    """With two thirds of r, of the sum, or of the slacks, each is false."""
    assert any(share(seed, lambda r: r * 2 / 3) > 1 for seed in range(1000))


@given(seed=st.integers(0, 2**32 - 1))
def test_zero_one_loss_h_loss_and_delta_are_in_this_order(seed: int) -> None:
    assert lemmas["in_order"](seed)


# --- Propositions 3 and 4 of 2002 are false -----------------------------------------------------


@pytest.mark.slow
def test_propositions_3_and_4_are_false(monkeypatch: pytest.MonkeyPatch) -> None:
    script = names(monkeypatch, "el_yaniv_2002_propositions")
    error, lower = script["counterexample"]()
    assert error == 0.5  # the class of prior 1/2 is always predicted
    assert lower == pytest.approx(0.5063, abs=5e-5)
    above, above_lin = script["random_problems"]()
    assert max(above) > 0.05
    assert max(above_lin) <= 1e-9


def test_the_error_of_best_decisions(monkeypatch: pytest.MonkeyPatch) -> None:
    """By hand: at the root b and c together win at x = 0, and then each loses half the time."""
    script = names(monkeypatch, "el_yaniv_2002_propositions")
    joint = {"a": {0: 0.2, 1: 0.2}, "b": {0: 0.15, 1: 0.1}, "c": {0: 0.25, 1: 0.1}}
    assert script["error"](script["THREE"], joint) == pytest.approx(1 - 0.25 - 0.2)
