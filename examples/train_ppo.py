"""Train Stable-Baselines3's PPO on 64 users in parallel and compare it with BAIR.

This takes two minutes on one core, with a progress bar. `explorative-user train` can also resume an
interrupted training.
"""

from typing import Any

import torch
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecNormalize

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, SuccessiveElimination, Uniform
from explorative_user_env.display.progress import progress_bar
from explorative_user_env.rl import SB3Agent, make_sb3_vec_env

STEPS = 1_000_000
N_USERS = 64
N_STEPS = 256
BATCH = 512
N_INSTANCES = 1000


def main() -> None:
    """Train a policy, then compare it with other agents on new users."""
    torch.set_num_threads(1)  # more threads are slower for small networks
    # Each user is one environment; the policy observes the arms' counts, the most accepted first.
    users = make_sb3_vec_env(N_USERS, task="regret", n_arms=5, horizon=500, seed=0)
    model = PPO(
        "MlpPolicy",
        VecNormalize(users, norm_obs=False, gamma=0.995),
        n_steps=N_STEPS,
        batch_size=BATCH,
        n_epochs=4,
        learning_rate=1e-3,
        gamma=0.995,
        seed=0,
        device="cpu",
    )
    with progress_bar() as report:  # the progress bar of SB3 needs tqdm

        def on_step(*_: Any) -> bool:
            """Report progress after each vector step, and continue the training."""
            report("training", min(model.num_timesteps, STEPS), STEPS)
            return True

        model.learn(STEPS, callback=on_step)

    # `SB3Agent` samples actions. A deterministic policy would recommend one arm for ever, and the
    # user would accept it for ever.
    line_up = [BAIR(), SuccessiveElimination(), Uniform(), SB3Agent(model)]
    print(eu.evaluate(line_up, task="regret", n_arms=5, horizon=500, n_instances=N_INSTANCES))


if __name__ == "__main__":
    main()
