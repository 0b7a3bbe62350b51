"""Stable-Baselines3 and sb3-contrib learn from many users, and evaluate on them."""

from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra rl")
pytest.importorskip("stable_baselines3", reason="needs the extra rl")
pytest.importorskip("sb3_contrib", reason="needs the extra rl")

from sb3_contrib import QRDQN, TRPO, MaskablePPO, RecurrentPPO
from sb3_users import HORIZON, TASKS, many
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecNormalize


def test_vec_normalize_scales_rewards_and_leaves_returns_as_they_are() -> None:
    raw, below = many(4, seed=3), many(4, seed=3)
    scaled = VecNormalize(below, norm_obs=False)
    np.testing.assert_array_equal(raw.reset(), scaled.reset())
    for step in range(HORIZON):
        found, expected = scaled.step(np.full(4, step % 3)), raw.step(np.full(4, step % 3))
        np.testing.assert_array_equal(found[0], expected[0])
        np.testing.assert_array_equal(scaled.get_original_reward(), expected[1])
    assert not np.array_equal(found[1], expected[1])
    for mine, theirs in zip(found[3], expected[3], strict=True):
        assert mine["episode"]["r"] == theirs["episode"]["r"]
    assert scaled.env_is_wrapped(Monitor) == [True] * 4


@pytest.mark.parametrize("task", TASKS)
def test_stable_baselines3s_evaluate_policy_runs_the_episodes_it_is_asked_for(task: str) -> None:
    envs = many(3, task, seed=0)
    model = PPO("MlpPolicy", envs, seed=0, device="cpu", n_steps=8, batch_size=8)
    returns, lengths = evaluate_policy(
        model, envs, n_eval_episodes=7, deterministic=False, return_episode_rewards=True
    )
    assert isinstance(returns, list)
    assert isinstance(lengths, list)
    assert len(returns) == len(lengths) == 7
    assert max(lengths) <= HORIZON
    if task == "regret":
        assert lengths == [HORIZON] * 7
        assert max(returns) < 0.0


SMALL = {"n_steps": 32, "batch_size": 32}
LATE = {"learning_starts": 20, "train_freq": 4}
LEARNERS: list[tuple[Any, str, dict[str, Any]]] = [
    (PPO, "MlpPolicy", SMALL | {"n_epochs": 1}),
    (A2C, "MlpPolicy", {}),
    (TRPO, "MlpPolicy", SMALL),
    (DQN, "MlpPolicy", LATE),
    (QRDQN, "MlpPolicy", LATE),
    (RecurrentPPO, "MlpLstmPolicy", SMALL | {"n_epochs": 1}),
    (MaskablePPO, "MlpPolicy", SMALL | {"n_epochs": 1}),
]


@pytest.mark.parametrize(
    ("algorithm", "policy", "options", "task"),
    [
        (*learner, task)
        for learner in LEARNERS
        for task in TASKS
        if learner[0] is not MaskablePPO or task == "bai"  # the other has no masks
    ],
)
def test_every_algorithm_learns_without_a_warning(
    algorithm: Any, policy: str, options: dict[str, Any], task: str
) -> None:
    observation = "last-step" if algorithm is RecurrentPPO else "sorted-counts"
    envs = many(4, task, observation=observation)
    model = algorithm(policy, envs, seed=0, device="cpu", **options)
    before = {name: weights.clone() for name, weights in model.policy.state_dict().items()}
    model.learn(128)
    assert model.num_timesteps >= 128
    after = model.policy.state_dict()
    assert any(not weights.equal(after[name]) for name, weights in before.items())
    # SB3's own log has heard of the episodes that ended.
    assert len(model.ep_info_buffer) >= 4
