"""The core: one loop closed over an algorithm and a user, in plain Python.

The loop's parts are the very functions of the readable path (`users.explorative`, an agent's file);
`kernels` compiles it.
"""

from collections.abc import Callable
from typing import Any

from explorative_user_env.compiled.plain import (
    as_it_is,
    as_she_is,
    is_set,
    itself,
    learning_of,
    leaving_of,
    steps_between_looks,
)
from explorative_user_env.protocol import STOP, Algorithm
from explorative_user_env.tasks import ANSWERED, CENSORED, LEFT
from explorative_user_env.users.behaviour import EXPLORATIVE, Behaviour
from explorative_user_env.users.confidence import Rule
from explorative_user_env.users.reward_laws import RewardDraw, no_law


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
