"""Other surroundings are other ones, and are gone when they are left."""

import random
import time

import numpy as np
import pytest
from specimens.agents import Honest

from explorative_user_env import ExplorativeUserEnv
from explorative_user_env.check import FailedCheckError, Kind, checks_of, subject_of
from explorative_user_env.check.checks import LATER, other_surroundings, shared_streams


def test_streams_and_clocks_are_others_within_and_as_before_after() -> None:
    before, clock = shared_streams(), time.time
    drawn = []
    for seed in (1, 1, 2):
        with other_surroundings(seed):
            drawn.append((random.random(), np.random.random()))  # noqa: NPY002 - everybody's
            assert time.time() > clock() + LATER - 60
            assert time.monotonic_ns() > 1e9 * LATER
            assert isinstance(time.perf_counter_ns(), int)
    assert drawn[0] == drawn[1] != drawn[2]
    assert shared_streams() == before
    assert time.time is clock


def test_they_are_gone_when_the_block_fails() -> None:
    before, clock = shared_streams(), time.time
    with pytest.raises(LookupError), other_surroundings(1):
        raise LookupError
    assert shared_streams() == before
    assert time.time is clock


def ask(name: str, agent: type) -> None:
    (check,) = (check for check in checks_of(Kind.AGENT) if check.name == name)
    check(subject_of(agent))


class WatchesTheClock(Honest):
    """Begins at another arm every quarter of an hour, and is back after five."""

    def shift(self) -> int:
        return int(time.time() // 900)


def test_an_agent_that_looks_at_the_clock_does_not_repeat_itself() -> None:
    with pytest.raises(FailedCheckError, match="in other surroundings"):
        ask("repeats_with_the_same_stream", WatchesTheClock)


class WasTrained(Honest):
    """Holds the environment that it was trained in, of no user that it meets."""

    def __init__(self) -> None:
        self.env = ExplorativeUserEnv()
        self.env.reset(seed=123456)


@pytest.mark.slow
def test_users_that_an_agent_was_trained_on_are_no_secret() -> None:
    ask("holds_no_secret", WasTrained)


def test_a_stream_that_is_made_of_its_own_is_one_of_those_it_was_handed() -> None:
    class Spawns(Honest):
        def begin(self, horizon: int | None) -> None:
            (self.rng,) = self.rng.spawn(1)

        def act(self) -> int | None:
            return None if super().act() is None else int(self.rng.integers(self.n_arms))

    for name in ("draws_from_no_other_stream", "repeats_with_the_same_stream"):
        ask(name, Spawns)
