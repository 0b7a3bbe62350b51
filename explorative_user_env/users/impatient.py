"""Users who do not bear every rejection: who is recommended what she does not want may leave."""

from explorative_user_env.tasks import STEP_CAP
from explorative_user_env.users import explorative as rules
from explorative_user_env.users.behaviour import Behaviour
from explorative_user_env.users.reward_laws import Stream
from explorative_user_env.users.state import RememberingState, User
from explorative_user_env.users.worded import worded
from explorative_user_env.validation import count
from explorative_user_env.validation import probability as share

LEAVING = 0.02
"""Probability that a rejection makes an impatient user leave unless another is given."""


@worded
def impatient(probability: float = LEAVING, patience: int | None = None) -> Behaviour:
    """Return the behaviour of a user who decides as the paper's does, and may leave for good.

    Every rejection makes her leave with a probability q; and she leaves after r rejections in a
    row, whichever comes first.

    Args:
        probability: q, in [0, 1]. It takes a draw from her stream if it is neither 0 nor 1.
        patience: r, at least 1; None bears any number.
    """
    run = NO_END if patience is None else count("patience", patience, 1, STEP_CAP)
    return Behaviour(
        "impatient",
        start=impatient_start,
        parameters=(share("probability", probability), float(run)),
        memory=1,
        leaves=impatient_leaves,
    )


NO_END = 0
"""The length of a run of rejections that no user leaves after."""


def impatient_start(user: User, state: RememberingState, rng: Stream) -> None:
    """Make `state` a new user's, who was recommended nothing that she did not want."""
    rules.start(user, state, rng)
    state.memory[2] = 0.0


def impatient_leaves(user: User, state: RememberingState, accepted: bool, rng: Stream) -> bool:
    """Return whether she leaves; her memory is q, r, and how many rejections she has in a row."""
    memory = state.memory
    if accepted:
        memory[2] = 0.0
        return False
    memory[2] += 1.0
    probability = memory[0]
    leaves = probability == 1.0
    if 0.0 < probability < 1.0:
        leaves = rng.random() < probability
    return leaves or 0.0 < memory[1] <= memory[2]
