"""The loops, compiled once for each algorithm and kind of user."""

import functools
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from explorative_user_env.kernels.compiler import compile_loop, once
from explorative_user_env.protocol import ANSWERED, CENSORED, LEFT, STOP, Algorithm
from explorative_user_env.users.behaviours import EXPLORATIVE, Behaviour
from explorative_user_env.users.laws import RewardDraw, Rule, no_law
from explorative_user_env.validation import handed_in


def itself(rng: Any) -> Any:
    """Return `rng`: in plain Python a stream is handed over as it is."""
    return rng


def as_it_is(arm: int) -> int:
    """Return `arm`: in plain Python what is no whole number is told of where it is used."""
    return arm


def as_she_is(user: Any, own_law: RewardDraw) -> Any:
    """Return `user`: in plain Python she has her reward law."""
    return user


def unseen(params: Any, state: Any, arm: int, reward: float) -> None:
    """Take in no reward, as all agents do but a reference that is labelled so."""


def stays(user: Any, state: Any, accepted: bool, rng: Any) -> bool:
    """Return False: most users leave never."""
    return False


def is_set(halt: Any) -> bool:
    """Whether somebody has ended all runs, by another number than 0 in `halt`."""
    return bool(halt[0] != 0)


ARMS_BETWEEN_LOOKS = 4096
"""A run looks whether it is to end once in so many steps times arms: a look takes as long as some
arms, and with many a step may be long."""


