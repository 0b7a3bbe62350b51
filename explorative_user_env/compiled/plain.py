"""What the loops are made of in plain Python, where `intrinsics` has a word for compiled code."""

from collections.abc import Callable
from typing import Any

from explorative_user_env.protocol import Algorithm
from explorative_user_env.users.behaviour import Behaviour
from explorative_user_env.users.reward_laws import RewardDraw


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
