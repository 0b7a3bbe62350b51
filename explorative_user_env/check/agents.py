"""Whether what an agent finds depends on the numbers that arms happen to have."""

import copy
import inspect
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.agents import AlgorithmAgent, Uniform
from explorative_user_env.check.checks import (
    FailedCheckError,
    NotAskedError,
    Subject,
    in_words,
    other_surroundings,
    shared_streams,
    travelled,
)
from explorative_user_env.check.secrets import Secrets, reached
from explorative_user_env.envs.meeting import informed
from explorative_user_env.envs.user import ExplorativeUserEnv, as_action
from explorative_user_env.evaluation.paths import (
    RUN_COLUMNS,
    Play,
    Runs,
    plays_compiled,
    plays_readable,
    run_compiled,
    run_in_step,
    run_readable,
)
from explorative_user_env.evaluation.workers import (
    NONE_START,
    PROCESSES,
    can_start_processes,
    done,
)
from explorative_user_env.kernels.compiler import errors_of_compiling, short
from explorative_user_env.kernels.presence import COMPILER, why_no_compiler
from explorative_user_env.protocol import (
    ANSWERED,
    BAI,
    REGRET,
    STOP,
    TASKS,
    Agent,
    Array,
    ManyUserAgent,
    cap_of,
    name_of,
    needs_horizon,
    sees_rewards,
    trained_on,
)
from explorative_user_env.runs.loop import rollout
from explorative_user_env.seeding import agent_generator, agent_generators, user_seeds
from explorative_user_env.show.explanations import explanation_of
from explorative_user_env.users.population import Population
from explorative_user_env.validation import CallableError, InvalidArgumentError

N_ARMS = 5
"""K where nothing else is said."""

MEETING_STEPS = 60
"""Of a meeting where nothing else is said: where the agent is cut off."""

Responds = Callable[[int], bool]
"""The response to a recommendation of an arm."""


class Fickle:
    """A user who accepts each arm with a chance of its own; a copy goes on as she would.

    Args:
        n_arms: K.
        seed: what the chances and the responses follow from.
    """

    def __init__(self, n_arms: int, seed: int) -> None:
        self._rng = np.random.default_rng([seed, n_arms])
        self._chances = self._rng.random(n_arms)

    def __call__(self, arm: int) -> bool:
        """Responds to a recommendation."""
        return bool(self._rng.random() < self._chances[arm])


class Always:
    """A user who has one answer to everything.

    Args:
        accepted: that answer.
    """

    def __init__(self, accepted: bool) -> None:
        self._accepted = accepted

    def __call__(self, arm: int) -> bool:
        """Responds to a recommendation."""
        return self._accepted


FICKLE, ACCEPTING, REJECTING = "by chance", "everything", "nothing"


@dataclass(frozen=True)
class Situation:
    """What an agent meets: printed, it is the end of a message.

    Attributes:
        n_arms: K.
        seed: the user's; the agent's stream follows from it and its name.
        user: what she accepts, one of the words above.
        cap: steps after which the agent is cut off.
        horizon: what the agent is told.
    """

    n_arms: int
    seed: int
    user: str = FICKLE
    cap: int = MEETING_STEPS
    horizon: int | None = None

    def respond(self) -> Responds:
        """Return the user, who has heard nothing yet."""
        if self.user == FICKLE:
            return Fickle(self.n_arms, self.seed)
        return Always(self.user == ACCEPTING)

    def __str__(self) -> str:
        told = "" if self.horizon is None else f", horizon {self.horizon}"
        return f"K = {self.n_arms}, seed {self.seed}, a user who accepts {self.user}{told}"


class Run(NamedTuple):
    """What an agent did."""

    arms: tuple[int, ...]
    accepted: tuple[bool, ...]
    answer: int
    stopped: bool  # by itself, not cut off


class Meeting:
    """An agent with a user, from the reset on.

    Args:
        agent: who is reset for it.
        situation: whom it meets.
        rng: its stream; None is what follows from the seed and the agent's name.
        follows: whether the user comes after another, and the agent goes on with its `next_user`.
    """

    def __init__(
        self,
        agent: Agent,
        situation: Situation,
        rng: np.random.Generator | None = None,
        follows: bool = False,
    ) -> None:
        self.agent, self.situation = agent, situation
        self.arms: list[int] = []
        self.accepted: list[bool] = []
        self.stopped = False
        self._respond = situation.respond()
        self._rewards = np.random.default_rng(situation.seed)
        if follows:
            self._call("next_user")
            return
        rng = agent_generator(situation.seed, name_of(agent)) if rng is None else rng
        self._call("reset", situation.n_arms, rng, situation.horizon)

    def go_on(self, n_steps: int | None = None) -> None:
        """Recommend and hear this many times, None as often as it takes until the end."""
        last = self.situation.cap
        if n_steps is not None:
            last = min(last, len(self.arms) + n_steps)
        while not self.stopped and len(self.arms) < last:
            arm = self._call("act")
            if arm is None:
                self.stopped = True
                return
            arm = self._arm("act", arm, " or None")
            accepted = self._respond(arm)
            self._call("observe", arm, accepted)
            if accepted and sees_rewards(self.agent):
                self._call("learn", arm, float(self._rewards.standard_normal()))
            self.arms.append(arm)
            self.accepted.append(accepted)

    def end(self) -> Run:
        """Go on to the end, ask for the answer and return what was done."""
        self.go_on()
        answer = self._arm("answer", self._call("answer"))
        return Run(tuple(self.arms), tuple(self.accepted), answer, self.stopped)

    def _call(self, method: str, *given: Any) -> Any:
        try:
            return getattr(self.agent, method)(*given)
        except Exception as error:
            raise FailedCheckError(f"{method} {in_words(error)} ({self._when})") from error

    def _arm(self, method: str, arm: Any, more: str = "") -> int:
        try:
            return as_action(arm, self.situation.n_arms)
        except InvalidArgumentError as error:
            allowed = f"an integer in 0..{self.situation.n_arms - 1}{more}"
            told = f"{method} returned {arm!r}, must be {allowed} ({self._when})"
            raise FailedCheckError(told) from error

    @property
    def _when(self) -> str:
        return f"at step {len(self.arms) + 1}: {self.situation}"


