"""The package's own agents, environments and users keep what it asks of others'."""

from functools import partial

import pytest
from in_step import COUNTS
from toy_agents import the_most_accepted

import explorative_user_env as eu
from explorative_user_env.agents import ALGORITHMS, BAIR, Uniform, after_phase1
from explorative_user_env.check import parametrize_with_checks
from explorative_user_env.envs import TINY_ENV_ID
from explorative_user_env.envs.bai import ExplorativeUserBAIEnv, ExplorativeUserBAIVectorEnv
from explorative_user_env.envs.population import (
    ExplorativePopulationEnv,
    ExplorativePopulationVectorEnv,
)
from explorative_user_env.users import behaviours
from explorative_user_env.users.behaviours import impatient
from explorative_user_env.users.model import (
    ACCEPTANCE_RATE,
    REWARD_LAWS,
    SMOOTHED_ACCEPTANCE_RATE,
    as_reward_law,
    constant,
)
from explorative_user_env.wrappers import CountsObservation, SortedArms

pytestmark = pytest.mark.slow

first_of_ties = partial(Uniform, ties="first")


def sorted_counts():
    return SortedArms(CountsObservation(eu.ExplorativeUserEnv(n_arms=3), 50))


LEAVING = {"behaviour": "impatient(probability=0.5)", "n_arms": 3, "alpha": 0.01}
FEW = {"n_users": 2, "horizon": 3}

OF_EACH_KIND = [
    *(ALGORITHMS["UNI"], partial(eu.PolicyAgent, the_most_accepted, horizon=50)),
    *(eu.BAI_ENV_ID, partial(ExplorativePopulationVectorEnv, **FEW)),
    *(impatient(0.3, 4), SMOOTHED_ACCEPTANCE_RATE, as_reward_law("gaussian")),
]

OTHERS = [
    *(record for name, record in ALGORITHMS.items() if name != "UNI"),
    *("SE", partial(BAIR, n1=20, name="BAIR, tuned"), lambda: after_phase1(Uniform())),
    *(partial(Uniform, order="random", name="UNI at random"), first_of_ties),
    *(eu.ENV_ID, TINY_ENV_ID, eu.POPULATION_ENV_ID, eu.ExplorativeUserEnv, *COUNTS.values()),
    *(ExplorativeUserBAIEnv, sorted_counts, partial(ExplorativePopulationEnv, **FEW)),
    partial(eu.ExplorativeUserEnv, behaviour="logistic", noise=0.2, reward="realized"),
    partial(eu.ExplorativeUserEnv, **LEAVING),
    *(eu.ExplorativeUserVectorEnv, ExplorativeUserBAIVectorEnv),
    partial(eu.ExplorativeUserVectorEnv, compiled=True, noise=0.2),
    partial(ExplorativeUserBAIVectorEnv, compiled=True),
    partial(eu.ExplorativeUserVectorEnv, behaviour="drifting"),
    partial(eu.ExplorativeUserVectorEnv, **LEAVING),
    partial(ExplorativeUserBAIVectorEnv, **LEAVING),
    *(behaviours.EXPLORATIVE, behaviours.omniscient, behaviours.forgetful, behaviours.drifting),
    *(behaviours.logistic, behaviours.varied, behaviours.forgetful(7), impatient),
    *(ACCEPTANCE_RATE, constant(1.5)),
    *(as_reward_law(name) for name in REWARD_LAWS if name != "gaussian"),
]


def known(thing):
    return {"breaks_ties_by_chance": "the code's habit"} if thing is first_of_ties else {}


CASES = [
    pytest.param(*case.values, id=case.id, marks=pytest.mark.exhaustive)
    if case.values[1].name.startswith("compiled_")
    else case
    for case in parametrize_with_checks(OF_EACH_KIND).args[1]
]


@pytest.mark.parametrize(("subject", "check"), CASES)
def test_one_of_each_kind(subject, check):
    check(subject)


@pytest.mark.exhaustive
@parametrize_with_checks(OTHERS, expected_failed_checks=known)
def test_all_others(subject, check):
    check(subject)
