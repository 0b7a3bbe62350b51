"""A custom algorithm with trained weights: it recommends the arm with the largest index.

The index of an arm is a weighted sum of features of the arm's responses; all arms share the
weights. Some weights implement elimination, and training (`train_index.py`) starts from them. The
folder `learnt` holds the trained weights, by task and training seed.
"""

import json
from collections.abc import Mapping, Sequence
from math import log
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.protocol import STOP, Algorithm
from explorative_user_env.studies.suite_tasks import ModelsByTask, training_name
from explorative_user_env.validation import finite_vector, integer

NAME = "learnt index"

N_WEIGHTS, N_CARRIED = 17, 3
"""Number of weights for the responses of this user, and for those of earlier users (population)."""

RUNS = (1, 2, 3, 5)
"""Thresholds: an arm gets weight i once it has RUNS[i] consecutive rejections."""

DECAY = 0.75
"""Decay of the moving average of an arm's responses, per response."""

USERS_OF: Mapping[str, Mapping[str, Any]] = {
    "noisy-k5": {"noise": 0.2},
    "varied-k5": {"behaviour": "varied"},
    "impatient-k5": {"behaviour": "impatient"},
    "regret-k20": {"n_arms": 20},
    "population-k20": {"n_arms": 20},
}
"""Options of the users of each task; K is 5 by default."""

POPULATION_TASK = "population-k20"


class Params(NamedTuple):
    """The parameters of a run."""

    n_arms: int  # K
    horizon: int  # T
    weights: tuple[float, ...]


class State(NamedTuple):
    """Counts and features of the arms; a list of one element is a number that changes."""

    accepted: list[int]
    rejected: list[int]
    run: list[int]  # rejections since the last acceptance
    recent: list[float]  # moving average of the responses, 1 and -1
    when: list[int]  # step of the last recommendation
    accepted_before: list[int]  # acceptances by all earlier users
    rejected_before: list[int]
    users: list[int]  # [number of earlier users]
    last: list[int]  # [arm recommended last]
    steps: list[int]  # [t]
    logs: list[float]  # log(1 + n) for n up to T: computing it at each step dominates the time


def prepare(options: Mapping[str, Any], n_arms: int, horizon: int | None) -> Params:
    """Validate the options and return the parameters of a run."""
    steps = integer("horizon", options["horizon"] if horizon is None else horizon, 1)
    given = options["weights"]
    carries = N_CARRIED if len(given) > N_WEIGHTS else 0
    weights = finite_vector("weights", given, N_WEIGHTS + carries)
    return Params(n_arms, steps, (*weights, *[0.0] * (N_CARRIED - carries)))


def blank(params: Params) -> State:
    """Return an empty state, which `start` fills."""
    n_arms = params.n_arms
    accepted, rejected, run, when, before, refused = ([0] * n_arms for _ in range(6))
    recent = [0.0] * n_arms
    logs = [log(1 + n) for n in range(params.horizon + 1)]
    return State(accepted, rejected, run, recent, when, before, refused, [0], [0], [0], logs)


def start(params: Params, state: State, rng: np.random.Generator) -> None:
    """Reset the state for a new user without earlier users."""
    for arm in range(params.n_arms):
        state.accepted_before[arm] = 0
        state.rejected_before[arm] = 0
    state.users[0] = 0
    forget(params, state)


def next_user(params: Params, state: State, rng: np.random.Generator) -> None:
    """Start with the next user and keep the responses of earlier users."""
    for arm in range(params.n_arms):
        state.accepted_before[arm] += state.accepted[arm]
        state.rejected_before[arm] += state.rejected[arm]
    state.users[0] += 1
    forget(params, state)


def forget(params: Params, state: State) -> None:
    """Reset the features of the current user."""
    for arm in range(params.n_arms):
        state.accepted[arm] = 0
        state.rejected[arm] = 0
        state.run[arm] = 0
        state.recent[arm] = 0.0
        state.when[arm] = 0
    state.last[0] = -1
    state.steps[0] = 0


def index(params: Params, state: State, arm: int, most: int) -> float:
    """Return the index of an arm; `most` is the largest number of acceptances of any arm."""
    weights, logs = params.weights, state.logs
    n_accepted, n_rejected, run = state.accepted[arm], state.rejected[arm], state.run[arm]
    late = state.steps[0] / params.horizon
    early = 1.0 - late
    total = weights[4] * state.recent[arm]
    for place in range(4):
        if run >= RUNS[place]:
            total += weights[place]
    total += (weights[5] * early + weights[6] * late) * logs[n_accepted]
    total += (weights[7] * early + weights[8] * late) * logs[n_rejected]
    total += (weights[9] * early + weights[10] * late) * (n_accepted / max(most, 1))
    if n_accepted + n_rejected == 0:
        total += weights[11]
    if run == 0 and arm == state.last[0]:
        total += weights[12]
    if run > 0:
        total += weights[13] * logs[state.steps[0] - state.when[arm]]
    if n_accepted == 0:
        total += weights[14]
    if n_accepted == most:
        total += weights[15] * early + weights[16] * late
    if state.users[0] > 0:
        popular = log(1 + state.accepted_before[arm] / state.users[0])
        refused = log(1 + state.rejected_before[arm] / state.users[0])
        total += (weights[17] * early + weights[18] * late) * popular + weights[19] * refused
    return total


