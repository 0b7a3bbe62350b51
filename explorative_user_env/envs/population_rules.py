"""One user after another: how an episode begins, and what is told of the one who is there.

The rules of `ExplorativePopulation-v0`, for one episode or, as arrays, for many.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.protocol import Array
from explorative_user_env.users.popularity import MemberLaw, PopularityLaw
from explorative_user_env.validation import (
    InvalidArgumentError,
    choice,
    finite_vector,
    integer,
)


class EpisodeStart(NamedTuple):
    """How an episode begins, as a reset's options say.

    Attributes:
        popularity: m_i of every arm; None is drawn.
        user: which of its users is met first.
    """

    popularity: list[float] | None = None
    user: int = 0

    def members(self, law: PopularityLaw, seed: int) -> MemberLaw:
        """Return where the users of the episode of this seed come from."""
        given = self.popularity
        return law.members(seed) if given is None else MemberLaw(law, given)


USUAL_START = EpisodeStart()


def start_of(options: Any, n_arms: int, n_users: int) -> EpisodeStart:
    """Return how an episode begins that a reset with these options begins.

    Args:
        options: `{"popularity": K finite numbers}`, `{"user": 0..n_users-1}`, both or neither.
        n_arms: K.
        n_users: number of users of an episode.

    Raises:
        InvalidArgumentError: for an option that is unknown or out of range.
    """
    if options is None:
        return USUAL_START
    if not isinstance(options, Mapping):
        raise InvalidArgumentError("options", options, 'a dict, as {"user": 3}')
    start = USUAL_START
    for name, value in options.items():
        if choice("options key", name, EpisodeStart._fields) == "user":
            start = start._replace(user=integer("user", value, 0, n_users - 1))
            continue
        if isinstance(value, str) or callable(value):
            raise InvalidArgumentError(name, value, "numbers, one for each arm")
        start = start._replace(popularity=finite_vector(name, value, n_arms))
    return start


def episode_seed_of(rng: np.random.Generator, seed: int, fresh: bool) -> int:
    """Return the seed of the episode that is next on a stream.

    Args:
        rng: the stream.
        seed: what it began with, which is the seed of its first episode.
        fresh: whether that one is next.
    """
    return seed if fresh else int(rng.bit_generator.random_raw()) >> 1


def told_of_users(user: Any, new_user: Any, steps: Any, accepted: Any) -> dict[str, Any]:
    """Return what infos say of the users of an episode.

    Args:
        user: who is asked next, or was asked last at the end, from 0; a number, or an array like
            all others.
        new_user: whether she was not asked before.
        steps: recommendations to all users so far.
        accepted: how many of them were accepted.
    """
    return {
        "user": user,
        "new_user": new_user,
        "all_interactions": steps,
        "all_acceptances": accepted,
        "all_rejections": steps - accepted,
    }


def who_is_there(user: int, n_users: int) -> str:
    """Return a line on which user of an episode is there."""
    return f"user {user + 1} of {n_users}"


def with_who(text: str | Array, who: str) -> str:
    """Return a rendering as text that says who is there."""
    return f"{who}\n{text}"


def met_in_episode(seed: int, start: EpisodeStart, user: int, lane: int | None = None) -> str:
    """Return in words a user, by what meets her again.

    Args:
        seed: the episode's.
        start: how the episode began.
        user: which of its users she is.
        lane: hers among many episodes.
    """
    options = {"user": user} if start.popularity is None else "..."
    her = f"user {user}" if lane is None else f"user {user} in lane {lane}"
    single = "" if lane is None else " of a single environment"
    return f"{her}, whom env.reset(seed={seed}, options={options}){single} meets again"
