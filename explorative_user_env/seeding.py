"""Random streams of users and agents, all derived from one seed.

The seed of a study (one evaluation) determines a seed for every user. `env.reset(seed=user_seed)`
replays the user. The user seed and an agent's name determine the agent's random stream. So results
stay the same if a study gets more agents, workers or users.
"""

import hashlib
from collections.abc import Sequence
from numbers import Integral
from typing import Any
from zlib import crc32

import numpy as np

from explorative_user_env.validation import InvalidArgumentError, count

__all__ = ["agent_generator", "member_seeds", "training_seeds", "user_generator", "user_seeds"]

#: Most users of a study; their table of runs takes one GB.
MOST_USERS = 10_000_000

#: Most bits of a seed.
SEED_BITS = 4096

TOO_LARGE = 1 << SEED_BITS


def seed_number(seed: Any) -> int:
    """Validate a seed and return it as an int in 0..2^`SEED_BITS` - 1."""
    if type(seed) is int and 0 <= seed < TOO_LARGE:  # the fast path for nearly all seeds
        return seed
    integral = isinstance(seed, Integral) and not isinstance(seed, bool)
    if not integral or seed < 0 or int(seed) >= TOO_LARGE:
        too_large = integral and seed > 0
        allowed = f"an integer in 0..2^{SEED_BITS} - 1" if too_large else "an integer of at least 0"
        raise InvalidArgumentError("seed", seed, allowed)
    return int(seed)


def number_of_users(n_users: Any, name: str = "n_instances", least: int = 1) -> int:
    """Validate a number of users and return it as an int in `least`..`MOST_USERS`."""
    return count(name, n_users, least, MOST_USERS)


def user_seeds(seed: int, n_users: int) -> list[int]:
    """Return the seeds of users 0..n_users-1 of the study with this `seed`, 63 bits each.

    The seed of user b does not depend on `n_users`.
    """
    n_users = number_of_users(n_users, "n_users", 0)
    words = np.random.SeedSequence(seed_number(seed)).generate_state(n_users, np.uint64)
    return [int(word) >> 1 for word in words]


def member_seeds(seed: int, n_users: int) -> list[int]:
    """Return the seeds of the users in an episode with this `seed`, in the population task.

    The seed of user u depends neither on `n_users` nor on the interactions of earlier users.
    """
    n_users = number_of_users(n_users, "n_users", 0)
    sequence = np.random.SeedSequence(seed_number(seed), spawn_key=(crc32(b"members"),))
    return [int(word) >> 1 for word in sequence.generate_state(n_users, np.uint64)]


def user_generator(seed: int) -> np.random.Generator:
    """Return the random stream of the user with this `seed`, as in `env.reset(seed=...)`."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))


def agent_generator(seed: int, name: str) -> np.random.Generator:
    """Return the random stream of the agent `name` in its run with the user of this `seed`.

    The stream's seed is a SHA-256 hash of the user seed and the name. An agent can read this hash,
    but not the user seed, from which it could compute the user's means.
    """
    words = agent_words([seed], name)[0]
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(words)))


def agent_words(seeds: Sequence[int], name: str) -> np.ndarray:
    """Return the seeds of an agent's streams: one row of 32-bit words for each user seed."""
    # A name may contain half a surrogate pair, which UTF-8 cannot encode.
    texts = [f"agent {seed} {name}".encode(errors="backslashreplace") for seed in seeds]
    digests = [hashlib.sha256(text).digest() for text in texts]
    return np.frombuffer(b"".join(digests), "<u4").reshape(len(digests), -1).astype(np.uint32)


def set_streams(seeds: Sequence[int], streams: Sequence[Any], name: str | None = None) -> None:
    """Set one stream for each user seed: the user's stream, or the stream of the agent `name`."""
    for seed, stream in zip(seeds, streams, strict=False):
        source = user_generator(seed) if name is None else agent_generator(seed, name)
        stream.bit_generator.state = source.bit_generator.state


def _child(seed: int, *place: int) -> int:
    """Return a seed for a path of integers, independent of the user seeds of study `seed`."""
    sequence = np.random.SeedSequence(seed, spawn_key=place)
    return int(sequence.generate_state(1, np.uint64)[0]) >> 1


def training_seeds(seed: int, n_users: int) -> list[int]:
    """Return the user seeds of a training, one for each lane (environment).

    No study has a user with one of these seeds, so no comparison uses a model's training users.
    Trainings with different seeds share no user, except with negligible probability: the first
    user seed of a training is random among 2^63 values, and the others follow it.

    Args:
        seed: seed of the training.
        n_users: number of lanes.
    """
    first = _child(seed, crc32(b"training"))
    return [first + user for user in range(number_of_users(n_users, "n_users", 0))]


def tuning_seed(seed: int, *place: int) -> int:
    """Return the seed of a study for tuning, which shares no user with the study `seed`.

    Args:
        seed: seed of the study that compares the tuned agents.
        place: the indices of one study of the tuning. Studies with other indices have other users.
    """
    return _child(seed, crc32(b"tuning"), *place)


def suite_seed(seed: int, task: str) -> int:
    """Return the seed of one task's users in the suite with this `seed`."""
    return _child(seed_number(seed), crc32(b"suite"), crc32(task.encode()))
