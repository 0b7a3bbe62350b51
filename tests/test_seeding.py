import os
import subprocess
import sys

import gymnasium as gym
import numpy as np
import pytest

from explorative_user_env import ENV_ID
from explorative_user_env.seeding import agent_generator, tuning_seed, user_generator, user_seeds


def test_a_users_seed_does_not_depend_on_how_many_users_there_are() -> None:
    many = user_seeds(5, 1000)
    for n in (0, 1, 2, 17, 999):
        assert user_seeds(5, n) == many[:n]


def test_user_seeds_are_distinct_ints_of_63_bits() -> None:
    seeds = user_seeds(0, 5000)
    assert len(set(seeds)) == 5000
    assert {type(seed) for seed in seeds} == {int}
    assert all(0 <= seed < 2**63 for seed in seeds)
    shares = [np.mean([seed >> bit & 1 for seed in seeds]) for bit in range(63)]
    assert all(abs(share - 0.5) < 5 * 0.5 / np.sqrt(5000) for share in shares)  # every bit is used


def test_another_study_seed_gives_other_users() -> None:
    assert user_seeds(1, 100) == user_seeds(1, 100)
    assert not set(user_seeds(1, 100)) & set(user_seeds(2, 100))


@pytest.mark.parametrize("seed", [0, 7, 2**62 + 1])
def test_a_users_stream_is_the_one_a_seeded_reset_makes(seed: int) -> None:
    env = gym.make(ENV_ID, n_arms=3)
    env.reset(seed=seed, options={"means": [0.0, 1.0, 2.0]})  # draws nothing
    expected = user_generator(seed)
    assert env.unwrapped.np_random.random(50).tolist() == expected.random(50).tolist()


def test_an_agents_stream_depends_on_the_seed_and_the_name_only() -> None:
    def first(seed: int, name: str) -> list[float]:
        drawn: list[float] = agent_generator(seed, name).random(5).tolist()
        return drawn

    assert first(3, "BAIR") == first(3, "BAIR")
    assert first(3, "BAIR") != first(3, "UNI")
    assert first(3, "BAIR") != first(4, "BAIR")


def test_no_agent_shares_the_users_stream() -> None:
    user = user_generator(3).random(5).tolist()
    for name in ("", "BAIR", "UNI", "EXP3", "T&S"):
        assert agent_generator(3, name).random(5).tolist() != user


def test_an_agents_stream_is_the_same_in_another_process() -> None:
    code = (
        "from explorative_user_env.seeding import agent_generator;"
        "print(agent_generator(3, 'BAIR').random().hex())"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for hash_seed in ("1", "2")
    }
    assert answers == {agent_generator(3, "BAIR").random().hex()}


def test_every_place_in_a_tuning_has_a_seed_of_its_own_apart_from_the_study() -> None:
    places = [(), (0,), (1,), (0, 0), (0, 1), (1, 0)]
    seeds = {tuning_seed(seed, *place) for seed in (0, 1) for place in places}
    assert len(seeds | {0, 1}) == 2 + 2 * len(places)
    assert tuning_seed(3, 1, 2) == tuning_seed(3, 1, 2)
    assert all(0 <= seed < 2**63 for seed in seeds)
