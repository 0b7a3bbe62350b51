"""One explorative user without an environment: made, recommended to, and decided for by hand."""

import math
from collections.abc import Callable, Generator, Sequence
from itertools import count
from typing import Any

import numpy as np

from explorative_user_env.users import model as rules
from explorative_user_env.users.model import Rule, Schedule, User, UserState, blank_state
from explorative_user_env.users.population import Population, Setting

Play = Callable[[Sequence[float], np.random.Generator], Generator[int, bool, None]]
"""A way to recommend: yields arms and is sent the responses."""


def users_of(**options: Any) -> Population:
    return Population(**options)


def new_user(
    setting: Setting,
    means: Sequence[float],
    seed: int = 0,
    alpha: float = 1.0,
    noise: float = 0.0,
    rho: Schedule | str | float | None = None,
) -> tuple[User, UserState, Rule, np.random.Generator]:
    """Return a user who has just started, her state, her rule of rho_t and her stream."""
    users = users_of(setting=setting, n_arms=len(means), alpha=alpha, noise=noise, rho=rho)
    state, rng = blank_state(users.user), np.random.default_rng(seed)
    state.means[:] = means
    rules.start(users.user, state, rng)
    return users.user, state, users.schedule.rule, rng


def hand_made(
    setting: Setting, estimates: Sequence[float], counts: Sequence[int], spread: float
) -> tuple[User, UserState]:
    """Return a user at a moment that is written down: hat mu_i, n_i and sqrt(Gamma)."""
    user = users_of(setting=setting, n_arms=len(estimates)).user
    state = blank_state(user)
    state.estimates[:] = estimates
    state.counts[:] = counts
    state.scales[:] = [1 / math.sqrt(n) if n else math.inf for n in counts]
    state.spread[0] = spread
    return user, state


def bounds(state: UserState) -> tuple[list[float], list[float]]:
    arms = range(len(state.means))
    lower = [rules.lcb(state, arm) for arm in arms]
    return lower, [rules.ucb(state, arm) for arm in arms]


def gamma(state: UserState) -> float:
    return state.spread[0] ** 2


def rejects_by_definition(user: User, state: UserState, arm: int) -> bool:
    """Some j != i with lcb_j >= ucb_i (or > where the setting is strict), by looking at all."""
    lower, upper = bounds(state)
    others = lower[:arm] + lower[arm + 1 :]
    return any(low >= upper[arm] if user.rejects_ties else low > upper[arm] for low in others)


def at_random(means: Sequence[float], rng: np.random.Generator) -> Generator[int, bool, None]:
    while True:
        yield int(rng.integers(len(means)))


def in_turn(means: Sequence[float], rng: np.random.Generator) -> Generator[int, bool, None]:
    for t in count():
        yield t % len(means)


def best_pair(means: Sequence[float], rng: np.random.Generator) -> Generator[int, bool, None]:
    pair: list[int] = np.argsort(means)[-2:].tolist()
    for t in count():
        yield pair[t % 2]


def until_rejected(means: Sequence[float], rng: np.random.Generator) -> Generator[int, bool, None]:
    arm = 0
    while True:
        accepted = yield arm
        if not accepted:
            arm = (arm + 1) % len(means)


def insisting(means: Sequence[float], rng: np.random.Generator) -> Generator[int, bool, None]:
    arm = 0
    for t in count():
        arm = arm if t % 25 else int(rng.integers(len(means)))
        yield arm


def mostly_best(means: Sequence[float], rng: np.random.Generator) -> Generator[int, bool, None]:
    best = int(np.argmax(means))
    for t in count():
        yield best if t % 51 < 50 else int(rng.integers(len(means)))


PLAYS: tuple[Play, ...] = (at_random, in_turn, best_pair, until_rejected, insisting)


def converse(play: Generator[int, bool, None], respond: Callable[[int], bool], steps: int) -> None:
    arm = next(play)
    for _ in range(steps):
        arm = play.send(respond(arm))
