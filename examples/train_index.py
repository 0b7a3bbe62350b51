"""Train the index policy of `learnt_index.py` by the cross-entropy method.

Each iteration draws weights from a normal distribution, evaluates all draws on the same users, and
moves the distribution towards the draws with the least regret (Rubinstein 1999, "The cross-entropy
method for combinatorial and continuous optimization"). `evaluate` computes the regret in compiled
code; there is no gradient and no critic.

    python examples/train_index.py noisy-k5 0 seed-0.json     # a minute or two on one core
"""

import json
import sys
import time
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

import explorative_user_env as eu
from explorative_user_env.display.progress import progress_bar
from explorative_user_env.results.records import versions_of
from explorative_user_env.seeding import tuning_seed

sys.path.insert(0, str(Path(__file__).parent))  # for a caller that imports this file
learnt: Any = import_module("learnt_index")

BEGINS = {"noisy-k5": 3, "varied-k5": 3}
"""Consecutive rejections that eliminate an arm under the initial weights; 1 for other tasks."""

N_DRAWS, N_BEST, N_TIMES, N_USERS = 40, 8, 30, 400
LENGTHS: Mapping[str, tuple[int, int]] = {"regret-k20": (60, 600), learnt.POPULATION_TASK: (30, 12)}
"""(iterations, users or episodes per draw) of tasks that differ from N_TIMES and N_USERS."""


def train(task: str, seed: int) -> list[float]:
    """Return the weights that the cross-entropy method finds for the users of a task."""
    rng = np.random.default_rng(seed)
    more = learnt.N_CARRIED if task == learnt.POPULATION_TASK else 0
    mean = np.array(learnt.elimination(BEGINS.get(task, 1)) + [0.0] * more)
    spread = np.full(len(mean), 1.0)
    n_times, n_users = LENGTHS.get(task, (N_TIMES, N_USERS))
    with progress_bar() as report:
        words = "training"
        for turn in range(n_times):
            report(words, turn, n_times)
            draws = mean + spread * rng.standard_normal((N_DRAWS, len(mean)))
            draws[0] = mean
            agents = [
                learnt.learnt_index(draw.tolist(), name=str(k)) for k, draw in enumerate(draws)
            ]
            users = learnt.options_of(task, n_users)
            runs = eu.evaluate(agents, seed=tuning_seed(seed, turn), progress=False, **users).runs
            regrets = runs.groupby("agent", sort=False)["regret"].mean().to_numpy()
            best = draws[np.argsort(regrets)[:N_BEST]]
            # Move half of the way; the lower bound of the spread avoids premature convergence.
            mean = 0.5 * mean + 0.5 * best.mean(axis=0)
            least = 0.3 * (1.0 - turn / n_times)
            spread = np.maximum(0.5 * spread + 0.5 * best.std(axis=0), least)
            words = f"regret {regrets[0]:.0f}"
    return [round(float(weight), 4) for weight in mean]


def main() -> None:
    """Train on the users of a task; write the weights, the command and the versions as JSON."""
    task, seed, path = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    start = time.process_time()
    weights = train(task, seed)
    made = {
        "command": f"python examples/train_index.py {task} {seed} {path.name}",
        "task": task,
        "users": learnt.USERS_OF[task],
        "seed": seed,
        "weights": weights,
        "cpu_seconds": round(time.process_time() - start),
        "versions": versions_of(("numba", "numpy")),
    }
    path.write_text(json.dumps(made, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
