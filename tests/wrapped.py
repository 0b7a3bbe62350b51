"""Environments that wrappers are put around: one user or seven in step, who take some time."""

import math

import gymnasium as gym
from in_step import KINDS, LANES

from explorative_user_env import BAI_ENV_ID

N_ARMS = 3
HORIZON = 25
LIMIT = 11
"""Steps of an episode of those in step, before the task's own horizon."""

OURS = {
    "counts": ("CountsObservation",),
    "last-step": ("LastStepObservation",),
    "sorted-counts": ("CountsObservation", "SortedArms"),
    "population-counts": ("PopulationCountsObservation",),
    "sorted-population-counts": ("PopulationCountsObservation", "SortedArms"),
}


def made(name, limit=HORIZON, **kwargs):
    """Return the environment of one user."""
    return gym.make(name, limit, **({"n_arms": N_ARMS, "noise": 0.4} | kwargs))


def vector_of(name, mode="NextStep", limit=LIMIT, **kwargs):
    """Return the environment of seven users in step."""
    given = {"horizon": LIMIT + 2} if name == BAI_ENV_ID else {}
    return KINDS[name](LANES, limit, mode, **{"n_arms": N_ARMS, "noise": 0.4} | given | kwargs)


def wrapped(room, observation, env, horizon=None):
    """Put the wrappers of an observation, of one user or of many, around an environment."""
    for name in OURS[observation]:
        env = getattr(room, name)(env, *(() if name == "SortedArms" else (horizon,)))
    return env


def ranks_of(heard, horizon=10**9):
    """Return the arms, the most accepted first; beyond the horizon counts are alike.

    What was heard is (arm, 1 accepted or 0 rejected), the oldest first.
    """
    accepted = [min(heard.count((arm, 1)), horizon) for arm in range(N_ARMS)]
    return sorted(range(N_ARMS), key=lambda arm: (-accepted[arm], arm))


def counts_of(heard, arms, horizon):
    """The features of these arms, in this order, then the time."""
    each = []
    for arm in arms:
        responses = [response for recommended, response in heard if recommended == arm]
        no = len(responses) - sum(responses)
        since = len("".join(map(str, responses)).split("1")[-1])
        latest = (1 if responses[-1] else -1) if responses else 0
        numbers = [sum(responses), no, since]
        a, r, s = (math.log(1 + min(n, horizon)) / math.log(1 + horizon) for n in numbers)
        each.append([a, r, latest, s])
    return [arm[i] for i in range(4) for arm in each] + [min(len(heard), horizon) / horizon]


def shown_by_hand(observation, heard, horizon):
    """What is shown of a user of whom this was heard."""
    arm, response = heard[-1] if heard else (-1, 0)
    if observation == "response":
        return response
    if observation == "last-step":
        one_hot = [float(arm == each) for each in range(N_ARMS)]
        return [*one_hot, 2 * response - 1 if heard else 0, min(len(heard), horizon) / horizon]
    arms = ranks_of(heard, horizon) if observation == "sorted-counts" else range(N_ARMS)
    return counts_of(heard, arms, horizon)
