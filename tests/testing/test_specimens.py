"""Every check bites: what is wrong in the one way that it asks about fails under its name."""

import random
import time
from typing import ClassVar

import numpy as np
import pytest
from specimens import SPECIMENS
from specimens.agents import Drawing, Honest, HonestOfMany, ThinksOfThree

from explorative_user_env import ExplorativeUserEnv
from explorative_user_env.check import (
    CHECKS,
    FailedCheckError,
    Kind,
    NotAskedError,
    check_agent,
    checks_of,
    subject_of,
)
from explorative_user_env.check.checks import LATER, other_surroundings, shared_streams


def check_named(kind, name):
    return next(check for check in checks_of(kind) if check.name == name)


def test_every_check_has_a_specimen():
    named = {(kind, check.name) for kind, checks in CHECKS.items() for check in checks}
    assert set(SPECIMENS) <= named
    assert {name for _, name in SPECIMENS} == {name for _, name in named}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "name", "wrong"), [(*key, each) for key, every in SPECIMENS.items() for each in every]
)
def test_a_wrong_one_is_caught_under_the_name_of_the_check(kind, name, wrong):
    subject = subject_of(wrong, kind)
    with pytest.raises(FailedCheckError) as caught:
        check_named(kind, name)(subject)
    assert len(str(caught.value)) > 20


@pytest.mark.slow
@pytest.mark.parametrize("honest", [Honest, HonestOfMany, Drawing])
def test_an_honest_one_passes_all(honest):
    verdicts = {outcome.verdict for outcome in check_agent(honest).outcomes}
    assert verdicts == {"passed", "not asked"}


def test_an_agent_for_one_number_of_arms_is_told_how_to_say_so():
    class SaysSo(ThinksOfThree):
        trained_on: ClassVar = {"n_arms": 5}

    check = check_named(Kind.AGENT, "meets_two_arms")
    with pytest.raises(FailedCheckError, match=r"says so, as trained_on = \{\"n_arms\": 5\}$"):
        check(subject_of(ThinksOfThree))
    with pytest.raises(NotAskedError, match="trained for 5 arms"):
        check(subject_of(SaysSo))


def test_who_ends_with_ties_is_asked_and_who_does_not_is_not():
    check = check_named(Kind.AGENT, "breaks_ties_by_chance")
    check(subject_of("UNI"))
    with pytest.raises(NotAskedError, match="never stopped by itself"):
        check(subject_of("BAIR"))


def test_streams_and_clocks_are_others_within_and_as_before_after():
    before, clock = shared_streams(), time.time
    drawn = []
    for seed in (1, 1, 2):
        with other_surroundings(seed):
            drawn.append((random.random(), np.random.random()))  # noqa: NPY002 - everybody's
            assert time.time() > clock() + LATER - 60
    assert drawn[0] == drawn[1] != drawn[2]
    with pytest.raises(LookupError), other_surroundings(1):
        raise LookupError
    assert shared_streams() == before
    assert time.time is clock


def test_an_agent_that_looks_at_the_clock_does_not_repeat_itself():
    class WatchesTheClock(Honest):
        def shift(self):
            return int(time.time() // 900)

    with pytest.raises(FailedCheckError, match="in other surroundings"):
        check_named(Kind.AGENT, "repeats_with_the_same_stream")(subject_of(WatchesTheClock))


@pytest.mark.exhaustive
def test_users_that_an_agent_was_trained_on_are_no_secret():
    class WasTrained(Honest):
        def __init__(self):
            self.env = ExplorativeUserEnv()
            self.env.reset(seed=123456)

    check_named(Kind.AGENT, "holds_no_secret")(subject_of(WasTrained))


def test_a_stream_that_is_made_of_its_own_is_one_of_those_it_was_handed():
    class Spawns(Honest):
        def begin(self, horizon):
            (self.rng,) = self.rng.spawn(1)

        def act(self):
            return None if super().act() is None else int(self.rng.integers(self.n_arms))

    for name in ("draws_from_no_other_stream", "repeats_with_the_same_stream"):
        check_named(Kind.AGENT, name)(subject_of(Spawns))
