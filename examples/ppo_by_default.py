"""PPO with the default hyperparameters of Stable-Baselines3 on each id with counts, five seeds.

Prints the table of `rl.md`: the results after 10^5 and 10^6 steps, beside agents of the package.
Intervals are over users and training seeds. `python examples/ppo_by_default.py FOLDER` runs it. A
training takes ten minutes on one core, all of them take three hours. The folder keeps the models; a
new call trains only what the folder lacks.
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

SEEDS = (0, 8, 16, 24, 32)  # make_vec_env seeds its lanes with s, s + 1, ...: no user is shared
STEPS, N_LANES = (100_000, 1_000_000), 8
HEAD = "| task | agent | regret or return | minus SE | success, stopping time |\n|" + " --- |" * 5
N_INSTANCES = {"regret": 1000, "bai": 1000, "population": 100}

IDS = {
    "regret": "ExplorativeUserCounts-v0",
    "bai": "ExplorativeUserBAICounts-v0",
    "population": "ExplorativePopulationCounts-v0",
}
CAUTIOUS = TransferElimination(caution=0.1, name="SE-transfer, caution = .1")
AGENTS: dict[str, list[Any]] = {  # the last agent has additional knowledge
    "regret": ["SE", "BAIR", "Full-information"],
    "bai": ["SE", "BAIR", "oracle-champion"],
    "population": ["SE", TransferElimination(), CAUTIOUS, "Full-information"],
}


def trained(task: str, learner: Any, seed: int, folder: Path) -> list[Any]:
    """Return the models after each of `STEPS`, from the folder or else from a new training."""
    paths = [folder / f"{task}-{learner.__name__.lower()}-{seed}-{steps}.zip" for steps in STEPS]
    if not all(path.exists() for path in paths):
        lanes = make_vec_env(IDS[task], N_LANES, seed)
        model = learner("MlpPolicy", lanes, seed=seed, device="cpu")
        for steps, path in zip(STEPS, paths, strict=True):
            model.learn(steps - model.num_timesteps, reset_num_timesteps=False)
            model.save(path)
    return [learner.load(path, device="cpu") for path in paths]


def policies(task: str, folder: Path) -> dict[str, list[SB3Agent]]:
    """Return the policies of a task, one for each training seed, by the name of their row."""
    rows: dict[str, list[SB3Agent]] = {}
    for learner in (MaskablePPO, PPO) if task == "bai" else (PPO,):
        models = [trained(task, learner, seed, folder) for seed in SEEDS]
        for steps, of_seeds in zip(STEPS, zip(*models, strict=True), strict=True):
            row = f"{learner.__name__}, {steps:,} steps"
            rows[row] = [SB3Agent(each, name=f"{row} #{i}") for i, each in enumerate(of_seeds)]
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
        cells = [task, name, interval(values, 0.0 * se), interval(values, se), ""]
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
