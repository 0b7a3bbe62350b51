"""`evaluate` and `sweep`: run agents on the same users, with one delta and K or with several."""

import copy
import inspect
import math
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import pandas as pd

from explorative_user_env import protocol, validation
from explorative_user_env.agents import AlgorithmAgent, informed, with_facts
from explorative_user_env.display.progress import OnProgress, named, portion, shown
from explorative_user_env.envs.user import environment_of
from explorative_user_env.evaluation.monitors import check_run, is_bair
from explorative_user_env.evaluation.paths import USERS_IN_STEP, Runs, compiles, joined
from explorative_user_env.evaluation.workers import HERE, ONE_HERE, PROCESSES, THREADS, Crew, done
from explorative_user_env.kernels.compiler import on_compiling
from explorative_user_env.protocol import (
    DELTA,
    Agent,
    Array,
    ManyUserAgent,
    Task,
    UserFailedError,
    name_of,
)
from explorative_user_env.results import records
from explorative_user_env.results.metrics import frame_of, succeeded, success_interval
from explorative_user_env.results.results import Results, Sweep
from explorative_user_env.results.store import Part, Store
from explorative_user_env.runs.loop import Members
from explorative_user_env.seeding import number_of_users, seed_number, user_seeds
from explorative_user_env.users import population as users
from explorative_user_env.users.behaviours import EXPLORATIVE
from explorative_user_env.users.instances import number_of_arms
from explorative_user_env.users.population import Population, UserOptions
from explorative_user_env.validation import CallableError, InvalidArgumentError

Agents = Agent | str | Sequence[Any]

#: Smallest and largest chunk of compiled runs, and the aimed number of chunks. Small chunks move
#: the progress bar and let all workers end together.
CHUNK, LARGEST_CHUNK, CHUNKS = 10, 1000, 50

#: Most steps of a chunk, summed over its users, if the run stores every step.
LONGEST_PLAY = 5_000_000

#: Most arms of a chunk, summed over its users, because each arm takes memory.
MOST_ARMS_AT_ONCE = 10_000_000

#: Users before the first test of `until_width`, and the factor of their number between tests. T of
#: agents without a stopping rule is the mean stopping time over the first users.
FIRST, GROWTH = 1000, 1.1

#: Seconds between two reports of the progress of users in step.
PULSE = 1.0

#: The default limit of the number of users with `until_width`.
MOST_UNTIL = 1_000_000

#: Options of `evaluate` that may change when a sweep continues.
CHANGES_NO_ROW = ("workers", "executor", "compiled")

#: K of the trial runs of an agent whose users are unknown.
FEWEST_ARMS = 2

#: Steps of the episodes in two trials of an agent; an attribute that changes is no option.
LONGEST_TRIED = 8
TRIED = ((3,), (3, LONGEST_TRIED))

#: Validators that return plain Python values, as NumPy's integers overflow.
CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "delta": validation.risk,
    "seed": lambda _, seed: seed_number(seed),
    "n_instances": lambda _, number: number_of_users(number),
    "max_steps": lambda name, steps: validation.integer(name, steps, 1),
    "step_cost": validation.not_negative,
    "until_width": validation.risk,
    "check_theory": validation.flag,
}

#: Arguments that have no meaning in tasks with a horizon, and why.
MEANS_NOTHING = {
    "baseline_time": "where all run to the horizon",
    "max_steps": "where all run to the horizon",
    "until_width": "which has no success",
    "step_cost": "whose cost is the regret, not the steps",
}