def run_of(agent: Agent, situation: Situation, rng: np.random.Generator | None = None) -> Run:
    """Return what an agent does in a situation, from its reset to its answer."""
    return Meeting(agent, situation, rng).end()


def usual_arms(subject: Subject, otherwise: int = N_ARMS) -> int:
    """Return the K that an agent was trained for, or else this one, that of most checks."""
    return int(trained_on(subject.make()).get("n_arms", otherwise))


def situations(subject: Subject, n_users: int = 3, **given: Any) -> Iterator[Situation]:
    """Yield what the agent is to meet in most checks: a few users who accept by chance.

    Args:
        subject: the agent.
        n_users: how many.
        **given: fields of the situations that are to be others.
    """
    n_arms = given.pop("n_arms", None) or usual_arms(subject)
    cap = given.pop("cap", MEETING_STEPS)
    told = {"horizon": cap} if needs_horizon(subject.make()) else {}
    for seed in range(subject.seed, subject.seed + n_users):
        yield Situation(n_arms, seed, cap=cap, **{**told, **given})


def expect_alike(found: Run, wanted: Run, situation: Situation, when: str) -> None:
    """Make sure that two runs are the same.

    Args:
        found: what was done.
        wanted: what was done before, or elsewhere.
        situation: what was met.
        when: in words, what was different about the second; nothing may follow from it.

    Raises:
        FailedCheckError: naming the first step at which they differ.
    """
    for step, (arm, other) in enumerate(zip(found.arms, wanted.arms, strict=False), 1):
        if arm != other:
            told = f"recommended arm {arm} instead of {other} at step {step} {when}"
            raise FailedCheckError(f"{told} ({situation})")
    n_steps = len(found.arms)
    if n_steps != len(wanted.arms):
        told = f"ended after {n_steps} steps instead of {len(wanted.arms)} {when}"
        raise FailedCheckError(f"{told} ({situation})")
    if found.stopped != wanted.stopped:
        ends = {True: "stopped", False: "was cut off"}
        told = f"{ends[found.stopped]} after {n_steps} steps and {ends[wanted.stopped]} before"
        raise FailedCheckError(f"{told} {when} ({situation})")
    if found.answer != wanted.answer:
        told = f"answered arm {found.answer} instead of {wanted.answer} {when}"
        raise FailedCheckError(f"{told}, after {n_steps} steps ({situation})")


USERS_TOGETHER = 6
"""In step."""

STEPS_IN_STEP = 40
"""Of their runs."""


class Call(NamedTuple):
    """A method that is about to be called for many users at once."""

    agent: ManyUserAgent
    method: str
    given: Sequence[Any]
    n_arms: int
    step: int

    def made(self) -> Any:
        """Make the call, and return what the method does."""
        try:
            return getattr(self.agent, self.method)(*self.given)
        except Exception as error:
            told = f"{self.method} {in_words(error)} at step {self.step}"
            raise FailedCheckError(told) from error


def many_user_agent(subject: Subject) -> ManyUserAgent:
    """Return an agent that meets many users at once.

    Raises:
        NotAskedError: if it is none.
    """
    agent = subject.make()
    if not isinstance(agent, ManyUserAgent):
        raise NotAskedError("it meets users one at a time")
    return agent


def meet_many(subject: Subject, called: Callable[[Call], Any]) -> None:
    """Let an agent meet users who respond by chance, all at once.

    Args:
        subject: the agent.
        called: makes each call, looks at it as it likes and returns what the method did.
    """
    agent, n_arms = many_user_agent(subject), usual_arms(subject)
    rng = np.random.default_rng(subject.seed)
    seeds = range(subject.seed, subject.seed + USERS_TOGETHER)
    rngs = agent_generators(seeds, name_of(agent))
    horizon = STEPS_IN_STEP if needs_horizon(agent) else None
    users, step = np.arange(USERS_TOGETHER), 0

    def call(method: str, *given: Any) -> Any:
        return called(Call(agent, method, given, n_arms, step))

    call("reset_all", n_arms, rngs, horizon)
    for step in range(1, STEPS_IN_STEP + 1):  # noqa: B007 - told by `call`
        arms = np.array(call("act_all", users.copy()))
        users, arms = users[arms != STOP], arms[arms != STOP]
        if not users.size:
            break
        call("observe_all", users.copy(), arms, rng.random(users.size) < 0.5)
    call("answer_all", np.arange(USERS_TOGETHER))


def recommends_arms_to_many(subject: Subject) -> None:
    """What act_all and answer_all return is an arm (or STOP) for each user, at every step."""
    meet_many(subject, _of_arms)


