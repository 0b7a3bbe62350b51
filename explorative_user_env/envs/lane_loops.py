"""The loops of many users in step that are compiled: to begin in some lanes, and to respond."""

from collections.abc import Callable
from typing import Any

import numpy as np

from explorative_user_env.compiled.compiler import compile_loop, once
from explorative_user_env.compiled.intrinsics import generator_at, prefetch, with_law
from explorative_user_env.compiled.layout import memory_of_arm, row_at, witness_at
from explorative_user_env.envs.rewards import reward_of
from explorative_user_env.users import explorative as rules
from explorative_user_env.users.best_arms import draw_means
from explorative_user_env.users.confidence import Rule
from explorative_user_env.users.reward_laws import RewardDraw

AHEAD = 5
"""How many lanes before its turn a user's memory is asked for; it takes the wait off the step."""

IN_GENERATOR = 40
"""The numbers of a PCG64 are the 32 bytes from 16 behind its address on; this is in the last ones,
which often are in the next line of the cache."""


def no_mean(rng: np.random.Generator) -> float:
    """Return nothing: the means are there already."""
    return 0.0


@once
def compiled_begin(
    mean: Callable[[np.random.Generator], float], own_law: RewardDraw
) -> Callable[..., None]:
    """Return the compiled loop that puts new users in lanes, with means drawn by `mean`."""
    start = rules.start

    def begin(
        numbers: Any,
        rows: Any,
        best_arms: Any,
        best_means: Any,
        streams: Any,
        draws: Any,
        lanes: Any,
        draws_means: bool,
        scale: float,
        gap: float,
        gap_factor: float,
    ) -> None:
        user = with_law(numbers, own_law)
        arms_of, own_of = rows.arms.ctypes.data, rows.own.ctypes.data
        logarithms, inverse_roots = rows.logarithms, rows.inverse_roots
        for lane in lanes:
            state = row_at(arms_of, own_of, user.n_arms, lane, logarithms, inverse_roots)
            rng = generator_at((streams[lane], draws[0], draws[1], draws[2]))
            if draws_means:
                # No named law loses its gap.
                best_arms[lane] = draw_means(state.means, mean, scale, gap, gap_factor, rng)
            best_means[lane] = state.means[best_arms[lane]]
            start(user, state, rng)

    loop: Callable[..., None] = compile_loop(begin)
    return loop


@once
def compiled_respond(rule: Rule, own_law: RewardDraw) -> Callable[..., bool]:
    """Return the compiled loop of one step in many lanes."""
    respond, ahead, in_generator = rules.respond, AHEAD, IN_GENERATOR

    def respond_in_lanes(
        numbers: Any,
        rows: Any,
        best_means: Any,
        streams: Any,
        draws: Any,
        lanes: Any,
        arms: Any,
        reward: int,
        responses: Any,
        rewards: Any,
        interactions: Any,
        acceptances: Any,
        rejections: Any,
    ) -> bool:
        user = with_law(numbers, own_law)
        n_strangers = 0
        for place in range(arms.size):
            n_strangers += (arms[place] < 0) | (arms[place] >= user.n_arms)
        if n_strangers > 0:
            return False
        arms_of, own_of = rows.arms.ctypes.data, rows.own.ctypes.data
        logarithms, inverse_roots = rows.logarithms, rows.inverse_roots
        for place in range(lanes.size):
            if place + ahead < lanes.size:
                coming = lanes[place + ahead]
                witness = witness_at(own_of, coming)
                prefetch(memory_of_arm(arms_of, user.n_arms, coming, arms[coming]))
                prefetch(memory_of_arm(arms_of, user.n_arms, coming, witness))
                prefetch(streams[coming])
                prefetch(streams[coming] + in_generator)
            lane = lanes[place]
            arm = arms[lane]
            state = row_at(arms_of, own_of, user.n_arms, lane, logarithms, inverse_roots)
            rng = generator_at((streams[lane], draws[0], draws[1], draws[2]))
            accepted = respond(user, state, rule, arm, rng)
            responses[lane] = accepted
            rewards[lane] = reward_of(
                reward, state.means[arm], best_means[lane], accepted, state.reward[0]
            )
            interactions[lane] = state.interactions[0]
            acceptances[lane] = state.acceptances[0]
            rejections[lane] = state.interactions[0] - state.acceptances[0]
        return True

    loop: Callable[..., bool] = compile_loop(respond_in_lanes)
    return loop
