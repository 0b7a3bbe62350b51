"""The loops, compiled once for each algorithm and kind of user."""

import functools
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from explorative_user_env.compiled.compiler import compile_loop, once
from explorative_user_env.compiled.loops import make_play, make_play_all, make_run, make_run_all
from explorative_user_env.compiled.member_loops import make_play_members
from explorative_user_env.protocol import Algorithm
from explorative_user_env.users.behaviour import Behaviour
from explorative_user_env.users.confidence import Rule
from explorative_user_env.users.reward_laws import RewardDraw, no_law
from explorative_user_env.validation import handed_in

Kernel = Callable[..., None]


def compiled_run_all(
    algorithm: Algorithm, rule: Rule, behaviour: Behaviour, own_law: RewardDraw = no_law
) -> Kernel:
    """Return the loop of `make_run_all`, compiled: one call for many runs."""
    return _run_all(algorithm, rule, _functions_of(behaviour), own_law)


def compiled_play_all(
    algorithm: Algorithm, rule: Rule, behaviour: Behaviour, own_law: RewardDraw = no_law
) -> Kernel:
    """Return the loop of `make_play_all`, compiled: one call for many users."""
    return _play_all(algorithm, rule, _functions_of(behaviour), own_law)


def compiled_play_members(
    algorithm: Algorithm, rule: Rule, behaviour: Behaviour, own_law: RewardDraw = no_law
) -> Kernel:
    """Return the loop of `make_play_members`, compiled: one call for the users of an episode."""
    return _play_members(algorithm, rule, _functions_of(behaviour), own_law)


def _functions_of(behaviour: Behaviour) -> Behaviour:
    """Return a behaviour of the same functions, without the numbers, which do not compile in."""
    return Behaviour(
        "any",
        start=behaviour.start,
        respond=behaviour.respond,
        moves_means=behaviour.moves_means,
        leaves=behaviour.leaves,
    )


@once
def _run_all(algorithm: Algorithm, rule: Rule, behaviour: Behaviour, own_law: RewardDraw) -> Kernel:
    from explorative_user_env.compiled.intrinsics import an_arm, generator_at, halted, with_law

    around = functools.partial(make_run_all, moves_means=behaviour.moves_means, halted=halted)
    loop = make_run(algorithm, rule, generator_at, behaviour, own_law, with_law, an_arm, halted)
    return _kernel(loop, around, algorithm)


@once
def _play_all(
    algorithm: Algorithm, rule: Rule, behaviour: Behaviour, own_law: RewardDraw
) -> Kernel:
    from explorative_user_env.compiled.intrinsics import an_arm, generator_at, halted, with_law

    loop = make_play(algorithm, rule, generator_at, behaviour, own_law, with_law, an_arm, halted)
    return _kernel(loop, functools.partial(make_play_all, halted=halted), algorithm)


@once
def _play_members(
    algorithm: Algorithm, rule: Rule, behaviour: Behaviour, own_law: RewardDraw
) -> Kernel:
    from explorative_user_env.compiled.intrinsics import an_arm, generator_at, halted, with_law

    around = functools.partial(
        make_play_members, algorithm=algorithm, stream=generator_at, halted=halted
    )
    loop = make_play(
        algorithm, rule, generator_at, behaviour, own_law, with_law, an_arm, halted, begins=False
    )
    return _kernel(loop, around, algorithm)


def _kernel(loop: Any, around: Any, algorithm: Algorithm) -> Kernel:
    # Rules of the package, too, find other arrays than theirs where `blank` is somebody's own.
    parts = (getattr(algorithm, field.name) for field in fields(algorithm) if field.compare)
    checked = any(callable(part) and handed_in(part) for part in parts)
    kernel: Kernel = compile_loop(loop, around, checked)
    return kernel
