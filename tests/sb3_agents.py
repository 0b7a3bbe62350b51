"""Models of Stable-Baselines3, untrained or hardly trained, and its environments, for tests."""

import copy
import functools

import gymnasium as gym
import numpy as np
import pandas as pd
import torch
from sb3_contrib import QRDQN, RecurrentPPO
from stable_baselines3 import DQN
from stable_baselines3.common.monitor import Monitor

from explorative_user_env import BAI_ENV_ID, ENV_ID
from explorative_user_env.rl import SB3Agent, make_sb3_vec_env
from explorative_user_env.wrappers import CountsObservation, LastStepObservation, SortedArms

assert_same = functools.partial(pd.testing.assert_frame_equal, check_exact=True)
N_ARMS, HORIZON = 3, 40
SMALL = {"n_arms": N_ARMS, "n_instances": 9, "seed": 4, "progress": False}
VALUES = [DQN, QRDQN]
TASKS = ["regret", "bai"]
OBSERVATIONS = ["response", "counts", "sorted-counts", "last-step"]
USERS = np.arange(6)


def single(task, observation, horizon=HORIZON, **kwargs):
    """One user of a task, wrapped as SB3's own `make_vec_env` does."""
    limit = {"horizon" if task == "bai" else "max_episode_steps": horizon}
    env = gym.make(BAI_ENV_ID if task == "bai" else ENV_ID, n_arms=N_ARMS, **limit, **kwargs)
    match observation:
        case "counts":
            env = CountsObservation(env)
        case "sorted-counts":
            env = SortedArms(CountsObservation(env))
        case "last-step":
            env = LastStepObservation(env)
    return Monitor(env)


@functools.cache
def model_of(algorithm, task, observation, **options):
    """An untrained model whose choices are far from even, so that a wrong one shows."""
    users = {"n_arms": N_ARMS, "horizon": HORIZON} | options
    envs = make_sb3_vec_env(2, task=task, observation=observation, seed=0, **users)
    recurrent = algorithm is RecurrentPPO
    network = {"net_arch": [64, 64]}
    network |= {"lstm_hidden_size": 64} if recurrent else {}
    policy = "MlpLstmPolicy" if recurrent else "MlpPolicy"
    model = algorithm(policy, envs, seed=1, device="cpu", policy_kwargs=network)
    if hasattr(model.policy, "action_net"):
        with torch.no_grad():
            model.policy.action_net.weight.mul_(400.0 if recurrent else 100.0)
    return model


def without_a_word(model):
    """Return a model as other people's software leaves it: no environment, and a plain space."""
    silent = copy.copy(model)
    silent.env = None
    silent._vec_normalize_env = None
    silent.observation_space = copy.deepcopy(model.observation_space)
    vars(silent.observation_space).pop("reading", None)
    return silent


def agent_of(algorithm, task, observation=None, **options):
    default = "last-step" if algorithm is RecurrentPPO else "sorted-counts"
    observation = observation or default
    trained = {"mask": options["mask"]} if "mask" in options else {}
    model = model_of(algorithm, task, observation, **trained)
    return SB3Agent(model, task=task, observation=observation, **{"horizon": HORIZON} | options)


def facts_of(task):
    return SMALL | {"task": task} | ({"horizon": HORIZON} if task == "regret" else {})


def met(agent):
    """Let the agent hear of six users, so that their observations differ."""
    rng = np.random.default_rng(0)
    agent.reset_all(N_ARMS, [np.random.default_rng(user) for user in USERS])
    for _ in range(9):
        arms, accepted = rng.integers(0, N_ARMS, USERS.size), rng.random(USERS.size) < 0.5
        agent.observe_all(USERS, arms, accepted)


def seen_by(agent, monkeypatch):
    """Keep the observations, masks and chances of each time the model is asked."""
    kept = []
    ask = agent.chances

    def of(observations, masks, memory, users):
        kept.append((observations, masks, ask(observations, masks, memory, users)))
        return kept[-1][2]

    monkeypatch.setattr(agent, "chances", of)
    return kept


def weights(agent):
    return dict(agent.model.policy.state_dict())


def same(one, other):
    return all(torch.equal(values, other[name]) for name, values in one.items())
