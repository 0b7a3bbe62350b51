"""The loops of one user and one algorithm, in plain Python or compiled.

Each maker returns a closure over the functions of an algorithm and a user. Compiled, it is one
loop for each algorithm and each kind of user; numbers of users and agents are arguments.
"""

from collections.abc import Callable
from dataclasses import fields
from typing import Any, NamedTuple

from explorative_user_env.kernels.compiler import compile_loop, once
from explorative_user_env.protocol import ANSWERED, CENSORED, LEFT, STOP, Algorithm
from explorative_user_env.users.behaviours import EXPLORATIVE, Behaviour
from explorative_user_env.users.model import RewardDraw, Rule, no_law
from explorative_user_env.validation import handed_in

#: A run looks once in so many steps times arms whether it must end; a look takes as long as some
#: arms.
ARMS_BETWEEN_LOOKS = 4096


def steps_between_looks(n_arms: int) -> int:
    """Return how many steps a run takes from one look to the next."""
    return max(1, ARMS_BETWEEN_LOOKS // n_arms)


def itself(value: Any) -> Any:
    """Return the value."""
    return value


def as_she_is(user: Any, own_law: RewardDraw) -> Any:
    """Return `user`, who has her reward law in plain Python."""
    return user


def is_set(halt: Any) -> bool:
    """Whether `halt` holds another number than 0."""
    return bool(halt[0] != 0)


class Words(NamedTuple):
    """What plain Python and compiled code do differently; see `kernels.words`.

    Attributes:
        stream: makes a Generator of the loop's argument.
        with_law: makes a user with her own reward law of the loop's argument.
        an_arm: accepts a whole number only.
        halted: whether all runs must end, which another thread may say at any time.
    """

    stream: Callable[[Any], Any] = itself
    with_law: Callable[[Any, RewardDraw], Any] = as_she_is
    an_arm: Callable[[Any], int] = itself
    halted: Callable[[Any], bool] = is_set


PLAIN = Words()


def unseen(params: Any, state: Any, arm: int, reward: float) -> None:
    """Ignore a reward, as every agent does that is not a reference."""


def stays(user: Any, state: Any, accepted: bool, rng: Any) -> bool:
    """Return False: most users never leave."""
    return False


def make_run(
    algorithm: Algorithm,
    rule: Rule,
    behaviour: Behaviour = EXPLORATIVE,
    own_law: RewardDraw = no_law,
    words: Words = PLAIN,
) -> Callable[..., Any]:
    """Return the loop of one run until the algorithm stops.

    The loop returns acceptances, rejections, the answer and how the run ended.

    Args:
        algorithm: the agent's rules.
        rule: the rule of rho_t.
        behaviour: how the user starts, responds and leaves.
        own_law: how her rewards are drawn if the law is not one of the package.
        words: those of plain Python or of compiled code.
    """
    start, act, observe = algorithm.start, algorithm.act, algorithm.observe
    verdict, stop = algorithm.verdict, STOP
    start_user, respond = behaviour.start, behaviour.respond
    learn, sees_rewards = algorithm.learn or unseen, algorithm.learn is not None
    leaves, may_leave = behaviour.leaves or stays, behaviour.leaves is not None
    stream, with_law, an_arm, halted = words
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
    """Return the loop of many runs, one after the other, with a compiled `run`.

    Means that move are written to `means` at the end of each run. After a halt, the figures of
    runs that have not ended mean nothing.
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
    behaviour: Behaviour = EXPLORATIVE,
    own_law: RewardDraw = no_law,
    words: Words = PLAIN,
    begins: bool = True,
) -> Callable[..., Any]:
    """Return the loop of one user over a horizon, which records arms and responses.

    An algorithm that stops goes on with its answer. The loop returns the answer, for how many steps
    the user stayed, and whether she left.

    Args:
        algorithm: the agent's rules.
        rule: the rule of rho_t.
        behaviour: how the user starts, responds and leaves.
        own_law: how her rewards are drawn if the law is not one of the package.
        words: those of plain Python or of compiled code.
        begins: whether the loop starts the algorithm; else its caller does.
    """
    start, act, observe = algorithm.start, algorithm.act, algorithm.observe
    verdict, stop = algorithm.verdict, STOP
    start_user, respond = behaviour.start, behaviour.respond
    learn, sees_rewards = algorithm.learn or unseen, algorithm.learn is not None
    leaves, may_leave = behaviour.leaves or stays, behaviour.leaves is not None
    stream, with_law, an_arm, halted = words

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
    play: Callable[..., Any], algorithm: Algorithm, one_by_one: bool, words: Words = PLAIN
) -> Callable[..., Any]:
    """Return the loop of many users over a horizon, with a compiled `play` that does not begin.

    Args:
        play: the loop of one user.
        algorithm: the agent's rules, as in `play`.
        one_by_one: whether one agent meets all users, with `next_user` before each but the first
            of the episode; else each user has an agent with its own stream.
        words: those of plain Python or of compiled code.
    """
    start, next_user = algorithm.start, algorithm.next_user or algorithm.start
    stream, _, _, halted = words

    def play_all(
        user: Any,
        user_state: Any,
        means: Any,
        user_streams: Any,
        params: Any,
        state: Any,
        own_streams: Any,
        draws: Any,
        first: int,
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
            own = (own_streams[0 if one_by_one else index], draws[0], draws[1], draws[2])
            if one_by_one and first + index > 0:
                next_user(params, state, stream(own))
            else:
                start(params, state, stream(own))
            for arm in range(user.n_arms):
                user_state.means[arm] = means[index, arm]
            answers[index], stayed[index], left[index] = play(
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

    return play_all


Kernel = Callable[..., None]


def compiled_run_all(
    algorithm: Algorithm, rule: Rule, behaviour: Behaviour, own_law: RewardDraw = no_law
) -> Kernel:
    """Return the loop of `make_run_all`, compiled: one call for many runs."""
    return _run_all(algorithm, rule, _functions_of(behaviour), own_law)


def compiled_play_all(
    algorithm: Algorithm,
    rule: Rule,
    behaviour: Behaviour,
    own_law: RewardDraw = no_law,
    one_by_one: bool = False,
) -> Kernel:
    """Return the loop of `make_play_all`, compiled: one call for many users."""
    return _play_all(algorithm, rule, _functions_of(behaviour), own_law, one_by_one)


def _functions_of(behaviour: Behaviour) -> Behaviour:
    """Return a behaviour with the same functions and without numbers, which are arguments."""
    return Behaviour(
        "any",
        start=behaviour.start,
        respond=behaviour.respond,
        moves_means=behaviour.moves_means,
        leaves=behaviour.leaves,
    )


@once
def _run_all(algorithm: Algorithm, rule: Rule, behaviour: Behaviour, own_law: RewardDraw) -> Kernel:
    words = _words()
    loop = make_run(algorithm, rule, behaviour, own_law, words)
    return _kernel(
        loop, lambda run: make_run_all(run, behaviour.moves_means, words.halted), algorithm
    )


@once
def _play_all(
    algorithm: Algorithm, rule: Rule, behaviour: Behaviour, own_law: RewardDraw, one_by_one: bool
) -> Kernel:
    words = _words()
    loop = make_play(algorithm, rule, behaviour, own_law, words, begins=False)
    return _kernel(loop, lambda play: make_play_all(play, algorithm, one_by_one, words), algorithm)


def _words() -> Words:
    from explorative_user_env.kernels.words import an_arm, generator_at, halted, with_law

    return Words(generator_at, with_law, an_arm, halted)


def _kernel(loop: Any, around: Any, algorithm: Algorithm) -> Kernel:
    # With an outside `blank`, rules of the package meet arrays that they do not know.
    parts = (getattr(algorithm, field.name) for field in fields(algorithm) if field.compare)
    checked = any(callable(part) and handed_in(part) for part in parts)
    kernel: Kernel = compile_loop(loop, around, checked)
    return kernel