@dataclass(frozen=True, kw_only=True)
class Request:
    """An evaluation; the attributes are the arguments of `evaluate`.

    Raises:
        InvalidArgumentError: if an argument is out of range or has no meaning in the task.
    """

    population: Population
    task: Task
    n_instances: int
    seed: int = 0
    delta: float = DELTA
    horizon: int | None = None
    baseline_time: int | str | None = None
    max_steps: int | None = None
    step_cost: float | None = None
    until_width: float | None = None
    n_users: int | None = None
    deviation: float | None = None
    check_theory: bool = False
    crew: Crew = field(default_factory=Crew)

    def __post_init__(self) -> None:
        plain: dict[str, Any] = vars(self)  # bypasses `frozen`
        for name, check in CHECKS.items():
            if plain[name] is not None:
                plain[name] = check(name, plain[name])
        for name, why in MEANS_NOTHING.items():
            if self.over_horizon and plain[name] is not None:
                allowed = f"left out for the task {self.task.name}, {why}"
                raise InvalidArgumentError(name, plain[name], allowed)
        if self.horizon is not None and not self.over_horizon:
            allowed = "left out for the task bai; baseline_time is T of agents that do not stop"
            raise InvalidArgumentError("horizon", self.horizon, allowed)
        protocol.refuse_member_options(self.task, plain)
        check_behaviour(self.task, self.population)
        if self.over_horizon:
            plain["horizon"] = protocol.stored_steps("horizon", self.given_time)
        elif not isinstance(self.given_time, str):
            plain["baseline_time"] = validation.integer("baseline_time", self.given_time, 1)

    @property
    def over_horizon(self) -> bool:
        """Whether runs end at a horizon instead of with an answer."""
        return not self.task.ends_itself

    @cached_property
    def members(self) -> Members | None:
        """The users of an episode in the task "population", else None."""
        given = {name: getattr(self, name) for name in protocol.MEMBER_OPTIONS}
        options = {name: value for name, value in given.items() if value is not None}
        return Members(**options) if self.task == protocol.POPULATION else None

    @property
    def given_time(self) -> int | str:
        """The number of steps T of a run, or the name of an agent whose mean stopping time is T.

        In "bai" T is for the agents without a stopping rule, in other tasks for all agents.
        """
        if self.over_horizon:
            return self.task.horizon if self.horizon is None else self.horizon
        return "BAIR" if self.baseline_time is None else self.baseline_time

    @cached_property
    def seeds(self) -> Sequence[int]:
        """The seeds of the users, or of the episodes in the task "population"."""
        return user_seeds(self.seed, self.n_instances)

    def line_up(self, agents: Agents) -> list[Agent]:
        """Return the agents with their unset options filled in.

        Raises:
            InvalidArgumentError: if an object is not an agent, if two agents have the same name,
                if an agent needs a `baseline_time` that is missing, or if a `baseline_time` is
                given that no agent needs.
        """
        line_up = []
        for each in protocol.listed(agents):
            agent = informed(each, self.population, self.delta, self.max_steps)
            line_up.append(with_facts(agent, self.population, self.cell_of(agent), anew=True))
        names = [name_of(agent) for agent in line_up]
        for right, allowed in (
            (names, "at least one agent"),
            (all(map(validation.is_name, names)), "agents with printable names"),
            (len(set(names)) == len(names), "agents with different names (give name=...)"),
        ):
            if not right:
                raise InvalidArgumentError("agents", names, allowed)
        in_need = [name_of(agent) for agent in line_up if protocol.needs_horizon(agent)]
        given, others, allowed = self.baseline_time, {*names} - {*in_need}, ""
        if given is not None and not in_need:
            allowed = "left out, as every agent has a stopping rule or a horizon"
        elif isinstance(self.given_time, str) and in_need and self.given_time not in others:
            allowed = f"a number, or another agent with a stopping rule, as {in_need[0]} needs T"
        if allowed:
            raise InvalidArgumentError("baseline_time", given, allowed)
        return line_up

    def cap_for(self, agent: object) -> int:
        """Return the step cap of an agent's runs, or the horizon."""
        if self.over_horizon:
            return int(self.given_time)
        caps = [cap for cap in (protocol.cap_of(agent), self.max_steps) if cap is not None]
        return min(caps, default=protocol.STEP_CAP)

    def cell_of(self, agent: object = None) -> dict[str, Any]:
        """Return the options that a `TextAgent` states to its model."""
        n_users = None if self.members is None else self.members.n_users
        cell = {"task": self.task.name, "delta": self.delta, "step_cost": self.step_cost}
        return cell | {"max_steps": self.cap_for(agent), "n_users": n_users}

    def record(self, line_up: Sequence[Agent]) -> dict[str, Any]:
        """Return everything that determines the rows of an evaluation, as JSON values."""
        names = ["n_instances", "seed", "delta", "max_steps", "step_cost", "check_theory"]
        names += ["until_width"] if self.until_width is not None else []
        record: dict[str, Any] = {"task": self.task.name, "told": self.given_time}
        record |= {name: getattr(self, name) for name in names}
        if self.members is not None:
            record |= asdict(self.members)
        arms = self.population.n_arms
        agents = {name_of(agent): agent_record(agent, arms) for agent in line_up}
        return record | {"population": records.record_of(self.population), "agents": agents}


