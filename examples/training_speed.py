"""Measure PPO's training speed with 256 vectorized users and with 8 single environments.

Both collect equally many steps per update, with the same hyperparameters. The measurements
alternate in one process, so that a slow phase of the machine slows both.
"""

import statistics
import time

import gymnasium as gym
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv

import explorative_user_env  # noqa: F401 - registers the environments
from explorative_user_env.rl import make_sb3_vec_env

N_ARMS, HORIZON = 5, 500
STEPS_OF_AN_UPDATE = 16384
UPDATES, ROUNDS = 1, 3
BATCH, EPOCHS = 4096, 4


def one_user() -> Monitor:
    """Return one environment that observes counts."""
    return Monitor(gym.make("ExplorativeUserCounts-v0", n_arms=N_ARMS))


def steps_a_second(users: VecEnv) -> float:
    """Return PPO's training speed in steps per second, updates included."""
    model = PPO(
        "MlpPolicy",
        users,
        n_steps=STEPS_OF_AN_UPDATE // users.num_envs,
        seed=0,
        device="cpu",
        batch_size=BATCH,
        n_epochs=EPOCHS,
    )
    start = time.perf_counter()
    model.learn(UPDATES * STEPS_OF_AN_UPDATE)
    return model.num_timesteps / (time.perf_counter() - start)


def main() -> None:
    """Alternate the measurements; print the median speeds and the median ratio."""
    torch.set_num_threads(1)
    make_sb3_vec_env(256, n_arms=N_ARMS, seed=0).reset()  # compile before the measurement
    rates: list[tuple[float, float]] = []
    for _ in range(ROUNDS):
        few = steps_a_second(DummyVecEnv([one_user] * 8))
        many = steps_a_second(make_sb3_vec_env(256, n_arms=N_ARMS, horizon=HORIZON))
        rates.append((few, many))
    few, many = (statistics.median(column) for column in zip(*rates, strict=True))
    ratio = statistics.median(many / few for few, many in rates)
    print(f"8 DummyVecEnvs         {few:8.0f} steps a second")
    print(f"make_sb3_vec_env(256)  {many:8.0f} steps a second, {ratio:.1f} times as many")


if __name__ == "__main__":
    main()
