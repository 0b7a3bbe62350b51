"""Draw the documentation's figures: a user who rejects an arm, and a complete run of BAIR with her.

The figures are SVG, which needs no further library. Run `python examples/pictures.py` in a clone of
the repository.
"""

import argparse
from pathlib import Path
from typing import Any

import gymnasium as gym

import explorative_user_env as eu
from explorative_user_env.agents import BAIR
from explorative_user_env.show.scene import timeline
from explorative_user_env.show.svg import svg_of

FOLDER = Path(__file__).with_name("pictures")
SEED = 7
N_ARMS = 5


def play() -> tuple[str, str]:
    """Return two SVG texts: BAIR's first rejection, and its complete run."""
    env: Any = gym.make(
        "ExplorativeUser-v0", n_arms=N_ARMS, render_mode="svg", render_intervals=True
    )
    episode = eu.rollout(env, BAIR(delta=0.1), seed=SEED)
    env.reset(seed=SEED)
    truths = []
    rejection = ""
    for arm in episode.arms:
        response, *_ = env.step(arm)
        truths.append(env.get_wrapper_attr("hidden_state")())
        if response == 0 and not rejection:
            rejection = env.render()
    title = f"BAIR names arm {episode.answer}"
    run = timeline(N_ARMS, episode.arms, episode.accepted, truths, title=title)
    return rejection, svg_of(run)


def main(folder: Path = FOLDER) -> None:
    """Write both figures into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, picture in zip(("rejection.svg", "run.svg"), play(), strict=True):
        (folder / name).write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=FOLDER)
    main(parser.parse_args().output)
