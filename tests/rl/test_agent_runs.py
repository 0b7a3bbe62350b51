from typing import Any

import pytest

pytest.importorskip("torch", reason="needs the extra rl")
pytest.importorskip("stable_baselines3", reason="needs the extra rl")
pytest.importorskip("sb3_contrib", reason="needs the extra rl")

from sb3_agents import POLICY_GRADIENTS, TASKS, VALUES, agent_of, assert_same, facts_of
from stable_baselines3 import PPO

import explorative_user_env as eu


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("algorithm", [*POLICY_GRADIENTS, *VALUES])
def test_runs_in_step_are_those_step_by_step_and_in_other_company(
    algorithm: Any, task: str
) -> None:
    agent, facts = agent_of(algorithm, task), facts_of(task)
    together = eu.evaluate([agent], **facts).runs
    assert_same(together, eu.evaluate([agent], compiled=False, **facts).runs)
    # More than a block of the policy, and users in compiled code.
    crowd = eu.evaluate([agent], **facts | {"n_instances": 70}).runs
    assert_same(together, crowd.head(len(together)))
    # What the model remembered of users is gone.
    assert_same(together, eu.evaluate([agent], **facts).runs)


@pytest.mark.parametrize("observation", ["response", "counts", "last-step"])
@pytest.mark.parametrize("task", TASKS)
def test_runs_do_not_depend_on_company_for_any_observation(task: str, observation: str) -> None:
    agent, facts = agent_of(PPO, task, observation), facts_of(task)
    together = eu.evaluate([agent], **facts | {"n_instances": 70}).runs.head(5)
    facts |= {"n_instances": 5, "compiled": False}
    assert_same(together, eu.evaluate([agent], **facts).runs)