def check_behaviour(task: Task, population: Population) -> None:
    """Raise an error if the task does not support the users' behaviour."""
    behaviour = population.behaviour
    if task == protocol.POPULATION:
        users.check_members(behaviour)
    elif not task.ends_itself and behaviour.moves_means:
        allowed = "one with constant means, for this task"
        raise InvalidArgumentError("behaviour", behaviour.name, allowed)


def agent_record(agent: Agent | str, n_arms: int) -> Any:
    """Return the class, code and options of an agent.

    Options are the agent's `options`, or else the attributes that do not change during a run.
    """
    if isinstance(agent, AlgorithmAgent | str):
        return records.record_of(agent)
    if (options := getattr(agent, "options", None)) is not None:
        attributes = records.record_of(options)
        return records.record_of_class(type(agent)) | {"attributes": attributes}
    after = []
    try:
        for lengths in TRIED:
            tried = copy.deepcopy(agent)
            for n_steps in lengths:
                tried.reset(n_arms, np.random.default_rng(n_steps), LONGEST_TRIED)
                for step in range(n_steps):
                    arm = tried.act()
                    if arm is None:
                        break
                    tried.observe(arm, step % 2 == 0)
            after.append(records.record_of(tried)["attributes"])
    except Exception:  # the evaluation reports this error later
        return records.record_of(agent)
    few, more = after
    lasting = {name: value for name, value in few.items() if more.get(name) == value}
    return records.record_of_class(type(agent)) | {"attributes": lasting}


