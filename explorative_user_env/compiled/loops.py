"""The compiled core: one loop closed over an algorithm and a user, compiled once for each pair.

The loop's parts are the very functions of the readable path (`user.py`, an agent's file).
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from explorative_user_env.compiled.compiler import compile_loop
from explorative_user_env.protocol import STOP, Algorithm
from explorative_user_env.users import explorative as user_rules
from explorative_user_env.users.confidence import Rule

Run = Callable[..., tuple[int, int, int, bool]]
Play = Callable[..., int]


class UserFunctions(NamedTuple):
    """How a user starts and responds, and whether her means move meanwhile; see `behaviours`."""

    start: Callable[..., None]
    respond: Callable[..., bool]
    moves_means: bool


EXPLORATIVE = UserFunctions(user_rules.start, user_rules.respond, moves_means=False)


class Outcome(NamedTuple):
    """What is left of a run, by either path."""

    acceptances: int
    rejections: int
    answer: int
    censored: bool


def itself(rng: Any) -> Any:
    """Return `rng`: in plain Python a stream is handed over as it is."""
    return rng


def unseen(params: Any, state: Any, arm: int, reward: float) -> None:
    """Take in no reward, as all agents do but a reference that is labelled so."""


def learning_of(algorithm: Algorithm) -> tuple[Callable[[Any, Any, int, float], None], bool]:
    """Return what takes in rewards, and whether the algorithm is a reference that sees them."""
    return algorithm.learn or unseen, algorithm.learn is not None


def make_run(
    algorithm: Algorithm,
    rule: Rule,
    stream: Callable[[Any], Any] = itself,
    functions: UserFunctions = EXPLORATIVE,
) -> Run:
    """Return the loop of one user and one algorithm, in plain Python.

    Args:
        algorithm: the agent's rules.
        rule: the rule of rho_t.
        stream: makes a Generator of what the loop is handed as one.
        functions: how the user starts and responds.
    """
    start, act, observe, verdict = (
        algorithm.start,
        algorithm.act,
        algorithm.observe,
        algorithm.verdict,
    )
    start_user, respond, stop = functions.start, functions.respond, STOP
    learn, sees_rewards = learning_of(algorithm)

    def run(
        user: Any,
        user_state: Any,
        user_stream: Any,
        params: Any,
        state: Any,
        own_stream: Any,
        max_steps: int,
    ) -> tuple[int, int, int, bool]:
        user_rng = stream(user_stream)
        rng = stream(own_stream)
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
            if sees_rewards and accepted:
                learn(params, state, arm, user_state.reward[0])
            steps += 1
            if accepted:
                acceptances += 1

    return run


def make_run_all(run: Run, moves_means: bool) -> Callable[..., None]:
    """Return the loop of many runs, one after the other, with a `run` of compiled code.

    It leaves means that move in `means`, as they are at the end of each run.
    """

    def run_all(
        user: Any,
        user_state: Any,
        means: Any,
        user_streams: Any,
        params: Any,
        state: Any,
        own_streams: Any,
        draws: Any,
        max_steps: int,
        figures: Any,
    ) -> None:
        for index in range(figures.shape[0]):
            for arm in range(user.n_arms):
                user_state.means[arm] = means[index, arm]
            figures[index, 0], figures[index, 1], figures[index, 2], figures[index, 3] = run(
                user,
                user_state,
                (user_streams[index], draws[0], draws[1], draws[2]),
                params,
                state,
                (own_streams[index], draws[0], draws[1], draws[2]),
                max_steps,
            )
            if moves_means:
                for arm in range(user.n_arms):
                    means[index, arm] = user_state.means[arm]

    return run_all


def make_play(
    algorithm: Algorithm,
    rule: Rule,
    stream: Callable[[Any], Any] = itself,
    functions: UserFunctions = EXPLORATIVE,
) -> Play:
    """Return the loop of one user and one algorithm over a horizon; what happens is written down.

    An algorithm that stops goes on with its answer.

    Args:
        algorithm: the agent's rules.
        rule: the rule of rho_t.
        stream: makes a Generator of what the loop is handed as one.
        functions: how the user starts and responds.
    """
    start, act, observe, verdict = (
        algorithm.start,
        algorithm.act,
        algorithm.observe,
        algorithm.verdict,
    )
    start_user, respond, stop = functions.start, functions.respond, STOP
    learn, sees_rewards = learning_of(algorithm)

    def play(
        user: Any,
        user_state: Any,
        user_stream: Any,
        params: Any,
        state: Any,
        own_stream: Any,
        arms: Any,
        responses: Any,
    ) -> int:
        user_rng = stream(user_stream)
        rng = stream(own_stream)
        start_user(user, user_state, user_rng)
        start(params, state, rng)
        committed = stop
        steps = 0
        while True:
            arm = committed
            if committed == stop:
                arm = act(params, state, rng)
                if arm == stop:
                    committed = arm = verdict(params, state, rng)
                if not 0 <= arm < user.n_arms:
                    raise ValueError("an algorithm recommended an arm that does not exist")
            if steps == len(arms):
                return verdict(params, state, rng) if committed == stop else committed
            accepted = respond(user, user_state, rule, arm, user_rng)
            if committed == stop:
                observe(params, state, arm, accepted)
                if sees_rewards and accepted:
                    learn(params, state, arm, user_state.reward[0])
            arms[steps] = arm
            responses[steps] = accepted
            steps += 1

    return play


def make_play_all(play: Play) -> Callable[..., None]:
    """Return the loop of many users over a horizon, with a `play` of compiled code."""

    def play_all(
        user: Any,
        user_state: Any,
        means: Any,
        user_streams: Any,
        params: Any,
        state: Any,
        own_streams: Any,
        draws: Any,
        arms: Any,
        responses: Any,
        answers: Any,
    ) -> None:
        for index in range(answers.shape[0]):
            for arm in range(user.n_arms):
                user_state.means[arm] = means[index, arm]
            answers[index] = play(
                user,
                user_state,
                (user_streams[index], draws[0], draws[1], draws[2]),
                params,
                state,
                (own_streams[index], draws[0], draws[1], draws[2]),
                arms[index],
                responses[index],
            )

    return play_all


@functools.cache
def compiled_run(algorithm: Algorithm, rule: Rule, functions: UserFunctions = EXPLORATIVE) -> Run:
    """Return the loop of `make_run`, compiled; its streams are `addresses_of` Generators."""
    return _compiled(make_run, algorithm, rule, functions, None)


@functools.cache
def compiled_run_all(
    algorithm: Algorithm, rule: Rule, functions: UserFunctions = EXPLORATIVE
) -> Callable[..., None]:
    """Return the loop of `make_run_all`, compiled: one call for many runs."""
    return _compiled(
        make_run,
        algorithm,
        rule,
        functions,
        functools.partial(make_run_all, moves_means=functions.moves_means),
    )


@functools.cache
def compiled_play_all(
    algorithm: Algorithm, rule: Rule, functions: UserFunctions = EXPLORATIVE
) -> Callable[..., None]:
    """Return the loop of `make_play_all`, compiled: one call for many users."""
    return _compiled(make_play, algorithm, rule, functions, make_play_all)


def _compiled(
    make: Any, algorithm: Algorithm, rule: Rule, functions: UserFunctions, around: Any
) -> Callable[..., Any]:
    from explorative_user_env.compiled.intrinsics import generator_at

    learn, sees_rewards = learning_of(algorithm)
    names = {
        "start": algorithm.start,
        "act": algorithm.act,
        "observe": algorithm.observe,
        "verdict": algorithm.verdict,
        "learn": learn,
        "sees_rewards": sees_rewards,
        "start_user": functions.start,
        "respond": functions.respond,
        "moves_means": functions.moves_means,
        "rule": rule,
        "stop": STOP,
        "stream": generator_at,
    }
    loop = make(algorithm, rule, generator_at, functions)
    compiled: Callable[..., Any] = compile_loop(loop, names, around)
    return compiled
