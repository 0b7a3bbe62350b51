"""The command `explorative-user train`."""

from pathlib import Path
from typing import Any

from explorative_user_env.commands.options import command
from explorative_user_env.commands.output import say
from explorative_user_env.commands.run import Run
from explorative_user_env.display.progress import progress_bar


@command(
    "train",
    first="algo task n_arms steps output",
    users={},
    keeps="models/TASK-ALGO-kK-seedSEED",
    texts={
        "algo": "ppo, maskable-ppo (for bai), dqn or recurrent-ppo.",
        "observation": "response, counts, sorted-counts or last-step; for population also "
        "population-counts or sorted-population-counts. None is the algorithm's.",
        "task": "regret (over a horizon), bai (stop and name the best arm) or population (regret "
        "with users who come one after another).",
        "steps": "Steps of all users together, at least 1.",
        "horizon": "Steps of an episode, or of each user of the task population, at least 1. "
        "None is 500; bai 2000; population 300.",
        "n_users": "Users of an episode of the task population, at least 1. None is 20.",
        "deviation": "Deviation of the means of a user of the task population from what is "
        "popular, at least 0. None is 0.3.",
        "tensorboard": "Folder for TensorBoard, if that is installed. None is no folder.",
    },
)
def train(
    run: Run,
    users: dict[str, Any],
    algo: str = "ppo",
    task: str = "regret",
    steps: int = 2_500_000,
    seed: int = 0,
    horizon: int | None = None,
    observation: str | None = None,
    n_users: int | None = None,
    deviation: float | None = None,
    tensorboard: Path | None = None,
) -> None:
    """Train a model with Stable-Baselines3; `bench --agent sb3:DIR` compares it.

    Example: explorative-user train --algo ppo --task regret --n-arms 5 --steps 1000000
    """
    from explorative_user_env import rl  # which needs an extra
    from explorative_user_env.rl.models import versions

    shared: dict[str, Any] = {"n_users": n_users, "deviation": deviation}
    usual = Path("models") / f"{task}-{algo}-k{users['n_arms']}-seed{seed}"
    with (
        run.opened(libraries=versions(), usual=usual) as (folder, store),
        progress_bar() as report,
    ):
        rl.train(
            algo,
            task=task,
            steps=steps,
            seed=seed,
            horizon=horizon,
            observation=observation,
            tensorboard=tensorboard,
            output=folder,
            progress=report,
            store=store,
            **{name: value for name, value in shared.items() if value is not None},
            **users,
        )
    say(f"Model: {folder.path}", f"explorative-user bench --agent sb3:{folder.path}")
