"""The first lines that users of other libraries write, one test each, as their own pages have them.

A library that is not installed is skipped; all of them were there when this was written.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from explorative_user_env import BAI_ENV_ID, COUNTS_ENV_ID, ENV_ID

IDS = [ENV_ID, COUNTS_ENV_ID, BAI_ENV_ID]
EXAMPLES = Path(__file__).parents[1] / "examples"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("one_thread"),
    pytest.mark.filterwarnings("ignore"),  # what other libraries warn of is theirs
]


def needed(module: str) -> Any:
    """Return another library, or skip the test."""
    return pytest.importorskip(module, reason=f"needs {module.partition('.')[0]}")


# Stable-Baselines3


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("algorithm", ["PPO", "A2C", "DQN"])
def test_stable_baselines3_learns_by_an_id(algorithm: str) -> None:
    learner = getattr(needed("stable_baselines3"), algorithm)
    model = learner("MlpPolicy", COUNTS_ENV_ID, seed=0, device="cpu", **few_steps(algorithm))
    model.learn(40)
    observation = model.get_env().reset()
    actions, _ = model.predict(observation)
    assert actions.shape == (1,)


def few_steps(algorithm: str) -> dict[str, Any]:
    short = {"PPO": {"n_steps": 16, "batch_size": 16}, "DQN": {"learning_starts": 8}}
    return short.get(algorithm, {})


def test_stable_baselines3_takes_the_id_of_bare_responses() -> None:
    needed("stable_baselines3").PPO("MlpPolicy", ENV_ID, device="cpu")


@pytest.mark.filterwarnings("error")
def test_stable_baselines3_makes_many_by_an_id() -> None:
    utilities = needed("stable_baselines3.common.env_util")
    envs = utilities.make_vec_env(COUNTS_ENV_ID, n_envs=3, seed=1, env_kwargs={"n_arms": 4})
    sb3 = needed("stable_baselines3")
    sb3.PPO("MlpPolicy", envs, n_steps=8, batch_size=8, device="cpu").learn(48)
    assert envs.num_envs == 3
    assert envs.observation_space.shape == (17,)


# CleanRL


def test_cleanrl_makes_its_environments_by_hand() -> None:
    torch = needed("torch")

    def make_env() -> Any:
        return gym.wrappers.RecordEpisodeStatistics(gym.make(COUNTS_ENV_ID, max_episode_steps=9))

    envs: Any = gym.vector.SyncVectorEnv([make_env for _ in range(3)])
    assert isinstance(envs.single_action_space, gym.spaces.Discrete)
    n_inputs = np.array(envs.single_observation_space.shape).prod()
    actor = torch.nn.Linear(n_inputs, envs.single_action_space.n)
    observations, _ = envs.reset(seed=1)
    lengths: list[int] = []
    for _ in range(25):
        chances = torch.distributions.Categorical(logits=actor(torch.Tensor(observations)))
        observations, _, _, _, infos = envs.step(chances.sample().numpy())
        if "episode" in infos:
            lengths += infos["episode"]["l"][infos["_episode"]].tolist()
    assert lengths == [9] * 6


# TorchRL


@pytest.mark.parametrize("name", IDS)
def test_torchrl_checks_and_rolls_out(name: str) -> None:
    envs = needed("torchrl.envs")
    env = envs.GymEnv(name)
    envs.check_env_specs(env)
    steps = env.rollout(12, break_when_any_done=False)
    assert tuple(steps["next", "reward"].shape) == (12, 1)


# Minari


@pytest.mark.parametrize("name", IDS)
def test_minari_keeps_episodes_with_their_infos(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    minari = needed("minari")
    for part in ("h5py", "jax"):  # minari[create]
        needed(part)
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    own: dict[str, Any] = {"max_episode_steps": 7}
    if name == BAI_ENV_ID:
        own = {"horizon": 7}
    env = minari.DataCollector(gym.make(name, n_arms=3, **own), record_infos=True)
    env.action_space.seed(0)
    for seed in range(4):
        env.reset(seed=seed)
        done = False
        while not done:
            *_, terminated, truncated, _ = env.step(env.action_space.sample())
            done = terminated or truncated
    kept = env.create_dataset(dataset_id="user/random-v0", eval_env=name)
    again = minari.load_dataset("user/random-v0")
    assert again.total_episodes == 4
    for episode in kept.iterate_episodes():
        assert len(episode.infos["interactions"]) == len(episode.actions) + 1
    replayed = again.recover_environment()
    assert (replayed.spec.id, replayed.action_space) == (name, env.action_space)


# rl-baselines3-zoo


@pytest.mark.parametrize("name", [ENV_ID, COUNTS_ENV_ID])
def test_the_zoo_trains(name: str, tmp_path: Path) -> None:
    needed("rl_zoo3")
    fewer = ["n_envs:1", "n_steps:32", "batch_size:32", "n_timesteps:64"]
    command = [
        *(sys.executable, "-m", "rl_zoo3.train", "--algo", "ppo", "--env", name, "--seed", "1"),
        *("--gym-packages", "explorative_user_env"),
        *("--conf-file", str(EXAMPLES / "rl_zoo3.yml"), "--hyperparams", *fewer),
        *("--log-folder", str(tmp_path), "--eval-freq", "-1"),
    ]
    alone = os.environ | {"OMP_NUM_THREADS": "1"}
    run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=alone)
    assert run.returncode == 0, run.stderr[-2000:]
    assert len([*tmp_path.rglob(f"{name}.zip")]) == 1


# Optuna


def test_optuna_tunes() -> None:
    optuna, sb3 = needed("optuna"), needed("stable_baselines3")
    evaluation = needed("stable_baselines3.common.evaluation")

    def objective(trial: Any) -> float:
        rate = trial.suggest_float("learning_rate", 1e-5, 1e-2, log=True)
        env = gym.wrappers.RecordEpisodeStatistics(gym.make(COUNTS_ENV_ID, max_episode_steps=10))
        model = sb3.PPO("MlpPolicy", env, learning_rate=rate, n_steps=16, batch_size=16)
        model.learn(32)
        mean, _ = evaluation.evaluate_policy(model, model.get_env(), n_eval_episodes=2)
        return float(mean)

    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=0))
    study.optimize(objective, n_trials=2)
    assert study.best_value <= 0.0  # regret


# RLlib


def test_rllib_learns_by_an_id() -> None:
    config = needed("ray.rllib.algorithms.ppo").PPOConfig()
    config = config.environment(COUNTS_ENV_ID, env_config={"n_arms": 3})
    config = config.env_runners(num_env_runners=0)
    config = config.training(train_batch_size=64, minibatch_size=32, num_epochs=1)
    algorithm = config.build_algo()
    try:
        result = algorithm.train()
    finally:
        algorithm.stop()
        needed("ray").shutdown()
    assert result["env_runners"]["num_env_steps_sampled"] >= 64