def act(params: Params, state: State, rng: np.random.Generator) -> int:
    """Return the arm with the largest index, the first one in a tie."""
    if state.steps[0] >= params.horizon:
        return STOP
    most = 0
    for arm in range(params.n_arms):
        most = max(most, state.accepted[arm])
    best, largest = 0, index(params, state, 0, most)
    for arm in range(1, params.n_arms):
        value = index(params, state, arm, most)
        if value > largest:
            best, largest = arm, value
    return best


def observe(params: Params, state: State, arm: int, accepted: bool) -> None:
    """Update the state after a response."""
    state.steps[0] += 1
    state.when[arm] = state.steps[0]
    state.last[0] = arm
    if accepted:
        state.accepted[arm] += 1
        state.run[arm] = 0
        state.recent[arm] = DECAY * state.recent[arm] + (1.0 - DECAY)
    else:
        state.rejected[arm] += 1
        state.run[arm] += 1
        state.recent[arm] = DECAY * state.recent[arm] - (1.0 - DECAY)


def verdict(params: Params, state: State, rng: np.random.Generator) -> int:
    """Return the most accepted arm."""
    best = 0
    for arm in range(1, params.n_arms):
        if state.accepted[arm] > state.accepted[best]:
            best = arm
    return best


def elimination(n_rejections: int) -> list[float]:
    """Return weights that eliminate an arm after `n_rejections` consecutive rejections."""
    weights = [0.0] * N_WEIGHTS
    for place, run in enumerate(RUNS):
        weights[place] = -8.0 if run == n_rejections else 0.0
    weights[5] = weights[6] = -1.0  # prefer the least accepted of the remaining arms
    weights[11] = 2.0  # first recommend each arm once
    weights[15] = 0.5  # recommend the most accepted arm more often, early in the run
    return weights


ALGORITHM = Algorithm(
    NAME,
    prepare,
    blank,
    start,
    act,
    observe,
    verdict,
    defaults={"horizon": None, "weights": tuple(elimination(1))},
    stops_itself=False,
    next_user=next_user,
)


def learnt_index(
    weights: Sequence[float] | None = None, *, name: str = NAME, max_steps: int | None = None
) -> AlgorithmAgent:
    """Return the policy with these weights; None is elimination."""
    return AlgorithmAgent(ALGORITHM, {"weights": weights}, name, max_steps)


def shipped(task: str) -> list[AlgorithmAgent]:
    """Return the trained policies of a task from `learnt`, one for each training seed."""
    files = files_of(task)
    made = [json.loads(path.read_text(encoding="utf-8")) for path in files]
    names = [training_name(NAME, each["seed"]) for each in made] if len(made) > 1 else [NAME]
    return [
        learnt_index(each["weights"], name=name) for each, name in zip(made, names, strict=True)
    ]


def files_of(task: str) -> list[Path]:
    """Return the weight files of a task, sorted by training seed."""
    return sorted((Path(__file__).with_name("learnt") / task).glob("seed-*.json"))


def by_task() -> ModelsByTask:
    """Return all policies as one entrant of the suite: `--agent learnt_index:by_task`."""
    return ModelsByTask(NAME, {task: shipped(task) for task in USERS_OF})


def noisy() -> AlgorithmAgent:
    """Return the first policy for noisy users: `--agent learnt_index:noisy` in this folder."""
    return shipped("noisy-k5")[0]


def varied() -> AlgorithmAgent:
    """Return the first policy for varied users: `--agent learnt_index:varied`."""
    return shipped("varied-k5")[0]


def impatient() -> AlgorithmAgent:
    """Return the first policy for impatient users: `--agent learnt_index:impatient`."""
    return shipped("impatient-k5")[0]


def many_arms() -> AlgorithmAgent:
    """Return the first policy for twenty arms: `--agent learnt_index:many_arms`."""
    return shipped("regret-k20")[0]


def population() -> AlgorithmAgent:
    """Return the first policy for the population task: `--agent learnt_index:population`."""
    return shipped(POPULATION_TASK)[0]


def options_of(task: str, n_instances: int) -> dict[str, Any]:
    """Return the task and its users as arguments of `evaluate`."""
    kind = "population" if task == POPULATION_TASK else "regret"
    return {"task": kind, "n_arms": 5, "n_instances": n_instances, **USERS_OF[task]}
