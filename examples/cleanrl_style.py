"""PPO in one file on the vector environment, to be read from top to bottom and changed.

No RL library: PyTorch, Gymnasium and this package. Three minutes on one core, with a line every few
seconds.
"""

import gymnasium as gym
import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from torch import nn
from torch.distributions import Categorical

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, Uniform
from explorative_user_env.seeding import training_seeds
from explorative_user_env.wrappers.vector import CountsObservation, SortedArms

N_ARMS, HORIZON = 5, 500
N_USERS, N_STEPS, UPDATES = 64, 256, 60
EPOCHS, BATCH = 4, 512
GAMMA, LAMBDA, CLIP = 0.995, 0.95, 0.2
LEARNING_RATE, REWARD_SCALE = 1e-3, 0.1
SEED, N_INSTANCES = 0, 500


def network(n_outputs: int, scale: float) -> nn.Sequential:
    """Return two hidden layers of 64 and a last one with small weights."""
    layers = [nn.Linear(4 * N_ARMS + 1, 64), nn.Linear(64, 64), nn.Linear(64, n_outputs)]
    for layer, gain in zip(layers, (2**0.5, 2**0.5, scale), strict=True):
        nn.init.orthogonal_(layer.weight, gain)
        nn.init.zeros_(layer.bias)
    return nn.Sequential(layers[0], nn.Tanh(), layers[1], nn.Tanh(), layers[2])


def main() -> None:
    """Train, then compare with BAIR on users that nobody has met."""
    torch.manual_seed(SEED)
    torch.set_num_threads(1)  # for networks as small as these more are slower
    envs = gym.make_vec(
        "ExplorativeUser-v0",
        N_USERS,
        max_episode_steps=HORIZON,
        n_arms=N_ARMS,
        autoreset_mode=AutoresetMode.SAME_STEP,
    )
    envs = SortedArms(CountsObservation(envs, HORIZON))
    actor, critic = network(N_ARMS, 0.01), network(1, 1.0)
    parameters = [*actor.parameters(), *critic.parameters()]
    optimizer = torch.optim.Adam(parameters, LEARNING_RATE, eps=1e-5)
    observation = torch.as_tensor(envs.reset(seed=training_seeds(SEED, N_USERS))[0])
    regrets, finished = np.zeros(N_USERS), np.nan

    for update in range(UPDATES):
        optimizer.param_groups[0]["lr"] = LEARNING_RATE * (1 - update / UPDATES)

        # Play: the users answer, compiled, while the policy acts by its chances.
        observations = torch.zeros(N_STEPS, N_USERS, 4 * N_ARMS + 1)
        actions = torch.zeros(N_STEPS, N_USERS, dtype=torch.long)
        log_chances, values = torch.zeros(2, N_STEPS + 1, N_USERS)
        rewards, dones = torch.zeros(2, N_STEPS, N_USERS)
        for step in range(N_STEPS):
            with torch.no_grad():
                chances = Categorical(logits=actor(observation))
                action = chances.sample()
                log_chances[step] = chances.log_prob(action)
                values[step] = critic(observation)[:, 0]
            observations[step], actions[step] = observation, action
            seen, reward, terminated, truncated, infos = envs.step(action.numpy())
            rewards[step] = torch.as_tensor(reward * REWARD_SCALE)
            regrets -= reward
            if truncated.any():  # the time limit is not the end of the world: value what follows
                last = torch.as_tensor(np.stack(infos["final_obs"][truncated]))
                with torch.no_grad():
                    rewards[step][torch.as_tensor(truncated)] += GAMMA * critic(last)[:, 0]
                finished, regrets[truncated] = regrets[truncated].mean(), 0.0
            dones[step] = torch.as_tensor(terminated | truncated)
            observation = torch.as_tensor(seen)
        with torch.no_grad():
            values[N_STEPS] = critic(observation)[:, 0]

        # Learn: how much better was each action than expected?
        advantages = torch.zeros(N_STEPS, N_USERS)
        coming = torch.zeros(N_USERS)
        for step in reversed(range(N_STEPS)):
            goes_on = 1 - dones[step]
            error = rewards[step] + GAMMA * values[step + 1] * goes_on - values[step]
            advantages[step] = coming = error + GAMMA * LAMBDA * goes_on * coming
        returns = (advantages + values[:-1]).flatten()
        inputs, taken = observations.flatten(0, 1), actions.flatten()
        before, gains = log_chances[:-1].flatten(), advantages.flatten()
        for _ in range(EPOCHS):
            for batch in torch.randperm(len(taken)).split(BATCH):
                gain = (gains[batch] - gains[batch].mean()) / (gains[batch].std() + 1e-8)
                chances = Categorical(logits=actor(inputs[batch]))
                ratio = (chances.log_prob(taken[batch]) - before[batch]).exp()
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
            chances = Categorical(logits=actor(torch.as_tensor(observation)))
            return np.asarray(chances.sample())

    mine = eu.PolicyAgent(policy, horizon=HORIZON, batched=True, name="one-file PPO")
    results = eu.evaluate(
        [BAIR(), Uniform(), mine],
        task="regret",
        n_arms=N_ARMS,
        horizon=HORIZON,
        n_instances=N_INSTANCES,
    )
    print(results)


if __name__ == "__main__":
    main()
