"""The interface of agents, the record of an algorithm that can be compiled, and the tasks.

An agent sees the number of arms and the user's response to each recommendation. It sees no mean, no
reward and no interval (only agents with `sees_rewards` see rewards). No argument of an agent's
methods gives access to these values, or to the user's seed or random stream. But the agent runs in
the same process, and Python code can search the frames and the garbage collector's lists: read the
code of an agent that you do not trust.

An agent may also have the attributes `name`, `max_steps`, `needs_horizon`, `sees_rewards`,
`trained_on` and `options`, and the methods `explain` and `next_user`. All of them are optional.
"""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from explorative_user_env.validation import (
    CallableError,
    InvalidArgumentError,
    choice,
    count,
    sequence,
)

# fmt: off
__all__ = [
    "STOP", "Against", "Agent", "Algorithm", "ManyUserAgent", "OneUserAtATime", "UserFailedError",
]
# fmt: on


Array = np.ndarray[Any, Any]

#: `Algorithm.act` returns this value instead of an arm to stop the run.
STOP = -1


class Against(NamedTuple):
    """A value and the target to compare it with: two numbers, or two lists of K numbers."""

    value: Any
    target: Any


@runtime_checkable
class Agent(Protocol):
    """The four methods of an agent.

    Optional attributes and methods:

    - `name`: the agent's name in tables, which also seeds its random stream; by default the name of
      the class.
    - `max_steps`: step cap of a run.
    - `needs_horizon`: True for an agent that runs to a given horizon. An evaluation runs such an
      agent after BAIR, and the horizon is BAIR's mean stopping time.
    - `sees_rewards`: True for an agent that also sees rewards. After `observe`, its method
      `learn(arm, reward)` gets the realized reward of each accepted recommendation.
    - `trained_on`: for a trained agent, the arguments of `evaluate` ("task", "n_arms", "setting",
      "delta") that describe its training users. A benchmark uses such users by default.
    - `options`: a mapping that identifies the agent within its class. Stored runs are continued
      only by an agent with equal options. Without `options`, attributes are compared.
    - `next_user`: called instead of `reset` before every user of an episode but the first. The
      number of arms, the stream and the horizon stay the same. The agent may keep what it learned.
    - `explain`: returns the agent's current state for a viewer, a mapping from names to a number, a
      word, K numbers (one per arm), K truth values (the remaining arms) or an `Against`. It must
      not change the agent.
    """

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        """Forget everything and start with a new user.

        Args:
            n_arms: number of arms K, at least 2; arms are 0..K-1.
            rng: the agent's random stream; draw all random numbers from it.
            horizon: number of steps of the run if known, else None.
        """

    def act(self) -> int | None:
        """Return the arm to recommend next, or None to stop and answer."""

    def observe(self, arm: int, accepted: bool) -> None:
        """Learn from the user's response to a recommendation of `arm`."""

    def answer(self) -> int:
        """Return the answer, the arm believed to be the best; called at the end of every run."""


@runtime_checkable
class ManyUserAgent(Protocol):
    """The methods of an agent, such as a neural policy, that acts for many users at once.

    If an agent has these methods, an evaluation calls them instead of those of `Agent`. The actions
    for one user must not depend on other users, because an evaluation may group users in any way.

    A class that derives from `OneUserAtATime` needs only these four methods. `next_user_all()` is
    optional, as `next_user()` in `Agent`. A method may raise `UserFailedError` to name a user;
    after any other error an evaluation repeats runs to find the user.
    """

    def reset_all(self, n_arms: int, rngs: Sequence[Any], horizon: int | None = None) -> None:
        """Forget everything and start with new users; `rngs` has a random stream for each user."""

    def act_all(self, users: Array) -> Array:
        """Return the arm to recommend next to each of these users, or `STOP`.

        Args:
            users: numbers in 0..n-1 of the users whose runs go on, shape (m,).

        Returns:
            Integers, shape (m,).
        """

    def observe_all(self, users: Array, arms: Array, accepted: Array) -> None:
        """Learn from these users' responses. Every array has shape (m,); `accepted` holds bools."""

    def answer_all(self, users: Array) -> Array:
        """Return the answer for each of these users, shape (m,)."""