def _of_arms(call: Call) -> Any:
    returned = call.made()
    if call.method not in ("act_all", "answer_all"):
        return returned
    least, n_users = STOP if call.method == "act_all" else 0, len(call.given[0])
    arms: Array = np.asarray(returned)
    fits = arms.shape == (n_users,) and arms.dtype.kind in "iu"
    if not fits or not least <= arms.min() <= arms.max() < call.n_arms:
        allowed = f"{n_users} integers in {least}..{call.n_arms - 1}"
        told = f"{call.method} returned {returned!r} at step {call.step}"
        raise FailedCheckError(f"{told}, must be {allowed}")
    return arms


def minds_no_company(subject: Subject) -> None:
    """What it does with a user depends neither on who else is there nor on their order."""
    seeds = [*range(subject.seed, subject.seed + USERS_TOGETHER)]
    wanted = _rows(subject, seeds)
    others = {
        "in another order": (seeds[::-1], wanted[::-1]),
        "alone": (seeds[-1:], wanted[-1:]),
        "with half of the others": (seeds[::2], wanted[::2]),
    }
    for how, (some, rows) in others.items():
        expect_rows(_rows(subject, some), rows, some, f"{how} than among {USERS_TOGETHER} users")


def in_step_is_one_at_a_time(subject: Subject) -> None:
    """Its runs with many users at once are those with one after the other, to the bit."""
    seeds = [*range(subject.seed, subject.seed + USERS_TOGETHER)]
    wanted = _rows(subject, seeds)
    users, agent = Population(n_arms=usual_arms(subject)), subject.make()
    horizon = STEPS_IN_STEP if needs_horizon(agent) else None
    found = run_readable(Runs(users, agent, STEPS_IN_STEP, horizon), seeds)
    expect_rows(found, wanted, seeds, "one at a time than in step")


def _rows(subject: Subject, seeds: Sequence[int]) -> Array:
    agent, users = many_user_agent(subject), Population(n_arms=usual_arms(subject))
    horizon = STEPS_IN_STEP if needs_horizon(agent) else None
    return run_in_step(Runs(users, agent, STEPS_IN_STEP, horizon), seeds)


def expect_rows(found: Array, wanted: Array, seeds: Sequence[int], how: str) -> None:
    """Make sure that the runs of some users are the same on two paths.

    Args:
        found: a row of `RUN_COLUMNS` for each user.
        wanted: the same.
        seeds: the users'.
        how: in words, the one path and the other.

    Raises:
        FailedCheckError: naming the first user with whom they differ.
    """
    for row, other, seed in zip(found.tolist(), wanted.tolist(), seeds, strict=True):
        if row != other:
            differs = [name for name, a, b in zip(RUN_COLUMNS, row, other, strict=True) if a != b]
            shown = ", ".join(
                f"{name} {row[RUN_COLUMNS.index(name)]} instead of {other[RUN_COLUMNS.index(name)]}"
                for name in differs
            )
            told = f"the run with the user of seed {seed} is another {how}"
            raise FailedCheckError(f"{told}: {shown}")


CALLS: Mapping[str, tuple[Any, ...]] = {
    "reset": (5, None, None),
    "act": (),
    "observe": (0, True),
    "answer": (),
}
"""With what each method of an agent is called; these are as many arguments as it has to take."""

CALLS_OF_MANY: Mapping[str, tuple[Any, ...]] = {
    "reset_all": (5, [], None),
    "act_all": (None,),
    "observe_all": (None, None, None),
    "answer_all": (None,),
}
"""The same of an agent that meets many users at once."""

MANY_ARMS = 200
"""A large K."""

CAPS = (1, 2, 7)
"""Steps after which agents are cut off."""


def has_the_methods(subject: Subject) -> None:
    """It has reset, act, observe and answer, which take what an evaluation calls them with."""
    agent = subject.make()
    calls = dict(CALLS)
    if any(hasattr(agent, method) for method in CALLS_OF_MANY):
        calls |= CALLS_OF_MANY  # some of the four for many users are as good as none
    for method, given in calls.items():
        found = getattr(agent, method, None)
        if not callable(found):
            raise FailedCheckError(f"there is no method {method}, must be {', '.join(calls)}")
        try:
            inspect.signature(found).bind(*given)
        except TypeError as error:
            told = f"{method}{inspect.signature(found)} does not take {len(given)} arguments"
            raise FailedCheckError(f"{told}: {error}") from error
        except ValueError:  # of what is written in C nobody knows
            continue


def says_what_it_is(subject: Subject) -> None:
    """Its name, max_steps, needs_horizon, sees_rewards and trained_on are what they may be."""
    agent, other = subject.make(), subject.make()
    if name_of(agent) != name_of(other):
        told = f"its name is {name_of(agent)!r} and then {name_of(other)!r}"
        raise FailedCheckError(f"{told}, must be the same: the agent's stream follows from it")
    name, cap = getattr(agent, "name", "mine"), cap_of(agent)
    if not isinstance(name, str) or not name:
        raise FailedCheckError(f"name is {name!r}, must be a word")
    whole = isinstance(cap, Integral) and not isinstance(cap, bool)
    if cap is not None and not (whole and cap >= 1):
        raise FailedCheckError(f"max_steps is {cap!r}, must be an integer of at least 1 or None")
    for flag in ("needs_horizon", "sees_rewards"):
        if not isinstance(value := getattr(agent, flag, False), bool):
            raise FailedCheckError(f"{flag} is {value!r}, must be True or False")
    if getattr(agent, "sees_rewards", False) and not callable(getattr(agent, "learn", None)):
        raise FailedCheckError("sees_rewards is True and there is no method learn(arm, reward)")
    users = trained_on(agent)
    if not isinstance(users, Mapping) or users.get("task", BAI.name) not in TASKS:
        raise FailedCheckError(f"trained_on is {users!r}, must be a mapping with a known task")


