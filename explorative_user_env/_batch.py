"""The compiled core: one loop closed over an algorithm and a user, compiled once for each pair.

The loop's parts are the very functions of the readable path (`user.py`, an agent's file). Numba is
imported here, when the first batch is compiled, and nowhere else.
"""

import functools
import math
from collections.abc import Callable
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env import _kernel_cache
from explorative_user_env import user as user_rules
from explorative_user_env.protocol import STOP, Algorithm
from explorative_user_env.schedules import Rule

TABLE_LENGTH = 2**19
"""Enough for runs of a quarter of a million steps; longer ones compute what is beyond."""

Run = Callable[..., tuple[int, int, int, bool]]


class Outcome(NamedTuple):
    """What is left of a run, by either path."""

    acceptances: int
    rejections: int
    answer: int
    censored: bool


def as_arrays(state: Any) -> Any:
    """Return the NamedTuple `state` of lists as one of arrays, for compiled code.

    Raises:
        TypeError: if a field is not a list of numbers.
    """
    arrays = {name: _as_array(name, values) for name, values in state._asdict().items()}
    return type(state)(**arrays)


@functools.cache
def tables() -> tuple[np.ndarray, np.ndarray]:
    """Return log(k) and 1/sqrt(k) for k = 0, ..., TABLE_LENGTH - 1; made once, as Python does."""
    logarithms = np.fromiter(map(math.log, range(1, TABLE_LENGTH)), float, TABLE_LENGTH - 1)
    inverse_roots = 1.0 / np.sqrt(np.arange(1, TABLE_LENGTH))
    return np.concatenate([[-np.inf], logarithms]), np.concatenate([[np.inf], inverse_roots])


def user_arrays(user: user_rules.User) -> user_rules.UserState:
    """Return a blank state of `user` for compiled code, with the tables."""
    state: user_rules.UserState = as_arrays(user_rules.blank(user))
    logarithms, inverse_roots = tables()
    return state._replace(logarithms=logarithms, inverse_roots=inverse_roots)  # type: ignore[arg-type]


def _as_array(name: str, values: Any) -> np.ndarray:
    if not isinstance(values, list) or not all(isinstance(value, int | float) for value in values):
        raise TypeError(f"its state's {name} is not a list of numbers")
    return np.array(values)


def make_run(algorithm: Algorithm, rule: Rule) -> Run:
    """Return the loop of one user and one algorithm, in plain Python."""
    start, act, observe, verdict = (
        algorithm.start,
        algorithm.act,
        algorithm.observe,
        algorithm.verdict,
    )
    start_user, respond, stop = user_rules.start, user_rules.respond, STOP

    def run(
        user: Any,
        user_state: Any,
        user_rng: np.random.Generator,
        params: Any,
        state: Any,
        rng: np.random.Generator,
        max_steps: int,
    ) -> tuple[int, int, int, bool]:
        start_user(user, user_state, user_rng)
        start(params, state, rng)
        acceptances = 0
        steps = 0
        while True:
            arm = act(params, state, rng)
            if arm != stop and not 0 <= arm < user.n_arms:
                raise ValueError("an algorithm recommended an arm that does not exist")
            if arm == stop or steps == max_steps:
                return acceptances, steps - acceptances, verdict(params, state, rng), arm != stop
            accepted = respond(user, user_state, rule, arm, user_rng)
            observe(params, state, arm, accepted)
            steps += 1
            if accepted:
                acceptances += 1

    return run


@functools.cache
def compiled_run(algorithm: Algorithm, rule: Rule) -> Run:
    """Return the loop of `make_run`, compiled; it lets go of the interpreter lock while it runs."""
    import numba

    names = {
        "start": algorithm.start,
        "act": algorithm.act,
        "observe": algorithm.observe,
        "verdict": algorithm.verdict,
        "start_user": user_rules.start,
        "respond": user_rules.respond,
        "rule": rule,
        "stop": STOP,
    }
    callees: list[FunctionType] = []
    for function in names.values():
        _make_compilable(function, callees)
    run = make_run(algorithm, rule)
    kept: Run | None = _kernel_cache.compiled(run, names, callees)
    return kept or numba.njit(nogil=True)(run)


def _make_compilable(function: Any, seen: list[FunctionType]) -> None:
    """Tell numba that `function`, and every plain function it calls, may be called compiled."""
    if not isinstance(function, FunctionType) or function in seen:
        return
    seen.append(function)
    for value in _kernel_cache.referred(function):
        if not str(getattr(value, "__module__", "")).startswith("numpy"):
            _make_compilable(value, seen)
    _register(function)


@functools.cache
def _register(function: FunctionType) -> None:
    """Register `function` with numba, once however many loops call it."""
    from numba.extending import register_jitable

    # Without reference counting (nothing here allocates) and inlined, a step costs a third.
    register_jitable(_nrt=False, forceinline=True)(function)
