"""What is checked of whatever is handed in."""

import functools

import gymnasium as gym
import pytest
from specimens.agents import Honest, WithoutAnswer
from specimens.users import SCHEDULES, flattering

import explorative_user_env as eu
from explorative_user_env import InvalidArgumentError
from explorative_user_env.agents import ALGORITHMS, BAIR
from explorative_user_env.check import Kind, subject_of, subjects_of
from explorative_user_env.users.behaviours import omniscient


def test_the_kind_is_told_from_the_thing():
    rows = [
        (Honest, [Kind.AGENT]),
        (WithoutAnswer, [Kind.AGENT]),
        (lambda: BAIR(delta=0.2), [Kind.AGENT]),
        ("thompson", [Kind.AGENT]),
        (ALGORITHMS["UNI"], [Kind.ALGORITHM, Kind.AGENT]),
        ("CartPole-v1", [Kind.ENVIRONMENT, Kind.VECTOR]),
        (eu.ExplorativeUserEnv, [Kind.ENVIRONMENT]),
        (lambda: gym.make(eu.BAI_ENV_ID), [Kind.ENVIRONMENT]),
        (functools.partial(eu.ExplorativeUserVectorEnv, n_arms=3), [Kind.VECTOR]),
        (omniscient, [Kind.BEHAVIOUR]),
        (SCHEDULES["depends_on_counts_alone"], [Kind.SCHEDULE]),
        (eu.RewardLaw("flattering", flattering), [Kind.REWARD_LAW]),
    ]
    for thing, kinds in rows:
        found = subjects_of(thing, seed=3)
        assert [subject.kind for subject in found] == kinds
        assert {subject.seed for subject in found} == {3}
        for subject in found:
            assert subject.name
            subject.make()
    for usual in (eu.ENV_ID, eu.ExplorativeUserVectorEnv, eu.COUNTS_ENV_ID):
        envs = subject_of(usual, "vector environment").make()
        assert (envs.num_envs, envs.unwrapped.max_episode_steps) == (3, 7)
    assert subject_of(eu.ExplorativeUserVectorEnv(2)).make().num_envs == 2
    assert subject_of(flattering, "reward law").name == "flattering"


def test_an_instance_is_made_anew_as_it_was_handed_in():
    mine = Honest()
    subject = subject_of(mine)
    first = subject.make()
    first.steps = 7
    assert first is not mine
    assert not hasattr(subject.make(), "steps")


class Wanting:
    def __init__(self, needed):
        pass


class Uncopied(Honest):
    def __deepcopy__(self, memo):
        raise TypeError("no copies")


def test_what_is_no_subject_is_refused():
    for thing, message in [
        (3, r"^subject must be an agent, an environment, .*, got 3$"),
        (dict, r"^subject must be an agent, .*, got \{\}$"),
        (Wanting, "when called without arguments, but it raised TypeError: "),
        (Uncopied(), "must be a class or function that makes it, as a copy of it"),
        ("nobody", "^agent must be one of bair, "),
    ]:
        with pytest.raises(InvalidArgumentError, match=message):
            subjects_of(thing)
    with pytest.raises(InvalidArgumentError, match=r"^subject must be a schedule, got "):
        subject_of(Honest, "schedule")
