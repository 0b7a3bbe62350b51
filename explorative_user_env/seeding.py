"""The random streams of users and agents, which all follow from one seed.

A study's seed gives every user a seed. That number replays the user alone, as
`env.reset(seed=user_seed)`, and with an agent's name the agent that met her: so adding an agent, a
worker or a user changes no other's numbers.
"""

import hashlib
from collections.abc import Sequence
from numbers import Integral
from typing import Any
from zlib import crc32

import numpy as np

from explorative_user_env.validation import InvalidArgumentError, count

__all__ = ["agent_generator", "member_seeds", "training_seeds", "user_generator", "user_seeds"]

#: The most users of a study, whose table of runs takes a GB.
MOST_USERS = 10_000_000

#: The size of the largest seed.
SEED_BITS = 4096

TOO_LARGE = 1 << SEED_BITS


def seed_number(seed: Any) -> int:
    """Return a seed as an int in 0..2^`SEED_BITS` - 1."""
    if type(seed) is int and 0 <= seed < TOO_LARGE:  # quick, as nearly all are
        return seed
    is_one = isinstance(seed, Integral) and not isinstance(seed, bool)
    if not is_one or seed < 0 or int(seed) >= TOO_LARGE:
        too_large = is_one and seed > 0
        allowed = f"an integer in 0..2^{SEED_BITS} - 1" if too_large else "an integer of at least 0"
        raise InvalidArgumentError("seed", seed, allowed)
    return int(seed)


def number_of_users(n_users: Any, name: str = "n_instances", least: int = 1) -> int:
    """Return a number of users as an int in `least`..`MOST_USERS`."""
    return count(name, n_users, least, MOST_USERS)


def user_seeds(seed: int, n_users: int) -> list[int]:
    """Return the seeds of users 0..n_users-1 of the study seeded with `seed`, 63 bits each.

    User b has the same seed however many users there are.
    """
    n_users = number_of_users(n_users, "n_users", 0)
    words = np.random.SeedSequence(seed_number(seed)).generate_state(n_users, np.uint64)
    return [int(word) >> 1 for word in words]


def member_seeds(seed: int, n_users: int) -> list[int]:
    """Return the seeds of the users who come one after another in the episode of this `seed`.

    User u has the same seed however many users there are, and whatever happened before her.
    """
    n_users = number_of_users(n_users, "n_users", 0)
    sequence = np.random.SeedSequence(seed_number(seed), spawn_key=(crc32(b"members"),))
    return [int(word) >> 1 for word in sequence.generate_state(n_users, np.uint64)]


def user_generator(seed: int) -> np.random.Generator:
    """Return the stream of the user with this `seed`, the same that `env.reset(seed=...)` makes."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))


def agent_generator(seed: int, name: str) -> np.random.Generator:
    """Return the stream of the agent called `name` that meets the user with this `seed`.

    It follows from the two by a one-way function (SHA-256): a Generator shows its seed to the
    agent, and the user's seed would give her means.
    """
    words = agent_words([seed], name)[0]
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(words)))


def agent_words(seeds: Sequence[int], name: str) -> np.ndarray:
    """Return the seeds of an agent's streams: a row of 32-bit words for each user."""
    # A name may hold half a surrogate pair, which has no bytes.
    texts = [f"agent {seed} {name}".encode(errors="backslashreplace") for seed in seeds]
    digests = [hashlib.sha256(text).digest() for text in texts]
    return np.frombuffer(b"".join(digests), "<u4").reshape(len(digests), -1).astype(np.uint32)


def set_streams(seeds: Sequence[int], streams: Sequence[Any], name: str | None = None) -> None:
    """Set the first of these Generators to the streams of users, or of an agent that meets them."""
    for seed, stream in zip(seeds, streams, strict=False):
        own = user_generator(seed) if name is None else agent_generator(seed, name)
        stream.bit_generator.state = own.bit_generator.state


def _child(seed: int, *place: int) -> int:
    """Return the first seed of a stream apart from that of the study seeded with `seed`."""
    sequence = np.random.SeedSequence(seed, spawn_key=place)
    return int(sequence.generate_state(1, np.uint64)[0]) >> 1


def training_seeds(seed: int, n_users: int) -> list[int]:
    """Return the seeds of the users, in step, that a model is trained on.

    They are apart from the users of any study, so that no model is compared on its training's
    users. Trainings with other seeds, 0, 1, 2 and so on, share no user: the first seed is one of
    2^63.

    Args:
        seed: the training's.
        n_users: how many are in step.
    """
    first = _child(seed, crc32(b"training"))
    return [first + user for user in range(number_of_users(n_users, "n_users", 0))]


def tuning_seed(seed: int, *place: int) -> int:
    """Return the seed of a study that tunes an agent, apart from the study seeded with `seed`.

    Args:
        seed: what everything follows from.
        place: the place of the study in the tuning; each has other users.
    """
    return _child(seed, crc32(b"tuning"), *place)


def suite_seed(seed: int, task: str) -> int:
    """Return the seed of the users of a task in a suite that is run with `seed`."""
    return _child(seed_number(seed), crc32(b"suite"), crc32(task.encode()))
