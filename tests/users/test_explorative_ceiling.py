"""The short cut of `rejects` against the definition: no decision may differ by a bit."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from one_user import (
    PLAYS,
    Play,
    at_random,
    best_pair,
    in_turn,
    mostly_best,
    new_user,
    rejects_by_definition,
)

from explorative_user_env.users import model as rules
from explorative_user_env.users.model import Schedule, constant
from explorative_user_env.users.population import PRINTED, SETTINGS, Setting


class Seen(NamedTuple):
    """How many decisions were no, and how many yes."""

    rejections: int
    acceptances: int


def check(
    setting: Setting,
    means: Sequence[float],
    play: Play,
    n_steps: int,
    seed: int,
    rho: Schedule | None = None,
    noise: float = 0.0,
) -> Seen:
    """Play, and compare every decision, now and then on every arm."""
    user, state, rule, rng = new_user(setting, means, seed, noise=noise, rho=rho)
    arms = play(means, np.random.default_rng(seed + 1))
    arm, decisions = next(arms), []
    for step in range(n_steps):
        for other in range(len(means)) if step % 37 == 0 else [arm]:
            decisions.append(rules.rejects(user, state, other))
            assert decisions[-1] == rejects_by_definition(user, state, other), (step, other)
        arm = arms.send(rules.respond(user, state, rule, arm, rng))
    return Seen(sum(decisions), len(decisions) - sum(decisions))


def assert_both(seen: Seen) -> None:
    assert min(seen) > 20  # both answers were put to the test


def falling(parameters: tuple[float, ...], n: int, t: int, n_arms: int) -> float:
    """A rho_t that jumps down and up again, so that Gamma does too."""
    return 1.0 if t % 7 < 3 else 3.0


def silent(parameters: tuple[float, ...], n: int, t: int, n_arms: int) -> float:
    """A rho_t so small that Gamma is 0 for a long time."""
    return 1e-6


@pytest.mark.parametrize("play", [at_random, in_turn, best_pair, mostly_best])
@pytest.mark.parametrize("n_arms", [2, 5, 30])
def test_decisions_are_the_definitions(setting: Setting, play: Play, n_arms: int) -> None:
    means = (2.0 * np.random.default_rng(n_arms).standard_normal(n_arms)).tolist()
    assert_both(check(setting, means, play, 3000, seed=5))


@pytest.mark.parametrize("play", [at_random, in_turn, best_pair, mostly_best])
def test_also_among_equal_means(setting: Setting, play: Play) -> None:
    check(setting, [0.0] * 12, play, 3000, seed=6)


@pytest.mark.parametrize("rule", [falling, silent])
def test_also_when_gamma_falls_or_is_zero(setting: Setting, rule: Callable[..., float]) -> None:
    seen = check(setting, [0.3, 0.0, -0.2] * 4, at_random, 4000, 7, Schedule(rule, 1e-7, 4.0))
    assert_both(seen)


def test_also_with_click_noise_which_lets_a_worse_arm_in(setting: Setting) -> None:
    assert_both(check(setting, [1.0, 0.0, -1.0] * 4, at_random, 4000, seed=8, noise=0.3))


@pytest.mark.slow
def test_also_over_a_long_life() -> None:
    assert_both(check(PRINTED, [0.5, 0.45, 0.0, -0.3] * 3, mostly_best, 100_000, seed=9))


@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_also_if_the_play_changes_again_and_again(setting: Setting, noise: float) -> None:
    means = np.linspace(0.0, 3.0, 12).tolist()
    user, state, rule, rng = new_user(setting, means, 9, alpha=0.5, noise=noise)
    decisions: list[bool] = []
    for play in PLAYS * 3:
        arms = play(means, np.random.default_rng(1))
        arm = next(arms)
        for _ in range(300):
            decisions.append(rules.rejects(user, state, arm))
            assert decisions[-1] == rejects_by_definition(user, state, arm)
            arm = arms.send(rules.respond(user, state, rule, arm, rng))
    assert set(decisions) == {True, False}


@given(
    name=st.sampled_from(sorted(SETTINGS)),
    means=st.lists(st.floats(-3, 3), min_size=2, max_size=12),
    seed=st.integers(0, 2**32),
    rho=st.one_of(st.none(), st.floats(0.2, 5).map(constant)),
    play=st.sampled_from([*PLAYS, best_pair, mostly_best]),
)
def test_also_for_anyone(
    name: str, means: list[float], seed: int, rho: Schedule | None, play: Play
) -> None:
    check(SETTINGS[name], means, play, 300, seed, rho)
