"""What an agent is: a small contract, and a record that also opens the compiled path.

An agent sees the number of arms and, step by step, which recommendation was accepted. Nothing
else reaches it: no mean, no reward, no interval (a reference labelled so is told rewards). From
what it is handed nothing leads to these, nor to the user's seed or stream, however far it looks.
But it runs in the same process, and Python hides neither the frames of the readable loop nor what
the garbage collector knows from code that searches there: read the code of an agent that you do
not trust.

Beside its methods an agent may say more of itself, in attributes that are looked for here only:
`name`, `max_steps`, `needs_horizon`, `sees_rewards`, `trained_on` and `options`; see the functions
at the end. What it thinks it may `explain()` (`explanations` asks); `meeting` calls `next_user()`.
"""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from explorative_user_env.validation import InvalidArgumentError, check_fields, choice, count

__all__ = ["STOP", "Against", "Agent", "Algorithm", "ManyUserAgent", "OneUserAtATime"]


Array = np.ndarray[Any, Any]

STOP = -1
"""What `Algorithm.act` returns instead of an arm when the algorithm is done."""


class Against(NamedTuple):
    """What an agent compares, in its `explain()`: two numbers, or K numbers with K others."""

    value: Any
    target: Any


@runtime_checkable
class Agent(Protocol):
    """Anything with these four methods can be run, compared and tabulated.

    These attributes may be there as well:

    - `name`: what tables and the random stream call it; the class's name otherwise.
    - `max_steps`: a step cap of its own.
    - `needs_horizon`: True for an agent that runs to a given horizon; an evaluation then runs it
      after BAIR and tells it BAIR's mean stopping time.
    - `sees_rewards`: True for a reference that is no competitor. It is then told each realized
      reward by its `learn(arm, reward)`, after `observe` and only if the recommendation was
      accepted.
    - `trained_on`: the users that a trained agent is for, in the words of `evaluate` ("task",
      "n_arms", "setting", "delta"); a benchmark runs these where nothing else is asked for.
    - `options`: what distinguishes it from others of its class, by name: stored runs are continued
      by an agent with the same. It need not be there: its attributes are looked at instead.
    - `next_user`: a method called in place of a `reset` where one user follows another: arms,
      stream and horizon stay, and so may what was learnt.
    - `explain`: a method that says what the agent thinks now, by name, for who watches it: a
      number, a word, K numbers (one an arm), K truth values (which arms are left) or an `Against`.
      It changes nothing.
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
        """Take in the user's response to a recommendation of `arm`."""

    def answer(self) -> int:
        """Return the arm believed to be the best; asked at any time a run ends."""


@runtime_checkable
class ManyUserAgent(Protocol):
    """What an evaluation calls in place of `Agent`'s methods where it finds them.

    Meant for agents that are asked about many users at once, as a neural policy had better be. The
    users do not know of each other, and what an agent does with one must not depend on who else is
    there: an evaluation may hand it the same users in other company.

    Derive from `OneUserAtATime`, and these four methods are all there is to write. There may be a
    `next_user_all()`, as `Agent` may have a `next_user()`.
    """

    def reset_all(
        self, n_arms: int, rngs: Sequence[np.random.Generator], horizon: int | None = None
    ) -> None:
        """Forget everything and get ready for new users, each with a random stream of her own."""

    def act_all(self, users: Array) -> Array:
        """Return the arm to recommend next to each of these users, `STOP` to stop with one.

        Args:
            users: numbers among 0..n-1, the users with whom the agent has not stopped, shape (m,).

        Returns:
            Integers, shape (m,).
        """

    def observe_all(self, users: Array, arms: Array, accepted: Array) -> None:
        """Take in these users' responses; all shapes (m,), `accepted` of bools."""

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


ONLY = np.zeros(1, int)
"""The one user, or the one lane, of the step-by-step loop."""


@dataclass(frozen=True)
class Algorithm:
    """An agent's rule as plain functions of one user, so that it runs step by step or compiled.

    `Params` is a NamedTuple of numbers, fixed for a run. `State` is a NamedTuple of lists (arrays
    when compiled); a number that changes is a list of one, and one that may become a fraction is a
    float from the start ([0.0], not [0]: an array of integers would cut it off). The functions
    below `blank` must stay within what numba compiles: numbers, indexing, loops, `math`, draws such
    as `rng.random()`.

    Attributes:
        name: shown in tables.
        prepare: `(options, n_arms, horizon) -> Params`; checks the options.
        blank: `Params -> State`, allocated but not yet meaningful.
        start: `(params, state, rng)`; fills a blank or used state for a new user.
        act: `(params, state, rng) -> arm`, or `STOP`.
        observe: `(params, state, arm, accepted)`.
        verdict: `(params, state, rng) -> arm`, the answer.
        next_user: `(params, state, rng)`, for who comes after another; None is `start`.
        defaults: every option and its value where neither the caller nor a setting gives one;
            `max_steps` among them asks for the step cap of the runs.
        stops_itself: False for an algorithm that runs to a horizon it must be told.
        learn: `(params, state, arm, reward)`, takes in the realized reward of an accepted
            recommendation, after `observe`; None, except for a reference that is labelled as one,
            since no agent may see rewards.
        explain: `(params, state) -> what the agent's explain() says`; never compiled, free to use
            all of Python, and no part of the rule: records that differ in it alone are the same.

    Raises:
        InvalidArgumentError: for a field that is none of what is said of it.
    """

    name: str
    prepare: Callable[[Mapping[str, Any], int, int | None], Any]
    blank: Callable[[Any], Any]
    start: Callable[[Any, Any, np.random.Generator], None]
    act: Callable[[Any, Any, np.random.Generator], int]
    observe: Callable[[Any, Any, int, bool], None]
    verdict: Callable[[Any, Any, np.random.Generator], int]
    # Records are alike if their parts are: a copy, or one from another process, is the same rule.
    defaults: Mapping[str, Any] = field(default_factory=dict, hash=False)
    stops_itself: bool = True
    next_user: Callable[[Any, Any, np.random.Generator], None] | None = None
    learn: Callable[[Any, Any, int, float], None] | None = None
    explain: Callable[[Any, Any], Mapping[str, Any]] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        check_fields(self)


