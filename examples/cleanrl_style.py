"""Train PPO on the vector environment in one file, without an RL library.

The script needs PyTorch, Gymnasium and this package. It takes three minutes on one core and prints
a line every few seconds.
"""

from typing import Any

import gymnasium as gym
import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from torch import nn
from torch.distributions import Categorical

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, Uniform
from explorative_user_env.seeding import training_seeds

N_ARMS, HORIZON = 5, 500
N_USERS, N_STEPS, UPDATES = 64, 256, 60
EPOCHS, BATCH = 4, 512
GAMMA, LAMBDA, CLIP = 0.995, 0.95, 0.2
LEARNING_RATE, REWARD_SCALE = 1e-3, 0.1
SEED, N_INSTANCES = 0, 500


def network(n_outputs: int, scale: float) -> nn.Sequential:
    """Return a network of two hidden layers of 64 units; `scale` scales the output weights."""
    layers = [nn.Linear(4 * N_ARMS + 1, 64), nn.Linear(64, 64), nn.Linear(64, n_outputs)]
    for layer, gain in zip(layers, (2**0.5, 2**0.5, scale), strict=True):
        nn.init.orthogonal_(layer.weight, gain)
        nn.init.zeros_(layer.bias)
    return nn.Sequential(layers[0], nn.Tanh(), layers[1], nn.Tanh(), layers[2])


def main() -> None:
    """Train a policy, then compare it with BAIR on new users."""
    torch.manual_seed(SEED)
    torch.set_num_threads(1)  # more threads are slower for small networks
    envs: Any = gym.make_vec(
        "ExplorativeUserCounts-v0",
        N_USERS,
        n_arms=N_ARMS,
        max_episode_steps=HORIZON,
        horizon=HORIZON,
        autoreset_mode=AutoresetMode.SAME_STEP,
    )
    actor, critic = network(N_ARMS, 0.01), network(1, 1.0)
    parameters = [*actor.parameters(), *critic.parameters()]
    optimizer = torch.optim.Adam(parameters, LEARNING_RATE, eps=1e-5)
    observation = torch.as_tensor(envs.reset(seed=training_seeds(SEED, N_USERS))[0])
    regrets, finished = np.zeros(N_USERS), np.nan

    for update in range(UPDATES):
        optimizer.param_groups[0]["lr"] = LEARNING_RATE * (1 - update / UPDATES)

        # Collect steps: the policy samples actions, and compiled users respond.
        observations = torch.zeros(N_STEPS, N_USERS, 4 * N_ARMS + 1)
        actions = torch.zeros(N_STEPS, N_USERS, dtype=torch.long)
        log_probs, values = torch.zeros(2, N_STEPS + 1, N_USERS)
        rewards, dones = torch.zeros(2, N_STEPS, N_USERS)
        for step in range(N_STEPS):
            with torch.no_grad():
                law = Categorical(logits=actor(observation))
                action = law.sample()
                log_probs[step] = law.log_prob(action)
                values[step] = critic(observation)[:, 0]
            observations[step], actions[step] = observation, action
            new, reward, terminated, truncated, infos = envs.step(action.numpy())
            rewards[step] = torch.as_tensor(reward * REWARD_SCALE)
            regrets -= reward
            if truncated.any():  # a time limit is not terminal: add the value of the last state
                last = torch.as_tensor(np.stack(infos["final_obs"][truncated]))
                with torch.no_grad():
                    rewards[step][torch.as_tensor(truncated)] += GAMMA * critic(last)[:, 0]
                finished, regrets[truncated] = regrets[truncated].mean(), 0.0
            dones[step] = torch.as_tensor(terminated | truncated)
            observation = torch.as_tensor(new)
        with torch.no_grad():
            values[N_STEPS] = critic(observation)[:, 0]

        # Learn from generalized advantage estimates.
        advantages = torch.zeros(N_STEPS, N_USERS)
        following = torch.zeros(N_USERS)
        for step in reversed(range(N_STEPS)):
            alive = 1 - dones[step]
            error = rewards[step] + GAMMA * values[step + 1] * alive - values[step]
            advantages[step] = following = error + GAMMA * LAMBDA * alive * following
        returns = (advantages + values[:-1]).flatten()
        inputs, taken = observations.flatten(0, 1), actions.flatten()
        before, gains = log_probs[:-1].flatten(), advantages.flatten()
        for _ in range(EPOCHS):
            for batch in torch.randperm(len(taken)).split(BATCH):
                gain = (gains[batch] - gains[batch].mean()) / (gains[batch].std() + 1e-8)
                law = Categorical(logits=actor(inputs[batch]))
                ratio = (law.log_prob(taken[batch]) - before[batch]).exp()
                policy_loss = -torch.min(gain * ratio, gain * ratio.clamp(1 - CLIP, 1 + CLIP))
                value_loss = (critic(inputs[batch])[:, 0] - returns[batch]) ** 2
                optimizer.zero_grad()
                (policy_loss.mean() + 0.5 * value_loss.mean()).backward()
                nn.utils.clip_grad_norm_(parameters, 0.5)
                optimizer.step()
        regret = "no episode has ended yet"
        if not np.isnan(finished):
            regret = f"regret of the last episodes {finished:.0f}"
        print(f"update {update + 1} of {UPDATES}: {regret}", flush=True)

    def policy(observation: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            law = Categorical(logits=actor(torch.as_tensor(observation)))
            return np.asarray(law.sample())

    agent = eu.PolicyAgent(policy, horizon=HORIZON, batched=True, name="one-file PPO")
    results = eu.evaluate(
        [BAIR(), Uniform(), agent],
        task="regret",
        n_arms=N_ARMS,
        horizon=HORIZON,
        n_instances=N_INSTANCES,
    )
    print(results)


if __name__ == "__main__":
    main()
