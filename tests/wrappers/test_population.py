"""What a policy sees of users who come one after another: this one, and all before her."""

import copy

import gymnasium as gym
import numpy as np
import pytest
from population_env import SMALL, arms_of
from wrapped import counts_of

import explorative_user_env as eu
from explorative_user_env.protocol import POPULATION
from explorative_user_env.wrappers import CountsObservation, PopulationCountsObservation, SortedArms
from explorative_user_env.wrappers.observations import observations_of

K, USERS, EACH = SMALL["n_arms"], SMALL["n_users"], SMALL["horizon"]
OBSERVATIONS = observations_of(POPULATION)


def before_of(said, arms):
    """What all users before said of these arms, in this order."""
    heard = [each for user in said[:-1] for each in user]
    yes = [heard.count((arm, 1)) for arm in arms]
    no = [heard.count((arm, 0)) for arm in arms]
    logs = np.log1p([*yes, *no]) / np.log1p(USERS * EACH)
    shares = [y / (y + n) if y + n else 0.0 for y, n in zip(yes, no, strict=True)]
    return [*logs.tolist(), *shares]


def seen_by_hand(said, arms):
    *own, time = counts_by_hand(said[-1], arms)
    steps = sum(map(len, said))
    return [*own, *before_of(said, arms), time, steps / (USERS * EACH)]


def counts_by_hand(heard, arms):
    return counts_of(heard, arms, EACH)


def ranked(said):
    """The arms by this user's acceptances, then by those of all before, then by number."""
    heard = [each for user in said[:-1] for each in user]
    return sorted(range(K), key=lambda a: (-said[-1].count((a, 1)), -heard.count((a, 1)), a))


@pytest.mark.parametrize("is_sorted", [False, True])
def test_counts_of_this_user_and_of_all_before_are_those_by_hand(is_sorted):
    env = PopulationCountsObservation(gym.make(eu.POPULATION_ENV_ID, **SMALL))
    env = SortedArms(env) if is_sorted else env
    seen, _ = env.reset(seed=5)
    said = [[]]
    by_others = 0
    for action in [*arms_of(USERS * EACH, K), None]:
        order = ranked(said) if is_sorted else [*range(K)]
        assert seen in env.observation_space
        np.testing.assert_allclose(seen, seen_by_hand(said, order), rtol=1e-6)
        by_others += not said[-1] and order != [*range(K)]
        if action is None:
            break
        response = copy.deepcopy(env.unwrapped).step(order[action])[0]
        seen, *_, info = env.step(action)
        assert response == info["all_acceptances"] - sum(r for user in said for _, r in user)
        said[-1].append((order[action], response))
        said += [[]] if info["new_user"] else []
    assert len(said) == USERS
    assert seen[-1] == seen[-2] == 1.0
    assert (by_others > 0) == is_sorted


def wrapped(observation, limit):
    """Return the single environment in the wrappers of an observation."""
    env = gym.make(eu.POPULATION_ENV_ID, limit, disable_env_checker=True, **SMALL)
    match observation:
        case "counts" | "sorted-counts":
            env = CountsObservation(env, EACH)
        case "population-counts" | "sorted-population-counts":
            env = PopulationCountsObservation(env)
        case "last-step":
            env = eu.wrappers.LastStepObservation(env, EACH)
    return SortedArms(env) if observation.startswith("sorted") else env


@pytest.mark.parametrize("observation", OBSERVATIONS)
def test_an_agent_sees_what_the_environment_shows_from_responses_alone(observation):
    env = wrapped(observation, None)
    shown = []
    ranks = iter(arms_of(USERS * EACH, K))

    def policy(seen):
        shown.append(seen)
        return next(ranks)

    agent = eu.PolicyAgent(
        policy, task="population", observation=observation, horizon=EACH, n_users=USERS
    )
    seen, _ = env.reset(seed=2)
    agent.reset(K, np.random.default_rng(0))
    over = False
    while not over:
        arm = agent.act()
        np.testing.assert_array_equal(shown[-1], seen)
        assert arm is not None
        action = [*env._order[0]].index(arm) if hasattr(env, "_order") else arm
        before = env.unwrapped._accepted
        seen, _, over, _, info = env.step(action)
        agent.observe(arm, bool(info["all_acceptances"] - before))
        if info["new_user"]:
            agent.next_user()
    assert len(shown) == USERS * EACH


def test_a_policy_for_one_user_begins_afresh_with_the_next():
    shown = []

    def policy(seen):
        shown.append(seen)
        return 1

    agent = eu.PolicyAgent(policy, observation="response")
    agent.reset(K, np.random.default_rng(0))
    for task_is_over in (True, False):
        agent.act()
        agent.observe(1, True)
        if task_is_over:
            agent.next_user()
    agent.act()
    assert np.array(shown).tolist() == [0, 0, 1]
