"""Checks of agents: the contract, streams, memory, secrets, ties, and all ways of running."""

import copy
import inspect
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.agents import AlgorithmAgent, Uniform, informed
from explorative_user_env.check.checks import (
    FALSE_ALARM,
    FailedCheckError,
    Kind,
    NotAskedError,
    Subject,
    asked_of,
    expect,
    in_words,
    other_surroundings,
    shared_streams_kept,
    travelled,
)
from explorative_user_env.check.secrets import Secrets, reached
from explorative_user_env.envs.user import ExplorativeUserEnv, as_action
from explorative_user_env.evaluation import evaluate, paths
from explorative_user_env.evaluation.paths import RUN_COLUMNS, Runs
from explorative_user_env.evaluation.workers import NONE_START, can_start_processes
from explorative_user_env.kernels.compiler import (
    COMPILER,
    errors_of_compiling,
    short,
    why_no_compiler,
)
from explorative_user_env.protocol import (
    ANSWERED,
    BAI,
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
from explorative_user_env.seeding import agent_generator, user_seeds
from explorative_user_env.show.explanations import explanation_of
from explorative_user_env.users.population import Population
from explorative_user_env.validation import InvalidArgumentError

#: K of most checks, and a large one.
N_ARMS, MANY_ARMS = 5, 200

#: Steps after which an agent is cut off, in most checks.
MEETING_STEPS = 60

BY_CHANCE = f"by chance, with probability 1 - {FALSE_ALARM:g},"

# Meetings with a user who follows a script

#: What a user accepts: each arm with a fixed chance, every arm, or no arm.
FICKLE, ACCEPTING, REJECTING = "by chance", "everything", "nothing"


@dataclass(frozen=True)
class Situation:
    """Whom an agent meets; printed, it ends a message.

    Attributes:
        n_arms: K.
        seed: the user's; the agent's stream follows from it and its name.
        user: what she accepts.
        cap: steps after which the agent is cut off.
        horizon: the horizon that the agent is given.
    """

    n_arms: int
    seed: int
    user: str = FICKLE
    cap: int = MEETING_STEPS
    horizon: int | None = None

    def __str__(self) -> str:
        horizon = "" if self.horizon is None else f", horizon {self.horizon}"
        return f"K = {self.n_arms}, seed {self.seed}, a user who accepts {self.user}{horizon}"


class Run(NamedTuple):
    """What an agent did."""

    arms: tuple[int, ...]
    accepted: tuple[bool, ...]
    answer: int
    stopped: bool  # by itself, not cut off


class Meeting:
    """An agent with a user, from the reset on.

    Args:
        agent: the agent, which is reset.
        situation: whom it meets.
        rng: its stream; None is the one that follows from the seed and its name.
        follows: whether the agent goes on with its `next_user` instead of a reset.
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
        n_arms, seed = situation.n_arms, situation.seed
        self._user = np.random.default_rng([seed, n_arms])
        self._chances = self._user.random(n_arms)
        if situation.user != FICKLE:
            self._chances[:] = situation.user == ACCEPTING
        self._rewards = np.random.default_rng(seed)
        if follows:
            self._call("next_user")
        else:
            rng = agent_generator(seed, name_of(agent)) if rng is None else rng
            self._call("reset", n_arms, rng, situation.horizon)

    def go_on(self, n_steps: int = sys.maxsize) -> None:
        """Recommend so many times, or until the agent stops or is cut off."""
        last = min(self.situation.cap, len(self.arms) + n_steps)
        while not self.stopped and len(self.arms) < last:
            arm = self._call("act")
            if arm is None:
                self.stopped = True
                return
            arm = self._arm("act", arm, " or None")
            accepted = bool(self._user.random() < self._chances[arm])
            self._call("observe", arm, accepted)
            if accepted and sees_rewards(self.agent):
                self._call("learn", arm, float(self._rewards.standard_normal()))
            self.arms.append(arm)
            self.accepted.append(accepted)

    def end(self) -> Run:
        """Go on to the end, and return the run with the answer."""
        self.go_on()
        answer = self._arm("answer", self._call("answer"))
        return Run(tuple(self.arms), tuple(self.accepted), answer, self.stopped)

    def _call(self, method: str, *given: Any) -> Any:
        try:
            return getattr(self.agent, method)(*given)
        except Exception as error:
            raise FailedCheckError(f"{method} {in_words(error)} ({self})") from error

    def _arm(self, method: str, arm: Any, more: str = "") -> int:
        try:
            return as_action(arm, self.situation.n_arms)
        except InvalidArgumentError as error:
            allowed = f"an integer in 0..{self.situation.n_arms - 1}{more}"
            seen = f"{method} returned {arm!r}, must be {allowed} ({self})"
            raise FailedCheckError(seen) from error

    def __str__(self) -> str:
        return f"at step {len(self.arms) + 1}: {self.situation}"


def run_of(agent: Agent, situation: Situation) -> Run:
    """Return what an agent does in a situation, from its reset to its answer."""
    return Meeting(agent, situation).end()


def run_all(subject: Subject, **given: Any) -> None:
    """Run an unused agent in each of the `situations`."""
    for situation in situations(subject, **given):
        run_of(subject.make(), situation)


def usual_arms(subject: Subject, otherwise: int = N_ARMS) -> int:
    """Return the K that an agent was trained for, or else this one."""
    return int(trained_on(subject.make()).get("n_arms", otherwise))


def situations(subject: Subject, n_users: int = 3, **given: Any) -> Iterator[Situation]:
    """Yield the situations of most checks: a few users who accept by chance.

    Args:
        subject: the agent.
        n_users: how many.
        **given: fields of the situations.
    """
    usual = {"n_arms": usual_arms(subject), "cap": MEETING_STEPS} | given
    if needs_horizon(subject.make()):
        usual = {"horizon": usual["cap"]} | usual
    for seed in range(subject.seed, subject.seed + n_users):
        yield Situation(seed=seed, **usual)


def expect_alike(found: Run, wanted: Run, situation: Situation, when: str) -> None:
    """Fail a check unless two runs are the same, naming the first step at which they differ.

    Args:
        found: the run.
        wanted: the run before, or elsewhere.
        situation: whom the agent met.
        when: in words, what was different about the run that must not matter.
    """
    for step, (arm, other) in enumerate(zip(found.arms, wanted.arms, strict=False), 1):
        seen = f"recommended arm {arm} instead of {other} at step {step} {when}"
        expect(arm == other, seen, situation)
    n_steps, before = len(found.arms), len(wanted.arms)
    expect(n_steps == before, f"ended after {n_steps} steps instead of {before} {when}", situation)
    ends = {True: "stopped", False: "was cut off"}
    seen = f"{ends[found.stopped]} after {n_steps} steps and {ends[wanted.stopped]} before {when}"
    expect(found.stopped == wanted.stopped, seen, situation)
    seen = f"answered arm {found.answer} instead of {wanted.answer} {when}, after {n_steps} steps"
    expect(found.answer == wanted.answer, seen, situation)


def expect_as_new(subject: Subject, found: Run, situation: Situation, when: str) -> None:
    """Fail a check unless a run is that of an unused agent."""
    expect_alike(found, run_of(subject.make(), situation), situation, when)


# The contract

#: The methods of an agent, with how many arguments each takes.
CALLS: Mapping[str, int] = {"reset": 3, "act": 0, "observe": 2, "answer": 0}

#: The methods of an agent that meets many users at once.
CALLS_OF_MANY = {"reset_all": 3, "act_all": 1, "observe_all": 3, "answer_all": 1}


@asked_of(Kind.AGENT)
def has_the_methods(subject: Subject) -> None:
    """It has reset, act, observe and answer, which take what an evaluation calls them with."""
    agent = subject.make()
    of_many = any(hasattr(agent, method) for method in CALLS_OF_MANY)
    calls = {**CALLS, **(CALLS_OF_MANY if of_many else {})}
    for method, n_arguments in calls.items():
        found: Any = getattr(agent, method, None)
        expect(callable(found), f"there is no method {method}, must be {', '.join(calls)}")
        try:
            inspect.signature(found).bind(*[None] * n_arguments)
        except TypeError as error:
            raise FailedCheckError(
                f"{method} does not take {n_arguments} arguments: {error}"
            ) from error
        except ValueError:  # written in C, without a signature
            continue


@asked_of(Kind.AGENT)
def says_what_it_is(subject: Subject) -> None:
    """Its name, max_steps, needs_horizon, sees_rewards and trained_on are what they may be."""
    agent, again = subject.make(), name_of(subject.make())
    seen = f"its name is {name_of(agent)!r} and then {again!r}, must be the same"
    expect(name_of(agent) == again, f"{seen}: the agent's stream follows from it")
    name, cap, users = getattr(agent, "name", "mine"), cap_of(agent), trained_on(agent)
    whole = isinstance(cap, Integral) and not isinstance(cap, bool) and cap >= 1
    known = isinstance(users, Mapping) and users.get("task", BAI.name) in TASKS
    flags = [(flag, getattr(agent, flag, False)) for flag in ("needs_horizon", "sees_rewards")]
    for what, value, right, allowed in (
        ("name", name, isinstance(name, str) and name, "a word"),
        ("max_steps", cap, cap is None or whole, "an integer of at least 1 or None"),
        *((flag, value, isinstance(value, bool), "True or False") for flag, value in flags),
        ("trained_on", users, known, "a mapping with a known task"),
    ):
        expect(right, f"{what} is {value!r}, must be {allowed}")
    learns = callable(getattr(agent, "learn", None)) or not sees_rewards(agent)
    expect(learns, "sees_rewards is True and there is no method learn(arm, reward)")


@asked_of(Kind.AGENT)
def recommends_arms(subject: Subject) -> None:
    """It returns integers in 0..K-1, or None from act to stop, whenever a step cap ends the run."""
    run_all(subject, n_users=8)
    for cap in (1, 2, 7):
        run_all(subject, cap=cap)


@asked_of(Kind.AGENT)
def meets_any_user(subject: Subject) -> None:
    """It stops or goes on to the cap with users who accept all, and with users who reject all."""
    for user in (REJECTING, ACCEPTING):
        run_all(subject, user=user)


@asked_of(Kind.AGENT)
def meets_two_arms(subject: Subject) -> None:
    """It runs with K = 2, unless its trained_on says another "n_arms"."""
    _meet(subject, 2)


@asked_of(Kind.AGENT)
def meets_many_arms(subject: Subject) -> None:
    """It runs with a large K, unless its trained_on says another "n_arms"."""
    _meet(subject, MANY_ARMS)


def _meet(subject: Subject, n_arms: int) -> None:
    trained = trained_on(subject.make()).get("n_arms", n_arms)
    if trained != n_arms:
        raise NotAskedError(f"trained for {trained} arms")
    try:
        run_all(subject, n_arms=n_arms)
    except FailedCheckError as error:
        hint = 'an agent for one K alone says so, as trained_on = {"n_arms": 5}'
        raise FailedCheckError(f"{error}; {hint}") from error


@asked_of(Kind.AGENT)
def begins_with_a_horizon_or_none(subject: Subject) -> None:
    """It takes a horizon, and does without one unless it says that it needs one."""
    for horizon in (7, 60) if needs_horizon(subject.make()) else (7, 60, None):
        run_all(subject, horizon=horizon)


@asked_of(Kind.AGENT)
def explains_itself(subject: Subject) -> None:
    """What explain() returns can be shown at every step, and calling it changes nothing."""
    if not callable(getattr(subject.make(), "explain", None)):
        raise NotAskedError("it has no explain()")
    for situation in situations(subject):
        meeting = Meeting(subject.make(), situation)
        for step in range(situation.cap + 1):
            try:
                explanation_of(meeting.agent, situation.n_arms)
            except Exception as error:
                seen = getattr(error, "told", in_words(error))
                raise FailedCheckError(f"{seen} (after step {step}: {situation})") from error
            meeting.go_on(1)
        expect_as_new(subject, meeting.end(), situation, "while it was asked to explain()")


# Streams


@asked_of(Kind.AGENT)
def repeats_with_the_same_stream(subject: Subject) -> None:
    """The same stream and user give the same run; global streams and the clock play no part."""
    for situation in situations(subject):
        with shared_streams_kept(situation):
            wanted = run_of(subject.make(), situation)
        for seed in (1, 2):
            with other_surroundings(seed):
                found = run_of(subject.make(), situation)
            when = "with the same stream, in other surroundings (global streams, clock)"
            expect_alike(found, wanted, situation, when)


@asked_of(Kind.AGENT)
def draws_from_no_other_stream(subject: Subject) -> None:
    """It draws from the stream it is handed, and from no other that begins alike every time."""
    for situation in situations(subject, n_users=1):
        first, second = (_streams_drawn_from(subject, situation, seed) for seed in (0, 1))
        for path, start in first.items():
            seen = f"it draws from another stream at agent{path}, which begins alike with any rng"
            expect(second.get(path) != start, f"{seen}, must follow from its rng", situation)


def _streams_drawn_from(subject: Subject, situation: Situation, seed: int) -> dict[str, str]:
    """Return how the streams begin that an agent draws from, but for the one it is handed."""
    rng = np.random.default_rng([seed, situation.seed])
    mine: Any = rng.bit_generator
    increment = mine.state["state"]["inc"]
    meeting = Meeting(subject.make(), situation, rng)
    kinds = (np.random.BitGenerator, np.random.RandomState, random.Random)
    found = dict(reached(meeting.agent, depth=4))
    streams = {p: each for p, each in found.items() if isinstance(each, kinds) and each is not mine}

    begun = {path: _state_of(each) for path, each in streams.items()}
    meeting.end()
    kept = mine.state["state"]["inc"] == increment
    expect(kept, "it set its rng to another stream", situation)
    return {path: begun[path] for path, each in streams.items() if _state_of(each) != begun[path]}


def _state_of(stream: Any) -> str:
    if isinstance(stream, np.random.BitGenerator):
        return repr(stream.state)
    return repr(stream.getstate() if isinstance(stream, random.Random) else stream.get_state())


# Memory


@asked_of(Kind.AGENT)
def forgets_users_it_has_met(subject: Subject) -> None:
    """An agent that has met other users does with the next what a new one does."""
    agent = subject.make()
    for situation in (*situations(subject), *situations(subject, n_users=2)):
        found = run_of(agent, situation)
        expect_as_new(subject, found, situation, "after it had met other users")


@asked_of(Kind.AGENT)
def goes_on_with_the_next_user(subject: Subject) -> None:
    """Where it has a next_user, it goes on with arms and answers, and a reset still forgets all."""
    agent = subject.make()
    if not callable(getattr(agent, "next_user", None)):
        raise NotAskedError("it has no next_user, and is reset for every user")
    for situation in situations(subject):
        found = run_of(agent, situation)
        expect_as_new(subject, found, situation, "after it had gone on from user to user")
        for other in situations(subject):
            Meeting(agent, other, follows=True).end()


@asked_of(Kind.AGENT)
def shares_nothing_with_its_like(subject: Subject) -> None:
    """Two of them that take turns with two users do what each does alone."""
    meetings = [Meeting(subject.make(), each) for each in situations(subject, n_users=2)]
    for _ in range(MEETING_STEPS):
        for meeting in meetings:
            meeting.go_on(1)
    for meeting in meetings:
        when = "while another one met another user"
        expect_as_new(subject, meeting.end(), meeting.situation, when)


@asked_of(Kind.AGENT)
def goes_on_alike_as_a_copy(subject: Subject) -> None:
    """Copied or pickled in the middle of a run, it goes on as the agent itself, apart from it."""
    ways: dict[str, Callable[[Any], Any]]
    ways = {"as a deep copy": copy.deepcopy, "when it was pickled": travelled}
    for how, again in ways.items():
        for situation in situations(subject):
            meeting = Meeting(subject.make(), situation)
            meeting.go_on(9)
            when = f"{how} after step {len(meeting.arms)}"
            expect_as_new(subject, again(meeting).end(), situation, when)
            expect_as_new(subject, meeting.end(), situation, f"though another went on {when}")


@asked_of(Kind.AGENT)
def leaves_what_it_is_given(subject: Subject) -> None:
    """It writes neither on its options nor on the arrays and lists that it is handed."""
    agent: Any = subject.make()

    def given() -> dict[str, str]:
        defaults = getattr(getattr(agent, "algorithm", None), "defaults", {})
        return {"options": repr(getattr(agent, "options", None)), "defaults": repr(dict(defaults))}

    before = given()
    for situation in situations(subject):
        run_of(agent, situation)
    for name, now in given().items():
        expect(now == before[name], f"its {name} were {before[name]} and are {now} after a run")
    if isinstance(agent, ManyUserAgent):
        _rows_in_step(subject, range(subject.seed, subject.seed + 6), _Watching(agent))


class _Watching:
    """An agent of many users that must not write on what it is handed."""

    def __init__(self, agent: Any) -> None:
        self._agent = agent

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._agent, name)
        return partial(self._called, name, attribute) if callable(attribute) else attribute

    def _called(self, name: str, method: Callable[..., Any], *given: Any) -> Any:
        kept = [each for each in given if isinstance(each, list | np.ndarray)]
        before = [each.copy() for each in kept]
        returned = copy.copy(method(*given))
        for each, was in zip(kept, before, strict=True):
            seen = f"{name} wrote on what it was handed: {was!r} became {each!r}"
            expect(len(each) == len(was) and all(np.equal(each, was)), seen)
        return returned


# Secrets

#: Users with whom an agent can only guess, their K, and the steps that none of them rejects.
GUESSES, SAFE_ARMS, BLIND_STEPS = 60, 20, 12

#: Steps of a run whose responses are given again.
REPLAYED = 50


class _Watched(ExplorativeUserEnv):
    """A user whose numbers are written down, and who repeats the responses that are given."""

    numbers: list[float]
    responses: Sequence[bool] | None = None

    def reset(self, **given: Any) -> Any:
        self.numbers = []
        return super().reset(**given)

    def step(self, action: int) -> Any:
        response, *rest = super().step(action)
        truth, step = self.hidden_state(), self._state.interactions[0] - 1
        self.numbers += [*truth.lower_bounds, *truth.upper_bounds, *truth.estimates]
        if self.responses is not None:
            response = int(step < len(self.responses) and self.responses[step])
        return (response, *rest)


@asked_of(Kind.AGENT)
def holds_no_secret(subject: Subject) -> None:
    """From the agent no way leads to the user's means, estimates, bounds, seed or stream."""
    users = Population(n_arms=usual_arms(subject), gap=0.4321)
    paid = sees_rewards(subject.make())
    for seed in user_seeds(subject.seed, 3):
        agent = informed(subject.make(), users)
        env = _Watched(population=users, reward="realized" if paid else "none")
        rollout(env, agent, seed, max_steps=REPLAYED, horizon=_horizon(agent, REPLAYED))
        numbers = [*env.instance().means, *([] if paid else env.numbers)]
        for way in Secrets([seed], numbers, truths=()).ways_from(agent):
            raise FailedCheckError(f"agent{way} is a secret of the user of seed {seed}")


@asked_of(Kind.AGENT)
def guesses_when_it_cannot_know(subject: Subject) -> None:
    """With users who have rejected nothing it is right no more often than one who guesses."""
    from scipy.stats import binom

    _refuse_who_sees_rewards(subject)
    n_arms, seeds = usual_arms(subject, SAFE_ARMS), user_seeds(subject.seed, GUESSES)
    users = Population(n_arms=n_arms, alpha=1e9)  # intervals so wide that nothing is rejected
    env, right = ExplorativeUserEnv(population=users), {"answers": 0, "recommends": 0}
    for seed in seeds:
        agent = informed(subject.make(), users)
        episode = rollout(env, agent, seed, BLIND_STEPS, _horizon(agent, BLIND_STEPS))
        best = env.instance().best_arm
        right["answers"] += episode.answer == best
        right["recommends"] += episode.arms[-1:] == (best,)
    if isinstance(agent := subject.make(), ManyUserAgent):
        runs = Runs(users, agent, BLIND_STEPS, _horizon(agent, BLIND_STEPS))
        of = dict(zip(RUN_COLUMNS, paths.run_in_step(runs, seeds).T, strict=True))
        right["answers, asked about many at once,"] = int((of["answer"] == of["best_arm"]).sum())
    # Whatever it does, it is right by chance with each user: the figures share the false alarm.
    most = int(binom.isf(FALSE_ALARM / len(right), GUESSES, 1 / n_arms))
    for what, n_right in right.items():
        seen = f"it {what} the best of {n_arms} arms with {n_right} of {GUESSES} users who have "
        seen += f"rejected nothing in {BLIND_STEPS} steps; {BY_CHANCE} it is at most {most}"
        expect(n_right <= most, seen, f"users of seed {subject.seed}")


@asked_of(Kind.AGENT)
def depends_on_responses_alone(subject: Subject) -> None:
    """The same responses from a user with another truth lead to the same recommendations."""
    _refuse_who_sees_rewards(subject)
    users = Population(n_arms=usual_arms(subject))

    def played(seed: int, user: int, responses: Sequence[bool] | None = None) -> Run:
        env = _Watched(population=users)
        env.responses = responses
        agent = informed(subject.make(), users)
        streamed = _Streamed(agent, agent_generator(seed, name_of(agent)))
        met = rollout(env, streamed, user, REPLAYED, _horizon(agent, REPLAYED))
        return Run(met.arms, met.accepted, met.answer, not met.censored)

    for seed in user_seeds(subject.seed, 6):
        wanted = played(seed, seed)
        situation = Situation(users.n_arms, seed, "as she likes", REPLAYED)
        when = "with a user of another truth who gave the same responses"
        expect_alike(played(seed, seed + 1, wanted.accepted), wanted, situation, when)


class _Streamed:
    """An agent with a stream of the check's, whichever user it meets."""

    def __init__(self, agent: Agent, rng: np.random.Generator) -> None:
        self._agent, self._rng, self.name = agent, rng, name_of(agent)
        self.act, self.observe, self.answer = agent.act, agent.observe, agent.answer

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        self._agent.reset(n_arms, self._rng, horizon)


def _refuse_who_sees_rewards(subject: Subject) -> None:
    if sees_rewards(subject.make()):
        raise NotAskedError("it sees rewards, as a reference that is labelled so")


def _horizon(agent: Agent | ManyUserAgent, n_steps: int) -> int | None:
    return n_steps if needs_horizon(agent) else None


# Ties

#: Runs of each situation, and the fewest that must end with tied arms for a share to be known.
TRIES, LEAST_TIES = 60, 20

#: Steps within which an agent that stops by itself has to.
MOST_STEPS = 2000

#: Users with their best arm at each place.
USERS_A_PLACE = 30


@asked_of(Kind.AGENT)
def breaks_ties_by_chance(subject: Subject) -> None:
    """Where it stops and has heard the same of all arms, it answers each of them equally often."""
    from scipy.stats import binom

    any_ties = False
    # With a horizon it recommends every arm four times, or each of two once: who draws its arms
    # ends then with a tie every other time.
    for n_arms, rounds in {usual_arms(subject): 4, usual_arms(subject, 2): 1}.items():
        horizon = rounds * n_arms if needs_horizon(subject.make()) else None
        cap = MOST_STEPS if horizon is None else horizon + 1
        for user in (ACCEPTING, REJECTING):
            situation = Situation(n_arms, subject.seed, user, cap, horizon)
            if not _tied_answers(subject, situation, 1 if horizon is None else 5).any():
                continue
            answers = _tied_answers(subject, situation, TRIES)
            n_runs, arm = int(answers.sum()), int(answers.argmax())
            if n_runs < LEAST_TIES:
                continue
            any_ties = True
            # Each arm's share is binomial; that of the largest of K is above with K times the
            # chance, and there are four situations.
            most = int(binom.isf(FALSE_ALARM / (4 * n_arms), n_runs, 1 / n_arms))
            seen = f"it answered arm {arm} in {answers[arm]} of {n_runs} runs that it ended with "
            seen += f"all arms tied ({situation} and the next); {BY_CHANCE} it is at most {most}"
            expect(answers[arm] <= most, seen)
    if not any_ties:
        raise NotAskedError("it never stopped by itself having heard the same of all arms")


def _tied_answers(subject: Subject, situation: Situation, n_runs: int) -> Array:
    """Return how often each arm was answered, of the runs that ended with all arms tied."""
    n_arms = situation.n_arms
    answers = np.zeros(n_arms, int)
    for seed in range(subject.seed, subject.seed + n_runs):
        run = run_of(subject.make(), replace(situation, seed=seed))
        recommended = np.bincount(run.arms, minlength=n_arms)
        accepted = np.bincount(run.arms, weights=run.accepted, minlength=n_arms)
        answers[run.answer] += run.stopped and not np.ptp(recommended) and not np.ptp(accepted)
    return answers


@asked_of(Kind.AGENT)
def succeeds_wherever_the_best_is(subject: Subject) -> None:
    """Where it stops by itself, it is right as often whatever the number of the best arm."""
    from scipy.stats import hypergeom

    n_arms = usual_arms(subject)

    def successes(place: int, n_users: int) -> tuple[int, int]:
        """Return how often it was right, and stopped, with users whose best arm is this one."""
        # Users with whom whoever looks at all arms is right: so the place hardly matters to most.
        means = np.roll([1.5, *np.linspace(0.0, -1.0, n_arms - 1)], place)
        users = Population(n_arms=n_arms, means=tuple(means.tolist()), alpha=0.1)
        agent = informed(subject.make(), users)
        seeds = user_seeds(subject.seed, n_arms * n_users)[place::n_arms]
        runs = Runs(users, agent, MOST_STEPS, _horizon(agent, MEETING_STEPS))
        of = dict(zip(RUN_COLUMNS, paths.run_readable(runs, seeds).T, strict=True))
        stops = of["end"] == ANSWERED
        return int((stops & (of["answer"] == of["best_arm"])).sum()), int(stops.sum())

    if not successes(0, 2)[1]:
        raise NotAskedError(f"it does not stop by itself within {MOST_STEPS} steps")
    counts = [successes(place, USERS_A_PLACE) for place in range(n_arms)]
    right, ended = np.array(counts).T
    for place in range(n_arms):
        # Given how many successes there are, those at one place are hypergeometric: at either end.
        others = (int(ended.sum()), int(right.sum()), int(ended[place]))
        tails = hypergeom.cdf(right[place], *others), hypergeom.sf(right[place] - 1, *others)
        seen = f"it was right with {right.tolist()} of {ended.tolist()} users by the number of the "
        seen += f"best arm; {BY_CHANCE} number {place} differs less from the others"
        expect(min(tails) >= FALSE_ALARM / (2 * n_arms), seen, f"seed {subject.seed}")


# All ways of running

#: Steps of runs with many users at once.
STEPS_IN_STEP = 40

#: Steps and users of compiled runs.
COMPILED_STEPS, COMPILED_USERS = 150, 8


@asked_of(Kind.AGENT)
def in_step_is_one_at_a_time(subject: Subject) -> None:
    """With many users at once it does what it does with one after the other, whoever is there."""
    if not isinstance(agent := subject.make(), ManyUserAgent):
        raise NotAskedError("it meets users one at a time")
    users, seeds = Population(n_arms=usual_arms(subject)), range(subject.seed, subject.seed + 6)
    runs = Runs(users, agent, STEPS_IN_STEP, _horizon(agent, STEPS_IN_STEP))
    wanted = paths.run_readable(runs, seeds)
    for how, order in {
        "": slice(None),
        ", in another order": slice(None, None, -1),
        ", alone": slice(5, 6),
        ", with half of the others": slice(0, None, 2),
    }.items():
        found = _rows_in_step(subject, seeds[order], subject.make())
        expect_rows(found, wanted[order], seeds[order], f"in step{how} than one at a time")


def _rows_in_step(subject: Subject, seeds: Sequence[int], agent: Any) -> Array:
    users, horizon = Population(n_arms=usual_arms(subject)), _horizon(agent, STEPS_IN_STEP)
    return paths.run_in_step(Runs(users, agent, STEPS_IN_STEP, horizon), [*seeds])


def expect_rows(found: Array, wanted: Array, seeds: Sequence[int], how: str) -> None:
    """Fail a check unless the rows of `RUN_COLUMNS` are the same on two paths.

    Args:
        found: a row for each user.
        wanted: the same of the other path.
        seeds: the users'.
        how: in words, the one path and the other.
    """
    for row, other, seed in zip(found.tolist(), wanted.tolist(), seeds, strict=True):
        each = zip(RUN_COLUMNS, row, other, strict=True)
        differs = ", ".join(f"{name} {a} instead of {b}" for name, a, b in each if a != b)
        seen = f"the run with the user of seed {seed} is another {how}: {differs}"
        expect(not differs, seen)


def expect_compiled(
    population: Population,
    agent: AlgorithmAgent,
    seed: int,
    refused: type[Exception] = FailedCheckError,
) -> None:
    """Fail a check unless an agent and users do the same in compiled code.

    Args:
        population: the users.
        agent: the agent, with a horizon where it needs one.
        seed: the first user's.
        refused: the error if they do not compile.

    Raises:
        NotAskedError: where there is no compiler.
        FailedCheckError: naming the first user and step that differ.
    """
    if (reason := why_no_compiler()) is not None:
        raise NotAskedError(f"it takes {COMPILER}, but {reason}")
    runs = Runs(population, agent, COMPILED_STEPS, COMPILED_STEPS)
    seeds = [*range(seed, seed + COMPILED_USERS)]
    wanted = paths.Play.joined(paths.plays_readable(runs, seeds))
    try:
        found = paths.Play.joined(paths.plays_compiled(runs, seeds))
    except errors_of_compiling() as error:
        raise refused(f"it does not compile: {short(error)}") from error
    for what in ("arms", "accepted"):
        fast, plain = getattr(found, what), getattr(wanted, what)
        for user, step in np.argwhere(fast != plain)[:1]:
            seen = f"{what} has {fast[user, step]} compiled and {plain[user, step]} in plain Python"
            seen += f", at step {step + 1} with the user of seed {seeds[user]}"
            raise FailedCheckError(f"{seen} (K = {population.n_arms})")
    rows = (paths.run_compiled(runs, seeds), paths.run_readable(runs, seeds))
    expect_rows(*rows, seeds, "compiled than in plain Python")


def expect_compiled_users(population: Population, seed: int) -> None:
    """Fail a check unless users that compile are the same compiled; `seed` is the first one's."""
    agent = Uniform(order="random", horizon=COMPILED_STEPS)
    expect_compiled(population, agent, seed, NotAskedError)


def expect_compiled_agent(agent: AlgorithmAgent, n_arms: int, seed: int) -> None:
    """Fail a check unless an agent compiles, and does the same in compiled code."""
    users = Population(n_arms=n_arms, alpha=0.1, noise=0.1)
    prepared: Any = informed(agent, users)
    expect_compiled(users, prepared, seed)


@asked_of(Kind.AGENT)
def compiled_is_readable(subject: Subject) -> None:
    """Its runs in compiled code are those in plain Python, to the bit, if it is an Algorithm."""
    agent = subject.make()
    if not isinstance(agent, AlgorithmAgent):
        raise NotAskedError("it is no Algorithm record, and runs in plain Python")
    expect_compiled_agent(agent, usual_arms(subject), subject.seed)


@asked_of(Kind.AGENT)
def runs_in_another_process(subject: Subject) -> None:
    """In another process it does what it does in this one."""
    if not can_start_processes():
        raise NotAskedError(NONE_START)
    options: dict[str, Any] = {"population": Population(n_arms=usual_arms(subject))}
    options |= {"n_instances": 12, "seed": subject.seed, "max_steps": STEPS_IN_STEP}
    options |= {"baseline_time": _horizon(subject.make(), STEPS_IN_STEP)}
    options |= {"compiled": False, "progress": False}
    names = RUN_COLUMNS[1:4]
    here, there = (
        evaluate([subject.make()], workers=workers, **options).runs[[*names]].to_numpy()
        for workers in (1, 2)
    )
    for user in np.flatnonzero((here != there).any(axis=1))[:1]:
        seen = f"the run with user {user} is {there[user].tolist()} ({', '.join(names)})"
        raise FailedCheckError(f"{seen} in another process and {here[user].tolist()} in this one")
