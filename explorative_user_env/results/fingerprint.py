"""What tells random streams from those of another NumPy: a hash of the first draws of every law.

NumPy may change how a law is drawn from one version to the next. Runs stored with another
fingerprint are not continued, and workers that have another are not used.
"""

import functools
import hashlib
from collections.abc import Iterator

import numpy as np

from explorative_user_env.seeding import agent_generator, user_generator, user_seeds
from explorative_user_env.users.laws_of_means import LAWS
from explorative_user_env.users.reward_laws import REWARD_LAWS, as_reward_law

FIRST_DRAWS = 100
"""How many of each law: enough for its rare branches, as the tail of the normal law."""

TOLD_DIGITS = 10
"""Of a draw: the last bits of `log` and `exp` are the processor's, not NumPy's."""

FINGERPRINT_LENGTH = 16
"""Hexadecimal digits of a fingerprint."""


@functools.cache
def stream_fingerprint() -> str:
    """Return the fingerprint of the streams and laws as they are drawn here."""
    told = (f"{name} {_word(value)}" for name, value in _first_draws())
    return hashlib.sha256("\n".join(told).encode()).hexdigest()[:FINGERPRINT_LENGTH]


def _word(value: float) -> str:
    return str(value) if isinstance(value, int | np.integer) else f"{value:.{TOLD_DIGITS - 1}e}"


def _first_draws() -> Iterator[tuple[str, float]]:
    """Yield the name of each law and a draw: the seeds of users first, then all that is drawn."""
    seeds = user_seeds(0, FIRST_DRAWS)
    for seed in seeds:
        yield "user_seeds", seed
    hers, its = user_generator(seeds[0]), agent_generator(seeds[0], "BAIR")
    for name, rng in (("user", hers), ("agent", its)):
        for _ in range(FIRST_DRAWS):
            yield name, rng.random()
    for name, law in LAWS.items():
        for mean in law.many(FIRST_DRAWS, hers):
            yield name, mean
    for name in REWARD_LAWS:
        for _ in range(FIRST_DRAWS):
            yield name, as_reward_law(name).draw(0.5, hers)
    yield from _draws_of_agents(its)


def _draws_of_agents(rng: np.random.Generator) -> Iterator[tuple[str, float]]:
    """Yield draws of the laws that agents and studies ask NumPy for."""
    for successes in range(FIRST_DRAWS):
        yield "beta", rng.beta(0.5 + successes, 0.5 + FIRST_DRAWS - successes)
    for _ in range(FIRST_DRAWS):
        yield "standard_normal", rng.standard_normal()
    for value in rng.integers(1000, size=FIRST_DRAWS):
        yield "integers", value