def recommends_arms(subject: Subject) -> None:
    """What act returns is an integer in 0..K-1, or None to stop, at every step."""
    for situation in situations(subject, n_users=8):
        Meeting(subject.make(), situation).go_on()


def answers_when_cut_off(subject: Subject) -> None:
    """What answer returns is an integer in 0..K-1, whenever a step cap ends the run."""
    for cap in CAPS:
        for situation in situations(subject, cap=cap):
            run_of(subject.make(), situation)


def meets_who_rejects_everything(subject: Subject) -> None:
    """It stops or goes on to the cap, without an error, with a user who rejects all."""
    for situation in situations(subject, user=REJECTING):
        run_of(subject.make(), situation)


def meets_who_accepts_everything(subject: Subject) -> None:
    """It stops or goes on to the cap, without an error, with a user who accepts all."""
    for situation in situations(subject, user=ACCEPTING):
        run_of(subject.make(), situation)


def meets_two_arms(subject: Subject) -> None:
    """It runs with K = 2, unless its trained_on says another "n_arms"."""
    _meet(subject, 2)


def meets_many_arms(subject: Subject) -> None:
    """It runs with a large K, unless its trained_on says another "n_arms"."""
    _meet(subject, MANY_ARMS)


def _meet(subject: Subject, n_arms: int) -> None:
    trained = trained_on(subject.make()).get("n_arms", n_arms)
    if trained != n_arms:
        raise NotAskedError(f"trained for {trained} arms")
    try:
        for situation in situations(subject, n_arms=n_arms):
            run_of(subject.make(), situation)
    except FailedCheckError as error:
        hint = 'an agent for one K alone says so, as trained_on = {"n_arms": 5}'
        raise FailedCheckError(f"{error}; {hint}") from error


def begins_with_a_horizon_or_none(subject: Subject) -> None:
    """It takes a horizon, and does without where it does not say that it needs one."""
    for horizon in (7, 60):
        for situation in situations(subject, horizon=horizon):
            run_of(subject.make(), situation)
    if needs_horizon(subject.make()):
        return
    for situation in situations(subject, horizon=None):
        run_of(subject.make(), situation)


def runs_in_both_tasks(subject: Subject) -> None:
    """It runs in an evaluation of best-arm identification and of regret."""
    users = Population(n_arms=usual_arms(subject))
    seeds = [subject.seed, subject.seed + 1]
    for task in (BAI, REGRET):
        rows = Runs(users, meeting_agent(subject, users), 40, 40, task).readable(seeds)
        if len(rows) != len(seeds):
            raise FailedCheckError(f"{len(rows)} runs, must be {len(seeds)}")


def meeting_agent(subject: Subject, users: Population) -> Agent:
    """Return an agent that knows what it may of the users, as in an evaluation."""
    return informed(subject.make(), users)


def says_what_can_be_shown(subject: Subject) -> None:
    """What explain() returns are numbers, words, K numbers or an Against, at every step."""
    _must_explain(subject)
    for situation in situations(subject):
        meeting = Meeting(subject.make(), situation)
        for step in range(situation.cap + 1):
            try:
                explanation_of(meeting.agent, situation.n_arms)
            except CallableError as error:
                raise FailedCheckError(f"{error.told} (after step {step}: {situation})") from error
            meeting.go_on(1)


def explains_without_a_trace(subject: Subject) -> None:
    """Asked after every step what it thinks, it does what it does when nobody asks."""
    _must_explain(subject)
    for situation in situations(subject):
        meeting = Meeting(subject.make(), situation)
        for _ in range(situation.cap):
            explanation_of(meeting.agent, situation.n_arms)
            meeting.go_on(1)
        when = "while it was asked to explain()"
        expect_alike(meeting.end(), run_of(subject.make(), situation), situation, when)


def _must_explain(subject: Subject) -> None:
    if not callable(getattr(subject.make(), "explain", None)):
        raise NotAskedError("it has no explain()")


MID_RUN = 9
"""Steps after which a run is interrupted."""


def forgets_users_it_has_met(subject: Subject) -> None:
    """One that has met other users does with the next what a new one does."""
    agent = subject.make()
    for situation in (*situations(subject), *situations(subject, n_users=2)):
        wanted = run_of(subject.make(), situation)
        expect_alike(run_of(agent, situation), wanted, situation, "after it had met other users")


def goes_on_with_the_next_user(subject: Subject) -> None:
    """Where it has a next_user, it goes on with arms and answers, and a reset still forgets all."""
    agent = subject.make()
    if not callable(getattr(agent, "next_user", None)):
        raise NotAskedError("it has no next_user, and is reset for every user")
    for situation in situations(subject):
        wanted = run_of(subject.make(), situation)
        found = run_of(agent, situation)
        expect_alike(found, wanted, situation, "after it had gone on from user to user")
        for other in situations(subject):
            Meeting(agent, other, follows=True).end()


def shares_nothing_with_its_like(subject: Subject) -> None:
    """Two of them that take turns with two users do what each does alone."""
    met = list(situations(subject, n_users=2))
    wanted = [run_of(subject.make(), situation) for situation in met]
    meetings = [Meeting(subject.make(), situation) for situation in met]
    for _ in range(max(situation.cap for situation in met)):
        for meeting in meetings:
            meeting.go_on(1)
    for meeting, run, situation in zip(meetings, wanted, met, strict=True):
        when = "while another one met another user"
        expect_alike(meeting.end(), run, situation, when)


