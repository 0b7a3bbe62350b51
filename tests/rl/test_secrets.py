"""What a trained model is handed leads to no secret of the users it meets."""

from typing import Any

import pytest
from keepers import secrets_of
from sb3_agents import TASKS, agent_of, facts_of
from sb3_contrib import MaskablePPO, RecurrentPPO
from stable_baselines3 import DQN, PPO

import explorative_user_env as eu


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
    assert [*secrets_of(found).ways_from(kept)] == []
