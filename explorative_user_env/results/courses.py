"""How figures grow over a run: a sample of the runs, replayed by the path that made them."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from explorative_user_env.display.progress import OnProgress, silent
from explorative_user_env.envs.rewards import REGRET_REWARD, reward_of, reward_of_leaving
from explorative_user_env.episodes import Episode
from explorative_user_env.meeting import environment_of
from explorative_user_env.protocol import Array
from explorative_user_env.results.plotted import PlottedRuns, agents_in
from explorative_user_env.users.instances import Instance
from explorative_user_env.validation import InvalidArgumentError, choice

USERS_REPLAYED, STEPS_REPLAYED = 100, 100_000
"""Users with whom runs are replayed, and steps for which that is done with an agent, at most."""

N_TIMES = 200
"""Times at which figures are looked at, at most; as many again where they are dense at first."""

REJECTED_SO_FAR, REGRET_SO_FAR = "rejections", "regret"


class Courses(NamedTuple):
    """What came together by each time.

    Attributes:
        times: the times, the first 0.
        totals: by agent, of each user up to each time, shape (n, times); NaN where a step cap has
            ended a run. Nothing more comes together once an agent has stopped, or a user has left
            but for the regret of a horizon.
        left_out: agents that cannot be replayed, as their code is not at hand.
    """

    times: Array
    totals: Mapping[str, Array]
    left_out: tuple[str, ...]

    @property
    def n_users(self) -> int:
        """How many users there are."""
        return len(next(iter(self.totals.values())))


def courses_of(results: PlottedRuns, figure: str, progress: OnProgress = silent) -> Courses:
    """Return how rejections or regret come together over the runs with the first users.

    Rows of runs say how they ended only, so a sample of them is replayed, step by step.

    Args:
        results: the runs.
        figure: "rejections" or "regret", the sum of mu_* - mu_a over the recommendations a.
        progress: called with what is going on, how many runs are done and how many there are.

    Raises:
        InvalidArgumentError: for another figure, regret of users whose means move, or no agent
            that can be replayed.
    """
    choice("figure", figure, (REJECTED_SO_FAR, REGRET_SO_FAR))
    if figure == REGRET_SO_FAR and results.population.behaviour.moves_means:
        name = results.population.behaviour.name
        raise InvalidArgumentError("behaviour", name, "one whose means stay, for a regret")
    agents = [agent for agent in agents_in(results) if agent in results.line_up]
    if not agents:
        allowed = "with an agent whose runs can be replayed"
        raise InvalidArgumentError("line_up", list(results.line_up), allowed)
    rows = {agent: results.runs[results.runs["agent"] == agent] for agent in agents}
    lengths = {agent: _lengths(results, own) for agent, own in rows.items()}
    n_users = min(map(_sample_size, lengths.values()))
    times = _times(max(int(each[:n_users].max()) for each in lengths.values()))
    totals: dict[str, list[Array]] = {agent: [] for agent in agents}
    for index, agent in enumerate(agents):  # one after the other: what is told changes seldom
        for place in range(n_users):
            progress(f"replaying {agent}", index * n_users + place, n_users * len(agents))
            row = rows[agent].iloc[place]
            episode = results.replay(row)
            gained = _gained(results, episode, figure)
            totals[agent].append(_at(times, gained, bool(row.get("censored", False))))
    progress("replayed", n_users * len(agents), n_users * len(agents))
    left_out = tuple(agent for agent in agents_in(results) if agent not in agents)
    return Courses(times, {agent: np.array(each) for agent, each in totals.items()}, left_out)


def _lengths(results: PlottedRuns, own: pd.DataFrame) -> Array:
    """Return how many steps each run of an agent has."""
    if results.over_horizon:
        return np.full(len(own), int(results.cell["horizon"]))
    return np.asarray(own["interactions"])


def _sample_size(lengths: Array) -> int:
    """Return how many of the first runs there is time for, at least one."""
    fits = int(np.searchsorted(np.cumsum(lengths), STEPS_REPLAYED, side="right"))
    return max(1, min(USERS_REPLAYED, fits))


def _times(longest: int) -> Array:
    """Return times from 0 to the longest run's end, dense where a run begins as well."""
    even, early = np.linspace(0, longest, N_TIMES), np.geomspace(1, max(1, longest), N_TIMES)
    return np.unique(np.concatenate([even, early]).round().astype(int))


def _gained(results: PlottedRuns, episode: Episode, figure: str) -> Array:
    """Return what each step of a run adds."""
    if figure == REJECTED_SO_FAR:
        return np.array([not accepted for accepted in episode.accepted])
    instance = instance_met(results, episode.seed)
    best = instance.means[instance.best_arm]
    paid = [reward_of(REGRET_REWARD, mean, best, False, 0.0) for mean in instance.means]
    gained = [-paid[arm] for arm in episode.arms]
    if episode.left and results.over_horizon:
        each = -reward_of_leaving(REGRET_REWARD, min(instance.means), best, 1)
        gained += [each] * (int(results.cell["horizon"]) - len(gained))
    return np.array(gained)


def instance_met(results: PlottedRuns, seed: int) -> Instance:
    """Return the instance of the user of this seed, as it is at the start."""
    agent = next(iter(results.line_up.values()))
    env = environment_of(results.population, agent)
    env.reset(seed=seed)
    return env.instance()


def _at(times: Array, gained: Array, cut: bool) -> Array:
    sums = np.concatenate([[0.0], np.cumsum(gained)])
    found = sums[np.minimum(times, len(gained))]
    return np.where(cut & (times > len(gained)), np.nan, found)
