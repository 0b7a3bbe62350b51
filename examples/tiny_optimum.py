"""Train learners on the tiny task and compare them with the exact optimum.

The optimum has 100%. Guessing has 0% in "bai", and recommending the arms in turn has 0% in
"regret". A learner that stays below 95% has an error, too little memory or too little exploration.
In "bai" only MaskablePPO gets there: without a mask of legal actions the learners find that an
answer at the first step earns 0, which is more than random actions earn, and stay there.

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

import explorative_user_env as eu
from explorative_user_env.agents import SuccessiveElimination, Uniform
from explorative_user_env.envs import TINY_ENV_ID
from explorative_user_env.optimum import OptimalAgent, TinyTask, exact_score, optimal_value
from explorative_user_env.protocol import name_of
from explorative_user_env.wrappers import CountsObservation

STEPS = 200_000
N_ENVS = 16
EPISODES = 5000

TASKS = (TinyTask(), TinyTask(horizon=14, task="regret"))

POLICY_GRADIENT = {"n_steps": 128, "batch_size": 512, "learning_rate": 1e-3, "ent_coef": 0.01}
REPLAY = {"learning_starts": 2000, "exploration_fraction": 0.5, "batch_size": 128}

#: The learners: the class, the policy and the options.
LEARNERS: tuple[tuple[Any, str, dict[str, Any]], ...] = (
    (MaskablePPO, "MlpPolicy", POLICY_GRADIENT),
    (PPO, "MlpPolicy", POLICY_GRADIENT),
    (DQN, "MlpPolicy", REPLAY),
    (RecurrentPPO, "MlpLstmPolicy", POLICY_GRADIENT),
)


def made(tiny: TinyTask, kind: Any) -> gym.Env[Any, Any]:
    """Return the environment; RecurrentPPO observes responses only, the others observe counts."""
    env = gym.make(TINY_ENV_ID)
    if tiny.task == "regret":
        env = gym.make(eu.ENV_ID, max_episode_steps=tiny.horizon, **tiny.user_options)
    return env if kind is RecurrentPPO else CountsObservation(env)


def trained(
    tiny: TinyTask, learner: tuple[Any, str, dict[str, Any]], steps: int
) -> tuple[float, float]:
    """Return the mean return of a trained learner with new users, and its standard error."""
    kind, policy, options = learner
    envs = make_vec_env(lambda: made(tiny, kind), N_ENVS, seed=0)
    model = kind(policy, envs, gamma=1.0, seed=0, device="cpu", **options)
    model.learn(steps)
    test: Callable[..., Any] = (masked if kind is MaskablePPO else evaluation).evaluate_policy
    users = make_vec_env(lambda: made(tiny, kind), N_ENVS, seed=10**6)
    returns, _ = test(model, users, EPISODES, return_episode_rewards=True, warn=False)
    return float(np.mean(returns)), float(np.std(returns) / np.sqrt(EPISODES))


def main(steps: int = STEPS) -> None:
    """Print the mean return of agents and learners, and its share of the optimum."""
    torch.set_num_threads(1)  # more threads are slower for small networks
    for tiny in TASKS:
        optimum, regret = optimal_value(tiny), tiny.task == "regret"
        lowest = exact_score(Uniform(), tiny).value if regret else 0.0
        print(f"{tiny.task}: optimum {optimum:.4f}, lowest {lowest:.4f}")
        agents = [SuccessiveElimination()]
        for agent in [*agents, *(OptimalAgent(tiny, each) for each in agents if not regret)]:
            value = exact_score(agent, tiny).value
            share = (value - lowest) / (optimum - lowest)
            print(f"  {name_of(agent):28}{value:8.4f} {share:6.1%}")
        for learner in LEARNERS[1:] if regret else LEARNERS:
            value, error = trained(tiny, learner, steps)
            share, error = ((x / (optimum - lowest)) for x in (value - lowest, 1.96 * error))
            print(f"  {learner[0].__name__:28}{value:8.4f} {share:6.1%} ± {error:.1%}", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
