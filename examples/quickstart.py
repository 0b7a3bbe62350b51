"""Step through an episode, let BAIR find the user's best arm, and compare agents on 100 users."""

import gymnasium as gym

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, EXP3, TrackAndStop, Uniform

N_INSTANCES = 100


def main() -> None:
    """Run one user by hand, one with BAIR, and a hundred with four agents."""
    env = gym.make("ExplorativeUser-v0", n_arms=5, render_mode="ansi", render_intervals=True)
    env.reset(seed=7)
    for arm in (2, 2, 4, 0, 2):
        observation, *_ = env.step(arm)
        print(f"arm {arm}:", "accepted" if observation == 1 else "rejected")
    print(env.render())

    episode = eu.rollout(env, BAIR(delta=0.1), seed=7)
    print(f"\nBAIR answers arm {episode.answer} after {episode.stopping_time} recommendations,")
    print(f"{episode.rejections} of them rejected.\n")

    agents = [BAIR(), TrackAndStop(), Uniform(), EXP3()]
    print(eu.evaluate(agents, setting="printed", n_arms=5, delta=0.1, n_instances=N_INSTANCES))


if __name__ == "__main__":
    main()
