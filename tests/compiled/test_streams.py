"""Streams that are seeded, and instances drawn, many at once are those that come one by one."""

import numpy as np
import pytest

numba = pytest.importorskip("numba")

from explorative_user_env.kernels import seeds as stream_seeds
from explorative_user_env.kernels.intrinsics import addresses_of, generator_at
from explorative_user_env.kernels.seeds import N_STREAMS, draw_at_once, set_at_once, streams
from explorative_user_env.seeding import agent_generator, user_generator
from explorative_user_env.users.instances import LAWS, InstanceLaw

BORDERS = [0, 1, 9, 10, 2**31, 2**32 - 1, 2**32, 2**53 + 1, 2**62, 2**63 - 1]
LARGE = [2**63, 2**64 - 1, 2**64, 2**127 + 3, 2**4000 + 7]


def seeded(seeds, name):
    with streams() as users, streams() as own:
        for rng in (*users.rngs, *own.rngs):
            rng.integers(9, dtype=np.uint32)  # leaves half of what it draws for the next time
        set_at_once(users, seeds)
        set_at_once(own, seeds, name)
        rngs = [lent.rngs[: len(seeds)] for lent in (users, own)]
        return [
            (hers.bit_generator.state, its.bit_generator.state)
            for hers, its in zip(*rngs, strict=True)
        ]


def one_by_one(seeds, name):
    return [
        (user_generator(seed).bit_generator.state, agent_generator(seed, name).bit_generator.state)
        for seed in seeds
    ]


def test_a_user_s_and_an_agent_s_streams_are_numpy_s_to_the_bit():
    for name in ("", "T&S", "{}", "a name of " + "many " * 40, "BAIR µ☃"):
        assert seeded(BORDERS, name) == one_by_one(BORDERS, name)
    rng = np.random.default_rng(1)
    seeds = (rng.integers(2**63, size=N_STREAMS) >> rng.integers(63, size=N_STREAMS)).tolist()
    assert seeded(seeds, "UNI") == one_by_one(seeds, "UNI")


def test_numpy_seeds_those_that_are_too_large_and_refuses_what_is_no_seed(monkeypatch):
    monkeypatch.setattr(stream_seeds, "compiled_seeding", None)
    for seeds in (LARGE, [3, 2**63], [2**63, 3], [2**64, 3], []):
        assert seeded(seeds, "UNI") == one_by_one(seeds, "UNI")
    for wrong in (-1, 0.5):
        with pytest.raises((TypeError, ValueError)):
            seeded([wrong, 3], "UNI")
    # So it does where its memory is not known.
    with streams() as users, streams() as own:
        set_at_once(users._replace(low_first=None), BORDERS)
        set_at_once(own._replace(low_first=None), BORDERS, "UNI")
        found = [[rng.bit_generator.state for rng in each.rngs] for each in (users, own)]
    assert list(zip(*found, strict=True))[: len(BORDERS)] == one_by_one(BORDERS, "UNI")


def rounded_means(n_arms, rng):
    """Means of which several are the best, mostly."""
    return rng.integers(2, size=n_arms).astype(float)


MEANS = {name: lambda n_arms, name=name: name for name in LAWS} | {
    "rounded": lambda n_arms: rounded_means,
    "given": lambda n_arms: list(range(n_arms)),
    "given and tied": lambda n_arms: [0.0] * n_arms,
}


@pytest.mark.parametrize("means", MEANS)
def test_instances_are_those_of_the_law_and_streams_go_on_as_after_it(means):
    seeds = range(40)
    for n_arms, gap_factor in ((2, 1.0), (3, 1.5), (40, 1.0)):
        law = InstanceLaw(n_arms, MEANS[means](n_arms), 0.3, gap_factor=gap_factor)
        with streams() as users:
            set_at_once(users, seeds)
            drawn, best_arms = draw_at_once(law, n_arms, len(seeds), users)
            after = [rng.bit_generator.state for rng in users.rngs]
        for seed in seeds:
            rng = user_generator(seed)
            instance, best_arm = law.draw(rng), best_arms[seed]
            assert (tuple(drawn[seed].tolist()), best_arm) == (instance.means, instance.best_arm)
            assert after[seed] == rng.bit_generator.state


def test_nobody_shares_a_generator():
    with streams() as one, streams() as other:
        assert {id(rng) for rng in one.rngs}.isdisjoint(id(rng) for rng in other.rngs)


@numba.njit
def mixed_draws(addresses, normals, uniforms):
    rng = generator_at(addresses)
    for index in range(normals.size):
        normals[index] = rng.standard_normal()
        if index % 3 == 0:
            uniforms[index // 3] = rng.random()


@pytest.mark.slow
@pytest.mark.parametrize("kind", [np.random.PCG64, np.random.MT19937])
def test_compiled_draws_are_numpys_to_the_bit(kind):
    compiled, plain = (np.random.Generator(kind(11)) for _ in range(2))
    for n in (20_000, 1, 7):
        normals, uniforms = np.zeros(n), np.zeros((n + 2) // 3)
        mixed_draws(addresses_of(compiled), normals, uniforms)
        for index in range(n):
            assert normals[index] == plain.standard_normal()
            if index % 3 == 0:
                assert uniforms[index // 3] == plain.random()
        assert repr(compiled.bit_generator.state) == repr(plain.bit_generator.state)
        # The tail of the ziggurat, which begins at 3.654, is drawn by another formula.
        assert n < 8 or abs(normals).max() > 3.66
