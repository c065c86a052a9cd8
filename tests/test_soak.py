"""State is bounded, or grows as it is said to: `support/soak.py` in small, by pickle sizes."""

from __future__ import annotations

import pickle
from itertools import islice

import pytest

from support.soak import GROWS, Case, cases, steps

CASES = cases()


def sizes(case: Case, n: int) -> tuple[int, int]:
    """Bytes of the model after n steps, and after twice as many: the most, where budgets and tables
    fill up and are emptied again.
    """
    going = steps(case)
    found = []
    for _ in range(2):
        next(islice(going, n - 101, None))
        last = [len(pickle.dumps(case.model)) for i in islice(going, 100) if i % 10 == 0]
        found.append(max(last))
    return found[0], found[1]


@pytest.mark.slow(but=4)
@pytest.mark.parametrize("title", [title for title in CASES if title not in GROWS])
def test_state_is_bounded(title: str) -> None:
    late = title.endswith(("budget", "hashed"))  # what they hold fills up, or has room to spare
    remembers = "Tempered" in title or "Calibrated" in title  # 4,096 examples
    n = 5000 if remembers else 600 if late else 300
    before, after = sizes(CASES[title], n)
    assert after <= 1.5 * before  # a leak would double it


@pytest.mark.slow(but=2)
@pytest.mark.parametrize("title", GROWS)
def test_what_grows_grows_as_it_is_said_to(title: str) -> None:
    before, after = sizes(CASES[title], 150)
    assert before < after <= 1.1 * 2 ** GROWS[title] * before
