"""The loop of many users and one algorithm, compiled.

The loop is a closure over the functions of an algorithm and of a user. There is one for each
algorithm and each kind of user; the numbers of users and agents are arguments.
"""

from collections.abc import Callable
from dataclasses import fields
from typing import Any, NamedTuple

from explorative_user_env.kernels.compiler import compile_loop, once
from explorative_user_env.protocol import ANSWERED, CENSORED, LEFT, STOP, Algorithm
from explorative_user_env.users.behaviours import Behaviour
from explorative_user_env.users.model import RewardDraw, Rule, no_law
from explorative_user_env.validation import handed_in

#: A run looks once in so many steps times arms whether it must end; a look takes as long as some
#: arms.
ARMS_BETWEEN_LOOKS = 4096


def steps_between_looks(n_arms: int) -> int:
    """Return how many steps a run takes from one look to the next."""
    return max(1, ARMS_BETWEEN_LOOKS // n_arms)


def nothing(*_: Any) -> bool:
    """Return False: a user stays, and an agent that is no reference ignores rewards."""
    return False


class Met(NamedTuple):
    """The users and the agent of a loop, which handles the users one after the other.

    Attributes:
        user: the numbers of all users.
        user_state: the state of the present user.
        means: the means of each user, shape (n, K); those that move are as they were at the end.
        user_streams: the address of each user's stream.
        params: the agent's numbers.
        state: its state.
        own_streams: the address of the agent's stream for each user.
        draws: the addresses of the functions that draw from any stream.
    """

    user: Any
    user_state: Any
    means: Any
    user_streams: Any
    params: Any
    state: Any
    own_streams: Any
    draws: Any


Kernel = Callable[..., None]


def make_loop(
    words: Any,
    algorithm: Algorithm,
    rule: Rule,
    behaviour: Behaviour,
    own_law: RewardDraw = no_law,
    plays: bool = False,
    one_by_one: bool = False,
) -> Kernel:
    """Return the loop of many runs, each until the algorithm stops or for `max_steps`.

    The loop writes acceptances, rejections, the answer and the end of each run to `figures`. After
    another thread has written to `halt`, the figures of unfinished runs mean nothing.

    Args:
        words: the module `kernels.words`, or its plain counterpart.
        algorithm: the agent's rules.
        rule: the rule of rho_t.
        behaviour: how a user starts, responds and leaves.
        own_law: how her rewards are drawn if the law is not one of the package.
        plays: whether an algorithm that stops goes on with its answer, and `arms` and `responses`
            are recorded.
        one_by_one: whether one agent meets all users, with `next_user` before each but the first
            of the episode; else each user has an agent with its own stream.
    """
    generator_at, with_law, an_arm = words.generator_at, words.with_law, words.an_arm
    start, act, observe = algorithm.start, algorithm.act, algorithm.observe
    next_user, verdict, stop = algorithm.next_user or start, algorithm.verdict, STOP
    start_user, respond, moves_means = behaviour.start, behaviour.respond, behaviour.moves_means
    learn, sees_rewards = algorithm.learn or nothing, algorithm.learn is not None
    leaves, may_leave = behaviour.leaves or nothing, behaviour.leaves is not None
    answered, censored, has_left, halted = ANSWERED, CENSORED, LEFT, words.halted

    def runs(
        met: Met, first: int, max_steps: int, arms: Any, responses: Any, figures: Any, halt: Any
    ) -> None:
        user, user_state = with_law(met.user, own_law), met.user_state
        params, state, draws, n_arms = met.params, met.state, met.draws, user.n_arms
        between_looks = steps_between_looks(n_arms)
        for index in range(figures.shape[0]):
            if halted(halt):
                break
            for arm in range(n_arms):
                user_state.means[arm] = met.means[index, arm]
            user_rng = generator_at((met.user_streams[index], draws[0], draws[1], draws[2]))
            own = met.own_streams[0 if one_by_one else index]
            rng = generator_at((own, draws[0], draws[1], draws[2]))
            start_user(user, user_state, user_rng)
            if one_by_one and first + index > 0:
                next_user(params, state, rng)
            else:
                start(params, state, rng)
            committed, end, acceptances, steps, look = stop, censored, 0, 0, between_looks
            while True:
                if steps == look:
                    if halted(halt):
                        break
                    look += between_looks
                arm = committed
                if committed == stop:
                    arm = an_arm(act(params, state, rng))
                    if arm == stop:
                        end = answered
                        if not plays:
                            break
                        committed = arm = an_arm(verdict(params, state, rng))
                    if not 0 <= arm < n_arms:
                        raise ValueError("an algorithm recommended an arm that does not exist")
                if steps == max_steps:
                    break
                accepted = respond(user, user_state, rule, arm, user_rng)
                if committed == stop:
                    observe(params, state, arm, accepted)
                    if sees_rewards and accepted:
                        learn(params, state, arm, user_state.reward[0])
                if plays:
                    arms[index, steps] = arm
                    responses[index, steps] = accepted
                steps += 1
                if accepted:
                    acceptances += 1
                if may_leave and leaves(user, user_state, accepted, user_rng):
                    end = has_left
                    break
            figures[index, 0], figures[index, 1] = acceptances, steps - acceptances
            if committed == stop:
                committed = an_arm(verdict(params, state, rng))
            figures[index, 2], figures[index, 3] = committed, end
            if moves_means:
                for arm in range(n_arms):
                    met.means[index, arm] = user_state.means[arm]

    return runs


def compiled_loop(algorithm: Algorithm, rule: Rule, behaviour: Behaviour, *others: Any) -> Kernel:
    """Return the loop of `make_loop` with these arguments, compiled: one call for many users."""
    respond, leaves, moves = behaviour.respond, behaviour.leaves, behaviour.moves_means
    # Numbers of the behaviour are arguments: a loop is compiled for its functions.
    functions = Behaviour("any", behaviour.start, respond, moves_means=moves, leaves=leaves)
    return _compiled(algorithm, rule, functions, *others)


@once
def _compiled(algorithm: Algorithm, *others: Any) -> Kernel:
    from explorative_user_env.kernels import words

    # With an outside `blank`, rules of the package meet arrays that they do not know.
    parts = (getattr(algorithm, field.name) for field in fields(algorithm) if field.compare)
    checked = any(callable(part) and handed_in(part) for part in parts)
    kernel: Kernel = compile_loop(make_loop(words, algorithm, *others), checked)
    return kernel
