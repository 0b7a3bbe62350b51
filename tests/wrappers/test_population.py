"""What a policy sees of users who come one after another: this one, and all before her."""

import copy

import gymnasium as gym
import numpy as np
import pytest
from begun import arms
from population_env import SMALL
from wrapped import counts_of, wrapped

import explorative_user_env as eu
from explorative_user_env import wrappers
from explorative_user_env.protocol import POPULATION
from explorative_user_env.wrappers.observations import observations_of

K, USERS, EACH = SMALL["n_arms"], SMALL["n_users"], SMALL["horizon"]


def env_of(observation):
    env = gym.make(eu.POPULATION_ENV_ID, disable_env_checker=True, **SMALL)
    return env if observation == "response" else wrapped(wrappers, observation, env)


def seen_by_hand(said, order):
    """The counts of this user and of all before her, in this order of the arms, and the times."""
    *own, time = counts_of(said[-1], order, EACH)
    heard = [each for user in said[:-1] for each in user]
    yes = [heard.count((arm, 1)) for arm in order]
    no = [heard.count((arm, 0)) for arm in order]
    logs = np.log1p([*yes, *no]) / np.log1p(USERS * EACH)
    shares = [y / (y + n) if y + n else 0.0 for y, n in zip(yes, no, strict=True)]
    return [*own, *logs, *shares, time, sum(map(len, said)) / (USERS * EACH)]


def ranked(said):
    """The arms by this user's acceptances, then by those of all before, then by number."""
    heard = [each for user in said[:-1] for each in user]
    return sorted(range(K), key=lambda a: (-said[-1].count((a, 1)), -heard.count((a, 1)), a))


@pytest.mark.parametrize("is_sorted", [False, True])
def test_counts_of_this_user_and_of_all_before_are_those_by_hand(is_sorted):
    env = env_of("sorted-population-counts" if is_sorted else "population-counts")
    seen, _ = env.reset(seed=5)
    said = [[]]
    by_others = 0
    for action in [*arms(USERS * EACH, K), None]:
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


@pytest.mark.parametrize("observation", observations_of(POPULATION))
def test_an_agent_sees_what_the_environment_shows_from_responses_alone(observation):
    env = env_of(observation)
    shown = []
    ranks = iter(arms(USERS * EACH, K))

    def policy(seen):
        shown.append(seen)
        return next(ranks)

    facts = {"task": "population", "observation": observation, "horizon": EACH}
    agent = eu.PolicyAgent(policy, n_users=USERS, **facts)
    seen, _ = env.reset(seed=2)
    agent.reset(K, np.random.default_rng(0))
    accepted, over = 0, False
    while not over:
        arm = agent.act()
        np.testing.assert_array_equal(shown[-1], seen)
        action = [*env._order[0]].index(arm) if hasattr(env, "_order") else arm
        seen, _, over, _, info = env.step(action)
        agent.observe(arm, info["all_acceptances"] > accepted)
        accepted = info["all_acceptances"]
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
    for begins_next in (True, False):
        agent.act()
        agent.observe(1, True)
        if begins_next:
            agent.next_user()
    agent.act()
    assert np.array(shown).tolist() == [0, 0, 1]
