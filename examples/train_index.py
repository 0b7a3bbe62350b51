"""Train the index policy of `learnt_index.py` by the cross-entropy method.

Weights are drawn around what is best so far, all draws meet the same users, and the best of them
say where to draw next (Rubinstein 1999, "The cross-entropy method for combinatorial and continuous
optimization"). A draw is judged by the regret that `evaluate` counts, in compiled code: there is no
gradient and no critic.

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

sys.path.insert(0, str(Path(__file__).parent))  # of a script its folder is there already
learnt: Any = import_module("learnt_index")

BEGINS = {"noisy-k5": 3, "varied-k5": 3}
"""At how many rejections in a row an arm is eliminated where training begins, 1 otherwise."""

N_DRAWS, N_BEST, N_TIMES, N_USERS = 40, 8, 30, 400
OF_ITS_OWN: Mapping[str, tuple[int, int]] = {
    "regret-k20": (60, 600),
    learnt.POPULATION_TASK: (30, 12),
}
"""How often new weights are drawn, and how many users or episodes each of them meets."""


def train(task: str, seed: int) -> list[float]:
    """Return the weights that cross-entropy search comes to with the users of a task."""
    rng = np.random.default_rng(seed)
    more = learnt.N_CARRIED if task == learnt.POPULATION_TASK else 0
    mean = np.array(learnt.elimination(BEGINS.get(task, 1)) + [0.0] * more)
    spread = np.full(len(mean), 1.0)
    n_times, n_users = OF_ITS_OWN.get(task, (N_TIMES, N_USERS))
    with progress_bar() as report:
        told = "training"
        for turn in range(n_times):
            report(told, turn, n_times)
            draws = mean + spread * rng.standard_normal((N_DRAWS, len(mean)))
            draws[0] = mean
            agents = [
                learnt.learnt_index(draw.tolist(), name=str(k)) for k, draw in enumerate(draws)
            ]
            met = learnt.options_of(task, n_users)
            runs = eu.evaluate(agents, seed=tuning_seed(seed, turn), progress=False, **met).runs
            regrets = runs.groupby("agent", sort=False)["regret"].mean().to_numpy()
            best = draws[np.argsort(regrets)[:N_BEST]]
            # Half of the way, and never so narrow that it stops before its time.
            mean = 0.5 * mean + 0.5 * best.mean(axis=0)
            least = 0.3 * (1.0 - turn / n_times)
            spread = np.maximum(0.5 * spread + 0.5 * best.std(axis=0), least)
            told = f"regret {regrets[0]:.0f}"
    return [round(float(weight), 4) for weight in mean]


def main() -> None:
    """Train with the users of a task, and write the weights and how they came about."""
    task, seed, path = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    begun = time.process_time()
    weights = train(task, seed)
    made = {
        "command": f"python examples/train_index.py {task} {seed} {path.name}",
        "task": task,
        "users": learnt.USERS_OF[task],
        "seed": seed,
        "weights": weights,
        "cpu_seconds": round(time.process_time() - begun),
        "versions": versions_of(("numba", "numpy")),
    }
    path.write_text(json.dumps(made, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
