"""What theory says of stopping times, as curves over 1/delta beside those that were measured."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import pandas as pd

from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.display.plots import LONGEST_NAME, verbatim
from explorative_user_env.display.progress import OnProgress, silent
from explorative_user_env.envs.meeting import environment_of
from explorative_user_env.envs.user import REGRET_REWARD, reward_of, reward_of_leaving
from explorative_user_env.protocol import POPULATION, Agent, Array
from explorative_user_env.results.tables import REFERENCE
from explorative_user_env.runs.episodes import Episode
from explorative_user_env.theory import Order, lower_bound, upper_bound
from explorative_user_env.theory.lower import exponent_loss
from explorative_user_env.users.behaviours import EXPLORATIVE
from explorative_user_env.users.instances import Instance
from explorative_user_env.users.population import Population
from explorative_user_env.validation import InvalidArgumentError, choice


class PlottedRuns(Protocol):
    """The runs of a line-up with the users of one cell: `Results`."""

    @property
    def runs(self) -> pd.DataFrame:
        """One row a run."""

    @property
    def cell(self) -> Mapping[str, Any]:
        """What all runs share."""

    @property
    def population(self) -> Population:
        """The users."""

    @property
    def deltas(self) -> Mapping[str, float]:
        """Delta of the agents that have one of their own."""

    @property
    def checks(self) -> pd.DataFrame | None:
        """The runs of BAIR held against the paper's bounds, if they were."""

    @property
    def line_up(self) -> Mapping[str, Agent]:
        """The agents that can be replayed, by name."""

    @property
    def references(self) -> frozenset[str]:
        """The names of those that were told rewards."""

    @property
    def over_horizon(self) -> bool:
        """Whether the task is "regret"."""

    def replay(self, row: Any) -> Episode:
        """Return a run again, step by step."""

    def summary(self) -> pd.DataFrame:
        """Return one row an agent."""


class PlottedCells(Protocol):
    """The same task in several cells: `Sweep`."""

    @property
    def cells(self) -> Sequence[PlottedRuns]:
        """The results of each."""

    def summary(self) -> pd.DataFrame:
        """Return one row an agent and cell."""


def agents_in(results: PlottedRuns) -> list[str]:
    """Return the names of the agents, in the order of the line-up."""
    return list(dict.fromkeys(results.runs["agent"]))


def label_of(results: PlottedRuns, agent: str) -> str:
    """Return what a legend calls an agent; a reference has its sign."""
    name = verbatim(agent, LONGEST_NAME)
    return name + REFERENCE if agent in results.references else name


def heading_of(results: PlottedRuns, varying: Sequence[str] = ()) -> str:
    """Return who met whom, as the title of a plot.

    Args:
        results: the runs.
        varying: what is no part of it, as it is on an axis or in the legend.
    """
    cell = results.cell
    parts = {"n_arms": f"K = {cell['n_arms']}", "delta": f"δ = {cell['delta']:g}"}
    for name, usual in (("alpha", 1.0), ("gap", None), ("noise", 0.0)):
        value = cell.get(name, usual)
        if value is not None and value != usual:
            parts[name] = f"{name} = {value:g}"
    for name, usual_word in (("reward_law", "gaussian"), ("behaviour", "explorative")):
        if cell.get(name, usual_word) != usual_word:
            parts[name] = str(cell[name])
    n_runs = int(results.runs.groupby("agent").size().max())
    whom = "episode" if cell.get("task") == POPULATION.name else "user"
    told = [text for name, text in parts.items() if name not in varying]
    return ", ".join([str(cell["setting"]), *told, f"{n_runs} {whom}{'s' * (n_runs != 1)}"])


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


MOST_INSTANCES = 100
"""Users over whose instances a bound is averaged, at most."""


class Curve(NamedTuple):
    """A line that is computed."""

    name: str
    x: Array
    y: Array
    dashes: Any


def theory_curves(cells: Sequence[PlottedRuns]) -> list[Curve]:
    """Return the paper's bounds for each cell's delta, where they are about these users.

    The lower bound is that of Theorem thm:lowerbound4delta, of the hardest users there are with
    this gap; the upper one, of BAIR alone, is Theorem thm:upperbound2's, the mean over the
    instances that were met.

    Args:
        cells: the same users under several deltas.
    """
    first = cells[0].population
    fits = first.behaviour == EXPLORATIVE and first.user.own_law.name == "gaussian"
    if not fits or first.noise > 0.0:
        return []
    alpha, schedule = first.alpha, first.schedule
    deltas = np.array(sorted({float(each.cell["delta"]) for each in cells}, reverse=True))
    curves = []
    if first.instance_law.gap is not None:
        c = exponent_loss(None, alpha)
        gap, rho_0 = first.instance_law.gap, schedule.rho_0
        lows = [lower_bound(each, gap, c=c, alpha=alpha, rho_0=rho_0) for each in deltas]
        name = f"lower bound,\nhardest users, c = {c:g}"
        curves.append(Curve(name, 1.0 / deltas, np.array(lows), ":"))
    if first.setting.private_draws <= 1 and any(map(_bair_in, cells)):
        highs = {float(each.cell["delta"]): _upper_bound(each) for each in cells}
        means = np.array([highs[each] for each in deltas])
        curves.append(Curve("upper bound, BAIR", 1.0 / deltas, means, "-."))
    return [each for each in curves if np.all(np.isfinite(each.y))]


def _bair_in(cell: PlottedRuns) -> AlgorithmAgent | None:
    """Return the first BAIR of a line-up."""
    agents = (each for each in cell.line_up.values() if isinstance(each, AlgorithmAgent))
    return next((each for each in agents if each.algorithm.name == "BAIR"), None)


def _upper_bound(cell: PlottedRuns) -> float:
    """Return the mean of the upper bound over instances that BAIR met; NaN without BAIR."""
    agent, users = _bair_in(cell), cell.population
    if agent is None:
        return math.nan
    params = agent.params(users.n_arms, None)
    order: Order = "round robin" if params.round_robin else "fewest acceptances"
    numbers = users.alpha, users.schedule.rho_0, users.schedule.rho_1
    delta = cell.deltas.get(agent.name, cell.cell["delta"])
    totals = [
        upper_bound(instance_met(cell, int(seed)), delta, *numbers, n1=params.n1, order=order).total
        for seed in cell.runs["user_seed"].drop_duplicates()[:MOST_INSTANCES]
    ]
    return float(np.mean(totals))
