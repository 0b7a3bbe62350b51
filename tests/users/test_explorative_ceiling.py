"""The short cut of `rejects` against the definition: no decision may differ by a bit."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorative_user_env.population import Population
from explorative_user_env.settings import PRINTED, SETTINGS, Setting
from explorative_user_env.users import explorative as rules
from explorative_user_env.users.confidence import Schedule, constant
from explorative_user_env.users.state import User, UserState, blank_state

Play = Callable[[int, np.random.Generator], Iterator[int]]


def at_random(n_arms: int, rng: np.random.Generator) -> Iterator[int]:
    while True:
        yield int(rng.integers(n_arms))


def in_turn(n_arms: int, rng: np.random.Generator) -> Iterator[int]:
    while True:
        yield from range(n_arms)


def alternating_pair(n_arms: int, rng: np.random.Generator) -> Iterator[int]:
    while True:
        yield from (0, 1)


def mostly_one(n_arms: int, rng: np.random.Generator) -> Iterator[int]:
    while True:
        yield from [n_arms - 1] * 50 + [int(rng.integers(n_arms))]


PLAYS = [at_random, in_turn, alternating_pair, mostly_one]


def by_definition(user: User, state: UserState, arm: int) -> bool:
    """Some j != i with lcb_j >= ucb_i (or > where the setting is strict), by looking at all."""
    bar = rules.ucb(state, arm)
    bounds = [rules.lcb(state, other) for other in range(user.n_arms) if other != arm]
    return any(bound >= bar if user.rejects_ties else bound > bar for bound in bounds)


def check(
    setting: Setting,
    means: list[float],
    play: Play,
    n_steps: int,
    seed: int,
    rho: Schedule | None = None,
    noise: float = 0.0,
) -> int:
    """Play, compare every decision on every arm now and then, and return the rejections."""
    population = Population(setting=setting, n_arms=len(means), noise=noise, rho=rho)
    user, schedule = population.user, population.schedule
    state = blank_state(user)
    state.means[:] = means
    rng, chooser = np.random.default_rng(seed), np.random.default_rng(seed + 1)
    rules.start(user, state, rng)
    arms = play(len(means), chooser)
    rejections = 0
    for step in range(n_steps):
        arm = next(arms)
        asked = range(len(means)) if step % 37 == 0 else [arm]
        for other in asked:
            expected = by_definition(user, state, other)
            assert rules.rejects(user, state, other) == expected, (step, other)
        rejections += not rules.respond(user, state, schedule.rule, arm, rng)
    return rejections


def falling(parameters: tuple[float, ...], n: int, t: int, n_arms: int) -> float:
    """A rho_t that jumps down and up again, so that Gamma does too."""
    return 1.0 if t % 7 < 3 else 3.0


def silent(parameters: tuple[float, ...], n: int, t: int, n_arms: int) -> float:
    """A rho_t so small that Gamma is 0 for a long time."""
    return 1e-6


@pytest.mark.parametrize("play", PLAYS)
@pytest.mark.parametrize("n_arms", [2, 5, 30])
def test_decisions_are_the_definitions(setting: Setting, play: Play, n_arms: int) -> None:
    means = np.random.default_rng(n_arms).standard_normal(n_arms).tolist()
    check(setting, means, play, 3000, seed=5)


@pytest.mark.parametrize("play", PLAYS)
def test_also_among_equal_means(setting: Setting, play: Play) -> None:
    check(setting, [0.0] * 12, play, 3000, seed=6)


@pytest.mark.parametrize("rule", [falling, silent])
def test_also_when_gamma_falls_or_is_zero(setting: Setting, rule: Callable[..., float]) -> None:
    rejections = check(setting, [0.3, 0.0, -0.2] * 4, at_random, 4000, 7, Schedule(rule, 1e-7, 4.0))
    assert rejections > 0


def test_also_with_click_noise_which_lets_a_worse_arm_in(setting: Setting) -> None:
    check(setting, [1.0, 0.0, -1.0] * 4, at_random, 4000, seed=8, noise=0.3)


def test_also_over_a_long_life() -> None:
    check(PRINTED, [0.5, 0.45, 0.0, -0.3] * 3, mostly_one, 100_000, seed=9)


@given(
    name=st.sampled_from(sorted(SETTINGS)),
    means=st.lists(st.floats(-3, 3), min_size=2, max_size=12),
    seed=st.integers(0, 2**32),
    rho=st.one_of(st.none(), st.floats(0.2, 5).map(constant)),
    play=st.sampled_from(PLAYS),
)
def test_also_for_anyone(
    name: str, means: list[float], seed: int, rho: Schedule | None, play: Play
) -> None:
    check(SETTINGS[name], means, play, 300, seed, rho)
