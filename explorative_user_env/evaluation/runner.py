"""`evaluate` and `sweep`: the same users for all agents, in one cell or in a grid of them."""

import difflib
import inspect
import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import pandas as pd

from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.display.progress import OnProgress, named, portion, shown
from explorative_user_env.envs.meeting import environment_of
from explorative_user_env.evaluation.monitors import check_run
from explorative_user_env.evaluation.paths import RUN_COLUMNS, USERS_IN_STEP, Runs, compiles
from explorative_user_env.evaluation.request import Request, agent_record, number_asked
from explorative_user_env.evaluation.workers import HERE, ONE_HERE, PROCESSES, THREADS, done
from explorative_user_env.kernels.compiler import compiling_told
from explorative_user_env.protocol import (
    CENSORED,
    DELTA,
    OF_MEMBERS,
    Agent,
    Array,
    ManyUserAgent,
    Task,
    as_task,
    cap_of,
    name_of,
    needs_horizon,
)
from explorative_user_env.results.metrics import frame_of, succeeded, success_interval
from explorative_user_env.results.records import from_record, record_of, versions_of
from explorative_user_env.results.results import Results, Sweep
from explorative_user_env.results.store import Kept, Store
from explorative_user_env.users.model import number_of_arms
from explorative_user_env.users.population import (
    Population,
    UserOptions,
    lists_user_options,
    population_of,
)
from explorative_user_env.validation import CallableError, InvalidArgumentError, risk, sequence

Agents = Sequence[Any]

#: Compiled runs that a worker takes at a time, at least and at most, and how many times it takes
#: some: few runs, so that the progress bar moves and workers end together.
CHUNK, LARGEST_CHUNK, CHUNKS = 10, 1000, 50

#: Steps of all users of a chunk together if every step is kept.
LONGEST_PLAY = 5_000_000

#: Arms of all users of a chunk together: a few numbers of each are in memory.
MOST_ARMS_AT_ONCE = 10_000_000

#: Users before the first look at `until_width`, and the growth of their number between looks. T of
#: agents that need one is the mean over the first.
FIRST, GROWTH = 1000, 1.1

#: Options of `evaluate` that may change when a sweep is continued.
CHANGES_NO_ROW = ("workers", "executor", "compiled")


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
    """Run agents on the same users and return the results.

    Every user is a new instance. User b is the same for every agent, for any number of agents,
    users or workers, and every agent has its own random stream. Agents see the number of arms and
    the responses. Options that an agent leaves open (None) follow from `delta`, from the user's
    alpha, rho_0 and noise (on which BAIR's N_1 and m rest in the paper) and from the setting.

    In "bai", best-arm identification, an agent stops by itself and answers. In "regret" it makes
    `horizon` recommendations; one that stops goes on with its answer. In "population" a run is an
    episode of users who share what is popular; an agent with a `next_user` keeps what it learnt.

    Args:
        agents: agents, or names of the package's: "BAIR", "T&S", "UNI", "EXP3" and the references
            "UCB1", "Thompson", "SE" and "Full-information". A model of Stable-Baselines3 is
            wrapped: `SB3Agent(model)`.
        task: "bai", "regret" or "population".
        n_instances: number of users, or of episodes, at least 1; None is 1000. With `until_width`
            it is the most users, and None is a million.
        until_width: in "bai" users are added until the 95% interval of the success of every agent
            is at most this wide, in (0, 1). The interval is one that holds whenever one stops (see
            `results.intervals`). The runs are those of an evaluation of as many users; a
            `baseline_time` that is an agent's is the mean over the first 1000 of them.
        seed: everything follows from it, at least 0.
        delta: allowed probability of a wrong answer, in (0, 1), of agents without their own.
        horizon: in "regret" the number of steps, at least 1; None is 500. In "population" that of
            each user; None is 300.
        n_users: in "population" the number of users of an episode, at least 1; None is 20.
        deviation: in "population" the standard deviation of a user's means around what is popular,
            at least 0; None is 0.3.
        baseline_time: in "bai" T of the agents that do not stop by themselves, as UNI and EXP3: a
            number, or the agent whose mean stopping time it is; None is "BAIR".
        max_steps: in "bai" a step cap for all agents, whatever the setting's; an agent's own holds
            if it is smaller, and a run that reaches its cap is censored. None is the agent's own,
            or the setting's, or a million.
        step_cost: in "bai" c of the cost c T + error, at least 0; None is 0.0005.
        workers: how many runs go on at once, at least 1: in threads if the agent compiles, else in
            processes of joblib, or by the backend of a `joblib.parallel_config` around the call.
        executor: a `concurrent.futures.Executor` that does the runs in place of workers, as
            dask's `client.get_executor(pure=False)`.
        compiled: whether algorithm records run compiled; the readable loop gives the same numbers.
        check_theory: in "bai" whether every BAIR runs once more under a monitor, which compares its
            runs with what the paper proves: `checks` of the results.
        progress: whether to show a bar on a terminal or in a notebook, or a function called with
            (what, done, total).
        store: file in which every run is kept as it ends. The same call with the same file
            continues from there, and `eu.load` returns the results. None keeps them in memory.
        population: the users, as a record; or give its options:
        **user: the options of `Population`: `setting`, `n_arms`, `gap`, `alpha`, `noise`, `means`,
            `rho`, `reward_law` and `behaviour` (one whose means move only in "bai", where an answer
            is compared with the best arm of that moment).

    Returns:
        `Results`: printable, with `runs` and `summary()`.

    Raises:
        InvalidArgumentError: naming the argument that is out of range, or means nothing for the
            task and these agents.
        CallableError: if code that was handed in fails, with the user it failed with, or a worker
            is lost. The `finished` of any error holds the results of the agents that are done.
    """
    given = locals()
    known = [*inspect.signature(evaluate).parameters]
    for name in user:
        if name not in known:
            nearest = difflib.get_close_matches(name, known, 1, 0.0)[0]
            words = f"unexpected keyword argument {name!r}; the nearest is {nearest!r}"
            raise TypeError(f"{words}, of {', '.join(known)}")
    asked = {name: given[name] for name in Request.__dataclass_fields__}
    asked["task"], asked["population"] = as_task(task), population_of(population, user)
    request = Request(**asked | {"n_instances": number_asked(n_instances, until_width)})
    line_up = request.line_up(agents)
    watched = request.watched(line_up)
    opened: AbstractContextManager[Store | None]
    if store is None or isinstance(store, Store):
        opened = nullcontext(store)
    else:
        opened = Store(store, {"command": "evaluate", "options": request.record(line_up)})
    with opened as kept_in:
        found = _Evaluation(request, line_up, kept_in)
        with shown(progress) as report, carries_finished(found.finished):
            found.run_all(watched, report)
        return found.results()