def goes_on_alike_as_a_copy(subject: Subject) -> None:
    """A deep copy in the middle of a run goes on as the agent itself, and apart from it."""
    _goes_on_alike(subject, copy.deepcopy, "as a deep copy")


def goes_on_alike_when_pickled(subject: Subject) -> None:
    """Pickled in the middle of a run and unpickled, it goes on as the agent itself."""
    _goes_on_alike(subject, travelled, "when it was pickled")


def _goes_on_alike(subject: Subject, again: Callable[[Meeting], Any], how: str) -> None:
    for situation in situations(subject):
        wanted = run_of(subject.make(), situation)
        meeting = Meeting(subject.make(), situation)
        meeting.go_on(MID_RUN)
        when = f"{how} after step {len(meeting.arms)}"
        expect_alike(again(meeting).end(), wanted, situation, when)
        expect_alike(meeting.end(), wanted, situation, f"though another went on {when}")


def leaves_what_it_is_given(subject: Subject) -> None:
    """It writes neither on its options nor on arrays and lists of users that it is handed."""
    agent: Any = subject.make()
    told = {name: copy.deepcopy(values) for name, values in _given_to(agent).items()}
    for situation in situations(subject):
        run_of(agent, situation)
    for name, values in _given_to(agent).items():
        if repr(values) != repr(told[name]):
            raise FailedCheckError(f"its {name} were {told[name]!r} and are {values!r} after a run")
    if isinstance(agent, ManyUserAgent):
        meet_many(subject, _unchanged)


def _given_to(agent: Any) -> Mapping[str, Any]:
    """Return what an agent was made of, as far as it tells."""
    record = getattr(agent, "algorithm", None)
    told = {"options": getattr(agent, "options", None)}
    told["defaults"] = dict(getattr(record, "defaults", {}))
    return told


def _unchanged(call: Call) -> Any:
    """Return what a method returns, which may not have written on what it was handed."""
    before = [copy.copy(each) for each in call.given]
    returned = copy.copy(call.made())
    for each, was in zip(call.given, before, strict=True):
        if isinstance(each, np.ndarray):
            same = np.array_equal(each, was)
        elif isinstance(each, list):
            same = list(map(id, each)) == list(map(id, was))
        else:
            continue
        if not same:
            told = f"{call.method} wrote on what it was handed at step {call.step}"
            raise FailedCheckError(f"{told}: {was!r} became {each!r}")
    return returned


COMPILED_STEPS = 150
"""Of runs in compiled code."""

COMPILED_USERS = 8
"""Who are met there."""


class DoesNotCompileError(Exception):
    """Something of a loop is not what compiled code can be made of; the message says why."""


def expect_compiled(population: Population, agent: AlgorithmAgent, seeds: Sequence[int]) -> None:
    """Make sure that an agent and users do the same in compiled code.

    Args:
        population: the users.
        agent: who meets them, with a horizon where it needs one.
        seeds: theirs.

    Raises:
        NotAskedError: where there is no compiler.
        DoesNotCompileError: if they cannot.
        FailedCheckError: naming the first user and step that differ.
    """
    if (reason := why_no_compiler()) is not None:
        raise NotAskedError(f"it takes {COMPILER}, but {reason}")
    runs = Runs(population, agent, COMPILED_STEPS, COMPILED_STEPS)
    wanted = Play.joined(plays_readable(runs, seeds))
    try:
        found = Play.joined(plays_compiled(runs, seeds))
    except errors_of_compiling() as error:
        raise DoesNotCompileError(short(error)) from error
    for what, fast, plain in (
        ("recommended", found.arms, wanted.arms),
        ("accepted", found.accepted, wanted.accepted),
    ):
        users, steps = np.nonzero(fast != plain)
        if users.size:
            user, step = users[0], steps[0]
            raise FailedCheckError(
                f"{what} is {fast[user, step]} compiled and {plain[user, step]} in plain Python, "
                f"at step {step + 1} with the user of seed {seeds[user]} (K = {population.n_arms})"
            )
    rows = (run_compiled(runs, seeds), run_readable(runs, seeds))
    expect_rows(*rows, seeds, "compiled than in plain Python")


def expect_compiled_users(population: Population, seed: int) -> None:
    """Make sure that users are the same in compiled code.

    Args:
        population: the users.
        seed: of the first of them.

    Raises:
        NotAskedError: if they do not compile, and so run in plain Python everywhere.
        FailedCheckError: naming a user who differs.
    """
    agent = Uniform(order="random", horizon=COMPILED_STEPS)
    try:
        expect_compiled(population, agent, [*range(seed, seed + COMPILED_USERS)])
    except DoesNotCompileError as error:
        raise NotAskedError(f"does not compile, runs in plain Python: {error}") from error


SENT_STEPS = 40
"""Of runs in another process."""


def compiled_is_readable(subject: Subject) -> None:
    """Its runs in compiled code are those in plain Python, to the bit, if it is an Algorithm."""
    agent = subject.make()
    if not isinstance(agent, AlgorithmAgent):
        raise NotAskedError("it is no Algorithm record, and runs in plain Python")
    users = Population(n_arms=usual_arms(subject), alpha=0.1, noise=0.1)
    told = informed(agent, users)
    assert isinstance(told, AlgorithmAgent)
    try:
        expect_compiled(users, told, [*range(subject.seed, subject.seed + COMPILED_USERS)])
    except DoesNotCompileError as error:
        raise FailedCheckError(f"it does not compile: {error}") from error


