"""Whole lives of one user, as records that are equal only if every number of them is."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, NamedTuple

import numpy as np
from one_user import Play, users_of

from explorative_user_env.users import model as rules
from explorative_user_env.users.model import Schedule, Stream, UserState, blank_state
from explorative_user_env.users.population import Setting

TABLES = ("logarithms", "inverse_roots")
LENGTHS = (0, 1, 50, 8192)
"""Of tables; the last is that of a user in plain Python."""

N_ARMS = (2, 5, 20)


class Life(NamedTuple):
    """What a user answered, sqrt(Gamma) after each answer, and what she was in the end."""

    responses: list[bool]
    spreads: list[float]
    left: dict[str, list[float]]


def life(
    setting: Setting,
    means: Sequence[float],
    play: Play,
    n_steps: int,
    rho: Schedule | float | None = None,
    noise: float = 0.0,
    seed: int = 0,
    tables: Mapping[str, Any] | None = None,
    stream: Callable[[np.random.Generator], Stream] = lambda rng: rng,
) -> Life:
    """Ask about nothing but what is recommended: another question would renew her ceiling."""
    users = users_of(setting=setting, n_arms=len(means), noise=noise, rho=rho)
    user, rule = users.user, users.schedule.rule
    state = replace(blank_state(user), **(tables or {}))
    state.means[:] = means
    rng = stream(np.random.default_rng(seed))
    rules.start(user, state, rng)
    arms = play(means, np.random.default_rng(seed + 1))
    responses: list[bool] = []
    spreads: list[float] = []
    arm = next(arms)
    for _ in range(n_steps):
        responses.append(rules.respond(user, state, rule, arm, rng))
        spreads.append(state.spread[0])
        arm = arms.send(responses[-1])
    return Life(responses, spreads, left_of(state, TABLES))


def left_of(state: Any, without: Sequence[str]) -> dict[str, list[float]]:
    """Return every number of a state, plain or compiled."""
    names = [field.name for field in fields(UserState) if field.name not in without]
    return {name: np.asarray(getattr(state, name)).tolist() for name in names}


def drawn(n_arms: int) -> list[float]:
    means: list[float] = np.random.default_rng(n_arms).standard_normal(n_arms).tolist()
    return means


def equal(n_arms: int) -> list[float]:
    return [0.0] * n_arms