_LOCK = threading.Lock()
_IN_USE: dict[int, int] = {}
"""The thread that meets users with an agent, by their identities."""


@contextmanager
def in_use(agent: object) -> Iterator[None]:
    """Meet users with an agent in the block, and with it alone: what it remembers is of these.

    Raises:
        InvalidArgumentError: if another thread does so at the same time.
    """
    thread, key = threading.get_ident(), id(agent)
    with _LOCK:
        if _IN_USE.get(key, thread) != thread:
            allowed = "used by one thread at a time; give every evaluation an agent of its own"
            raise InvalidArgumentError("agent", name_of(agent), allowed)
        mine = key not in _IN_USE  # not so where an agent meets users within a meeting
        _IN_USE[key] = thread
    try:
        yield
    finally:
        if mine:
            del _IN_USE[key]


def name_of(agent: object) -> str:
    """Return what tables call `agent`: its `name`, or else its class's."""
    name = getattr(agent, "name", None)
    return name if isinstance(name, str) and name else type(agent).__name__


def cap_of(agent: object) -> int | None:
    """Return the step cap of its own that `agent` has, if any."""
    cap: int | None = getattr(agent, "max_steps", None)
    return cap


def needs_horizon(agent: object) -> bool:
    """Return whether `agent` runs to a horizon that it must be told."""
    return bool(getattr(agent, "needs_horizon", False))


def sees_rewards(agent: object) -> bool:
    """Return whether `agent` is a reference, labelled so, that is told realized rewards."""
    return bool(getattr(agent, "sees_rewards", False))


def trained_on(agent: object) -> Mapping[str, Any]:
    """Return the users that `agent` was trained for, in the words of `evaluate`; none for most."""
    users: Mapping[str, Any] | None = getattr(agent, "trained_on", None)
    return users or {}


def options_of(agent: object) -> Mapping[str, Any] | None:
    """Return what `agent` says distinguishes it from others of its class; None if nothing."""
    options: Mapping[str, Any] | None = getattr(agent, "options", None)
    return options


@dataclass(frozen=True)
class Task:
    """What an agent is asked for, as a record that is compared by its values.

    Attributes:
        name: "regret", "bai" or "population".
        horizon: steps of an episode where nothing else is said.
        ends_itself: whether an episode ends with an answer, and the environment takes the horizon
            as part of the task (`terminated`); else it is a time limit (`truncated`).
    """

    name: str
    horizon: int
    ends_itself: bool


REGRET = Task("regret", horizon=500, ends_itself=False)
BAI = Task("bai", horizon=2000, ends_itself=True)

POPULATION = Task("population", horizon=300, ends_itself=False)
"""Least regret with users who come one after another and share what is popular; the horizon is that
of each of them."""

TASKS = {task.name: task for task in (REGRET, BAI, POPULATION)}

STEP_COST = 5e-4
"""c, what a recommendation costs in best-arm identification unless something else is said."""

DELTA = 0.1
"""The allowed probability of a wrong answer unless something else is said."""

STEP_CAP = 1_000_000
"""The step cap of a run of best-arm identification unless something else is said."""

ANSWERED, CENSORED, LEFT = range(3)
"""How a run of best-arm identification ends: with an answer, by the step cap, or as the user does
not stay."""

N_USERS = 20
"""Users of an episode of the population task unless something else is said."""

DEVIATION = 0.3
"""Standard deviation of a user's means around what is popular unless something else is said."""

OF_MEMBERS = ("n_users", "deviation")
"""The options that are for users who come one after another."""

N_INSTANCES = 1000
"""Users of an evaluation unless something else is said, as in the paper."""

N_TRANSCRIBED = 10
"""Users of whom examples are written unless something else is said; each step is a line."""

LONGEST_HORIZON = 10_000_000
"""Of a run of which every step is kept, which takes half a GB then; or each has a scale's mark."""

MOST_WORKERS = 1024
"""Runs at once; no machine that this is run on has more cores, and each may be a process."""


def kept_steps(name: str, steps: Any) -> int:
    """Return the length of a run of which every step is kept, in 1..`LONGEST_HORIZON`."""
    return count(name, steps, 1, LONGEST_HORIZON)


def as_task(task: Task | str) -> Task:
    """Return the task meant: itself, or the one of that name."""
    return task if isinstance(task, Task) else TASKS[choice("task", task, TASKS)]


def as_task_of_one(task: Task | str) -> Task:
    """Return the task meant, which has one user an episode."""
    name = task.name if isinstance(task, Task) else task
    return TASKS[choice("task", name, (BAI.name, REGRET.name))]


def refuse_of_members(task: Task, options: Mapping[str, Any]) -> None:
    """Refuse what is said of users who come one after another, in a task where none do.

    Raises:
        InvalidArgumentError: naming the first of `OF_MEMBERS` that is not None.
    """
    for name in OF_MEMBERS:
        if task != POPULATION and options.get(name) is not None:
            allowed = f"left out, except for the task {POPULATION.name}"
            raise InvalidArgumentError(name, options[name], allowed)