@contextmanager
def carries_finished(finished: Callable[[], Sequence[Results]]) -> Iterator[None]:
    """Add what is finished to an error, or Ctrl-C, that leaves the block: its `finished`.

    Args:
        finished: called only if the block fails; its results come before those of an inner block.
    """
    try:
        yield
    except (Exception, KeyboardInterrupt) as error:
        inner: Sequence[Results] = getattr(error, "finished", [])
        results = [*finished(), *inner]
        if results and not inner:
            error.add_note("What had finished before is in this error's `finished`, as Results.")
        error.finished = results  # type: ignore[union-attr]
        raise


@dataclass
class _Evaluation:
    """The runs so far, agent by agent, and where they are kept."""

    request: Request
    line_up: Sequence[Agent]
    store: Store | None
    runs: dict[str, pd.DataFrame] = field(default_factory=dict)
    checks: list[pd.DataFrame] = field(default_factory=list)
    kept: dict[str, Any] = field(default_factory=dict)
    steps: int | None = None  # T of the agents that need one

    def __post_init__(self) -> None:
        told = self.request.told
        self.steps = None if isinstance(told, str) else int(told)
        self._record = {} if self.store is None else self.request.record(self.line_up)

    def run_all(self, watched: Sequence[AlgorithmAgent], progress: OnProgress) -> None:
        """Let all agents meet all users, and check the runs of some against the paper's bounds."""
        n_agents, n_pieces = len(self.line_up), len(self.line_up) + len(watched)
        in_order = sorted(self.line_up, key=needs_horizon)  # T may be the mean of another agent
        for request, report in growing(self.request, progress):
            self.request = request
            for place, agent in enumerate(in_order):
                self.run(agent, portion(report, place, n_pieces))
            if is_known(self.runs, self.request):
                break
        for place, agent in enumerate(watched, n_agents):
            self.check(agent, portion(progress, place, n_pieces))
        self.note(finished=True)

    def run(self, agent: Agent, progress: OnProgress) -> None:
        """Let an agent meet all users."""
        request, waits, name = self.request, needs_horizon(agent), name_of(agent)
        if waits and self.steps is None:
            others = self.runs[str(request.told)]
            times, kept = others["interactions"], ~others["censored"]
            if request.population.setting.drops_censored and kept.any():
                times = times[kept]
            self.steps = max(1, round(float(times.mean())))
        cap = request.cap_for(agent)
        horizon = self.steps if request.over_horizon or waits else None
        if self.store is not None:
            record = self._record_of(name, cap) | {"horizon": horizon}
            self.kept[name] = self.store.part(request.task.name, name, record)
        elif name not in self.kept:
            self.kept[name] = None if request.until_width is None else Kept()
        self.note(finished=False)
        met = (request.population, agent, cap, horizon, request.task, request.members)
        self.runs[name] = runs_of(
            Runs(*met),
            request.seeds,
            cap_is_asked=request.max_steps is not None or cap_of(agent) is not None,
            workers=request.workers,
            executor=request.executor,
            compiled=request.compiled,
            progress=progress,
            kept=self.kept[name],
        )

    def check(self, agent: AlgorithmAgent, progress: OnProgress) -> None:
        """Run a BAIR under a monitor, which checks its runs against the paper's bounds."""
        request, what, cap = self.request, f"{agent.name}, theory", self.request.cap_for(agent)
        seeds, kept, rows = request.seeds, None, {}
        if self.store is not None:
            kept = self.store.pieces(self._record_of(agent.name, cap) | {"checks": True})
            rows = dict(map(from_record, kept.found()))
        left = [number for number in range(len(seeds)) if number not in rows]
        progress(what, len(rows), len(seeds))
        job, chunks = partial(_check, agent, request.population, cap), [[seeds[n]] for n in left]
        crew = (request.workers, request.executor)
        with closing(done(job, chunks, agent, PROCESSES, *crew)) as checks:
            for place, row in checks:
                rows[left[place]] = row
                if kept is not None:
                    kept.add(record_of([left[place], row]))
                progress(what, len(rows), len(seeds))
        self.checks.append(pd.DataFrame([rows[number] for number in range(len(seeds))]))

    def _record_of(self, name: str, cap: int) -> dict[str, Any]:
        """Return what the runs of an agent follow from."""
        asked = self._record
        record = {
            each: asked[each] for each in ("population", "seed", *OF_MEMBERS) if each in asked
        }
        return {**record, "record": asked["agents"][name], "cap": cap}

    def note(self, finished: bool) -> None:
        """Write into the store what belongs to the runs so far."""
        if self.store is not None:
            told = {"request": self._record, **self._shared(self.line_up)}
            self.store.note(told, [*self.kept.values()], finished)

    def finished(self) -> list[Results]:
        """Return the results so far, if there are any."""
        return [self.results()] if self.runs else []

    def results(self) -> Results:
        """Return the results of the agents that have met all users, in the order of the line-up."""
        done = {name_of(agent): agent for agent in self.line_up if name_of(agent) in self.runs}
        return Results(
            pd.concat([self.runs[name] for name in done], ignore_index=True),
            population=self.request.population,
            line_up=done,
            **self._shared([*done.values()]),
        )

    def _shared(self, agents: Sequence[Agent]) -> dict[str, Any]:
        """Return what the runs of these agents share, and the checks of all."""
        own = {"agents": self.request.options(agents), "versions": versions_of()}
        return {
            "cell": self.request.cell(self.steps) | own,
            "deltas": self.request.deltas(agents),
            "checks": pd.concat(self.checks, ignore_index=True) if self.checks else None,
        }


