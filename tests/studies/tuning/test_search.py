from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorative_user_env.studies import tuning as module
from explorative_user_env.studies.tuning import (
    Candidate,
    Draw,
    NoneFoundError,
    found,
    judge,
)


def search(*where: Any, **how: Any) -> list[Candidate]:
    return list(module.search(*where, **how))


def drawn_from(success: Callable[[int], float], seed: int = 0) -> Draw:
    """Users with whom N_1 succeeds with a known probability."""

    def draw(n1: int, candidate: int, portion: int, n_users: int) -> np.ndarray:
        rng = np.random.default_rng([seed, candidate, portion])
        return np.asarray(rng.random(n_users) < success(n1))

    return draw


def sure(least: int) -> Draw:
    return lambda n1, candidate, portion, n_users: np.full(n_users, n1 >= least)


def test_the_step_of_a_known_curve_is_found() -> None:
    candidates = search(
        drawn_from(lambda n1: 0.97 if n1 >= 137 else 0.8), 20, 2000, delta=0.1, error=0.05, cap=5000
    )
    assert found(candidates, 0.1) == (137, (137, 137))


@pytest.mark.parametrize("seed", range(20))
def test_on_a_smooth_curve_every_decision_is_right(seed: int) -> None:
    """Success 1 - exp(-N_1/100)/2: at least .9 from N_1 = 161 on; error .05 over all decisions.

    Of 20 searches one or two might go wrong; with these seeds none does.
    """
    draw = drawn_from(lambda n1: 1 - 0.5 * np.exp(-n1 / 100), seed)
    candidates = search(draw, 10, 2000, delta=0.1, error=0.05, cap=3000)
    assert all(c.n1 >= 161 for c in candidates if c.decision == "good")
    assert all(c.n1 < 161 for c in candidates if c.decision == "bad")
    n1, (low, high) = found(candidates, 0.1)
    assert low <= 161 <= high == n1 < 300


@given(st.integers(0, 5000), st.integers(0, 5000), st.integers(0, 5000))
def test_any_least_n1_is_found_with_the_candidates_that_the_bound_counts(
    first: int, more: int, least: int
) -> None:
    top = first + more
    candidates = search(sure(least), first, top, delta=0.3, error=0.1, cap=100)
    assert candidates[0].n1 == first
    assert len({c.n1 for c in candidates}) == len(candidates)
    assert len(candidates) <= 1 + max(first, top - first).bit_length()
    if least <= top:
        assert found(candidates, 0.3) == (least, (least, least))
    else:
        with pytest.raises(NoneFoundError):
            found(candidates, 0.3)


def test_each_candidate_gets_its_share_of_the_error() -> None:
    (first, *_) = search(sure(0), 100, 1050, delta=0.1, error=0.05, cap=1000)
    share = 0.05 / 11  # 1 + the halvings of 950 numbers, 950 < 2^10
    assert first.n_runs == judge(np.zeros(1000, bool), 0.1, share)[1]
    assert first.n_runs > judge(np.zeros(1000, bool), 0.1, 0.05)[1]


def test_without_a_decision_a_candidate_is_not_good_and_ends_at_the_cap() -> None:
    calls: list[tuple[int, int, int, int]] = []

    def draw(n1: int, candidate: int, portion: int, n_users: int) -> np.ndarray:
        calls.append((n1, candidate, portion, n_users))
        if n1 >= 6:
            return np.ones(n_users, bool)
        return np.asarray(np.arange(n_users) % 10 != 0)  # on the border for ever

    candidates = search(draw, 2, 8, delta=0.1, error=0.05, cap=2500)
    assert [(c.n1, c.decision) for c in candidates] == [
        (2, "undecided"),
        (6, "good"),
        (4, "undecided"),
        (5, "undecided"),
    ]
    assert found(candidates, 0.1) == (6, (0, 6))
    assert candidates[0].n_runs == 2500
    assert candidates[0].failures == 250
    assert calls[:3] == [(2, 0, 0, 1000), (2, 0, 1, 1000), (2, 0, 2, 500)]
    places = [call[1:3] for call in calls]
    assert len(set(places)) == len(places), "no users are met twice"


def test_the_size_of_a_portion_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = np.random.default_rng(2).random((20, 4000))

    def run() -> list[Candidate]:
        taken = dict.fromkeys(range(20), 0)

        def draw(n1: int, candidate: int, portion: int, n_users: int) -> np.ndarray:
            start = taken[candidate]
            taken[candidate] += n_users
            rolled = stream[candidate, start : start + n_users]
            return np.asarray(rolled < 1 - 0.5 * np.exp(-n1 / 100))

        return search(draw, 10, 500, delta=0.1, error=0.05, cap=4000)

    large = run()
    monkeypatch.setattr(module, "PORTION", 33)
    assert run() == large


def test_where_nothing_is_good_the_message_says_what_may_help() -> None:
    bad = search(sure(9), 1, 8, delta=0.1, error=0.05, cap=1000)
    with pytest.raises(
        NoneFoundError, match=r"^no N_1 was found to succeed with probability 0\.9$"
    ):
        found(bad, 0.1)
    unclear = search(sure(0), 1, 8, delta=0.1, error=0.05, cap=10)
    with pytest.raises(NoneFoundError, match=r"\(4 undecided: more n_instances may do\)") as none:
        found(unclear, 0.1)
    assert none.value.candidates == unclear
    assert [candidate.n1 for candidate in unclear] == [1, 5, 7, 8]


def test_a_candidates_success_has_an_interval_that_allows_for_stopping() -> None:
    candidate = Candidate(7, 200, 10, "undecided")
    low, high = candidate.success_interval
    assert candidate.success == 0.95
    assert 0.87 < low < 0.88 < 0.95 < 0.98 < high < 0.99
