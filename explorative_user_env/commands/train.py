"""The command `explorative-user train`."""

from pathlib import Path

from explorative_user_env.commands.options import command
from explorative_user_env.commands.output import say
from explorative_user_env.commands.run import Run
from explorative_user_env.display.progress import progress_bar


@command(
    "train",
    first="algo task n_arms steps output",
    users={},
    keeps="models/TASK-ALGO-kK-seedSEED",
)
def train(
    run: Run,
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

    Options:
        algo: ppo, maskable-ppo (for bai), dqn or recurrent-ppo.
        task: regret (over a horizon), bai (stop and name the best arm) or population (regret with
            users who come one after another).
        steps: Steps of all users together, at least 1.
        horizon: Steps of an episode, or of each user of the task population, at least 1. None is
            500; bai 2000; population 300.
        observation: response, counts, sorted-counts or last-step; for population also
            population-counts or sorted-population-counts. None is the algorithm's.
        n_users: Users of an episode of the task population, at least 1. None is 20.
        deviation: Deviation of the means of a user of the task population from what is popular, at
            least 0. None is 0.3.
        tensorboard: Folder for TensorBoard, if that is installed. None is no folder.
    """
    from explorative_user_env import rl  # which needs an extra
    from explorative_user_env.rl.models import versions

    usual = Path("models") / f"{task}-{algo}-k{run.users['n_arms']}-seed{seed}"
    given = {name: value for name, value in run.asked.items() if value is not None}
    with (
        run.opened(libraries=versions(), usual=usual) as (folder, store),
        progress_bar() as report,
    ):
        rl.train(**given | run.users, output=folder, progress=report, store=store)
    say(f"Model: {folder.path}", f"explorative-user bench --agent sb3:{folder.path}")