def steps_between_looks(n_arms: int) -> int:
    """Return how many steps a run takes from one look to the next."""
    return max(1, ARMS_BETWEEN_LOOKS // n_arms)


def learning_of(algorithm: Algorithm) -> tuple[Callable[[Any, Any, int, float], None], bool]:
    """Return what takes in rewards, and whether the algorithm is a reference that sees them."""
    return algorithm.learn or unseen, algorithm.learn is not None


def leaving_of(behaviour: Behaviour) -> tuple[Callable[..., bool], bool]:
    """Return what tells whether a user leaves, and whether such users ever do."""
    return behaviour.leaves or stays, behaviour.leaves is not None


def make_run(
    algorithm: Algorithm,
    rule: Rule,
    stream: Callable[[Any], Any] = itself,
    behaviour: Behaviour = EXPLORATIVE,
    own_law: RewardDraw = no_law,
    with_law: Callable[[Any, RewardDraw], Any] = as_she_is,
    an_arm: Callable[[Any], int] = as_it_is,
    halted: Callable[[Any], bool] = is_set,
) -> Callable[..., Any]:
    """Return the loop of one user and one algorithm, in plain Python.

    Args:
        algorithm: the agent's rules.
        rule: the rule of rho_t.
        stream: makes a Generator of what the loop is handed as one.
        behaviour: how the user starts and responds, and whether she leaves.
        own_law: how her rewards are drawn if the law is none of the package's.
        with_law: makes a user with this law of what the loop is handed as one.
        an_arm: lets pass what may be one, a whole number.
        halted: whether runs are to end, which another thread may say at any time.
    """
    start, act, observe = algorithm.start, algorithm.act, algorithm.observe
    verdict, stop = algorithm.verdict, STOP
    start_user, respond = behaviour.start, behaviour.respond
    learn, sees_rewards = learning_of(algorithm)
    leaves, may_leave = leaving_of(behaviour)
    answered, censored, has_left = ANSWERED, CENSORED, LEFT

    def run(
        numbers: Any,
        user_state: Any,
        user_stream: Any,
        params: Any,
        state: Any,
        own_stream: Any,
        max_steps: int,
        halt: Any,
    ) -> tuple[int, int, int, int]:
        user = with_law(numbers, own_law)
        user_rng, rng = stream(user_stream), stream(own_stream)
        start_user(user, user_state, user_rng)
        start(params, state, rng)
        acceptances = 0
        steps = 0
        look = between_looks = steps_between_looks(user.n_arms)
        while True:
            if steps == look:
                if halted(halt):
                    return acceptances, steps - acceptances, 0, censored
                look += between_looks
            arm = an_arm(act(params, state, rng))
            if arm != stop and not 0 <= arm < user.n_arms:
                raise ValueError("an algorithm recommended an arm that does not exist")
            if arm == stop or steps == max_steps:
                answer = an_arm(verdict(params, state, rng))
                end = answered if arm == stop else censored
                return acceptances, steps - acceptances, answer, end
            accepted = respond(user, user_state, rule, arm, user_rng)
            observe(params, state, arm, accepted)
            if sees_rewards and accepted:
                learn(params, state, arm, user_state.reward[0])
            steps += 1
            if accepted:
                acceptances += 1
            if may_leave and leaves(user, user_state, accepted, user_rng):
                answer = an_arm(verdict(params, state, rng))
                return acceptances, steps - acceptances, answer, has_left

    return run


def make_run_all(
    run: Callable[..., Any], moves_means: bool, halted: Callable[[Any], bool] = is_set
) -> Callable[..., Any]:
    """Return the loop of many runs, one after the other, with a `run` of compiled code.

    It leaves means that move in `means`, as they are at the end of each run. What it leaves of runs
    that were `halted` is nobody's.
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
        halt: Any,
    ) -> None:
        for index in range(figures.shape[0]):
            if halted(halt):
                break
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
                halt,
            )
            if moves_means:
                for arm in range(user.n_arms):
                    means[index, arm] = user_state.means[arm]

    return run_all


def make_play(
    algorithm: Algorithm,
    rule: Rule,
    stream: Callable[[Any], Any] = itself,
    behaviour: Behaviour = EXPLORATIVE,
    own_law: RewardDraw = no_law,
    with_law: Callable[[Any, RewardDraw], Any] = as_she_is,
    an_arm: Callable[[Any], int] = as_it_is,
    halted: Callable[[Any], bool] = is_set,
    begins: bool = True,
) -> Callable[..., Any]:
    """Return the loop of one user and one algorithm over a horizon; what happens is written down.

    An algorithm that stops goes on with its answer. The loop returns the answer, for how many steps
    the user was there, and whether she left.

    Args:
        algorithm: the agent's rules.
        rule: the rule of rho_t.
        stream: makes a Generator of what the loop is handed as one.
        behaviour: how the user starts and responds, and whether she leaves.
        own_law: how her rewards are drawn if the law is none of the package's.
        with_law: makes a user with this law of what the loop is handed as one.
        an_arm: lets pass what may be one, a whole number.
        halted: whether runs are to end, which another thread may say at any time.
        begins: whether it starts the algorithm, and not who calls it.
    """
    start, act, observe = algorithm.start, algorithm.act, algorithm.observe
    verdict, stop = algorithm.verdict, STOP
    start_user, respond = behaviour.start, behaviour.respond
    learn, sees_rewards = learning_of(algorithm)
    leaves, may_leave = leaving_of(behaviour)

    def play(
        numbers: Any,
        user_state: Any,
        user_stream: Any,
        params: Any,
        state: Any,
        own_stream: Any,
        arms: Any,
        responses: Any,
        halt: Any,
    ) -> tuple[int, int, bool]:
        user, user_rng, rng = with_law(numbers, own_law), stream(user_stream), stream(own_stream)
        start_user(user, user_state, user_rng)
        if begins:
            start(params, state, rng)
        committed, steps, left = stop, 0, False
        look = between_looks = steps_between_looks(user.n_arms)
        while not left:
            if steps == look:
                if halted(halt):
                    return 0, steps, False
                look += between_looks
            arm = committed
            if committed == stop:
                arm = an_arm(act(params, state, rng))
                if arm == stop:
                    committed = arm = an_arm(verdict(params, state, rng))
                if not 0 <= arm < user.n_arms:
                    raise ValueError("an algorithm recommended an arm that does not exist")
            if steps == len(arms):
                break
            accepted = respond(user, user_state, rule, arm, user_rng)
            if committed == stop:
                observe(params, state, arm, accepted)
                if sees_rewards and accepted:
                    learn(params, state, arm, user_state.reward[0])
            arms[steps] = arm
            responses[steps] = accepted
            steps += 1
            left = may_leave and leaves(user, user_state, accepted, user_rng)
        answer = an_arm(verdict(params, state, rng)) if committed == stop else committed
        return answer, steps, left

    return play


def make_play_all(
    play: Callable[..., Any], halted: Callable[[Any], bool] = is_set
) -> Callable[..., Any]:
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
        stayed: Any,
        left: Any,
        halt: Any,
    ) -> None:
        for index in range(answers.shape[0]):
            if halted(halt):
                break
            for arm in range(user.n_arms):
                user_state.means[arm] = means[index, arm]
            answers[index], stayed[index], left[index] = play(
                user,
                user_state,
                (user_streams[index], draws[0], draws[1], draws[2]),
                params,
                state,
                (own_streams[index], draws[0], draws[1], draws[2]),
                arms[index],
                responses[index],
                halt,
            )

    return play_all


def make_play_members(
    play: Callable[..., Any],
    algorithm: Algorithm,
    stream: Callable[[Any], Any] = itself,
    halted: Callable[[Any], bool] = is_set,
) -> Callable[..., Any]:
    """Return the loop of the users of an episode, or of some who come after others.

    Args:
        play: the compiled loop of one of them, which does not start the algorithm.
        algorithm: the agent's rules, as in `play`.
        stream: makes a Generator of what the loop is handed as one.
        halted: whether runs are to end, which another thread may say at any time.
    """
    start = algorithm.start
    next_user = algorithm.next_user or algorithm.start

    def play_members(
        user: Any,
        user_state: Any,
        means: Any,
        user_streams: Any,
        params: Any,
        state: Any,
        own_stream: Any,
        draws: Any,
        first: int,
        arms: Any,
        responses: Any,
        answers: Any,
        halt: Any,
    ) -> None:
        own = (own_stream, draws[0], draws[1], draws[2])
        rng = stream(own)
        for index in range(answers.shape[0]):
            if halted(halt):
                break
            if first + index == 0:
                start(params, state, rng)
            else:
                next_user(params, state, rng)
            for arm in range(user.n_arms):
                user_state.means[arm] = means[index, arm]
            answers[index], _, _ = play(
                user,
                user_state,
                (user_streams[index], draws[0], draws[1], draws[2]),
                params,
                state,
                own,
                arms[index],
                responses[index],
                halt,
            )

    return play_members


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
    from explorative_user_env.kernels.words import an_arm, generator_at, halted, with_law

    around = functools.partial(make_run_all, moves_means=behaviour.moves_means, halted=halted)
    loop = make_run(algorithm, rule, generator_at, behaviour, own_law, with_law, an_arm, halted)
    return _kernel(loop, around, algorithm)


@once
def _play_all(
    algorithm: Algorithm, rule: Rule, behaviour: Behaviour, own_law: RewardDraw
) -> Kernel:
    from explorative_user_env.kernels.words import an_arm, generator_at, halted, with_law

    loop = make_play(algorithm, rule, generator_at, behaviour, own_law, with_law, an_arm, halted)
    return _kernel(loop, functools.partial(make_play_all, halted=halted), algorithm)


@once
def _play_members(
    algorithm: Algorithm, rule: Rule, behaviour: Behaviour, own_law: RewardDraw
) -> Kernel:
    from explorative_user_env.kernels.words import an_arm, generator_at, halted, with_law

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
