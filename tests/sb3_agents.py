"""Models of Stable-Baselines3, untrained or hardly trained, and its environments, for tests."""

import functools

import gymnasium as gym
import numpy as np
import pandas as pd
import torch
from sb3_contrib import RecurrentPPO
from stable_baselines3.common.monitor import Monitor

from explorative_user_env import BAI_ENV_ID, ENV_ID
from explorative_user_env.rl import SB3Agent, make_sb3_vec_env
from explorative_user_env.wrappers import CountsObservation, LastStepObservation, SortedArms

assert_same = functools.partial(pd.testing.assert_frame_equal, check_exact=True)
N_ARMS, HORIZON = 3, 40
SMALL = {"n_arms": N_ARMS, "n_instances": 9, "seed": 4, "progress": False}
TASKS = ["regret", "bai"]
WRAPPERS = {
    "response": lambda env: env,
    "counts": CountsObservation,
    "sorted-counts": lambda env: SortedArms(CountsObservation(env)),
    "last-step": LastStepObservation,
}


def single(task, observation, horizon=HORIZON, **kwargs):
    """One user of a task, wrapped as SB3's own `make_vec_env` does."""
    limit = {"horizon" if task == "bai" else "max_episode_steps": horizon}
    env = gym.make(BAI_ENV_ID if task == "bai" else ENV_ID, n_arms=N_ARMS, **limit, **kwargs)
    return Monitor(WRAPPERS[observation](env))


@functools.cache
def model_of(algorithm, task, observation, **options):
    """An untrained model whose choices are far from even, so that a wrong one shows."""
    users = {"n_arms": N_ARMS, "horizon": HORIZON} | options
    envs = make_sb3_vec_env(2, task=task, observation=observation, seed=0, **users)
    policy, network = "MlpPolicy", {}
    if algorithm is RecurrentPPO:
        policy, network = "MlpLstmPolicy", {"lstm_hidden_size": 64}
    model = algorithm(policy, envs, seed=1, device="cpu", policy_kwargs=network)
    if hasattr(model.policy, "action_net"):
        with torch.no_grad():
            model.policy.action_net.weight.mul_(400.0 if network else 100.0)
    return model


def agent_of(algorithm, task, observation=None, **options):
    default = "last-step" if algorithm is RecurrentPPO else "sorted-counts"
    trained = {"mask": options["mask"]} if "mask" in options else {}
    return SB3Agent(model_of(algorithm, task, observation or default, **trained), **options)


def seen_by(agent):
    """Keep the observations, masks and chances of each time the model is asked."""
    kept, ask = [], agent.chances

    def asked(observations, masks, memory, users):
        kept.append((observations, masks, ask(observations, masks, memory, users)))
        return kept[-1][2]

    agent.chances = asked
    return kept


def asked_of_six(agent):
    """Return the arms for six users of different histories, and what the model saw and said."""
    users, rng = np.arange(6), np.random.default_rng(0)
    agent.reset_all(N_ARMS, [np.random.default_rng(user) for user in users])
    for _ in range(9):
        agent.observe_all(users, rng.integers(0, N_ARMS, 6), rng.random(6) < 0.5)
    kept = seen_by(agent)
    return agent.act_all(users), *kept[0]


def same_weights(one, other):
    values = other.model.policy.state_dict()
    return all(
        torch.equal(each, values[name]) for name, each in one.model.policy.state_dict().items()
    )