def runs_in_another_process(subject: Subject) -> None:
    """In a process that was started for it, it does what it does in this one."""
    if not can_start_processes():
        raise NotAskedError(NONE_START)
    users = Population(n_arms=usual_arms(subject))
    agent = informed(subject.make(), users)
    seeds = [*range(subject.seed, subject.seed + 4)]
    horizon = SENT_STEPS if needs_horizon(agent) else None
    job = partial(run_readable, Runs(users, agent, SENT_STEPS, horizon))
    wanted = job(seeds)
    halves = (slice(0, 2), slice(2, 4))
    chunks = [seeds[half] for half in halves]
    with closing(done(job, chunks, agent, PROCESSES, workers=2)) as parts:
        for place, rows in parts:
            half = halves[place]
            expect_rows(rows, wanted[half], seeds[half], "in another process than in this one")


FALSE_ALARM = 1e-6
"""The largest probability that a check by chance fails an agent that does nothing wrong."""

GUESSES = 60
"""Users with each of whom an agent can only guess."""

SAFE_ARMS = 20
"""K of users of whom nothing can be told, if an agent was not trained for another."""

BLIND_STEPS = 12
"""Steps with each of them, none of which she rejects."""

UNBOUNDED_PATIENCE = 1e9
"""alpha of users whose intervals are so wide that nothing is rejected for a long time."""

REPLAYED = 50
"""Steps of a run whose responses are given again."""


def holds_no_secret(subject: Subject) -> None:
    """From the agent no way leads to the user's means, estimates, bounds, seed or stream."""
    users = Population(n_arms=usual_arms(subject), gap=0.4321)
    for seed in user_seeds(subject.seed, 3):
        agent = informed(_agent(subject), users)
        env = _Watched(population=users, reward=_paid(subject))
        rollout(env, agent, seed, max_steps=REPLAYED, horizon=_horizon(agent, REPLAYED))
        numbers = env.means if sees_rewards(agent) else [*env.means, *env.numbers]
        secrets = Secrets([seed], numbers, truths=())
        for way in secrets.ways_from(agent):
            raise FailedCheckError(f"agent{way} is a secret of the user of seed {seed}")


def guesses_when_it_cannot_know(subject: Subject) -> None:
    """With users who have rejected nothing it is right no more often than one who guesses."""
    from scipy.stats import binom

    if sees_rewards(subject.make()):
        raise NotAskedError("it is told rewards, as a reference that is labelled so")
    n_arms, seeds = usual_arms(subject, SAFE_ARMS), user_seeds(subject.seed, GUESSES)
    users = Population(n_arms=n_arms, alpha=UNBOUNDED_PATIENCE)
    right = _right_one_by_one(subject, users, seeds)
    if isinstance(subject.make(), ManyUserAgent):
        right["answers, asked about many at once,"] = _right_in_step(subject, users, seeds)
    # Whatever it does, it is right by chance with each user: the figures share the false alarm.
    most = int(binom.isf(FALSE_ALARM / len(right), GUESSES, 1 / n_arms))
    for what, n_right in right.items():
        if n_right > most:
            raise FailedCheckError(
                f"it {what} the best of {n_arms} arms with {n_right} of {GUESSES} users who have "
                f"rejected nothing in {BLIND_STEPS} steps; by chance it is at most {most} with "
                f"probability 1 - {FALSE_ALARM:g} (users of seed {subject.seed})"
            )


def _right_one_by_one(subject: Subject, users: Population, seeds: list[int]) -> dict[str, int]:
    """Return with how many users an agent answers their best arm, and recommends it last."""
    env, right = ExplorativeUserEnv(population=users), {"answers": 0, "recommends": 0}
    for seed in seeds:
        agent = informed(_agent(subject), users)
        episode = rollout(env, agent, seed, BLIND_STEPS, _horizon(agent, BLIND_STEPS))
        assert episode.rejections == 0
        best = env.instance().best_arm
        right["answers"] += episode.answer == best
        right["recommends"] += bool(episode.arms) and episode.arms[-1] == best
    return right


def _right_in_step(subject: Subject, users: Population, seeds: list[int]) -> int:
    """Return with how many users an agent that meets all at once answers their best arms."""
    agent: Any = subject.make()
    rows = run_in_step(Runs(users, agent, BLIND_STEPS, _horizon(agent, BLIND_STEPS)), seeds)
    of = dict(zip(RUN_COLUMNS, rows.T, strict=True))
    return int((of["answer"] == of["best_arm"]).sum())


def depends_on_responses_alone(subject: Subject) -> None:
    """The same responses from a user with another truth lead to the same recommendations."""
    if sees_rewards(subject.make()):
        raise NotAskedError("it is told rewards, as a reference that is labelled so")
    users = Population(n_arms=usual_arms(subject))
    for seed in user_seeds(subject.seed, 6):
        wanted = _played(subject, ExplorativeUserEnv(population=users), seed)
        other = _Replaying(population=users)
        other.responses = wanted.accepted
        found = _played(subject, other, seed, seed + 1)
        situation = Situation(users.n_arms, seed, "as she likes", REPLAYED)
        when = "with a user of another truth who gave the same responses"
        expect_alike(found, wanted, situation, when)