def evaluate(
    agents: Agent | str | Sequence[Agent | str],
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

    Every user is a new instance. User b is identical for every agent and for any number of agents,
    users or workers, and every agent has its own random stream. Agents observe the number of arms
    and the responses. If an option of an agent is None, `evaluate` computes it, such as BAIR's N_1
    and m, from `delta`, the alpha, rho_0 and noise of the users, and the setting.

    In "bai", best-arm identification, an agent stops by itself and answers. In "regret" it makes
    `horizon` recommendations; after it stops, it recommends its answer. In "population" a run is an
    episode with users of similar means; an agent with a `next_user` method keeps its memory.

    Args:
        agents: an agent or a list of agents. A name is an agent of the package: "BAIR", "T&S",
            "UNI", "EXP3" and the references "BAIR-C", "UCB1", "Thompson", "SE", "Full-information"
            and "oracle-champion". `SB3Agent(model)` wraps a model of Stable-Baselines3.
        task: "bai", "regret" or "population".
        n_instances: number of users, or of episodes, at least 1; None is 1000. With `until_width`
            it is the largest number of users, and None is a million.
        until_width: in "bai", in (0, 1): add users until the 95% interval of every agent's success
            rate is at most this wide. The interval is valid at any stopping time (see
            `results.intervals`). An evaluation with `n_instances` set to the final number of users
            has the same runs. If `baseline_time` names an agent, T is its mean stopping time over
            the first 1000 users.
        seed: the seed of all users and agents, at least 0.
        delta: allowed probability of a wrong answer, in (0, 1), for agents without a delta.
        horizon: in "regret" the number of steps, at least 1; None is 500. In "population" the
            number of steps with each user; None is 300.
        n_users: in "population" the number of users of an episode, at least 1; None is 20.
        deviation: in "population" the standard deviation of a user's means around the popularity
            of the arms, at least 0; None is 0.3.
        baseline_time: in "bai", number of steps T of the agents without a stopping rule, such as
            UNI and EXP3. If it is an agent's name, T is the mean stopping time of this agent. None
            is "BAIR".
        max_steps: in "bai", a step cap for all agents. It replaces the setting's cap, but not an
            agent's smaller cap. A run that reaches its cap is censored. None is each agent's own
            cap, or else the setting's cap, or else a million.
        step_cost: in "bai", the c in the cost c T + error of a run, at least 0; None is 0.0005.
        workers: number of parallel runs, at least 1: in threads if the agent compiles, else in
            joblib's processes, or in the backend of a `joblib.parallel_config` around the call.
        executor: a `concurrent.futures.Executor` that replaces the workers, such as dask's
            `client.get_executor(pure=False)`.
        compiled: whether agents that are made from an `Algorithm` run in compiled code. Compiled
            code gives the same results.
        check_theory: in "bai", whether a monitor repeats the runs of BAIR agents and compares them
            with the bounds of the paper; `checks` of the results has the comparison.
        progress: True shows a bar on a terminal or in a notebook, False shows nothing, and a
            function is called with (what, done, total).
        store: file that stores every run as it ends. The same call with the same file continues
            the evaluation, and `eu.load` returns the results. None keeps the runs in memory.
        population: the users, as a record; None makes the record from `user`.
        **user: the options of `Population`: `setting`, `n_arms`, `gap`, `alpha`, `noise`, `means`,
            `rho`, `reward_law` and `behaviour`. Only "bai" allows moving means: it compares an
            answer with the best arm at the time of the answer.

    Returns:
        `Results`: printable, with `runs` and `summary()`.

    Raises:
        InvalidArgumentError: if an argument is out of range, or has no meaning for the task and
            these agents.
        CallableError: if custom code fails (the message names the user), or if a worker is lost.
            The attribute `finished` of any error holds the results of the finished agents.
    """
    given = locals()
    *arguments, _ = inspect.signature(evaluate).parameters
    validation.known_names(user, [*arguments, *UserOptions.__annotations__])
    options = {name: given[name] for name in Request.__dataclass_fields__ if name in given}
    options |= {"task": protocol.as_task(task), "population": users.population_of(population, user)}
    if n_instances is None:
        options["n_instances"] = protocol.N_INSTANCES if until_width is None else MOST_UNTIL
    request = Request(**options, crew=Crew(workers, executor, compiled))
    line_up = request.line_up(agents)
    watched = [agent for agent in line_up if check_theory and is_bair(agent)]
    in_model = request.population.behaviour == EXPLORATIVE and not request.over_horizon
    if check_theory and not (in_model and watched):
        allowed = 'False without a BAIR, the task "bai" and the behaviour "explorative"'
        raise InvalidArgumentError("check_theory", True, allowed)
    opened: AbstractContextManager[Store | None]
    if store is None or isinstance(store, Store):
        opened = nullcontext(store)
    else:
        opened = Store(store, {"command": "evaluate", "options": request.record(line_up)})
    with opened as open_store:
        evaluation = _Evaluation(request, line_up, open_store)
        with shown(progress) as report, carries_finished(evaluation.finished):
            evaluation.run_all(watched, report)
        return evaluation.results(evaluation.runs)


@contextmanager
def carries_finished(finished: Callable[[], Sequence[Results]]) -> Iterator[None]:
    """Store the finished results in the attribute `finished` of an error that leaves the block."""
    try:
        yield
    except (Exception, KeyboardInterrupt) as error:
        inner: Sequence[Results] = getattr(error, "finished", [])
        results = [*finished(), *inner]
        if results and not inner:
            error.add_note("The attribute `finished` of this error holds the finished Results.")
        error.finished = results  # type: ignore[union-attr]
        raise


class _Evaluation:
    """An evaluation in progress: the runs of each agent, and the store."""

    def __init__(self, request: Request, line_up: Sequence[Agent], store: Store | None) -> None:
        self.request, self.line_up, self.store = request, line_up, store
        self.runs: dict[str, pd.DataFrame] = {}
        self.begun: dict[str, pd.DataFrame] = {}  # finished runs of an agent that failed
        self.checks: list[pd.DataFrame] = []
        self.parts: dict[str, Any] = {}
        # T of the agents without a stopping rule; None until it is known
        self.steps = None if isinstance(request.given_time, str) else int(request.given_time)
        self._record = {} if store is None else request.record(line_up)

    def run_all(self, watched: Sequence[Any], progress: OnProgress) -> None:
        """Run all agents with all users, and check the runs of `watched` agents."""
        n_agents, n_pieces = len(self.line_up), len(self.line_up) + len(watched)
        in_order = sorted(self.line_up, key=protocol.needs_horizon)  # T may be another agent's time
        for request, report in growing(self.request, progress):
            self.request = request
            for place, agent in enumerate(in_order):
                self._run(agent, portion(report, place, n_pieces))
            if is_known(self.runs, request):
                break
        for place, agent in enumerate(watched, n_agents):
            self._check(agent, portion(progress, place, n_pieces))
        self._note(finished=True)

    def _run(self, agent: Agent, progress: OnProgress) -> None:
        """Run an agent with all users."""
        request, waits, name = self.request, protocol.needs_horizon(agent), name_of(agent)
        if waits and self.steps is None:
            others = self.runs[str(request.given_time)]
            times, counted = others["interactions"], ~others["censored"]
            if request.population.setting.drops_censored and counted.any():
                times = times[counted]
            self.steps = max(1, round(float(times.mean())))
        cap = request.cap_for(agent)
        horizon = self.steps if request.over_horizon or waits else None
        if self.store is not None:
            record = self._record_of(name, cap) | {"horizon": horizon}
            self.parts[name] = self.store.part(request.task.name, name, record)
        self._note(finished=False)
        try:
            self.runs[name] = runs_of(
                Runs(request.population, agent, cap, horizon, request.task, request.members),
                request.seeds,
                replace(request.crew, progress=progress),
                self.parts.get(name, self.runs.get(name)),
                cap_is_given=request.max_steps is not None or protocol.cap_of(agent) is not None,
            )
        except UserFailedError as error:
            self.begun = {} if error.rows is None else {name: error.rows}
            raise

    def _check(self, agent: AlgorithmAgent, progress: OnProgress) -> None:
        """Repeat the runs of a BAIR agent, and compare them with the bounds of the paper."""
        request, what, cap = self.request, f"{agent.name}, theory", self.request.cap_for(agent)
        seeds, population, stored, rows = request.seeds, request.population, None, {}
        if self.store is not None:
            stored = self.store.pieces(self._record_of(agent.name, cap) | {"checks": True})
            rows = dict(map(records.from_record, stored.values()))
        pending = [number for number in range(len(seeds)) if number not in rows]

        def checked(chunk: Sequence[int]) -> dict[str, Any]:
            return asdict(check_run(environment_of(population, agent), agent, chunk[0], cap))

        progress(what, len(rows), len(seeds))
        chunks = [[seeds[number]] for number in pending]
        with closing(done(checked, chunks, agent, PROCESSES, request.crew)) as checks:
            for place, row in checks:
                rows[pending[place]] = row
                if stored is not None:
                    stored.add(records.record_of([pending[place], row]))
                progress(what, len(rows), len(seeds))
        self.checks.append(pd.DataFrame([rows[number] for number in range(len(seeds))]))

    def _record_of(self, name: str, cap: int) -> dict[str, Any]:
        """Return everything that determines the runs of an agent."""
        request, names = self._record, ("population", "seed", *protocol.MEMBER_OPTIONS)
        record = {each: request[each] for each in names if each in request}
        return {**record, "record": request["agents"][name], "cap": cap}

    def _note(self, finished: bool) -> None:
        """Write the description of the runs so far into the store."""
        if self.store is not None:
            about = {"request": self._record, **self._shared(self.line_up)}
            self.store.note(about, [*self.parts.values()], finished)

    def finished(self) -> list[Results]:
        """Return a list of the results so far: of finished agents, and of one that failed."""
        return [self.results(runs) for runs in (self.runs, self.begun) if runs]

    def results(self, of: Mapping[str, pd.DataFrame]) -> Results:
        """Return the results of the agents in `of`, in the order of the line-up."""
        agents = {name_of(agent): agent for agent in self.line_up if name_of(agent) in of}
        runs = pd.concat([of[name] for name in agents], ignore_index=True)
        shared = self._shared([*agents.values()])
        return Results(runs, population=self.request.population, line_up=agents, **shared)

    def _shared(self, agents: Sequence[Agent]) -> dict[str, Any]:
        """Return the arguments `cell`, `deltas` and `checks` of the `Results` of these agents."""
        request, words = self.request, self.request.population.words()
        cell: dict[str, Any] = {
            "task": request.task.name,
            "setting": words.pop("setting"),
            "n_arms": words.pop("n_arms"),
            "delta": request.delta,
            **words,
            "horizon": self.steps,
            "seed": request.seed,
            "differences": users.differences_of(request.population.setting),
        }
        if request.members is not None:
            cell |= asdict(request.members)
        if not request.over_horizon:
            names = ("step_cost", "max_steps", "until_width")
            given = {name: getattr(request, name) for name in names}
            cell |= {"step_cost": protocol.STEP_COST, "max_steps": protocol.STEP_CAP}
            cell |= {name: value for name, value in given.items() if value is not None}
        options: dict[str, dict[str, Any]] = {
            name_of(agent): (dict(agent.options) if isinstance(agent, AlgorithmAgent) else {})
            | {"max_steps": request.cap_for(agent)}
            for agent in agents
        }
        deltas = {name: chosen.get("delta") for name, chosen in options.items()}
        return {
            "cell": cell | {"agents": options, "versions": records.versions_of()},
            "deltas": {name: request.delta if d is None else d for name, d in deltas.items()},
            "checks": pd.concat(self.checks, ignore_index=True) if self.checks else None,
        }


def growing(request: Request, progress: OnProgress) -> Iterator[tuple[Request, OnProgress]]:
    """Yield the request for more and more users if `until_width` is given, else for all users."""
    most, n_done = request.n_instances, 0
    if request.until_width is None:
        yield request, progress
        return
    while n_done < most:
        n_next = min(most, max(FIRST, math.ceil(GROWTH * n_done)))

        def between(what: str, done: int, total: int, a: int = n_done, b: int = n_next) -> None:
            progress(what, a * total + (b - a) * done, most * total)

        yield replace(request, n_instances=n_next), between
        n_done = n_next


def is_known(runs: Mapping[str, pd.DataFrame], request: Request) -> bool:
    """Return whether the success interval of every agent is at most `until_width` wide."""
    width = request.until_width
    ends = (success_interval(succeeded(each), any_time=True) for each in runs.values())
    return width is None or all(high - low <= width for low, high in ends)


class Pulse:
    """Calls a function from time to time, in this process only."""

    def __init__(self, function: Callable[[float], Any]) -> None:
        self.function, self.last = function, time.monotonic()

    def __reduce__(self) -> Any:
        return Pulse, (float,)  # a function that does nothing

    def __call__(self, share: float) -> None:
        """Call the function, unless its last call was less than `PULSE` seconds ago."""
        if (now := time.monotonic()) - self.last >= PULSE:
            self.last = now
            self.function(share)


def runs_of(
    runs: Runs,
    seeds: Sequence[int],
    crew: Crew,
    stored: Part | pd.DataFrame | None = None,
    cap_is_given: bool = True,
) -> pd.DataFrame:
    """Return the runs of one agent with the users of these seeds, one row for each user.

    Runs in `stored` are not repeated; a store receives each new run as it ends. Warns if an agent
    that does not compile reaches a default step cap.
    """
    agent, name, n_all, parts = runs.agent, name_of(runs.agent), len(seeds), []
    old = stored.columns() if isinstance(stored, Part) else {} if stored is None else dict(stored)
    if old and (known := np.asarray(old["instance"]) < n_all).any():
        old.pop("agent", None)
        parts.append({column: np.asarray(values)[known] for column, values in old.items()})
    finished = {number for part in parts for number in part["instance"].tolist()}
    pending, n_done = [number for number in range(n_all) if number not in finished], len(finished)

    def tell(begins: bool = False, share: float = 0.0) -> None:
        crew.progress(f"{name} compiling" if begins else name, n_done + int(share), n_all)

    tell()
    with on_compiling(tell):
        most = max(1, MOST_ARMS_AT_ONCE // runs.population.n_arms)
        if runs.plays:
            most = min(most, max(1, LONGEST_PLAY // (runs.cap * runs.plays)))
        job: Callable[..., Any] = partial(runs.figures, "readable")
        usual, size = PROCESSES, 1
        if crew.compiled and isinstance(agent, ManyUserAgent):
            usual, size = HERE, min(USERS_IN_STEP, most)
            pulse = Pulse(lambda share: tell(share=share * min(size, n_all - n_done)))
            job = partial(_traced, runs._replace(on_share=pulse), "in_step")
        elif crew.compiled and pending and compiles(runs, seeds[0]):
            share = LARGEST_CHUNK if crew.executor else math.ceil(len(pending) / crew.workers)
            size = min(max(CHUNK, len(pending) // CHUNKS), LARGEST_CHUNK, most, share)
            usual, job = THREADS, partial(_traced, runs, "compiled")
        chunks = [pending[first : first + size] for first in range(0, len(pending), size)]
        of_users = [[seeds[number] for number in chunk] for chunk in chunks]

        def add(chunk: Sequence[int], figures: Any) -> None:
            users_of = {"instance": chunk, "user_seed": [seeds[number] for number in chunk]}
            parts.append({n: np.array(v) for n, v in users_of.items()} | runs.columns(figures))
            if isinstance(stored, Part):
                stored.add(parts[-1])

        may_never_stop = not (finished or cap_is_given or runs.plays or usual == THREADS)
        try:
            with closing(done(job, of_users, agent, usual, crew)) as results:
                for place, figures in results:
                    add(chunks[place], figures)
                    n_done += len(chunks[place])
                    tell()
                    if may_never_stop and parts[-1]["censored"].all():
                        n_runs = len(chunks[place])
                        first = f"all of the first {n_runs} users"
                        warnings.warn(
                            f"{name} reached max_steps={runs.cap} with "
                            f"{first if n_runs > 1 else 'the first user'}; each of the other "
                            f"users may need as many steps (n_instances={n_all}). Pass a smaller "
                            f"max_steps to evaluate or to {name}.",
                            stacklevel=2,
                        )
                    may_never_stop = False
        except UserFailedError as error:
            if error.kept is not None and error.kept[0]:
                number_of = dict(zip(seeds, range(n_all), strict=True))
                add([number_of[seed] for seed in error.kept[0]], error.kept[1])
            error.rows = _table(runs, parts) if parts else None
            raise
    return _table(runs, parts)


def _table(runs: Runs, parts: Sequence[Any]) -> pd.DataFrame:
    """Return groups of finished runs as one table, in the order of the users."""
    columns = joined(parts)
    order = np.argsort(columns["instance"])
    in_order = {column: values[order] for column, values in columns.items()}
    return frame_of(runs.task.name, name_of(runs.agent), in_order)


def _traced(runs: Runs, form: str, seeds: Sequence[int], halt: Array | None = None) -> Any:
    """Return the metrics of runs; after an error, rerun the runs to find the user and the step."""
    try:
        return runs.figures(form, seeds, halt)
    except UserFailedError:
        raise  # a call is not repeated, as it may cost money
    except Exception as error:
        if isinstance(runs.agent, ManyUserAgent) and type(error) is InvalidArgumentError:
            raise  # the message names the user and the step
        for seed in seeds:
            try:
                runs.figures(form, [seed], halt)
            except Exception:
                runs.figures("readable", [seed])
        where = f"with {len(seeds)} users, the first of seed {seeds[0]}, but with no single user"
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
    """Call `evaluate` for every cell (delta, K) and return the results in order.

    Args:
        agents: as for `evaluate`, or a function that takes delta and K and returns the agents.
        deltas: the values of delta, one for each row of the grid.
        n_arms: the values of K, one for each column; all values are checked before the first run.
        per_cell: a function that returns further options of `evaluate` for a cell.
        progress: called with (cell and agent, done, total), where total is over all cells.
        options: options of `evaluate`.

    Raises:
        Exception: any error of `evaluate`; its attribute `finished` holds the finished results.
    """
    cells, done_cells = _cells(deltas, n_arms), list[Results]()
    for position, (delta, arms) in enumerate(cells):
        report = named(portion(progress, position, len(cells)), f"delta={delta:g} K={arms}")
        cell: dict[str, Any] = {"delta": delta, "n_arms": arms, "progress": report}
        with carries_finished(lambda: done_cells):
            line_up = agents(delta, arms) if callable(agents) else agents
            results = evaluate(line_up, **cell, **per_cell(delta, arms), **options)
        done_cells.append(results)
    return done_cells


def _cells(deltas: Sequence[float], n_arms: Sequence[int]) -> list[tuple[float, int]]:
    risk = validation.risk
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
    """Run the same agents in every cell of a grid of delta and K; each cell is an `evaluate` call.

    An agent gets the delta of the cell if its own delta is None. An agent with its own delta keeps
    that delta in every cell.

    Args:
        agents: as for `evaluate`, or a function that takes delta and K and returns the agents.
        deltas: the values of delta, one for each row of the grid, in (0, 1).
        n_arms: the values of K, one for each column, in 2..1000000. All values are checked before
            the first run.
        progress: as for `evaluate`.
        store: as for `evaluate`, one file for all cells.
        **options: all other options of `evaluate`, the same in every cell.

    Returns:
        A printable `Sweep` with `runs`, `summary()`, and the `Results` of each cell in `cells`.

    Raises:
        InvalidArgumentError: if an argument is out of range.
    """
    allowed = "a list of at least one number"
    rows, columns = (
        validation.sequence(name, values, allowed)
        for name, values in (("deltas", deltas), ("n_arms", n_arms))
    )
    if not rows or not columns:
        raise InvalidArgumentError("n_arms" if rows else "deltas", [], allowed)
    opening: AbstractContextManager[Store | None] = nullcontext()
    if store is not None:
        line_ups = {}
        for delta, arms in _cells(rows, columns):
            line_up = agents(delta, arms) if callable(agents) else agents
            records_of = [agent_record(each, arms) for each in protocol.listed(line_up)]
            line_ups[f"delta={delta:g} K={arms}"] = records_of
        fixed = {name: value for name, value in options.items() if name not in CHANGES_NO_ROW}
        fixed = records.record_of({"deltas": rows, "n_arms": columns, **fixed, "agents": line_ups})
        opening = Store(store, {"command": "sweep", "options": fixed})
    with shown(progress) as report, opening as opened:
        return Sweep(run_cells(agents, rows, columns, progress=report, store=opened, **options))


def times_for(agents: Sequence[Any], baseline_time: int | str | None) -> dict[str, Any]:
    """Return the option `baseline_time` of `evaluate`, or nothing if no agent needs the option."""
    return {"baseline_time": baseline_time} if any(map(protocol.needs_horizon, agents)) else {}
