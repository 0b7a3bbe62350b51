"""Draw the README's picture: BAIR meets a user, and the user's intervals as she learns.

Needs matplotlib (`pip install ".[plot]"`). Run from the checkout: `python examples/picture.py`.
"""

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import gymnasium as gym
import matplotlib.pyplot as plt
import numpy as np

import explorative_user_env as eu
from explorative_user_env.agents import BAIR

SEED = 3
N_ARMS = 4


def play() -> tuple[eu.Episode, np.ndarray, int]:
    """Return an episode, the bounds of every arm after each step (T, K, 2), and the best arm."""
    env = gym.make("ExplorativeUser-v0", n_arms=N_ARMS)
    episode = eu.rollout(env, BAIR(delta=0.1), seed=SEED)
    env.reset(seed=SEED)
    bounds = []
    for arm in episode.arms:
        env.step(arm)
        hidden = env.get_wrapper_attr("hidden_state")()
        bounds.append(np.column_stack([hidden.lower_bounds, hidden.upper_bounds]))
    return episode, np.array(bounds), hidden.instance.best_arm


def draw(path: Path) -> None:
    """Write the picture to `path`."""
    episode, bounds, best_arm = play()
    steps = np.arange(1, len(bounds) + 1)
    figure, (above, below) = plt.subplots(
        2, 1, figsize=(9, 4.6), sharex=True, height_ratios=(3, 1), layout="constrained"
    )
    for arm in range(N_ARMS):
        color = f"C{arm}"
        low, high = np.clip(bounds[:, arm, 0], -6, 6), np.clip(bounds[:, arm, 1], -6, 6)
        best = " (best)" if arm == best_arm else ""
        above.fill_between(steps, low, high, color=color, alpha=0.25, label=f"arm {arm}{best}")
        above.plot(steps, (low + high) / 2, color=color, linewidth=1)
        mine = np.array(episode.arms) == arm
        yes = np.array(episode.accepted)
        below.plot(steps[mine & yes], np.full((mine & yes).sum(), arm), "|", color=color)
        below.plot(steps[mine & ~yes], np.full((mine & ~yes).sum(), arm), "x", color="black")
    above.set_ylabel("what she believes\n(her intervals)")
    above.set_ylim(-5, 5)
    above.legend(loc="upper right", ncols=N_ARMS, frameon=False)
    below.set_ylabel("what we see\n(| yes, x no)")
    below.set_yticks(range(N_ARMS))
    below.set_ylim(-0.5, N_ARMS - 0.5)
    below.set_xlabel("recommendation")
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path(__file__).with_name("picture.png"))
    draw(parser.parse_args().output)
