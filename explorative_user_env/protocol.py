"""The contract of an agent, the record of an algorithm that also compiles, and the tasks.

An agent sees the number of arms and, step by step, which recommendation was accepted. It gets no
mean, no reward, no interval (except a reference that is labelled so, which gets rewards). No object
that it is handed leads to these, nor to the user's seed or stream. But it runs in the same process,
and Python hides neither frames nor the garbage collector's lists from code that searches there:
read the code of an agent that you do not trust.

An agent may have further attributes, which the functions below look up: `name`, `max_steps`,
`needs_horizon`, `sees_rewards`, `trained_on` and `options`; and the methods `explain` and
`next_user`.
"""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from explorative_user_env.validation import InvalidArgumentError, choice, count

__all__ = ["STOP", "Against", "Agent", "Algorithm", "ManyUserAgent", "OneUserAtATime"]


Array = np.ndarray[Any, Any]

#: The value that `Algorithm.act` returns instead of an arm to stop.
STOP = -1


class Against(NamedTuple):
    """A comparison in an agent's `explain()`: two numbers, or K numbers with K others."""

    value: Any
    target: Any


@runtime_checkable
class Agent(Protocol):
    """An object with these four methods can be run, compared and tabulated.

    Optional attributes:

    - `name`: its name in tables and of its random stream; by default that of the class.
    - `max_steps`: a step cap.
    - `needs_horizon`: True for an agent that runs to a given horizon; an evaluation runs it after
      BAIR, with BAIR's mean stopping time.
    - `sees_rewards`: True for a reference that is no competitor. Its `learn(arm, reward)` gets each
      realized reward, after `observe` and only if the recommendation was accepted.
    - `trained_on`: the users that a trained agent is for, in the words of `evaluate` ("task",
      "n_arms", "setting", "delta"); the default users of a benchmark.
    - `options`: what distinguishes it from others of its class, by name: an agent with equal
      options continues stored runs. By default its attributes are compared.
    - `next_user`: a method called in place of `reset` if one user follows another: arms, stream and
      horizon stay, and so may what was learned.
    - `explain`: a method that returns by name what the agent thinks now, for a viewer: a number, a
      word, K numbers (one an arm), K truth values (which arms are left) or an `Against`. It changes
      nothing.
    """

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        """Forget everything and get ready for a new user.

        Args:
            n_arms: number of arms K, at least 2; arms are 0..K-1.
            rng: the agent's own random stream; take all randomness from it.
            horizon: number of steps the run will have if it is known, else None.
        """

    def act(self) -> int | None:
        """Return the arm to recommend next, or None to stop and answer."""

    def observe(self, arm: int, accepted: bool) -> None:
        """Learn from the user's response to a recommendation of `arm`."""

    def answer(self) -> int:
        """Return the arm believed to be the best; called whenever a run ends."""


@runtime_checkable
class ManyUserAgent(Protocol):
    """Methods for many users at once, which an evaluation prefers to those of `Agent`.

    They suit a neural policy. The actions for one user must not depend on the others: an evaluation
    may group the same users in another way.

    Derive from `OneUserAtATime` to write only these four methods. `next_user_all()` is optional, as
    `next_user()` is in `Agent`.
    """

    def reset_all(self, n_arms: int, rngs: Sequence[Any], horizon: int | None = None) -> None:
        """Forget everything and get ready for new users, with a random stream for each."""

    def act_all(self, users: Array) -> Array:
        """Return the arm to recommend next to each of these users, `STOP` to stop with one.

        Args:
            users: numbers among 0..n-1, the users with whom the agent has not stopped, shape (m,).

        Returns:
            Integers, shape (m,).
        """

    def observe_all(self, users: Array, arms: Array, accepted: Array) -> None:
        """Learn from these users' responses; all shapes (m,), `accepted` of bools."""

    def answer_all(self, users: Array) -> Array:
        """Return the arm believed to be the best of each of these users, shape (m,)."""


class OneUserAtATime(Agent, ManyUserAgent, Protocol):
    """The four methods of `Agent`, for a class that writes those of `ManyUserAgent`."""

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        """Get ready for a new user; see `Agent.reset`."""
        self.reset_all(n_arms, [rng], horizon)

    def act(self) -> int | None:
        """Return the arm to recommend, or None when done."""
        arm = int(self.act_all(ONLY)[0])
        return None if arm == STOP else arm

    def observe(self, arm: int, accepted: bool) -> None:
        """Take in a response."""
        self.observe_all(ONLY, np.array([arm]), np.array([accepted]))

    def answer(self) -> int:
        """Return the arm believed to be the best."""
        return int(self.answer_all(ONLY)[0])


#: The one user, or lane, of the step-by-step loop.
ONLY = np.zeros(1, int)


