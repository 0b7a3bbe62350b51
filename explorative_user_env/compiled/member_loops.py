"""The loop of users who come one after another, and an algorithm that may carry over what it knows.

Each of them is met by the loop of one user, `loops.make_play`; what is here begins with the next.
"""

from collections.abc import Callable
from typing import Any

from explorative_user_env.compiled.plain import is_set, itself
from explorative_user_env.protocol import Algorithm


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