def _check(
    agent: AlgorithmAgent, population: Population, max_steps: int, seeds: Sequence[int]
) -> dict[str, Any]:
    return asdict(check_run(environment_of(population, agent), agent, seeds[0], max_steps))


def growing(request: Request, progress: OnProgress) -> Iterator[tuple[Request, OnProgress]]:
    """Yield the request with the users of each look at `until_width`, the last with all.

    Args:
        request: without a width there is one look.
        progress: called with the share of all users.
    """
    most, met = request.n_instances, 0
    if request.until_width is None:
        yield request, progress
        return
    while met < most:
        users = min(most, max(FIRST, math.ceil(GROWTH * met)))

        def between(what: str, done: int, total: int, met: int = met, users: int = users) -> None:
            progress(what, met * total + (users - met) * done, most * total)

        yield replace(request, n_instances=users), between
        met = users


def is_known(runs: Mapping[str, pd.DataFrame], request: Request) -> bool:
    """Return whether the success interval of every agent is at most `until_width` wide."""
    width = request.until_width
    ends = (success_interval(succeeded(each), any_time=True) for each in runs.values())
    return width is None or all(high - low <= width for low, high in ends)


def runs_of(
    runs: Runs,
    seeds: Sequence[int],
    *,
    cap_is_asked: bool = True,
    workers: int = ONE_HERE,
    executor: Executor | None = None,
    compiled: bool,
    progress: OnProgress,
    kept: Kept | None = None,
) -> pd.DataFrame:
    """Return the runs of one agent with the users of these seeds, one row a user.

    Kept runs are not repeated, and the others are kept as they end. Warns of an agent that does not
    compile and does not stop before a cap that nobody asked for.
    """
    name, parts = name_of(runs.agent), []
    there = {} if kept is None else kept.columns()
    if there and (known := np.asarray(there["instance"]) < len(seeds)).any():
        parts.append({column: np.asarray(values)[known] for column, values in there.items()})
    met = {number for part in parts for number in part["instance"].tolist()}
    left, n_done = [number for number in range(len(seeds)) if number not in met], len(met)

    def tell_compiling(begins: bool) -> None:
        progress(f"{name} compiling" if begins else name, n_done, len(seeds))

    progress(name, n_done, len(seeds))
    if left:
        with compiling_told(tell_compiling):
            most = max(1, MOST_ARMS_AT_ONCE // runs.population.n_arms)
            if runs.plays:
                most = min(most, max(1, LONGEST_PLAY // (runs.cap * runs.plays)))
            job: Callable[..., Array] = partial(runs.rows, "readable")
            usual, size = PROCESSES, 1
            if compiled and isinstance(runs.agent, ManyUserAgent):
                usual, size, job = HERE, min(USERS_IN_STEP, most), partial(_traced, runs, "in_step")
            elif compiled and compiles(runs, seeds[0]):
                share = LARGEST_CHUNK if executor else math.ceil(len(left) / workers)
                size = min(max(CHUNK, len(left) // CHUNKS), LARGEST_CHUNK, most, share)
                usual, job = THREADS, partial(_traced, runs, "compiled")
            chunks = [left[first : first + size] for first in range(0, len(left), size)]
            of_users = [[seeds[number] for number in chunk] for chunk in chunks]
            may_never_stop = not (met or cap_is_asked or runs.plays or usual == THREADS)
            with closing(done(job, of_users, runs.agent, usual, workers, executor)) as results:
                for place, rows in results:
                    whose = {"instance": np.array(chunks[place])}
                    whose["user_seed"] = np.array(of_users[place])
                    parts.append(whose | runs.columns(rows))
                    if kept is not None:
                        kept.add(parts[-1])
                    n_done += len(rows)
                    progress(name, n_done, len(seeds))
                    if may_never_stop and (rows[:, RUN_COLUMNS.index("end")] == CENSORED).all():
                        whom = (
                            f"any of the first {len(rows)} users"
                            if len(rows) > 1
                            else "the first user"
                        )
                        limit = f"{whom} within {runs.cap} steps, where it was cut off"
                        warnings.warn(
                            f"{name} did not stop with {limit}; of {len(seeds)} users each may "
                            "take as long: give a smaller max_steps=, to evaluate or as an "
                            f"attribute of {name}",
                            stacklevel=2,
                        )
                    may_never_stop = False
    order = np.argsort(np.concatenate([part["instance"] for part in parts]))
    whole = {column: np.concatenate([part[column] for part in parts])[order] for column in parts[0]}
    return frame_of(runs.task.name, name, whole)


def _traced(runs: Runs, form: str, seeds: Sequence[int], **halt: Array) -> Array:
    """Return the rows of a form; if it fails, find the user and step with the readable one."""
    try:
        return runs.rows(form, seeds, **halt)
    except Exception as error:
        if isinstance(runs.agent, ManyUserAgent) and type(error) is InvalidArgumentError:
            raise  # it says what is wrong
        for seed in seeds:
            try:
                runs.rows(form, [seed], **halt)
            except Exception:
                runs.rows("readable", [seed])
        where = f"with {len(seeds)} users, that of seed {seeds[0]} first, and with none alone"
        raise CallableError.of(name_of(runs.agent), error, where) from error


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
        agents: as for `evaluate`, or a function of a cell's delta and K that returns them.
        deltas: delta of each row of the grid.
        n_arms: K of each column; all cells are checked before anything runs.
        per_cell: further options of `evaluate`, by cell.
        progress: called with the cell and the agent, and the share done over all cells.
        options: options of `evaluate`.

    Raises:
        Exception: as `evaluate` does; its `finished` holds the cells that are done.
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
    if not rows or not columns:
        raise InvalidArgumentError("n_arms" if rows else "deltas", [], allowed)
    kept: AbstractContextManager[Store | None] = nullcontext()
    if store is not None:
        line_ups = {}
        for delta, arms in _checked(rows, columns):
            line_up = agents(delta, arms) if callable(agents) else agents
            line_ups[f"delta={delta:g} K={arms}"] = [agent_record(each, arms) for each in line_up]
        asked = {name: value for name, value in options.items() if name not in CHANGES_NO_ROW}
        asked = record_of({"deltas": rows, "n_arms": columns, **asked, "agents": line_ups})
        kept = Store(store, {"command": "sweep", "options": asked})
    with shown(progress) as report, kept as opened:
        return Sweep(run_cells(agents, rows, columns, progress=report, store=opened, **options))


def times_for(agents: Agents, baseline_time: int | str | None) -> dict[str, Any]:
    """Return `baseline_time` as an option of `evaluate`, unless none of the agents needs it."""
    return {"baseline_time": baseline_time} if any(map(needs_horizon, agents)) else {}
