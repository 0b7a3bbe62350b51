"""Train four learners on `ExplorativeUserTiny-v0` and compare them with the exact optimum.

A learner that stays below 95% of the optimum has an error, too little memory or too little
exploration. Without a mask of legal actions PPO, DQN and recurrent PPO learn to answer at once,
which earns 0: almost every early answer is a guess, and longer episodes only cost more.

    python examples/tiny_optimum.py [STEPS]
"""

import sys
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from sb3_contrib import MaskablePPO, RecurrentPPO
from sb3_contrib.common.maskable import evaluation as masked
from stable_baselines3 import DQN, PPO
from stable_baselines3.common import evaluation
from stable_baselines3.common.env_util import make_vec_env

from explorative_user_env.agents import SuccessiveElimination
from explorative_user_env.envs import TINY_ENV_ID
from explorative_user_env.optimum import OptimalAgent, exact_score, optimal_value
from explorative_user_env.wrappers import CountsObservation

STEPS = 200_000
N_ENVS = 16
EPISODES = 5000

POLICY_GRADIENT = {"n_steps": 128, "batch_size": 512, "learning_rate": 1e-3, "ent_coef": 0.01}
REPLAY = {"learning_starts": 2000, "exploration_fraction": 0.5, "batch_size": 128}

#: The learners by name: the class, the policy, the options, and whether it observes counts.
LEARNERS: dict[str, tuple[Any, str, dict[str, Any], bool]] = {
    "MaskablePPO": (MaskablePPO, "MlpPolicy", POLICY_GRADIENT, True),
    "PPO": (PPO, "MlpPolicy", POLICY_GRADIENT, True),
    "DQN": (DQN, "MlpPolicy", REPLAY, True),
    "RecurrentPPO": (RecurrentPPO, "MlpLstmPolicy", POLICY_GRADIENT, False),
}


def trained(name: str, steps: int) -> tuple[float, float]:
    """Return the mean return of a trained learner on new users, and its standard error."""
    kind, policy, options, counts = LEARNERS[name]

    def make() -> gym.Env[Any, Any]:
        env = gym.make(TINY_ENV_ID)
        return CountsObservation(env) if counts else env

    model = kind(
        policy, make_vec_env(make, N_ENVS, seed=0), gamma=1.0, seed=0, device="cpu", **options
    )
    model.learn(steps)
    test: Callable[..., Any] = (masked if kind is MaskablePPO else evaluation).evaluate_policy
    users = make_vec_env(make, N_ENVS, seed=10**6)
    returns, _ = test(model, users, EPISODES, return_episode_rewards=True, warn=False)
    return float(np.mean(returns)), float(np.std(returns) / np.sqrt(EPISODES))


def main(steps: int = STEPS) -> None:
    """Print each learner's mean return beside the optimum."""
    torch.set_num_threads(1)  # more threads are slower for small networks
    optimum = optimal_value()
    print(f"optimum                     {optimum:.4f}")
    for agent in (OptimalAgent(agent=SuccessiveElimination()), SuccessiveElimination()):
        value = exact_score(agent).value
        print(f"{agent.name:27} {value:.4f}  {value / optimum:6.1%} (exact)")
    for name in LEARNERS:
        value, error = trained(name, steps)
        print(
            f"{name:27} {value:.4f}  {value / optimum:6.1%} +- {1.96 * error / optimum:.1%}",
            flush=True,
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
