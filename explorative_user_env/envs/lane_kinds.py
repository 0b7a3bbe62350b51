"""Which lanes many users run in: compiled or plain, with the streams of their seeds."""

from collections.abc import Callable, Sequence

import numpy as np
from gymnasium.utils import seeding

from explorative_user_env.envs.lanes import Lanes, PlainLanes
from explorative_user_env.envs.user import REWARDS, ExplorativeUserEnv
from explorative_user_env.kernels.presence import can_compile, require_compiler
from explorative_user_env.users.behaviours import EXPLORATIVE

COMPILED_FROM = 64
"""Fewer users than these are not worth loading the compiler for."""


def new_lanes(
    single: ExplorativeUserEnv,
    rngs: Sequence[np.random.Generator],
    compiled: bool | None,
    who: Callable[[int], str],
    horizon: int,
) -> Lanes:
    """Return lanes for users like that of `single`, not begun yet.

    Args:
        single: what each lane equals.
        rngs: the lanes' streams.
        compiled: whether compiled code is wanted, which not every user can have; None is where it
            is worth loading the compiler, if there is one.
        who: tells in words whom a failure in a lane is about.
        horizon: steps that a user would stay for who leaves.

    Raises:
        MissingExtraError: if compiled code is asked for where nothing compiles.
    """
    rule, reward = single.schedule.rule, REWARDS.index(single.reward)
    if single.behaviour == EXPLORATIVE and _is_to_compile(compiled, len(rngs)):
        from explorative_user_env.envs.compiled_lanes import CompiledLanes, rule_compiles

        if rule_compiles(single.user, rule, rngs[0]):
            return CompiledLanes(single.user, rule, reward, rngs, who)
    return PlainLanes(single.user, rule, reward, rngs, single.behaviour, who, horizon)


def is_worth_compiling(n_lanes: int) -> bool:
    """Return whether so many users are worth the second it takes to load the compiler."""
    return n_lanes >= COMPILED_FROM


def _is_to_compile(compiled: bool | None, n_lanes: int) -> bool:
    """Return whether a compiler is to be loaded, which is there then."""
    if compiled:
        require_compiler("compiled=True needs")
    return (is_worth_compiling(n_lanes) if compiled is None else compiled) and can_compile()


def streams_of(seeds: Sequence[int | None]) -> tuple[list[np.random.Generator], list[int]]:
    """Return the streams that `env.reset(seed=...)` makes, and their seeds; None is any seed."""
    pairs = [seeding.np_random(seed) for seed in seeds]
    return [rng for rng, _ in pairs], [seed for _, seed in pairs]
