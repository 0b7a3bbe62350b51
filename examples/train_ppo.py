"""Train Stable-Baselines3's PPO on many users in step and put it in the table beside BAIR.

Two minutes on one core, with a bar that says how far it is. `explorative-user train` does the same
with more care.
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
    """Train, then compare on users that nobody has met."""
    torch.set_num_threads(1)  # for networks as small as these more are slower
    # Each user is one environment; the policy sees counts of each arm, the most accepted first.
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
    with progress_bar() as report:  # SB3's own needs one more library, tqdm

        def go_on(*_: Any) -> bool:
            """Show how far it is after each step of all users, and go on."""
            report("training", min(model.num_timesteps, STEPS), STEPS)
            return True

        model.learn(STEPS, callback=go_on)

    # Its actions are drawn by their chances. The likeliest action alone would be a trap: an arm
    # that is recommended for ever is accepted for ever.
    line_up = [BAIR(), SuccessiveElimination(), Uniform(), SB3Agent(model)]
    print(eu.evaluate(line_up, task="regret", n_arms=5, horizon=500, n_instances=N_INSTANCES))


if __name__ == "__main__":
    main()
