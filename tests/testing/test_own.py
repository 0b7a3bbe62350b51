"""The package's own agents, environments and users keep what it asks of others'."""

from functools import partial
from typing import Any

import pytest
from toy_agents import the_most_accepted

import explorative_user_env as eu
from explorative_user_env.agents import (
    AGENTS,
    ALGORITHMS,
    BAIR,
    CARRIERS,
    REFERENCES,
    Uniform,
    after_phase1,
)
from explorative_user_env.check import NamedCheck, Subject, parametrize_with_checks
from explorative_user_env.envs.bai import ExplorativeUserBAIEnv, ExplorativeUserBAIVectorEnv
from explorative_user_env.envs.population import (
    ExplorativePopulationEnv,
    ExplorativePopulationVectorEnv,
)
from explorative_user_env.users import behaviours as others
from explorative_user_env.users.behaviours import EXPLORATIVE, impatient
from explorative_user_env.users.model import (
    ACCEPTANCE_RATE,
    REWARD_LAWS,
    SMOOTHED_ACCEPTANCE_RATE,
    as_reward_law,
    constant,
)
from explorative_user_env.wrappers import CountsObservation, SortedArms

pytestmark = pytest.mark.slow


def tuned() -> Any:
    return BAIR(n1=20, name="BAIR, tuned")


def with_phase1() -> Any:
    return after_phase1(Uniform(name="UNI after Phase 1"))


def first_of_ties() -> Any:
    return Uniform(ties="first")


def at_random() -> Any:
    return Uniform(order="random", name="UNI at random")


@parametrize_with_checks([*ALGORITHMS.values()])
def test_algorithms_and_the_agents_they_make(subject: Subject, check: NamedCheck) -> None:
    check(subject)


@parametrize_with_checks(["SE", tuned, with_phase1, at_random])
def test_other_agents(subject: Subject, check: NamedCheck) -> None:
    check(subject)


def test_these_are_all_agents() -> None:
    assert {*AGENTS, *REFERENCES, *CARRIERS} == {*ALGORITHMS, "SE", "SE-ordered"}


RELEASED = {"breaks_ties_by_chance": "the released code's habit: the first of tied arms"}


@parametrize_with_checks([first_of_ties], expected_failed_checks=RELEASED)
def test_an_agent_with_a_known_fault(subject: Subject, check: NamedCheck) -> None:
    check(subject)


@parametrize_with_checks([partial(eu.PolicyAgent, the_most_accepted, horizon=50)])
def test_policies(subject: Subject, check: NamedCheck) -> None:
    check(subject)


LEAVING: dict[str, Any] = {"behaviour": "impatient(probability=0.5)", "n_arms": 3, "alpha": 0.01}
"""Users most of whom leave while they are checked."""


def sorted_counts() -> Any:
    return SortedArms(CountsObservation(eu.ExplorativeUserEnv(n_arms=3), 50))


@parametrize_with_checks(
    [
        eu.ENV_ID,
        eu.BAI_ENV_ID,
        eu.COUNTS_ENV_ID,
        eu.POPULATION_ENV_ID,
        eu.ExplorativeUserEnv,
        ExplorativeUserBAIEnv,
        partial(eu.ExplorativeUserEnv, behaviour="logistic", noise=0.2, reward="realized"),
        partial(eu.ExplorativeUserEnv, **LEAVING),
        sorted_counts,
        partial(ExplorativePopulationEnv, n_users=2, horizon=3),
    ]
)
def test_environments(subject: Subject, check: NamedCheck) -> None:
    check(subject)


@parametrize_with_checks(
    [
        eu.ExplorativeUserVectorEnv,
        ExplorativeUserBAIVectorEnv,
        partial(eu.ExplorativeUserVectorEnv, compiled=True, noise=0.2),
        partial(ExplorativeUserBAIVectorEnv, compiled=True),
        partial(eu.ExplorativeUserVectorEnv, behaviour="drifting"),
        partial(eu.ExplorativeUserVectorEnv, **LEAVING),
        partial(ExplorativeUserBAIVectorEnv, **LEAVING),
        partial(ExplorativePopulationVectorEnv, n_users=2, horizon=3),
    ]
)
def test_environments_in_step(subject: Subject, check: NamedCheck) -> None:
    check(subject)


BEHAVIOURS = [EXPLORATIVE, others.omniscient, others.forgetful, others.drifting, others.logistic]
BEHAVIOURS += [others.varied]


@parametrize_with_checks([*BEHAVIOURS, others.forgetful(7), impatient, impatient(0.3, 4)])
def test_behaviours(subject: Subject, check: NamedCheck) -> None:
    check(subject)


@parametrize_with_checks([ACCEPTANCE_RATE, SMOOTHED_ACCEPTANCE_RATE, constant(1.5)])
def test_schedules(subject: Subject, check: NamedCheck) -> None:
    check(subject)


@parametrize_with_checks([as_reward_law(name) for name in REWARD_LAWS])
def test_reward_laws(subject: Subject, check: NamedCheck) -> None:
    check(subject)
