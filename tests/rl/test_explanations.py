"""What a trained model says of itself while it is watched."""

from typing import Any

import pytest

pytest.importorskip("sb3_contrib", reason="needs the extra rl")

import numpy as np
from sb3_agents import HORIZON, N_ARMS, POLICY_GRADIENTS, TASKS, VALUES, agent_of, seen_by
from sb3_contrib import RecurrentPPO

from explorative_user_env.show.words import explanation_of


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("algorithm", [*POLICY_GRADIENTS, *VALUES])
def test_a_model_names_the_chances_that_it_acts_by(
    algorithm: Any, task: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = agent_of(algorithm, task)
    agent.reset(N_ARMS, np.random.default_rng(0), HORIZON)
    seen = seen_by(agent, monkeypatch)
    user = np.random.default_rng(1)
    for _ in range(8):
        told: dict[str, Any] = explanation_of(agent, N_ARMS)
        arm = agent.act()
        (asked, acted), seen[:] = seen[:2], []
        assert (asked[2] == acted[2]).all()  # the same chances, to the bit
        named = [*told["chance of recommending"], *told.get("chance of answering", ())]
        assert sorted(named) == sorted(acted[2][0])
        assert ("chance of answering" in told) == (task == "bai")
        if arm is None:
            break
        assert told["chance of recommending"][arm] > 0.0
        agent.observe(arm, bool(user.random() < 0.5))
    valued = {name for name in told if name.startswith("value")}
    if algorithm in VALUES:
        best = max(range(N_ARMS), key=told["value of recommending"].__getitem__)
        assert task == "bai" or told["chance of recommending"][best] == max(named)
    else:
        assert valued == (set() if algorithm is RecurrentPPO else {"value of the position"})
