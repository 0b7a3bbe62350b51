"""A grid of cells (delta, K): every experiment and every benchmark runs on one."""

import copy
import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Unpack

import numpy as np
import pandas as pd

from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.display.progress import OnProgress, named, portion, shown, silent
from explorative_user_env.envs.meeting import environment_of
from explorative_user_env.evaluation import paths as in_step
from explorative_user_env.evaluation.monitors import TheoryCheck, check_run
from explorative_user_env.evaluation.paths import RUN_COLUMNS, Paths, compiles, paths_of
from explorative_user_env.evaluation.request import (
    Request,
    cap_for,
    deltas_of,
    line_up_of,
    mean_time,
    options_in_words,
    renamed_time,
    watched_of,
)
from explorative_user_env.evaluation.workers import HERE, ONE_HERE, PROCESSES, THREADS, done
from explorative_user_env.kernels.presence import compiling_told
from explorative_user_env.protocol import (
    CENSORED,
    DELTA,
    N_INSTANCES,
    OF_MEMBERS,
    Agent,
    Array,
    ManyUserAgent,
    Task,
    as_task,
    cap_of,
    name_of,
    needs_horizon,
    options_of,
)
from explorative_user_env.results.metrics import frame_of, succeeded, success_interval
from explorative_user_env.results.records import (
    from_record,
    record_of,
    record_of_class,
    versions_of,
)
from explorative_user_env.results.results import Results, Sweep, carries_finished
from explorative_user_env.results.store import (
    Columns,
    Kept,
    Part,
    Pieces,
    Remembered,
    Store,
)
from explorative_user_env.users.model import number_of_arms
from explorative_user_env.users.population import (
    Population,
    UserOptions,
    lists_user_options,
    population_of,
)
from explorative_user_env.validation import CallableError, InvalidArgumentError, risk, sequence

Work = Callable[..., Array]

CHUNK = 10
"""Users that a worker takes at a time, at least: few, so that the bar moves and workers end
together."""

LARGEST_CHUNK = 1000

CHUNKS = 50
"""How many times a worker comes for more in a study of ordinary size."""

LONGEST_PLAY = 5_000_000
"""Steps of all users of a portion together where every step is kept."""

MOST_ARMS_AT_ONCE = 10_000_000
"""Arms of all users of a portion together: a few numbers of each are in memory."""


def runs_of(
    paths: Paths,
    agent: Agent,
    population: Population,
    seeds: Sequence[int],
    *,
    cap: int,
    cap_is_asked: bool = True,
    horizon: int | None,
    workers: int,
    executor: Executor | None,
    compiled: bool,
    progress: OnProgress,
    kept: Kept,
) -> pd.DataFrame:
    """Return the runs of one agent with the users of these seeds, one row a user.

    Those that are kept already are not run again, and the others are kept as they end.

    Warns, where nobody asked for the cap, of an agent of one's own that does not stop before it.
    """
    name, parts = name_of(agent), _finished(kept, len(seeds))
    there = {number for part in parts for number in part["instance"].tolist()}
    left, n_done = [each for each in range(len(seeds)) if each not in there], len(there)

    def tell_compiling(begins: bool) -> None:
        progress(f"{name} compiling" if begins else name, n_done, len(seeds))

    progress(name, n_done, len(seeds))
    with compiling_told(tell_compiling):
        if left:
            way = _way_of(paths, agent, population, seeds[0], len(left), cap, horizon, compiled)
            job = partial(_met, way.work, population, agent, cap, horizon)
            size = way.size if executor else min(way.size, math.ceil(len(left) / workers))
            chunks = [left[first : first + size] for first in range(0, len(left), size)]
            of_users = [[seeds[number] for number in chunk] for chunk in chunks]
            with closing(done(job, of_users, agent, way.usual, workers, executor)) as results:
                for place, rows in results:
                    whose = {"instance": np.array(chunks[place])}
                    whose["user_seed"] = np.array(of_users[place])
                    parts.append(whose | paths.columns(agent, population, rows))
                    kept.add(parts[-1])
                    n_done += len(rows)
                    progress(name, n_done, len(seeds))
                    if way.waits and not (there or cap_is_asked or paths.keeps_steps):
                        _warn_if_it_never_stops(name, rows, cap, len(seeds))
                    there.add(-1)  # it was looked at whether the first stops
    order = np.argsort(np.concatenate([part["instance"] for part in parts]))
    whole = {name: np.concatenate([part[name] for part in parts])[order] for name in parts[0]}
    return frame_of(paths.task.name, name, whole)


