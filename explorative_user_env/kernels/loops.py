"""The compiled loop that runs one algorithm with many users.

The loop is a closure over the functions of an algorithm and of a behaviour. Each pair of algorithm
and behaviour needs a separate loop. The parameters of users and agents are arguments of the loop.
"""

from collections.abc import Callable
from dataclasses import fields
from typing import Any, NamedTuple

from explorative_user_env.kernels.compiler import compile_loop, once
from explorative_user_env.protocol import ANSWERED, CENSORED, LEFT, STOP, Algorithm
from explorative_user_env.users.behaviours import Behaviour
from explorative_user_env.users.model import RewardDraw, Rule, no_law
from explorative_user_env.validation import is_external

#: Product of steps and arms between two reads of `halt`; frequent reads slow the loop.
ARMS_BETWEEN_READS = 4096


def steps_between_reads(n_arms: int) -> int:
    """Return the number of steps between two checks for a request to stop (`halt`)."""
    return max(1, ARMS_BETWEEN_READS // n_arms)


def nothing(*_: Any) -> bool:
    """Return False. The loop calls this function in place of an optional function that is None."""
    return False


class Inputs(NamedTuple):
    """The users and the agent of one call of a loop, which runs the users one after another.

    Attributes:
        user: the parameters that all users share.
        user_state: memory for the state of one user, which each run overwrites.
        means: each user's true means, shape (n, K); if they move, the loop stores the final values.
        user_streams: addresses of the users' random streams.
        params: the agent's `Params`.
        state: memory for the agent's `State`.
        agent_streams: addresses of the agent's random streams, one for each user.
        draws: addresses of the three functions that draw random numbers from a stream.
    """

    user: Any
    user_state: Any
    means: Any
    user_streams: Any
    params: Any
    state: Any
    agent_streams: Any
    draws: Any


Kernel = Callable[..., None]


def make_loop(
    ops: Any,
    algorithm: Algorithm,
    rule: Rule,
    behaviour: Behaviour,
    law: RewardDraw = no_law,
    plays: bool = False,
    one_by_one: bool = False,
) -> Kernel:
    """Return a function that makes many runs, one after another.

    A run ends when the algorithm stops, when the user leaves or at the step cap. A row of `figures`
    receives the acceptances and rejections of a run, its answer, and how it ended. Another thread
    can stop the function by writing to `halt`; then rows of unfinished runs are undefined.

    Args:
        ops: the module `kernels.intrinsics`, or an object with the same functions in plain Python.
        algorithm: the agent's functions.
        rule: the rule of rho_t.
        behaviour: the functions by which a user starts, responds and leaves.
        law: function that draws rewards of a custom law; `no_law` for the package's laws.
        plays: if True, record `arms` and `responses`, and after the algorithm has stopped
            recommend its answer up to the step cap.
        one_by_one: if True, one agent meets all users of an episode, and `next_user` is called
            before each user but the first. If False, the agent starts anew for each user.
    """
    generator_at, with_law, integer_arm = ops.generator_at, ops.with_law, ops.integer_arm
    start, act, observe = algorithm.start, algorithm.act, algorithm.observe
    next_user, verdict, stop = algorithm.next_user or start, algorithm.verdict, STOP
    start_user, respond, moves_means = behaviour.start, behaviour.respond, behaviour.moves_means
    learn, sees_rewards = algorithm.learn or nothing, algorithm.learn is not None
    tell, is_told = algorithm.tell or nothing, algorithm.tell is not None
    leaves, may_leave = behaviour.leaves or nothing, behaviour.leaves is not None
    answered, censored, has_left, halted = ANSWERED, CENSORED, LEFT, ops.halted

    def runs(
        inputs: Inputs, first: int, cap: int, arms: Any, responses: Any, figures: Any, halt: Any
    ) -> None:
        user, user_state = with_law(inputs.user, law), inputs.user_state
        params, state, draws, n_arms = inputs.params, inputs.state, inputs.draws, user.n_arms
        between_reads = steps_between_reads(n_arms)
        for index in range(figures.shape[0]):
            if halted(halt):
                break
            for arm in range(n_arms):
                user_state.means[arm] = inputs.means[index, arm]
            user_rng = generator_at((inputs.user_streams[index], draws[0], draws[1], draws[2]))
            address = inputs.agent_streams[0 if one_by_one else index]
            rng = generator_at((address, draws[0], draws[1], draws[2]))
            start_user(user, user_state, user_rng)
            if one_by_one and first + index > 0:
                next_user(params, state, rng)
            else:
                start(params, state, rng)
            if is_told:
                best = 0
                for arm in range(n_arms):
                    if inputs.means[index, arm] > inputs.means[index, best]:
                        best = arm
                tell(params, state, best)
            committed, end, acceptances, steps, read = stop, censored, 0, 0, between_reads
            while True:
                if steps == read:
                    if halted(halt):
                        break
                    read += between_reads
                arm = committed
                if committed == stop:
                    arm = integer_arm(act(params, state, rng))
                    if arm == stop:
                        end = answered
                        if not plays:
                            break
                        committed = arm = integer_arm(verdict(params, state, rng))
                    if not 0 <= arm < n_arms:
                        raise ValueError("an algorithm recommended an arm outside 0..K-1")
                if steps == cap:
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
                committed = integer_arm(verdict(params, state, rng))
            figures[index, 2], figures[index, 3] = committed, end
            if moves_means:
                for arm in range(n_arms):
                    inputs.means[index, arm] = user_state.means[arm]

    return runs


def compiled_loop(algorithm: Algorithm, rule: Rule, behaviour: Behaviour, *others: Any) -> Kernel:
    """Return the loop of `make_loop` with these arguments, compiled."""
    respond, leaves, moves = behaviour.respond, behaviour.leaves, behaviour.moves_means
    # Behaviours that differ only in parameters share a loop: the parameters are in `Inputs`.
    functions = Behaviour("any", behaviour.start, respond, moves_means=moves, leaves=leaves)
    return _compiled(algorithm, rule, functions, *others)


@once
def _compiled(algorithm: Algorithm, *others: Any) -> Kernel:
    from explorative_user_env.kernels import intrinsics

    # Check array bounds for a custom algorithm: its `blank` may return arrays that are too short.
    parts = (getattr(algorithm, field.name) for field in fields(algorithm) if field.compare)
    checked = any(callable(part) and is_external(part) for part in parts)
    kernel: Kernel = compile_loop(make_loop(intrinsics, algorithm, *others), checked)
    return kernel