@dataclass(frozen=True)
class Algorithm:
    """An agent's rule as plain functions of one user, which run step by step or compiled.

    `Params` is a NamedTuple of numbers, fixed for a run. `State` is a NamedTuple of lists (arrays
    when compiled); a number that changes is a list of one, a float from the start if it may become
    a fraction ([0.0], not [0]). The functions below `blank` must compile with numba: numbers,
    indexing, loops, `math`, draws such as `rng.random()`.

    Attributes:
        name: shown in tables.
        prepare: `(options, n_arms, horizon) -> Params`; checks the options.
        blank: `Params -> State`, allocated and not yet filled.
        start: `(params, state, rng)`; fills a blank or used state for a new user.
        act: `(params, state, rng) -> arm`, or `STOP`.
        observe: `(params, state, arm, accepted)`.
        verdict: `(params, state, rng) -> arm`, the answer.
        next_user: `(params, state, rng)`, for a user who follows another; None is `start`.
        defaults: every option with its default; `max_steps` among them is the step cap of the runs.
        stops_itself: False for an algorithm that runs to a given horizon.
        learn: `(params, state, arm, reward)`, gets the realized reward of an accepted
            recommendation, after `observe`; for labelled references only, None for all others.
        explain: `(params, state) -> what the agent's explain() returns`; never compiled and no part
            of the rule: records that differ in it alone are equal.

    Raises:
        InvalidArgumentError: naming the field whose value does not fit its type.
    """

    name: str
    prepare: Callable[[Mapping[str, Any], int, int | None], Any]
    blank: Callable[[Any], Any]
    start: Callable[[Any, Any, np.random.Generator], None]
    act: Callable[[Any, Any, np.random.Generator], int]
    observe: Callable[[Any, Any, int, bool], None]
    verdict: Callable[[Any, Any, np.random.Generator], int]
    # Records with equal parts are equal, as a copy from another process is.
    defaults: Mapping[str, Any] = field(default_factory=dict, hash=False)
    stops_itself: bool = True
    next_user: Callable[[Any, Any, np.random.Generator], None] | None = None
    learn: Callable[[Any, Any, int, float], None] | None = None
    explain: Callable[[Any, Any], Mapping[str, Any]] | None = field(default=None, compare=False)


_LOCK = threading.Lock()
#: The thread that uses an agent, by the agent's identity.
_IN_USE: dict[int, int] = {}


@contextmanager
def in_use(agent: object) -> Iterator[None]:
    """Use an agent in the block, in this thread only.

    Raises:
        InvalidArgumentError: if another thread uses it at the same time.
    """
    thread, key = threading.get_ident(), id(agent)
    with _LOCK:
        if _IN_USE.get(key, thread) != thread:
            allowed = "used by one thread at a time; give every evaluation an agent of its own"
            raise InvalidArgumentError("agent", name_of(agent), allowed)
        mine = key not in _IN_USE  # False in a nested block
        _IN_USE[key] = thread
    try:
        yield
    finally:
        if mine:
            del _IN_USE[key]


def name_of(agent: object) -> str:
    """Return the name of `agent` in tables: its `name`, or else that of its class."""
    name = getattr(agent, "name", None)
    return name if isinstance(name, str) and name else type(agent).__name__


def cap_of(agent: object) -> int | None:
    """Return the step cap of `agent`, if it has one."""
    return getattr(agent, "max_steps", None)


def needs_horizon(agent: object) -> bool:
    """Return whether `agent` runs to a given horizon."""
    return bool(getattr(agent, "needs_horizon", False))


def sees_rewards(agent: object) -> bool:
    """Return whether `agent` is a labelled reference, which gets realized rewards."""
    return bool(getattr(agent, "sees_rewards", False))


def trained_on(agent: object) -> Mapping[str, Any]:
    """Return the users that `agent` was trained for, in the words of `evaluate`, or {}."""
    return getattr(agent, "trained_on", None) or {}


@dataclass(frozen=True)
class Task:
    """A task for an agent.

    Attributes:
        name: "regret", "bai" or "population".
        horizon: default steps of an episode.
        ends_itself: whether an episode ends with an answer, and the environment takes the horizon
            as part of the task (`terminated`); else it is a time limit (`truncated`).
    """

    name: str
    horizon: int
    ends_itself: bool


REGRET = Task("regret", horizon=500, ends_itself=False)
BAI = Task("bai", horizon=2000, ends_itself=True)

#: Least regret with users who come one after another and share what is popular; the horizon is that
#: of each user.
POPULATION = Task("population", horizon=300, ends_itself=False)

TASKS = {task.name: task for task in (REGRET, BAI, POPULATION)}

#: Default c, the cost of a recommendation in best-arm identification.
STEP_COST = 5e-4

#: Default allowed probability of a wrong answer.
DELTA = 0.1

#: Default step cap of a run of best-arm identification.
STEP_CAP = 1_000_000

#: The ends of a run of best-arm identification: an answer, the step cap, a user who leaves.
ANSWERED, CENSORED, LEFT = range(3)

#: Default number of users of an episode of the population task.
N_USERS = 20

#: Default standard deviation of a user's means around what is popular.
DEVIATION = 0.3

#: The options of users who come one after another.
MEMBER_OPTIONS = ("n_users", "deviation")

#: Default number of users of an evaluation, as in the paper.
N_INSTANCES = 1000

#: Default number of users of whom transcripts are written.
N_TRANSCRIBED = 10

#: The longest run of which every step is kept, in half a GB; also the largest scale.
LONGEST_HORIZON = 10_000_000

#: The most runs at once, each of which may be a process.
MOST_WORKERS = 1024


def stored_steps(name: str, steps: Any) -> int:
    """Return the length of a run of which every step is kept, in 1..`LONGEST_HORIZON`."""
    return count(name, steps, 1, LONGEST_HORIZON)


def as_task(task: Task | str) -> Task:
    """Return the task of a record or a name."""
    return task if isinstance(task, Task) else TASKS[choice("task", task, TASKS)]


def single_user_task(task: Task | str) -> Task:
    """Return the task of a record or a name, one with one user an episode."""
    return TASKS[choice("task", getattr(task, "name", task), (BAI.name, REGRET.name))]


def refuse_member_options(task: Task, options: Mapping[str, Any]) -> None:
    """Refuse the options `MEMBER_OPTIONS` in every task but the population."""
    for name in MEMBER_OPTIONS:
        if task != POPULATION and options.get(name) is not None:
            allowed = f"left out, except for the task {POPULATION.name}"
            raise InvalidArgumentError(name, options[name], allowed)