def _finished(kept: Kept, n_users: int) -> list[Columns]:
    """Return the runs with the first users that are kept already, as one part if there are any."""
    there = kept.columns()
    if not there or not (asked := np.asarray(there["instance"]) < n_users).any():
        return []
    return [{name: np.asarray(values)[asked] for name, values in there.items()}]


class _Way(NamedTuple):
    """How runs are done: by what, how many at a time, and where if nothing else is asked for."""

    work: Work
    size: int
    usual: str
    waits: bool  # whether a run of very many steps is long


def _way_of(
    paths: Paths,
    agent: Agent,
    population: Population,
    seed: int,
    n_users: int,
    cap: int,
    horizon: int | None,
    compiled: bool,
) -> _Way:
    """Return the fastest way there is for this agent, compiled by now."""
    most = max(1, MOST_ARMS_AT_ONCE // population.n_arms)
    if paths.keeps_steps:
        most = min(most, max(1, LONGEST_PLAY // cap))
    if compiled and isinstance(agent, ManyUserAgent):
        work: Work = partial(_told_whose, paths.in_step, paths.readable)
        return _Way(work, min(in_step.USERS, most), HERE, True)
    if compiled and compiles(population, agent, seed, horizon, paths.tried):
        work = partial(_told_whose, paths.compiled, paths.readable)
        size = min(max(CHUNK, n_users // CHUNKS), LARGEST_CHUNK, most)
        return _Way(work, size, THREADS, False)
    return _Way(paths.readable, 1, PROCESSES, True)


def _met(
    work: Work,
    population: Population,
    agent: Agent,
    cap: int,
    horizon: int | None,
    seeds: Sequence[int],
    halt: Array | None = None,
) -> Array:
    """Return the rows of a chunk, wherever that is done."""
    return work(population, agent, seeds, cap, horizon, halt=halt)


def _warn_if_it_never_stops(name: str, part: Array, cap: int, n_users: int) -> None:
    """Say what is to come where all the first users were met up to the cap."""
    n_met = len(part)
    if (part[:, RUN_COLUMNS.index("end")] == CENSORED).all():
        whom = "the first user" if n_met == 1 else f"any of the first {n_met} users"
        warnings.warn(
            f"{name} did not stop with {whom} within {cap} steps, where it was cut off; of "
            f"{n_users} users each may take as long: give a smaller max_steps=, to evaluate or as "
            f"an attribute of {name}",
            stacklevel=2,
        )


def _told_whose(
    work: Work,
    readable: Work,
    population: Population,
    agent: Agent,
    seeds: Sequence[int],
    cap: int,
    horizon: int | None,
    halt: Array | None = None,
) -> Array:
    """Return what `work` does; where it fails, the readable loop tells with whom and when."""
    try:
        return work(population, agent, seeds, cap, horizon, halt=halt)
    except Exception as error:
        if isinstance(agent, ManyUserAgent) and type(error) is InvalidArgumentError:
            raise  # it says what is wrong
        for seed in seeds:
            try:
                work(population, agent, [seed], cap, horizon, halt=halt)
            except Exception:
                readable(population, agent, [seed], cap, horizon, halt=halt)
        where = f"with {len(seeds)} users, that of seed {seeds[0]} first, and with none alone"
        raise CallableError.of(name_of(agent), error, where) from error


FEWEST_ARMS = 2
"""Arms of whoever tells agents apart where no users are known."""

LONGEST_TRIED = 8
TRIED = ((3,), (3, LONGEST_TRIED))
"""Users whom an agent meets for so many steps: after the second it remembers something else."""


class Keeper:
    """Keeps nothing."""

    def part(self, agent: Agent, cap: int, horizon: int | None) -> Kept:
        """Return where the runs of an agent are kept."""
        return Kept()

    def checks(self, agent: Agent, cap: int) -> Pieces:
        """Return where the checks of an agent's runs are kept."""
        return Pieces()

    def note(self, told: Mapping[str, Any], finished: bool) -> None:
        """Take in what is to be said of the runs so far."""

    def finish(self, told: Mapping[str, Any], runs: Mapping[str, pd.DataFrame]) -> None:
        """Take in what is to be said of all runs, by agent, now that they are there."""


class MemoryKeeper(Keeper):
    """Keeps the runs of one evaluation in memory, for as long as it meets more users."""

    def __init__(self) -> None:
        self._parts: dict[str, Kept] = {}

    def part(self, agent: Agent, cap: int, horizon: int | None) -> Kept:
        """Return where the runs of an agent are kept."""
        return self._parts.setdefault(name_of(agent), Remembered())


class StoreKeeper(Keeper):
    """Keeps the runs of one evaluation in a store."""

    def __init__(self, store: Store, request: Mapping[str, Any], seed: int) -> None:
        self._store, self._request, self._seed = store, request, seed
        self._parts: dict[str, Part] = {}

    def part(self, agent: Agent, cap: int, horizon: int | None) -> Kept:
        """Return where the runs of an agent are kept."""
        name = name_of(agent)
        record = self._record(name, cap) | {"horizon": horizon}
        self._parts[name] = self._store.part(self._request["task"], name, record)
        return self._parts[name]

    def checks(self, agent: Agent, cap: int) -> Pieces:
        """Return where the checks of an agent's runs are kept."""
        name, n_users = name_of(agent), self._request["n_instances"]
        record = self._record(name, cap) | {"checks": n_users}  # its last chunk may be a short one
        return self._store.pieces(record)

    def _record(self, name: str, cap: int) -> dict[str, Any]:
        """Return what runs of an agent follow from."""
        asked = self._request
        of_cell = {"population": asked["population"], "seed": self._seed}
        of_cell |= {name: asked[name] for name in OF_MEMBERS if name in asked}
        return {**of_cell, "record": asked["agents"][name], "cap": cap}

    def note(self, told: Mapping[str, Any], finished: bool) -> None:
        """Take in what is to be said of the runs so far."""
        parts = list(self._parts.values())
        self._store.note({"request": self._request, **told}, parts, finished)

    def finish(self, told: Mapping[str, Any], runs: Mapping[str, pd.DataFrame]) -> None:
        """Take in what is to be said of all runs."""
        self.note(told, finished=True)


@contextmanager
def keeping(
    store: Store | Path | str | None, request: Request, line_up: Sequence[Agent]
) -> Iterator[Keeper]:
    """Open the store of an evaluation, if it has one of its own, and close it at the end.

    Raises:
        InvalidArgumentError: if the store has the runs of another request.
    """
    if store is None:
        yield Keeper() if request.until_width is None else MemoryKeeper()
        return
    told = request_record(request, line_up)
    if isinstance(store, Store):
        yield StoreKeeper(store, told, request.seed)
        return
    with Store(store, {"command": "evaluate", "options": told}) as own:
        yield StoreKeeper(own, told, request.seed)


def request_record(request: Request, line_up: Sequence[Agent]) -> dict[str, Any]:
    """Return all that the rows of an evaluation follow from."""
    arms = request.population.n_arms
    agents = {name_of(agent): agent_record(agent, arms) for agent in line_up}
    names = ("n_instances", "seed", "delta", "max_steps", "step_cost", "check_theory")
    own = {name: getattr(request, name) for name in names}
    if request.until_width is not None:
        own["until_width"] = request.until_width
    if request.members is not None:
        own |= asdict(request.members)
    own |= {"population": record_of(request.population), "agents": agents}
    return {"task": request.task.name, "told": request.told, **own}


def agent_record(agent: Agent | str, n_arms: int) -> Any:
    """Return what tells an agent from others of its name: its class, its code and its options.

    Options are what an agent says they are, or else its attributes, but for those that are others
    once it has met another user: these are what it remembers.
    """
    if isinstance(agent, AlgorithmAgent | str):
        return record_of(agent)
    if (said := options_of(agent)) is not None:
        return record_of_class(type(agent)) | {"attributes": record_of(said)}
    met_few, met_more = (_having_met(agent, n_arms, steps) for steps in TRIED)
    if met_few is None or met_more is None:
        return record_of(agent)
    lasting = {name: value for name, value in met_few.items() if met_more.get(name) == value}
    return record_of_class(type(agent)) | {"attributes": lasting}


def _having_met(agent: Agent, n_arms: int, steps: Sequence[int]) -> Mapping[str, Any] | None:
    """Return the attributes of a copy of an agent that has met users; None where it cannot."""
    try:
        tried = copy.deepcopy(agent)
        for n_steps in steps:
            tried.reset(n_arms, np.random.default_rng(n_steps), LONGEST_TRIED)
            for step in range(n_steps):
                arm = tried.act()
                if arm is None:
                    break
                tried.observe(arm, step % 2 == 0)
        attributes: Mapping[str, Any] = record_of(tried)["attributes"]
    except Exception:  # what fails here is told of where it runs
        return None
    return attributes


NOTHING_KEPT = Pieces()

WATCHED_AT_ONCE = 1
"""Users that a worker takes at a time."""


def check_theory(
    agent: AlgorithmAgent,
    population: Population,
    seeds: Sequence[int],
    *,
    max_steps: int | None = None,
    workers: int = ONE_HERE,
    executor: Executor | None = None,
    progress: OnProgress = silent,
    kept: Pieces = NOTHING_KEPT,
) -> pd.DataFrame:
    """Run BAIR with the users of these seeds under a monitor.

    Args:
        agent: a `BAIR(...)`, with the user's alpha and rho_0 where N_1 needs them.
        population: the kind of user and instance.
        seeds: the users' seeds.
        max_steps: step cap of a run; None is the agent's own, if any.
        workers: how many processes run at once; the result is the same.
        executor: does the runs in place of processes.
        progress: called with what is going on, how many runs are done and how many there are.
        kept: where the checks are kept, if anywhere; those that are there are not made again.

    Returns:
        One row a run, with the fields of `monitors.TheoryCheck`.

    Raises:
        InvalidArgumentError: for an agent that is no BAIR, or no workers.
    """
    chunks = [
        seeds[first : first + WATCHED_AT_ONCE] for first in range(0, len(seeds), WATCHED_AT_ONCE)
    ]
    what = f"{agent.name}, theory"
    there = kept.found()
    rows = [from_record(row) for part in there for row in part]
    progress(what, len(rows), len(seeds))
    if left := chunks[len(there) :]:
        job = partial(_check, agent, population, max_steps)
        with closing(done(job, left, agent, PROCESSES, workers, executor)) as parts:
            for _, part in parts:
                found = [asdict(row) for row in part]
                kept.add(record_of(found))
                rows += found
                progress(what, len(rows), len(seeds))
    return pd.DataFrame(rows)


def _check(
    agent: AlgorithmAgent,
    population: Population,
    max_steps: int | None,
    seeds: Sequence[int],
) -> list[TheoryCheck]:
    env = environment_of(population, agent)
    return [check_run(env, agent, seed, max_steps) for seed in seeds]


MOST_UNTIL = 1_000_000
"""The most users, unless something else is said, where more are met until success is known."""

FIRST = 1000
"""Users who are met before anyone looks; T of the agents that need one is found with these."""

GROWTH = 1.1
"""How many times as many users have been met whenever one looks again."""


def number_asked(n_instances: int | None, until_width: float | None) -> int:
    """Return how many users an evaluation has, or at most has, where nothing else is said.

    Args:
        n_instances: how many were asked for, if any number was.
        until_width: the width of success intervals that more users are met for, if any.
    """
    if n_instances is not None:
        return n_instances
    return N_INSTANCES if until_width is None else MOST_UNTIL


def growing(request: Request, progress: OnProgress) -> Iterator[tuple[Request, OnProgress]]:
    """Yield the request with the users who are to have been met by each look, the last with all.

    Args:
        request: what was asked for; without a width there is one look.
        progress: told how far it is, as a share of all users.
    """
    most = request.n_instances
    if request.until_width is None:
        yield request, progress
        return
    met = 0
    while met < most:
        users = min(most, max(FIRST, math.ceil(GROWTH * met)))
        yield replace(request, n_instances=users), _between(progress, met, users, most)
        met = users


def _between(progress: OnProgress, first: int, last: int, most: int) -> OnProgress:
    """Return `progress` for the work that leads from the first users to the last, of the most."""

    def told(what: str, done: int, total: int) -> None:
        progress(what, first * total + (last - first) * done, most * total)

    return told


def is_known(runs: Mapping[str, pd.DataFrame], request: Request) -> bool:
    """Return whether the success interval of every agent is at most as wide as was asked for.

    Args:
        runs: by agent.
        request: what was asked for; without a width there is nothing to wait for.
    """
    if request.until_width is None:
        return True
    for of_agent in runs.values():
        low, high = success_interval(succeeded(of_agent), any_time=True)
        if high - low > request.until_width:
            return False
    return True


@lists_user_options()
def evaluate(
    agents: Sequence[Agent | str],
    *,
    task: Task | str = "bai",
    n_instances: int | None = None,
    until_width: float | None = None,
    seed: int = 0,
    delta: float = DELTA,
    horizon: int | None = None,
    n_users: int | None = None,
    deviation: float | None = None,
    baseline_time: int | str | None = None,
    max_steps: int | None = None,
    step_cost: float | None = None,
    workers: int = ONE_HERE,
    executor: Executor | None = None,
    compiled: bool = True,
    check_theory: bool = False,
    progress: bool | OnProgress = True,
    store: Store | Path | str | None = None,
    population: Population | None = None,
    **user: Unpack[UserOptions],
) -> Results:
    """Run agents on the same users and return what came of it.

    Every user is a new instance. User b is the same for every agent, however many agents, users
    or workers there are, and every agent has a random stream of its own. Agents see the number of
    arms and the responses; options they leave open (None) are filled in from `delta`, from the
    user's alpha, rho_0 and noise (which BAIR's N_1 and m rest on in the paper) and from the
    setting.

    In "bai", best-arm identification, an agent stops by itself and answers. In "regret" it makes
    `horizon` recommendations; one that stops goes on with its answer. In "population" a run is an
    episode of users who share what is popular; an agent with a `next_user` keeps what it learnt.

    Args:
        agents: agents, or names of the package's: "BAIR", "T&S", "UNI", "EXP3" and the references
            "UCB1", "Thompson", "SE" and "Full-information".
        task: "bai", "regret" or "population".
        n_instances: number of users, or of episodes, at least 1; None is 1000. With `until_width`
            it is the most users, and None is a million.
        until_width: in "bai" users are added until the 95% interval of the success of every agent
            is at most so wide, in (0, 1). It is then one that holds whenever one stops (see
            `results.confidence_sequences`). The runs are those of an evaluation of so many users;
            a `baseline_time` that is an agent's is found with the first 1000 of them.
        seed: what everything follows from, at least 0.
        delta: allowed probability of a wrong answer, in (0, 1), of agents without one of their own.
        horizon: in "regret" the number of steps, at least 1; None is 500. In "population" that of
            each user; None is 300.
        n_users: in "population" how many users come one after another, at least 1; None is 20.
        deviation: in "population" the standard deviation of a user's means around what is popular,
            at least 0; None is 0.3.
        baseline_time: in "bai" T of the agents that do not stop by themselves, as UNI and EXP3: a
            number, or the agent whose mean stopping time it is; None is "BAIR".
        max_steps: in "bai" a step cap for all agents, whatever the setting's; an agent's own holds
            where it is smaller, and a run that reaches its cap is censored. None is the agent's
            own, or the setting's, or a million.
        step_cost: in "bai" c of the cost c T + error, at least 0; None is 0.0005.
        workers: how many run at once, in threads if the agent compiles, else in processes of
            joblib; a `joblib.parallel_config` around the call has another backend do it.
        executor: any `concurrent.futures.Executor` that does the runs in place of workers, as
            dask's `client.get_executor(pure=False)`.
        compiled: whether algorithm records run compiled; the readable loop gives the same numbers.
        check_theory: in "bai" whether every BAIR runs once more under a monitor, which holds its
            runs against what the paper proves: `checks` of the results.
        progress: whether to show a bar on a terminal or in a notebook, or a function called with
            (what, done, total).
        store: file that keeps every finished run at once, so that nothing is lost if the work is
            broken off: whoever asks for the same again goes on from there, and `eu.load` has the
            results of it. Made if it is not there; None keeps them in memory alone.
        population: who the users are, as a record; or give its options:
        **user: the options of `Population`: `setting`, `n_arms`, `gap`, `alpha`, `noise`, `means`,
            `rho`, `reward_law` and `behaviour` (one whose means move only in "bai", where an answer
            is held against the best arm of that moment).

    Returns:
        `Results`: printable, with `runs` and `summary()`.

    Raises:
        InvalidArgumentError: naming the argument that is out of range, or means nothing for the
            task and these agents.
        CallableError: if code that was handed in fails, with the user it failed with. The
            `finished` of any error holds the results of the agents that were done before it.
    """
    chosen = as_task(task)
    horizon, baseline_time = renamed_time(chosen, horizon, baseline_time)
    request = Request(
        population=population_of(population, user),
        task=chosen,
        n_instances=number_asked(n_instances, until_width),
        until_width=until_width,
        seed=seed,
        delta=delta,
        horizon=horizon,
        n_users=n_users,
        deviation=deviation,
        baseline_time=baseline_time,
        max_steps=max_steps,
        step_cost=step_cost,
        workers=workers,
        executor=executor,
        compiled=compiled,
        check_theory=check_theory,
    )
    line_up = line_up_of(agents, request)
    watched = watched_of(line_up, request)
    with keeping(store, request, line_up) as keeper:
        found = _Found(request, line_up, keeper)
        with shown(progress) as report, carries_finished(found.finished):
            found.run_all(watched, report)
        return found.results()


@dataclass
class _Found:
    """What is found, agent by agent."""

    request: Request
    line_up: Sequence[Agent]
    keeper: Keeper
    runs: dict[str, pd.DataFrame] = field(default_factory=dict)
    checks: list[pd.DataFrame] = field(default_factory=list)
    steps: int | None = None  # T of the agents that need one

    def __post_init__(self) -> None:
        told = self.request.told
        self.steps = None if isinstance(told, str) else int(told)

    def run_all(self, watched: Sequence[AlgorithmAgent], progress: OnProgress) -> None:
        """Let all agents meet all users, and hold the runs of some against the paper's bounds."""
        n_agents, n_pieces = len(self.line_up), len(self.line_up) + len(watched)
        in_order = sorted(self.line_up, key=needs_horizon)  # may need what others find
        for request, report in growing(self.request, progress):
            self.request = request
            for place, agent in enumerate(in_order):
                self.run(agent, portion(report, place, n_pieces))
            if is_known(self.runs, self.request):
                break
        for place, agent in enumerate(watched, n_agents):
            self.check(agent, portion(report, place, n_pieces))
        self.keeper.finish(self.told(), self.runs)

    def run(self, agent: Agent, progress: OnProgress) -> None:
        """Let an agent meet all users."""
        request, told = self.request, needs_horizon(agent)
        if told and self.steps is None:
            self.steps = mean_time(self.runs[str(request.told)], request.population)
        cap = cap_for(agent, request)
        horizon = self.steps if request.over_horizon or told else None
        kept = self.keeper.part(agent, cap, horizon)
        self.keeper.note(self.told(), finished=False)
        self.runs[name_of(agent)] = runs_of(
            paths_of(request.task, request.members),
            agent,
            request.population,
            request.seeds,
            cap=cap,
            cap_is_asked=request.max_steps is not None or cap_of(agent) is not None,
            horizon=horizon,
            workers=request.workers,
            executor=request.executor,
            compiled=request.compiled,
            progress=progress,
            kept=kept,
        )

    def check(self, agent: AlgorithmAgent, progress: OnProgress) -> None:
        """Hold the runs of a BAIR against what the paper proves."""
        cap = cap_for(agent, self.request)
        checks = check_theory(
            agent,
            self.request.population,
            self.request.seeds,
            max_steps=cap,
            kept=self.keeper.checks(agent, cap),
            workers=self.request.workers,
            executor=self.request.executor,
            progress=progress,
        )
        self.checks.append(checks)

    def finished(self) -> list[Results]:
        """Return the results so far, if there are any."""
        return [self.results()] if self.runs else []

    def results(self) -> Results:
        """Return the results of the agents that have met all users, in the order of the line-up."""
        done = [agent for agent in self.line_up if name_of(agent) in self.runs]
        return Results(
            pd.concat([self.runs[name_of(agent)] for agent in done], ignore_index=True),
            cell=self.cell(done),
            population=self.request.population,
            deltas=deltas_of(done, self.request),
            checks=self._all_checks(),
            line_up={name_of(agent): agent for agent in done},
        )

    def cell(self, agents: Sequence[Agent]) -> dict[str, Any]:
        """Return what the runs of these agents share."""
        own = {"agents": options_in_words(agents, self.request), "versions": versions_of()}
        return self.request.cell(self.steps) | own

    def told(self) -> dict[str, Any]:
        """Return what there is to say of the runs besides themselves."""
        own = {"cell": self.cell(self.line_up), "deltas": deltas_of(self.line_up, self.request)}
        return own | {"checks": self._all_checks()}

    def _all_checks(self) -> pd.DataFrame | None:
        return pd.concat(self.checks, ignore_index=True) if self.checks else None


Agents = Sequence[Any]

CHANGES_NO_ROW = ("workers", "executor", "compiled")
"""Options of `evaluate` that may be others when the same is run again."""


def run_cells(
    agents: Agents | Callable[[float, int], Agents],
    deltas: Sequence[float],
    n_arms: Sequence[int],
    *,
    per_cell: Callable[[float, int], Mapping[str, Any]] = lambda delta, arms: {},
    progress: OnProgress,
    **options: Any,
) -> list[Results]:
    """Evaluate `agents` in every cell (delta, K), each as `evaluate` alone would.

    Args:
        agents: as for `evaluate`, or what returns them for a cell.
        deltas: delta of each row of the grid.
        n_arms: K of each column; all cells are checked before anything runs.
        per_cell: what `evaluate` is called with besides, by cell.
        progress: told the cell and the agent, and the share done over all cells.
        options: passed on to `evaluate`.

    Raises:
        Exception: what `evaluate` raises; its `finished` holds the cells that were done before.
    """
    cells = _checked(deltas, n_arms)
    found: list[Results] = []
    for position, (delta, arms) in enumerate(cells):
        report = portion(progress, position, len(cells))
        with carries_finished(lambda: found):
            results = evaluate(
                agents(delta, arms) if callable(agents) else agents,
                delta=delta,
                n_arms=arms,
                progress=named(report, f"delta={delta:g} K={arms}"),
                **per_cell(delta, arms),
                **options,
            )
        found.append(results)
    return found


def _checked(deltas: Sequence[float], n_arms: Sequence[int]) -> list[tuple[float, int]]:
    """Return the cells of a grid, if they can all be."""
    return [(risk("delta", delta), number_of_arms(arms)) for delta in deltas for arms in n_arms]


def sweep(
    agents: Agents | Callable[[float, int], Agents],
    deltas: Sequence[float] = (0.1,),
    n_arms: Sequence[int] = (5,),
    *,
    progress: bool | OnProgress = True,
    store: Path | str | None = None,
    **options: Any,
) -> Sweep:
    """Run the same agents in every cell of a grid of delta and K, each as `evaluate` alone would.

    An agent with a delta of its own keeps it in every cell: leave it open, or give a function.

    Args:
        agents: as for `evaluate`, or a function of a cell's delta and K that returns them.
        deltas: delta of each row of the grid, in (0, 1); all are checked before anything runs.
        n_arms: K of each column, in 2..1000000, checked as well.
        progress: as for `evaluate`.
        store: as for `evaluate`, one file for all cells.
        **options: all other options of `evaluate`, the same in every cell.

    Returns:
        All cells as one: printable, with `runs`, `summary()` and each cell's `Results` in `cells`.

    Raises:
        InvalidArgumentError: naming the argument that is out of range.
    """
    allowed = "a list of at least one number"
    rows, columns = sequence("deltas", deltas, allowed), sequence("n_arms", n_arms, allowed)
    for name, values in (("deltas", rows), ("n_arms", columns)):
        if not values:
            raise InvalidArgumentError(name, values, allowed)
    with shown(progress) as report, _kept(store, agents, rows, columns, options) as kept:
        return Sweep(run_cells(agents, rows, columns, progress=report, store=kept, **options))


def _kept(
    store: Path | str | None,
    agents: Agents | Callable[[float, int], Agents],
    rows: Sequence[float],
    columns: Sequence[int],
    options: Mapping[str, Any],
) -> AbstractContextManager[Store | None]:
    """Return the store of a sweep, if it has one."""
    if store is None:
        return nullcontext()
    cells = _checked(rows, columns)
    line_ups = [agents(*cell) if callable(agents) else agents for cell in cells]
    told = {
        f"delta={delta:g} K={arms}": [agent_record(agent, arms) for agent in line_up]
        for (delta, arms), line_up in zip(cells, line_ups, strict=True)
    }
    rest = {name: value for name, value in options.items() if name not in CHANGES_NO_ROW}
    options = record_of({"deltas": rows, "n_arms": columns, **rest, "agents": told})
    return Store(store, {"command": "sweep", "options": options})


def times_for(agents: Agents, baseline_time: int | str | None) -> dict[str, Any]:
    """Return the T that `evaluate` is given for these agents: none, where none of them needs it."""
    return {"baseline_time": baseline_time} if any(map(needs_horizon, agents)) else {}