def _played(
    subject: Subject, env: ExplorativeUserEnv, seed: int, of_user: int | None = None
) -> Run:
    """Return a run of an agent whose stream follows from `seed`, with the user of another one."""
    agent = informed(_agent(subject), env.population)
    streamed = _Streamed(agent, agent_generator(seed, name_of(agent)))
    user = seed if of_user is None else of_user
    told = rollout(env, streamed, user, REPLAYED, _horizon(agent, REPLAYED))
    return Run(told.arms, told.accepted, told.answer, not told.censored)


def _agent(subject: Subject) -> Agent:
    agent: Agent = subject.make()
    return agent


def _paid(subject: Subject) -> str:
    return "realized" if sees_rewards(subject.make()) else "none"


def _horizon(agent: Agent, n_steps: int) -> int | None:
    return n_steps if needs_horizon(agent) else None


class _Streamed:
    """An agent that is handed a stream of the check's, whoever it meets."""

    def __init__(self, agent: Agent, rng: np.random.Generator) -> None:
        self._agent, self._rng, self.name = agent, rng, name_of(agent)

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        self._agent.reset(n_arms, self._rng, horizon)

    def act(self) -> int | None:
        return self._agent.act()

    def observe(self, arm: int, accepted: bool) -> None:
        self._agent.observe(arm, accepted)

    def answer(self) -> int:
        return self._agent.answer()


class _Watched(ExplorativeUserEnv):
    """A user whose secrets are written down."""

    means: list[float]
    numbers: list[float]

    def reset(self, **given: Any) -> Any:
        begun = super().reset(**given)
        self.means, self.numbers = [*self.instance().means], []
        return begun

    def step(self, action: int) -> Any:
        heard = super().step(action)
        truth = self.hidden_state()
        for part in (truth.lower_bounds, truth.upper_bounds, truth.estimates):
            self.numbers += part
        return heard


class _Replaying(ExplorativeUserEnv):
    """A user who gives the responses that are written down, whatever she would say."""

    responses: tuple[bool, ...]

    def step(self, action: int) -> Any:
        _, *rest = super().step(action)
        step = self._state.interactions[0] - 1
        return (int(self.responses[step]) if step < len(self.responses) else 0, *rest)


DEPTH_OF_STREAMS = 4
"""Steps from an agent to a stream that it keeps."""


def repeats_with_the_same_stream(subject: Subject) -> None:
    """The same stream and the same user give the same run, whatever the clock and others say."""
    for situation in situations(subject):
        wanted = run_of(subject.make(), situation)
        for seed in (1, 2):
            with other_surroundings(seed):
                found = run_of(subject.make(), situation)
            when = "with the same stream, in other surroundings (global streams, clock)"
            expect_alike(found, wanted, situation, when)


def leaves_global_streams_alone(subject: Subject) -> None:
    """It neither draws from random, numpy.random and torch as all share them, nor seeds them."""
    for situation in situations(subject):
        agent = subject.make()
        before = shared_streams()
        run_of(agent, situation)
        for module, stream in shared_streams().items():
            if stream != before.get(module, stream):
                told = f"it drew from {module} or seeded it, must draw from its own rng"
                raise FailedCheckError(f"{told} ({situation})")


def draws_from_no_other_stream(subject: Subject) -> None:
    """It draws from no stream of its own that begins alike whatever stream it is handed."""
    for situation in situations(subject, n_users=1):
        places = [_streams_drawn_from(subject, situation, seed) for seed in (0, 1)]
        alike = [path for path, start in places[0].items() if places[1].get(path) == start]
        if alike:
            told = f"it draws from a stream of its own at agent{alike[0]}, which begins alike"
            raise FailedCheckError(
                f"{told} with any rng, must follow from the rng that it is handed ({situation})"
            )


def leaves_its_stream_what_it_is(subject: Subject) -> None:
    """It draws from the stream it is handed, and does not set it to another one."""
    for situation in situations(subject):
        agent = subject.make()
        rng = agent_generator(situation.seed, name_of(agent))
        state: Any = rng.bit_generator.state
        run_of(agent, situation, rng)
        after: Any = rng.bit_generator.state
        if after["state"]["inc"] != state["state"]["inc"]:
            raise FailedCheckError(f"it set its rng to another stream ({situation})")


def _streams_drawn_from(subject: Subject, situation: Situation, seed: int) -> dict[str, str]:
    """Return where the streams begin that an agent draws from, but the one it is handed."""
    rng = np.random.default_rng([seed, situation.seed])
    agent = subject.make()
    meeting = Meeting(agent, situation, rng)
    own = {id(rng), id(rng.bit_generator)}
    streams = {path: each for path, each in _streams_in(agent) if id(each) not in own}
    begun = {path: _place_of(each) for path, each in streams.items()}
    meeting.end()
    return {path: begun[path] for path, each in streams.items() if _place_of(each) != begun[path]}


def _streams_in(agent: Any) -> Iterator[tuple[str, Any]]:
    kinds = (np.random.BitGenerator, np.random.RandomState, random.Random)
    for path, thing in reached(agent, DEPTH_OF_STREAMS):
        if isinstance(thing, kinds):
            yield path, thing


def _place_of(stream: Any) -> str:
    if isinstance(stream, np.random.BitGenerator):
        return repr(stream.state)
    return repr(stream.getstate() if isinstance(stream, random.Random) else stream.get_state())


TRIES = 60
"""Runs of each situation, each with a stream of its own."""

FIRST_TRIES = 5
"""Runs of which one has to end with tied arms, for more to be looked at; of an agent that is told
no horizon, and may be slow to stop, one."""

MOST_STEPS = 2000
"""Steps within which an agent that stops by itself has to."""

LEAST_TIES = 20
"""Ends with tied arms of which a share can be told."""

