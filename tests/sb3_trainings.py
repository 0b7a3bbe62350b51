"""Small trainings, for tests that need the extra rl."""

from typing import Any

import torch

from explorative_user_env.rl import SB3Agent

TINY: dict[str, Any] = {
    "steps": 3000,
    "n_arms": 3,
    "horizon": 30,
    "evaluation_users": 5,
    "n_envs": 4,
}
SMALL: dict[str, Any] = {"n_arms": 3, "n_instances": 12, "progress": False}
SHORT: dict[str, Any] = {"steps": 64, "n_envs": 2, "evaluation_users": 2}


def weights(agent: SB3Agent) -> dict[str, Any]:
    return dict(agent.model.policy.state_dict())


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(torch.equal(values, other[name]) for name, values in one.items())