class OneUserAtATime(Agent, ManyUserAgent, Protocol):
    """Base class that derives the four methods of `Agent` from those of `ManyUserAgent`."""

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        """Start with a new user; see `Agent.reset`."""
        self.reset_all(n_arms, [rng], horizon)

    def act(self) -> int | None:
        """Return the arm to recommend, or None to stop."""
        arm = int(self.act_all(ONLY)[0])
        return None if arm == STOP else arm

    def observe(self, arm: int, accepted: bool) -> None:
        """Learn from a response."""
        self.observe_all(ONLY, np.array([arm]), np.array([accepted]))

    def answer(self) -> int:
        """Return the arm believed to be the best."""
        return int(self.answer_all(ONLY)[0])


class UserFailedError(CallableError):
    """A `ManyUserAgent` failed for one of its users, as a call of a language model does.

    An evaluation then names the user and keeps the runs of users who have finished.

    Args:
        failure: text that names the failing function and states its error.
        where: the step of the call, in words.
        user: the number of the user, as in `act_all`.
        step: the number of the recommendation, from 1.
    """

    def __init__(self, failure: str, where: str, user: int, step: int) -> None:
        super().__init__(failure, where)
        self.user, self.step = user, step
        self.kept: Any = None  # the seeds of users who have finished, and their metrics
        self.rows: Any = None  # the table of all finished runs of the agent


#: The number of the only user, or lane, of a run in plain Python, as an array.
ONLY = np.zeros(1, int)


@dataclass(frozen=True)
class Algorithm:
    """An agent for one user, as functions that run in plain Python or compiled.

    `Params` is a NamedTuple of numbers, fixed for a run. `State` is a NamedTuple of lists (arrays
    when compiled). A number that changes is a list of one number: write [0.0], not [0], if the
    number may become a fraction. Numba must be able to compile all functions but `prepare`, `blank`
    and `explain`. These functions may use numbers, indexing, loops, `math` and draws such as
    `rng.random()`.

    Attributes:
        name: name in tables.
        prepare: `(options, n_arms, horizon) -> Params`; checks the options.
        blank: `Params -> State`; allocates the state, which `start` fills.
        start: `(params, state, rng)`; fills a blank or used state for a new user.
        act: `(params, state, rng) -> arm`, or `STOP`.
        observe: `(params, state, arm, accepted)`.
        verdict: `(params, state, rng) -> arm`, the answer.
        next_user: `(params, state, rng)`; starts with the next user of an episode. If it is None,
            `start` is called.
        defaults: every option with its default. An option `max_steps` gets the run's step cap.
        stops_itself: False for an algorithm that runs to a given horizon.
        learn: `(params, state, arm, reward)`; gets the realized reward of an accepted
            recommendation, after `observe`. None for an algorithm that sees responses only.
        tell: `(params, state, best_arm)`; gets the best arm before the first step of a run. Only
            for a reference that also has `learn`.
        explain: `(params, state) -> mapping`, as `Agent.explain`; not compiled. Two records that
            differ only in `explain` are equal.

    Raises:
        InvalidArgumentError: if a field's value does not fit its type; the message names the field.
    """

    name: str
    prepare: Callable[[Mapping[str, Any], int, int | None], Any]
    blank: Callable[[Any], Any]
    start: Callable[[Any, Any, np.random.Generator], None]
    act: Callable[[Any, Any, np.random.Generator], int]
    observe: Callable[[Any, Any, int, bool], None]
    verdict: Callable[[Any, Any, np.random.Generator], int]
    # Excluded from the hash, as a mapping has none. `==` compares it, as copies must be equal.
    defaults: Mapping[str, Any] = field(default_factory=dict, hash=False)
    stops_itself: bool = True
    next_user: Callable[[Any, Any, np.random.Generator], None] | None = None
    learn: Callable[[Any, Any, int, float], None] | None = None
    tell: Callable[[Any, Any, int], None] | None = None
    explain: Callable[[Any, Any], Mapping[str, Any]] | None = field(default=None, compare=False)


_LOCK = threading.Lock()
#: The thread that uses each agent, by the agent's `id`.
_IN_USE: dict[int, int] = {}


