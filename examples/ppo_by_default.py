"""PPO with the default hyperparameters of Stable-Baselines3 on each id with counts.

Prints the table of `rl.md`; its 95% intervals are over users and training seeds. All trainings take
three hours on one core. `python examples/ppo_by_default.py FOLDER` keeps the models in the folder;
a new call trains only what the folder lacks.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env

import explorative_user_env as eu
from explorative_user_env.agents import TransferElimination
from explorative_user_env.protocol import STEP_COST
from explorative_user_env.results.compare import AS_MEANS, crossed_difference, paired_difference
from explorative_user_env.results.metrics import succeeded
from explorative_user_env.rl import SB3Agent

N_LANES = 8  # of make_vec_env
N_INSTANCES = {"regret": 1000, "bai": 1000, "population": 100}
HEAD = "| task | agent | regret or return | minus SE | success, stopping time |\n|" + " --- |" * 5
IDS = {
    "regret": "ExplorativeUserCounts-v0",
    "bai": "ExplorativeUserBAICounts-v0",
    "population": "ExplorativePopulationCounts-v0",
}
LEARNERS: dict[str, list[tuple[Any, int, int]]] = {  # algorithm, steps, number of training seeds
    "regret": [(PPO, 100_000, 5), (PPO, 1_000_000, 5)],
    "bai": [(MaskablePPO, 100_000, 5), (MaskablePPO, 1_000_000, 5), (PPO, 100_000, 5)],
    "population": [(PPO, 100_000, 5), (PPO, 1_000_000, 5)],
}
CAUTIOUS = TransferElimination(caution=0.1, name="SE-transfer, caution = .1")
AGENTS: dict[str, list[Any]] = {  # the last agent has additional knowledge
    "regret": ["SE", "BAIR", "Full-information"],
    "bai": ["SE", "BAIR", "oracle-champion"],
    "population": ["SE", TransferElimination(), CAUTIOUS, "Full-information"],
}


def trained(task: str, learner: Any, steps: int, seed: int, folder: Path) -> Any:
    """Return a model from the folder, or else from a new training."""
    path = folder / f"{task}-{learner.__name__.lower()}-{seed}-{steps}.zip"
    if not path.exists():
        lanes = make_vec_env(IDS[task], N_LANES, seed)
        learner("MlpPolicy", lanes, seed=seed, device="cpu").learn(steps).save(path)
    return learner.load(path, device="cpu")


def policies(task: str, folder: Path) -> dict[str, list[SB3Agent]]:
    """Return the policies of a task, one for each training seed, by the name of their row."""
    rows: dict[str, list[SB3Agent]] = {}
    for learner, steps, n_seeds in LEARNERS[task]:
        row = f"{learner.__name__}, {steps:,} steps"
        seeds = range(0, N_LANES * n_seeds, N_LANES)  # lane i has the seed s + i: no user is shared
        models = [trained(task, learner, steps, seed, folder) for seed in seeds]
        rows[row] = [SB3Agent(each, name=f"{row} #{i}") for i, each in enumerate(models)]
    return rows


def interval(values: Any, against: Any) -> str:
    """Return the mean of `values` minus `against` and its interval; `values` has a row per seed."""
    if len(values) > 1:
        gap = crossed_difference("result", values, against)
    else:
        gap = paired_difference("result", AS_MEANS, values[0], against)
    places = 3 if abs(values.mean()) < 2.0 else 0  # returns of bai are at most 1
    return f"{gap.value:.{places}f} [{gap.low:.{places}f}, {gap.high:.{places}f}]"


def print_rows(task: str, folder: Path) -> None:
    """Print the rows of a task: the policies, then the agents of the package."""
    learnt = policies(task, folder)
    agents = [*AGENTS[task], *(policy for row in learnt.values() for policy in row)]
    users = {"n_instances": N_INSTANCES[task], "max_steps": 2000 if task == "bai" else None}
    runs = eu.evaluate(agents, task=task, **users).runs  # type: ignore[arg-type]
    runs["result"] = runs.get("regret")
    if task == "bai":
        runs["success"] = succeeded(runs)
        runs["result"] = 2.0 * runs["success"] - 1.0 - STEP_COST * runs["stopping_time"]
    by_agent = {str(name): each for name, each in runs.groupby("agent", sort=False)}
    parts = {row: [by_agent.pop(policy.name) for policy in each] for row, each in learnt.items()}
    parts |= {name: [each] for name, each in by_agent.items()}
    se = parts["SE"][0]["result"].to_numpy()
    for name, each in parts.items():
        values = np.array([part["result"] for part in each])
        gap = "" if name == "SE" else interval(values, se)
        cells = [task, name, interval(values, 0.0 * se), gap, ""]
        if task == "bai":
            every = pd.concat(each)
            cells[-1] = f"{every['success'].mean():.3f}, {every['stopping_time'].mean():.0f}"
        print(f"| {' | '.join(cells)} |", flush=True)


def main(folder: Path) -> None:
    """Train what the folder lacks, and print the table, each task as soon as it is measured."""
    torch.set_num_threads(1)  # more threads are slower for small networks
    print(HEAD, flush=True)
    for task in IDS:
        print_rows(task, folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
