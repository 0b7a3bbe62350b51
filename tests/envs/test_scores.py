"""The stated range of scores equals new simulations."""

import gymnasium as gym
import numpy as np
import pytest
from in_step import COUNTS

import explorative_user_env as eu
from explorative_user_env import agents
from explorative_user_env.envs import TINY_ENV_ID
from explorative_user_env.optimum import OptimalAgent, exact_score, optimal_value
from explorative_user_env.protocol import DEVIATION, N_USERS, STEP_COST

AGENTS = {
    "SE": agents.SuccessiveElimination,
    "UCB1(exploration=.01)": lambda: agents.UCB1(exploration=0.01),
    "BAIR(n1=15)": lambda: agents.BAIR(n1=15),
    "SE-transfer(caution=.1)": lambda: agents.TransferElimination(caution=0.1),
    "Full-information": agents.FullInformation,
    "oracle-champion(n1=0)": lambda: agents.OracleChampion(n1=0),
}

KINDS = {
    eu.ENV_ID: ("regret", 300),
    eu.BAI_ENV_ID: ("bai", 500),
    eu.POPULATION_ENV_ID: ("population", 40),
}

CASES = [
    pytest.param(name, scores, marks=() if scores.n_arms < 20 else pytest.mark.slow)
    for name in KINDS
    for scores in eu.scores[name]
]


def returns(task, agent, scores, n):
    """Return the returns of an agent with n new users."""
    how = {"task": task, "n_arms": scores.n_arms, "n_instances": n, "seed": 28, "progress": False}
    if task == "bai":
        runs = eu.evaluate([agent], max_steps=scores.horizon, **how).runs
        wrong = ~runs["correct"] | runs["censored"]
        return 1.0 - STEP_COST * runs["stopping_time"] - 2.0 * wrong
    if task == "population":
        how |= {"n_users": N_USERS, "deviation": DEVIATION}
    return -eu.evaluate([agent], horizon=scores.horizon, **how).runs["regret"]


@pytest.mark.parametrize(("name", "scores"), CASES)
def test_the_scores_equal_those_of_new_users(name, scores):
    task, n = KINDS[name]
    stated = {scores.best_agent: scores.best, scores.reference_agent: scores.reference}
    found = {each: returns(task, AGENTS[each](), scores, n) for each in stated}
    if task == "bai":
        # Random actions answer with probability 1/2, so that E[T] is 1.
        assert scores.random == pytest.approx(2.0 / scores.n_arms - 1.0 - STEP_COST)
    else:
        stated["UNI"], found["UNI"] = scores.random, returns(task, agents.Uniform(), scores, n)
    for each, values in found.items():
        tolerance = 4.0 * values.std() / np.sqrt(n) + 0.04 * abs(stated[each]) * (task != "bai")
        assert abs(values.mean() - stated[each]) < max(tolerance, 0.01)
    assert scores.random < scores.best <= scores.bound


def test_the_scores_of_the_tiny_task_are_exact():
    (scores,) = eu.scores[TINY_ENV_ID]
    agent = OptimalAgent(agent=agents.SuccessiveElimination())
    assert scores.best == round(exact_score(agent).value, 6)
    assert scores.reference == scores.bound == round(optimal_value(), 6)


@pytest.mark.parametrize(("name", "counts_name"), COUNTS.items())
def test_the_observation_changes_no_score(name, counts_name):
    assert set(eu.scores[name]) == set(eu.scores[counts_name])


@pytest.mark.parametrize("name", eu.scores)
def test_the_specification_states_the_threshold(name):
    scores, spec = eu.scores[name][0], gym.make(name).spec
    assert spec.reward_threshold == scores.threshold
    assert scores.random < scores.threshold < scores.best
    horizon = scores.horizon * (N_USERS if "Population" in name else 1)
    assert spec.max_episode_steps == horizon