USERS_A_PLACE = 30
"""Users with their best arm at each place."""

BEST_MEAN, EASY_ALPHA = 1.5, 0.1
"""Of users with whom whoever looks at all arms is right: so its place hardly matters to most."""

ROUNDS_TOLD = 4
"""How often an agent that is told a horizon could recommend every arm; once, of two arms: who
recommends at random then does so every other time."""


def breaks_ties_by_chance(subject: Subject) -> None:
    """Where it stops and has heard the same of all arms, it answers each of them equally often."""
    usual = usual_arms(subject)
    met = [
        _expect_chance(subject, situation)
        for n_arms, rounds in {usual: ROUNDS_TOLD, usual_arms(subject, 2): 1}.items()
        for situation in _ending(subject, n_arms, rounds)
    ]
    if not any(met):
        raise NotAskedError("it never stopped by itself having heard the same of all arms")


def _ending(subject: Subject, n_arms: int, rounds: int) -> list[Situation]:
    """Return what an agent meets that may leave all arms tied."""
    horizon = rounds * n_arms if needs_horizon(subject.make()) else None
    # One step more than the horizon, so that it can stop by itself.
    cap = MOST_STEPS if horizon is None else horizon + 1
    users = (ACCEPTING, REJECTING)
    return [Situation(n_arms, subject.seed, user, cap, horizon) for user in users]


def _expect_chance(subject: Subject, situation: Situation) -> bool:
    """Make sure that answers are no arm's too often; return whether there were any to look at."""
    first_tries = 1 if situation.horizon is None else FIRST_TRIES
    if not _tied_answers(subject, situation, first_tries).any():
        return False  # hardly ever, if at all
    answers, n_arms = _tied_answers(subject, situation, TRIES), situation.n_arms
    if answers.sum() < LEAST_TIES:
        return False
    from scipy.stats import binom

    # Each arm's share is binomial; that of the largest of K is above with K times the chance, and
    # there are four situations.
    most = int(binom.isf(FALSE_ALARM / (4 * n_arms), answers.sum(), 1 / n_arms))
    if answers.max() > most:
        arm = int(answers.argmax())
        raise FailedCheckError(
            f"it answered arm {arm} in {answers[arm]} of {answers.sum()} runs that it ended with "
            f"all arms tied ({situation} and the next); by chance it is at most {most} with "
            f"probability 1 - {FALSE_ALARM:g}: success must not depend on the best arm's number"
        )
    return True


def _tied_answers(subject: Subject, situation: Situation, n_runs: int) -> Array:
    """Return how often each arm was answered, of the runs that ended with all arms tied."""
    answers = np.zeros(situation.n_arms, int)
    for seed in range(subject.seed, subject.seed + n_runs):
        run = run_of(subject.make(), replace(situation, seed=seed))
        if run.stopped and _all_tied(run, situation.n_arms):
            answers[run.answer] += 1
    return answers


def succeeds_wherever_the_best_is(subject: Subject) -> None:
    """Where it stops by itself, it is right as often whatever the number of the best arm."""
    from scipy.stats import hypergeom

    n_arms = usual_arms(subject)
    right, ended = np.zeros(n_arms, int), np.zeros(n_arms, int)
    for place in range(n_arms):
        if not place and not _rows_agent_ties(subject, n_arms, place, 2)[1].any():
            raise NotAskedError(f"it does not stop by itself within {MOST_STEPS} steps")
        successes, stops = _rows_agent_ties(subject, n_arms, place, USERS_A_PLACE)
        right[place], ended[place] = successes.sum(), stops.sum()
    for place in range(n_arms):
        # Given how many successes there are, those at one place are hypergeometric: at either end.
        others = (int(ended.sum()), int(right.sum()), int(ended[place]))
        tails = hypergeom.cdf(right[place], *others), hypergeom.sf(right[place] - 1, *others)
        if min(tails) < FALSE_ALARM / (2 * n_arms):
            raise FailedCheckError(
                f"it was right with {right[place]} of {ended[place]} users whose best arm is "
                f"number {place}, and with {right.tolist()} of {ended.tolist()} by its number; by "
                f"chance they differ so with a probability below {FALSE_ALARM:g} (seed "
                f"{subject.seed})"
            )


def _rows_agent_ties(
    subject: Subject, n_arms: int, place: int, n_users: int
) -> tuple[Array, Array]:
    """Return with which of some users, whose best arm this is, an agent succeeded and stopped."""
    means = np.roll([BEST_MEAN, *np.linspace(0.0, -1.0, n_arms - 1)], place)
    users = Population(n_arms=n_arms, means=tuple(means.tolist()), alpha=EASY_ALPHA)
    agent = informed(subject.make(), users)
    horizon = MEETING_STEPS if needs_horizon(agent) else None
    seeds = user_seeds(subject.seed, n_arms * n_users)[place::n_arms]
    found = run_readable(Runs(users, agent, MOST_STEPS, horizon), seeds)
    of = dict(zip(RUN_COLUMNS, found.T, strict=True))
    stops = of["end"] == ANSWERED
    return stops & (of["answer"] == of["best_arm"]), stops


def _all_tied(run: Run, n_arms: int) -> bool:
    """Return whether every arm was recommended, and accepted, as often as any other."""
    recommended = np.bincount(run.arms, minlength=n_arms)
    accepted = np.bincount(run.arms, weights=run.accepted, minlength=n_arms)
    return bool((recommended == recommended[0]).all() and (accepted == accepted[0]).all())
