"""Lives with the short cut of `rejects` and without: the same responses and state, to the bit."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lives import LENGTHS, N_ARMS, Life, drawn, equal, life
from one_user import (
    Play,
    at_random,
    best_pair,
    in_turn,
    rejects_by_definition,
    until_rejected,
)
from pairs import pairs

from explorative_user_env.users import model as rules
from explorative_user_env.users.model import Schedule, number_tables
from explorative_user_env.users.population import SETTINGS, Setting

PLAYS: tuple[Play, ...] = (at_random, best_pair, until_rejected, in_turn)


class Coarse:
    """Few different rewards, so that bounds meet to the bit where Gamma is zero."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.random = rng.random
        self._rng = rng

    def standard_normal(self) -> float:
        return float(self._rng.integers(-1, 2))


def without_short_cut(one: Life) -> Life:
    """Leave out what only `rejects` keeps, for its short cut."""
    short_cut = ("ceiling", "ceiling_spread", "witness")
    left = {name: values for name, values in one.left.items() if name not in short_cut}
    return one._replace(left=left)


def lives_with_and_without_short_cut(
    monkeypatch: pytest.MonkeyPatch, *arguments: Any, **named: Any
) -> tuple[Life, Life]:
    quick = life(*arguments, **named)
    with monkeypatch.context() as patch:
        patch.setattr(rules, "rejects", rejects_by_definition)
        plain = life(*arguments, **named)
    assert plain.left["ceiling_spread"] == [math.inf]  # nothing here was decided by the short cut
    return without_short_cut(quick), without_short_cut(plain)


@pairs(noise=[0.0, 0.2], rho=[None, 1.0], play=PLAYS, means_of=[drawn, equal])
def test_a_user_who_looks_at_all_arms_lives_the_same_life(
    setting: Setting,
    means_of: Callable[[int], list[float]],
    play: Play,
    rho: float | None,
    noise: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for n_arms in N_ARMS:
        quick, plain = lives_with_and_without_short_cut(
            monkeypatch, setting, means_of(n_arms), play, 1200, rho, noise
        )
        assert quick == plain


@pytest.mark.parametrize("rho", [None, 0.05, 1.0])
def test_the_lives_compared_have_both_answers_and_gammas_of_zero(
    setting: Setting, rho: float | None
) -> None:
    responses, spreads, left = life(setting, drawn(8), at_random, 1200, rho)
    assert 20 < sum(responses) < 1180
    assert (0.0 in spreads) == (rho is not None)
    assert max(spreads) > 1.0
    assert left["ceiling_spread"] != [math.inf]  # there was a ceiling to decide by


def rising_and_falling(parameters: tuple[float, ...], n: int, t: int, n_arms: int) -> float:
    """A rho_t whose Gamma falls by a little at most steps, and by a lot at some."""
    return 4.0 - 3.0 * ((t % 40) / 40) if t % 200 > 5 else 0.01


@pytest.mark.parametrize("play", PLAYS)
def test_also_while_gamma_rises_and_falls(
    setting: Setting, play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    rho = Schedule(rising_and_falling, 0.01, 4.0)
    for n_arms in N_ARMS:
        quick, plain = lives_with_and_without_short_cut(
            monkeypatch, setting, drawn(n_arms), play, 1200, rho, 0.1
        )
        assert quick == plain


@pytest.mark.parametrize("play", PLAYS)
def test_also_where_bounds_meet(
    setting: Setting, play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n_arms in N_ARMS:
        for seed in range(20):
            quick, plain = lives_with_and_without_short_cut(
                monkeypatch, setting, equal(n_arms), play, 60, 0.001, 0.2, seed, stream=Coarse
            )
            assert quick == plain


def test_the_bounds_of_coarse_rewards_meet_often(setting: Setting) -> None:
    n_meeting = 0
    for seed in range(100):
        moment = life(setting, equal(5), at_random, 20, 0.001, 0.2, seed, stream=Coarse)
        estimates, counts = moment.left["estimates"], moment.left["counts"]
        seen = [mean for mean, count in zip(estimates, counts, strict=True) if count]
        n_meeting += seen.count(max(seen)) > 1
    assert n_meeting > 5


@pytest.mark.slow
@given(
    name=st.sampled_from(sorted(SETTINGS)),
    means=st.lists(st.sampled_from([0.0, 0.0, 0.1, 1.0, -2.0]), min_size=2, max_size=9),
    play=st.sampled_from(PLAYS),
    rho=st.sampled_from([None, 0.05, 1.0, 3.0]),
    noise=st.sampled_from([0.0, 0.3, 1.0]),
    seed=st.integers(0, 2**32),
)
def test_all_variants_agree_for_anyone(
    name: str, means: list[float], play: Play, rho: float | None, noise: float, seed: int
) -> None:
    arguments = (SETTINGS[name], means, play, 200, rho, noise, seed)
    one = life(*arguments)
    assert all(life(*arguments, number_tables(length)._asdict()) == one for length in LENGTHS)
    with pytest.MonkeyPatch.context() as patch:
        quick, plain = lives_with_and_without_short_cut(patch, *arguments)
    assert quick == plain
