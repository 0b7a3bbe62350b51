"""Users as Stable-Baselines3 has them, for tests that need its extra."""

from typing import Any

import gymnasium as gym
from stable_baselines3.common.monitor import Monitor

from explorative_user_env import BAI_ENV_ID, ENV_ID
from explorative_user_env.rl import SB3VecEnv, make_sb3_vec_env
from explorative_user_env.wrappers import CountsObservation, LastStepObservation, SortedArms

TASKS = ["regret", "bai"]
OBSERVATIONS = ["response", "counts", "sorted-counts", "last-step"]
N_ARMS = 3
HORIZON = 23


def single(task: str, observation: str, **kwargs: Any) -> Any:
    """One user of a task, wrapped as SB3's own `make_vec_env` does."""
    if task == "bai":
        env: Any = gym.make(BAI_ENV_ID, n_arms=N_ARMS, horizon=HORIZON, **kwargs)
    else:
        env = gym.make(ENV_ID, n_arms=N_ARMS, max_episode_steps=HORIZON, **kwargs)
    match observation:
        case "counts":
            env = CountsObservation(env)
        case "sorted-counts":
            env = SortedArms(CountsObservation(env))
        case "last-step":
            env = LastStepObservation(env)
    return Monitor(env)


def many(n_envs: int = 4, task: str = "regret", **kwargs: Any) -> SB3VecEnv:
    return make_sb3_vec_env(n_envs, task=task, n_arms=N_ARMS, horizon=HORIZON, **kwargs)
