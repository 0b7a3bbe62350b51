"""What a trained model is handed leads to no secret of the users it meets."""

from typing import Any

import numpy as np
import pytest
from keepers import secrets_of
from sb3_agents import TASKS, agent_of, facts_of
from sb3_contrib import MaskablePPO, RecurrentPPO
from sb3_users import OBSERVATIONS, many
from stable_baselines3 import DQN, PPO

import explorative_user_env as eu
from explorative_user_env.check.checks import Secrets, numbers_of


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("algorithm", [PPO, MaskablePPO, RecurrentPPO, DQN])
def test_what_a_model_is_handed_leads_to_no_secret(
    algorithm: Any, task: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = agent_of(algorithm, task)
    handed: list[Any] = []

    def keeping(call: Any) -> Any:
        def kept_too(*given: Any) -> Any:
            handed.append(given)
            return call(*given)

        return kept_too

    for owner, name in ((agent, "chances"), (agent, "reset_all")):
        monkeypatch.setattr(owner, name, keeping(getattr(owner, name)))
    facts = facts_of(task) | {"n_instances": 4, "gap": 0.4321}
    found = eu.evaluate(
        [agent], **facts | ({"max_steps": 15} if task == "bai" else {"horizon": 15})
    )
    kept = [*handed]
    assert len(kept) > 1
    assert secrets_of(found).found_in(kept) == []


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("observation", OBSERVATIONS)
def test_what_a_training_is_handed_but_its_rewards_leads_to_no_secret(
    task: str, observation: str
) -> None:
    envs = many(4, task, observation=observation, seed=10**9 + 7, gap=0.4321)
    users: Any = envs.envs.unwrapped
    handed: list[Any] = [envs.reset()]
    seeds = [*users.np_random_seed]
    numbers = [n for truth in users.hidden_states() for n in numbers_of(truth)]
    for step in range(30):
        before = users.hidden_states()
        observations, _, dones, infos = envs.step(np.full(4, step % 3))
        # The return of an episode is told at its end, as a monitor does: rewards, by name.
        told = [{k: v for k, v in info.items() if k != "episode"} for info in infos]
        handed.append((observations, dones, told))
        for truth in (*before, *users.hidden_states()):
            numbers += numbers_of(truth)
    assert Secrets(seeds, numbers).found_in(handed) == []
