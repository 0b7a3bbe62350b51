"""Seeds and streams: fixed for good, apart from each other, and telling no agent who it meets."""

import numpy as np
import pytest
from processes import python

from explorative_user_env.seeding import (
    agent_generator,
    training_seeds,
    tuning_seed,
    user_generator,
    user_seeds,
)


def test_user_seeds_are_distinct_ints_of_63_bits_and_those_of_fewer_users_are_the_first():
    seeds = user_seeds(0, 5000)
    assert len(set(seeds)) == 5000
    assert all(type(seed) is int and 0 <= seed < 2**63 for seed in seeds)
    shares = [np.mean([seed >> bit & 1 for seed in seeds]) for bit in range(63)]
    assert all(abs(share - 0.5) < 5 * 0.5 / np.sqrt(5000) for share in shares)  # every bit is used
    for n in (0, 1, 2, 17, 999):
        assert user_seeds(0, n) == seeds[:n]
    assert not set(user_seeds(1, 5000)) & set(seeds)


def test_an_agents_stream_depends_on_the_seed_and_the_name_only_and_is_no_users():
    names = ("", "BAIR", "UNI", "EXP3", "T&S", "\ud800", "\udfff")  # one that no file could hold
    places = [(seed, name) for seed in (3, 4) for name in names]
    drawn = {agent_generator(*place).random() for place in places}
    assert drawn == {agent_generator(*place).random() for place in places}
    assert len(drawn | {user_generator(seed).random() for seed in (3, 4)}) == len(places) + 2


@pytest.mark.parametrize("seed", [0, 2**62 + 1])
def test_an_agents_stream_does_not_say_which_user_it_meets(seed):
    rng = agent_generator(seed, "BAIR")
    sequence = rng.bit_generator.seed_seq
    words = np.asarray(sequence.entropy).tolist()
    own = [*words, sum(word << 32 * place for place, word in enumerate(words))]
    own += [*sequence.spawn_key, *sequence.generate_state(8, np.uint64).tolist()]
    own += rng.bit_generator.state["state"].values()
    assert seed not in own
    for key in own:  # whatever is tried as a seed gives another user
        assert user_generator(key).random() != user_generator(seed).random()


@pytest.mark.slow
def test_an_agents_stream_is_the_same_in_another_process(monkeypatch):
    monkeypatch.setenv("PYTHONHASHSEED", "1")
    drawn = "agent_generator(3, 'BAIR').random()"
    code = f"from explorative_user_env.seeding import agent_generator; print({drawn})"
    assert float(python("-c", code).stdout) == agent_generator(3, "BAIR").random()


def test_the_streams_are_those_that_published_numbers_came_from():
    """NumPy keeps these for good; a change of them here changes the users of every table."""
    assert user_seeds(0, 3) == [7896617691693857887, 6195319269190327588, 1180918054825871008]
    hers, its = user_generator(3), agent_generator(3, "BAIR")
    assert [rng.bit_generator.random_raw() for rng in (hers, hers, its, its)] == [
        *(1579948266424812280, 4368382809143759861),
        *(3488217266576444458, 11137570658683282489),
    ]
    assert training_seeds(0, 1)[0] == 8066147105204481549
    assert [tuning_seed(0), tuning_seed(0, 1, 2)] == [587881397831563381, 4347706711331273623]


def test_trainings_and_tunings_meet_users_of_their_own():
    trained = {user for seed in range(50) for user in training_seeds(seed, 400)}
    assert len(trained) == 50 * 400
    assert training_seeds(3, 9)[:4] == [training_seeds(3, 1)[0] + n for n in range(4)]
    assert training_seeds(7, 1) == training_seeds(np.int64(7), 1)
    places = [(), (0,), (1,), (0, 0), (0, 1), (1, 0)]
    tuned = {tuning_seed(seed, *place) for seed in range(50) for place in places}
    assert len(tuned) == 50 * len(places)
    evaluated = {user for seed in range(50) for user in user_seeds(seed, 400)}
    assert not trained & (evaluated | tuned)
    assert not (tuned | {*range(50)}) & evaluated
    assert all(0 <= seed < 2**63 for seed in trained | tuned)