@contextmanager
def in_use(agent: object) -> Iterator[None]:
    """Reserve an agent for the current thread during the block.

    Raises:
        InvalidArgumentError: if another thread uses the agent at the same time.
    """
    thread, key = threading.get_ident(), id(agent)
    with _LOCK:
        if _IN_USE.get(key, thread) != thread:
            allowed = "used by one thread at a time; create one agent for every evaluation"
            raise InvalidArgumentError("agent", name_of(agent), allowed)
        outermost = key not in _IN_USE
        _IN_USE[key] = thread
    try:
        yield
    finally:
        if outermost:
            del _IN_USE[key]


def name_of(agent: object) -> str:
    """Return the name of `agent` in tables: its `name`, or else the name of its class."""
    name = getattr(agent, "name", None)
    return name if isinstance(name, str) and name else type(agent).__name__


def listed(agents: Any) -> list[Any]:
    """Return a list of agents and names, given such a list or a single agent or name."""
    if isinstance(agents, Agent | str):
        return [agents]
    return sequence("agents", agents, "an agent or a list of agents, as [BAIR()]")


def cap_of(agent: object) -> int | None:
    """Return the step cap of `agent`, or None without one."""
    return getattr(agent, "max_steps", None)


def needs_horizon(agent: object) -> bool:
    """Return whether `agent` runs to a given horizon."""
    return bool(getattr(agent, "needs_horizon", False))


def sees_rewards(agent: object) -> bool:
    """Return whether `agent` sees realized rewards."""
    return bool(getattr(agent, "sees_rewards", False))


def trained_on(agent: object) -> Mapping[str, Any]:
    """Return the users that `agent` was trained on, as arguments of `evaluate`, or {}."""
    return getattr(agent, "trained_on", None) or {}


@dataclass(frozen=True)
class Task:
    """A task for an agent.

    Attributes:
        name: "regret", "bai" or "population".
        horizon: default steps of an episode.
        ends_itself: whether the agent ends an episode with an answer. If True, an episode that
            reaches the horizon is `terminated`. If False, this episode is `truncated`.
    """

    name: str
    horizon: int
    ends_itself: bool


REGRET = Task("regret", horizon=500, ends_itself=False)
BAI = Task("bai", horizon=2000, ends_itself=True)

#: Regret over users of a population, one after another; the horizon is that of each user.
POPULATION = Task("population", horizon=300, ends_itself=False)

TASKS = {task.name: task for task in (REGRET, BAI, POPULATION)}

#: Default cost c of a recommendation in best-arm identification.
STEP_COST = 5e-4

#: Default delta, the allowed probability of a wrong answer.
DELTA = 0.1

#: Default step cap of a run of best-arm identification.
STEP_CAP = 1_000_000

#: How a run of best-arm identification ended: by an answer, the step cap, or a user who left.
ANSWERED, CENSORED, LEFT = range(3)

#: Default number of users in an episode of the population task.
N_USERS = 20

#: Default standard deviation of a user's means around the means of the population.
DEVIATION = 0.3

#: Options of the population task only.
MEMBER_OPTIONS = ("n_users", "deviation")

#: Default number of users of an evaluation, as in the paper.
N_INSTANCES = 1000

#: Default number of users in a file of transcripts.
N_TRANSCRIBED = 10

#: Most steps of a run with all steps in memory, half a GB; also the largest scale of observations.
LONGEST_HORIZON = 10_000_000

#: Most runs at once, each of which may be a process.
MOST_WORKERS = 1024


def stored_steps(name: str, steps: Any) -> int:
    """Validate the number of steps of a run that is kept in memory, in 1..`LONGEST_HORIZON`."""
    return count(name, steps, 1, LONGEST_HORIZON)


def as_task(task: Task | str) -> Task:
    """Return the `Task` with this name; a `Task` is returned unchanged."""
    return task if isinstance(task, Task) else TASKS[choice("task", task, TASKS)]


def single_user_task(task: Task | str) -> Task:
    """Return the task for a name or a `Task`; raise an error for the population task."""
    return TASKS[choice("task", getattr(task, "name", task), (BAI.name, REGRET.name))]


def refuse_member_options(task: Task, options: Mapping[str, Any]) -> None:
    """Raise an error if `n_users` or `deviation` is set, except in the population task."""
    for name in MEMBER_OPTIONS:
        if task != POPULATION and options.get(name) is not None:
            allowed = f"left out, except for the task {POPULATION.name}"
            raise InvalidArgumentError(name, options[name], allowed)
