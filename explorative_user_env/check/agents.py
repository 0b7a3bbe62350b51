"""Conformance checks of agents, including compiled runs and runs in other processes."""

import inspect
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env import protocol
from explorative_user_env.agents import AlgorithmAgent, Uniform, informed
from explorative_user_env.check import checks
from explorative_user_env.check.checks import FailedCheckError, Kind, Subject, expect, register
from explorative_user_env.envs.user import ExplorativeUserEnv, as_action
from explorative_user_env.evaluation import evaluate, workers
from explorative_user_env.evaluation.paths import OUTCOMES, Figures, Runs
from explorative_user_env.kernels import compiler
from explorative_user_env.protocol import Agent, Array, name_of, needs_horizon, sees_rewards
from explorative_user_env.runs.loop import Episode, rollout
from explorative_user_env.seeding import agent_generator, user_seeds
from explorative_user_env.show.words import explanation_of
from explorative_user_env.users.population import Population
from explorative_user_env.validation import InvalidArgumentError

#: K of most checks, and a large K.
N_ARMS, MANY_ARMS = 5, 200

#: The step cap of most checks.
SCRIPTED_STEPS = 60

BY_CHANCE = f"by chance, with probability 1 - {checks.FALSE_ALARM:g},"

# Runs with a scripted user

#: A scripted user accepts each arm with a fixed probability, accepts all arms, or rejects all arms.
FICKLE, ACCEPTING, REJECTING = "by chance", "everything", "nothing"


class Situation(NamedTuple):
    """The scripted user, the step cap and the horizon of a run.

    Attributes:
        n_arms: K.
        seed: the user's seed; this seed and the agent's name determine the agent's stream.
        user: the kind of scripted user: `FICKLE`, `ACCEPTING` or `REJECTING`.
        cap: the step cap.
        horizon: the horizon that `reset` passes to the agent.
    """

    n_arms: int
    seed: int
    user: str = FICKLE
    cap: int = SCRIPTED_STEPS
    horizon: int | None = None

    def __str__(self) -> str:
        horizon = "" if self.horizon is None else f", horizon {self.horizon}"
        return f"K = {self.n_arms}, seed {self.seed}, a user who accepts {self.user}{horizon}"


class Run(NamedTuple):
    """A run: the recommended arms, the user's responses and the arm that the agent answers."""

    arms: tuple[int, ...]
    accepted: tuple[bool, ...]
    answer: int
    stopped: bool  # False if the step cap ended the run


class ScriptedRun:
    """A run with a scripted user; it starts with `next_user` if `follows`, else with `reset`."""

    def __init__(
        self, agent: Agent, situation: Situation, rng: Any = None, follows: bool = False
    ) -> None:
        self.agent, self.situation, self.stopped = agent, situation, False
        self.arms: list[int] = []
        self.accepted: list[bool] = []
        n_arms, seed = situation.n_arms, situation.seed
        self._user = np.random.default_rng([seed, n_arms])
        self._rewards = np.random.default_rng(seed)
        self._chances = self._user.random(n_arms)
        if situation.user != FICKLE:
            self._chances[:] = situation.user == ACCEPTING
        rng = agent_generator(seed, name_of(agent)) if rng is None else rng
        self._call(*(["next_user"] if follows else ["reset", n_arms, rng, situation.horizon]))

    def advance(self, n_steps: int = sys.maxsize) -> None:
        """Run at most `n_steps` steps; end earlier if the agent stops or at the step cap."""
        last = min(self.situation.cap, len(self.arms) + n_steps)
        while not self.stopped and len(self.arms) < last:
            if (arm := self._call("act")) is None:
                self.stopped = True
                return
            accepted = bool(self._user.random() < self._chances[arm])
            self._call("observe", arm, accepted)
            if accepted and sees_rewards(self.agent):
                self._call("learn", arm, float(self._rewards.standard_normal()))
            self.arms.append(arm)
            self.accepted.append(accepted)

    def end(self) -> Run:
        """Run until the agent stops or until the step cap; return the run."""
        self.advance()
        return Run(tuple(self.arms), tuple(self.accepted), self._call("answer"), self.stopped)

    def _call(self, method: str, *given: Any) -> Any:
        """Call a method of the agent; check that `act` and `answer` return an arm."""
        try:
            returned = getattr(self.agent, method)(*given)
        except Exception as error:
            raise FailedCheckError(f"{method} {checks.in_words(error)} ({self})") from error
        if method not in ("act", "answer") or (method == "act" and returned is None):
            return returned
        try:
            return as_action(returned, self.situation.n_arms)
        except InvalidArgumentError as error:
            or_none = " or None" * (method == "act")
            allowed = f"an integer in 0..{self.situation.n_arms - 1}{or_none}"
            seen = f"{method} returned {returned!r}, must be {allowed} ({self})"
            raise FailedCheckError(seen) from error

    def __str__(self) -> str:
        return f"at step {len(self.arms) + 1}: {self.situation}"


def run_of(agent: Agent, situation: Situation) -> Run:
    """Return an agent's run in a situation, from the reset to the answer."""
    return ScriptedRun(agent, situation).end()


def _run_all(subject: Subject, **given: Any) -> None:
    for situation in _situations(subject, **given):
        run_of(subject.make(), situation)


def _usual_arms(subject: Subject, otherwise: int = N_ARMS) -> int:
    return int(protocol.trained_on(subject.make()).get("n_arms", otherwise))


def _situations(subject: Subject, n_users: int = 3, **given: Any) -> Iterator[Situation]:
    """Yield situations with `n_users` users who accept each arm with a fixed probability."""
    usual = {"n_arms": _usual_arms(subject), "cap": SCRIPTED_STEPS} | given
    if needs_horizon(subject.make()):
        usual = {"horizon": usual["cap"]} | usual
    for seed in range(subject.seed, subject.seed + n_users):
        yield Situation(seed=seed, **usual)


def expect_same_run(actual: Run, wanted: Run, situation: Situation, when: str) -> None:
    """Fail the check unless two runs are equal; the message ends with the text `when`."""
    for step, (arm, other) in enumerate(zip(actual.arms, wanted.arms, strict=False), 1):
        seen = f"recommended arm {arm} instead of {other} at step {step} {when}"
        expect(arm == other, seen, situation)
    ends = {True: "stopped", False: "was cut off"}
    end, before = (
        f"{ends[run.stopped]} after {len(run.arms)} steps with answer {run.answer}"
        for run in (actual, wanted)
    )
    expect(end == before, f"{end} {when}, instead of {before}", situation)


def _expect_as_new(subject: Subject, actual: Run, situation: Situation, when: str) -> None:
    expect_same_run(actual, run_of(subject.make(), situation), situation, when)


# The contract

#: The methods of agents for one user and for many users, with their numbers of arguments.
CALLS: Mapping[str, int] = {"reset": 3, "act": 0, "observe": 2, "answer": 0}
CALLS_OF_MANY = {"reset_all": 3, "act_all": 1, "observe_all": 3, "answer_all": 1}


def has_the_methods(subject: Subject) -> None:
    """The agent has reset, act, observe and answer with the arguments of the protocol."""
    agent = subject.make()
    of_many = any(hasattr(agent, method) for method in CALLS_OF_MANY)
    calls = {**CALLS, **(CALLS_OF_MANY if of_many else {})}
    for method, n_arguments in calls.items():
        try:
            inspect.signature(getattr(agent, method)).bind(*[None] * n_arguments)
        except (AttributeError, TypeError) as error:
            seen = f"it has no method {method} that takes {n_arguments} arguments: {error}"
            raise FailedCheckError(seen) from error
        except ValueError:  # a method written in C has no signature
            continue


def has_valid_attributes(subject: Subject) -> None:
    """The attributes name, max_steps, needs_horizon, sees_rewards and trained_on are valid."""
    agent, again = subject.make(), name_of(subject.make())
    seen = f"its name changes from {name_of(agent)!r} to {again!r}, but determines its stream"
    expect(name_of(agent) == again, seen)
    name, cap = getattr(agent, "name", "mine"), protocol.cap_of(agent)
    users = protocol.trained_on(agent)
    valid = isinstance(cap, Integral) and not isinstance(cap, bool) and cap >= 1
    known = isinstance(users, Mapping) and users.get("task", "bai") in protocol.TASKS
    expect(isinstance(name, str) and name, f"name is {name!r}, must be a non-empty string")
    expect(cap is None or valid, f"max_steps is {cap!r}, must be an integer of at least 1 or None")
    expect(known, f"trained_on is {users!r}, must be a mapping with a known task")
    for flag in ("needs_horizon", "sees_rewards"):
        value = getattr(agent, flag, False)
        expect(isinstance(value, bool), f"{flag} is {value!r}, must be True or False")
    learns = callable(getattr(agent, "learn", None)) or not sees_rewards(agent)
    expect(learns, "sees_rewards is True, but the agent has no method learn(arm, reward)")


def recommends_arms(subject: Subject) -> None:
    """For several step caps, act() returns an arm or None, and answer() returns an arm."""
    _run_all(subject, n_users=8)
    for cap in (1, 2, 7):
        _run_all(subject, cap=cap)


def runs_with_any_user(subject: Subject) -> None:
    """The agent runs without errors with users who accept all arms or reject all arms."""
    for user in (REJECTING, ACCEPTING):
        _run_all(subject, user=user)


def runs_with_two_arms(subject: Subject, n_arms: int = 2) -> None:
    """The agent runs with K = 2, unless its attribute trained_on names another K."""
    trained = _usual_arms(subject, n_arms)
    checks.applies(trained == n_arms, f"trained for {trained} arms")
    try:
        _run_all(subject, n_arms=n_arms)
    except FailedCheckError as error:
        hint = 'an agent for a single K needs an attribute such as trained_on = {"n_arms": 5}'
        raise FailedCheckError(f"{error}; {hint}") from error


def runs_with_many_arms(subject: Subject) -> None:
    """The agent runs with a large K, unless its attribute trained_on names another K."""
    runs_with_two_arms(subject, MANY_ARMS)


def accepts_horizon_or_none(subject: Subject) -> None:
    """The agent runs with a horizon; it also runs with horizon None if needs_horizon is False."""
    for horizon in (7, 60) if needs_horizon(subject.make()) else (7, 60, None):
        _run_all(subject, horizon=horizon)


def explains_itself(subject: Subject) -> None:
    """explain() returns valid explanations at every step, and calling it does not change a run."""
    checks.applies(hasattr(subject.make(), "explain"), "it has no explain()")
    for each in _situations(subject):
        run = ScriptedRun(subject.make(), each)
        for step in range(1, each.cap + 2):
            try:
                explanation_of(run.agent, each.n_arms)
            except Exception as error:
                why = getattr(error, "failure", checks.in_words(error))
                raise FailedCheckError(f"explain() fails at step {step} ({each}): {why}") from error
            run.advance(1)
        _expect_as_new(subject, run.end(), each, "when explain() was called")


# Streams


def repeats_with_the_same_stream(subject: Subject) -> None:
    """The agent's stream and the user determine a run; the clock and global streams do not."""
    when = "with the same stream, but other global streams and another clock"
    for situation, seed in product(_situations(subject), (1, 2)):
        with checks.global_streams_unchanged(situation):
            wanted = run_of(subject.make(), situation)
        with checks.other_global_state(seed):
            _expect_as_new(subject, wanted, situation, when)


def draws_from_no_other_stream(subject: Subject) -> None:
    """The agent draws only from its rng, or from streams that are seeded by its rng."""
    kinds = (np.random.BitGenerator, np.random.RandomState, random.Random)
    for situation in _situations(subject, n_users=1):
        starts: list[dict[str, str]] = []  # initial states of the streams besides rng that it used
        for seed in (0, 1):
            rng = np.random.default_rng([seed, situation.seed])
            mine: Any = rng.bit_generator
            increment = mine.state["state"]["inc"]
            run = ScriptedRun(subject.make(), situation, rng)
            objects: dict[str, Any] = dict(checks.reached(run.agent, depth=4))
            streams = {p: e for p, e in objects.items() if isinstance(e, kinds) and e is not mine}
            before = {path: repr(each.__getstate__()) for path, each in streams.items()}
            run.end()
            same = mine.state["state"]["inc"] == increment
            expect(same, "it set its rng to another stream", situation)
            used = [p for p, each in streams.items() if repr(each.__getstate__()) != before[p]]
            starts.append({path: before[path] for path in used})
        for path, start in starts[0].items():
            seen = f"it draws from the stream agent{path}, whose seed does not depend on its rng"
            expect(starts[1].get(path) != start, seen, situation)


# Memory


def forgets_other_users(subject: Subject) -> None:
    """After runs with other users, an agent has the same runs as a new agent."""
    agent = subject.make()
    for situation in (*_situations(subject), *_situations(subject, n_users=2)):
        result = run_of(agent, situation)
        _expect_as_new(subject, result, situation, "after runs with other users")


def continues_with_the_next_user(subject: Subject) -> None:
    """After next_user() the agent returns valid arms, and reset() still clears the memory."""
    agent = subject.make()
    checks.applies(hasattr(agent, "next_user"), "it has no next_user")
    for situation in _situations(subject):
        result = run_of(agent, situation)
        _expect_as_new(subject, result, situation, "after calls of next_user")
        for other in _situations(subject):
            ScriptedRun(agent, other, follows=True).end()


def shares_no_state(subject: Subject) -> None:
    """Two agents that take turns step by step have the same runs as when they run alone."""
    runs = [ScriptedRun(subject.make(), each) for each in _situations(subject, n_users=2)]
    for run in runs * SCRIPTED_STEPS:
        run.advance(1)
    for run in runs:
        when = "while another agent ran with another user"
        _expect_as_new(subject, run.end(), run.situation, when)


def copies_continue_alike(subject: Subject) -> None:
    """A deepcopy or pickle of an agent continues like the original and does not change it."""
    for (how, again), situation in product(checks.COPIES.items(), _situations(subject)):
        run = ScriptedRun(subject.make(), situation)
        run.advance(9)
        when = f"{how} after step {len(run.arms)}"
        _expect_as_new(subject, again(run).end(), situation, when)
        _expect_as_new(subject, run.end(), situation, f"after its copy ran, {when}")


# Secrets

#: The number of users who accept every arm, their K, and the steps of each run.
GUESSES, SAFE_ARMS, BLIND_STEPS = 60, 20, 12

#: Steps of a run whose responses are replayed.
REPLAYED = 50


class _Watched(ExplorativeUserEnv):
    """An environment that records the user's estimates and bounds and can replace her responses."""

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


def _play(subject: Subject, env: ExplorativeUserEnv, seed: int, cap: int) -> tuple[Agent, Episode]:
    """Run a new agent with the user whose seed is `seed`; return the agent and the episode."""
    agent = informed(subject.make(), env.population)
    return agent, rollout(env, agent, seed, cap, cap if needs_horizon(agent) else None)


def holds_no_secret(subject: Subject) -> None:
    """The agent holds no reference to the user's means, estimates, bounds, seed or stream."""
    paid = sees_rewards(subject.make())
    reward = "realized" if paid else "none"
    for seed in user_seeds(subject.seed, 3):
        env = _Watched(n_arms=_usual_arms(subject), gap=0.4321, reward=reward)
        agent, _ = _play(subject, env, seed, REPLAYED)
        numbers = [*env.instance().means, *([] if paid else env.numbers)]
        for way in checks.Secrets([seed], numbers, truths=()).paths_from(agent):
            raise FailedCheckError(f"agent{way} is hidden data of the user with seed {seed}")


def guesses_without_information(subject: Subject) -> None:
    """With users who accept every arm, the agent finds the best arm no more often than chance."""
    from scipy.stats import binom

    checks.applies(not sees_rewards(subject.make()), "it sees rewards, as a labelled reference")
    n_arms, seeds = _usual_arms(subject, SAFE_ARMS), user_seeds(subject.seed, GUESSES)
    env = ExplorativeUserEnv(n_arms=n_arms, alpha=1e9)  # rejects no arm
    right = {"answers": 0, "recommends": 0}
    for seed in seeds:
        _, episode = _play(subject, env, seed, BLIND_STEPS)
        best = env.instance().best_arm
        right["answers"] += episode.answer == best
        right["recommends"] += episode.arms[-1:] == (best,)
    if isinstance(agent := subject.make(), protocol.ManyUserAgent):
        runs = _runs(agent, env.population, BLIND_STEPS)
        correct = runs.columns(runs.figures("in_step", seeds))["correct"]
        right["answers, with many users in step,"] = int(correct.sum())
    # An agent without information names the best arm with probability 1/K. A union bound over the
    # counts in `right` divides the probability of a false alarm by `len(right)`.
    most = int(binom.isf(checks.FALSE_ALARM / len(right), GUESSES, 1 / n_arms))
    for what, n_right in right.items():
        seen = f"it {what} the best of {n_arms} arms with {n_right} of {GUESSES} users who "
        seen += f"accept every arm; {BY_CHANCE} it is at most {most}"
        expect(n_right <= most, seen, f"users of seed {subject.seed}")


def depends_only_on_responses(subject: Subject) -> None:
    """The recommendations depend only on the responses, not on the user's true means."""
    checks.applies(not sees_rewards(subject.make()), "it sees rewards, as a labelled reference")
    n_arms = _usual_arms(subject)
    other_means = tuple(np.linspace(1.0, 0.0, n_arms).tolist())
    envs = _Watched(n_arms=n_arms), _Watched(n_arms=n_arms, means=other_means)
    for seed in user_seeds(subject.seed, 6):
        envs[1].responses, runs = None, []
        for env in envs:
            _, run = _play(subject, env, seed, REPLAYED)
            runs.append(Run(run.arms, run.accepted, run.answer, not run.censored))
            envs[1].responses = run.accepted
        situation = Situation(n_arms, seed, "by the paper's rule", REPLAYED)
        when = "with a user of other means but the same responses"
        expect_same_run(runs[1], runs[0], situation, when)


# Ties

#: Runs in each situation, and the least number of runs with tied arms for a test.
TRIES, LEAST_TIES = 60, 20

#: The step cap for agents without a horizon, in the check of ties.
MOST_STEPS = 2000


def breaks_ties_by_chance(subject: Subject) -> None:
    """If all arms have the same numbers of responses at the end, the agent answers at random."""
    from scipy.stats import binom

    any_ties = False
    # With K = 2 and horizon 2, a random agent recommends each arm once in half of its runs.
    for n_arms, rounds in {_usual_arms(subject): 4, _usual_arms(subject, 2): 1}.items():
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
            # The count of an arm is binomial; the union bound is over K arms and 4 situations.
            most = int(binom.isf(checks.FALSE_ALARM / (4 * n_arms), n_runs, 1 / n_arms))
            seen = f"it answered arm {arm} in {answers[arm]} of {n_runs} runs that ended with all "
            seen += f"arms tied ({situation} and later seeds); {BY_CHANCE} it is at most {most}"
            expect(answers[arm] <= most, seen)
    checks.applies(any_ties, "it never stopped by itself with all arms tied")


def _tied_answers(subject: Subject, situation: Situation, n_runs: int) -> Array:
    """Count how often each arm is the answer in runs whose arms have the same response counts."""
    n_arms = situation.n_arms
    answers = np.zeros(n_arms, int)
    for seed in range(subject.seed, subject.seed + n_runs):
        run = run_of(subject.make(), situation._replace(seed=seed))
        recommended = np.bincount(run.arms, minlength=n_arms)
        accepted = np.bincount(run.arms, weights=run.accepted, minlength=n_arms)
        answers[run.answer] += run.stopped and not np.ptp(recommended) and not np.ptp(accepted)
    return answers


# Runs with many users at once, compiled runs, and runs in another process

#: Steps of the runs with many users at once.
STEPS_IN_STEP = 40

#: Steps and users of compiled runs, and the options of their users.
COMPILED_STEPS, COMPILED_USERS = 150, 8
NOISY: dict[str, Any] = {"alpha": 0.1, "noise": 0.1}


def _runs(agent: Any, users: Population, cap: int, horizon: int | None = None) -> Runs:
    return Runs(users, agent, cap, (horizon or cap) if needs_horizon(agent) else None)


def _expect_same(actual: Figures, wanted: Figures, seeds: Sequence[int], how: str) -> None:
    """Fail the check unless actual and wanted metrics are equal for every user of `seeds`."""
    for place, seed in enumerate(seeds):
        pairs = [(name, *(of[name].ravel()[place] for of in (actual, wanted))) for name in wanted]
        differs = ", ".join(f"{name} {a} instead of {b}" for name, a, b in pairs if a != b)
        expect(not differs, f"with the user of seed {seed}, the {how}: {differs}")


def in_step_equals_one_at_a_time(subject: Subject) -> None:
    """Runs with many users at once, in any order, equal the runs with one user at a time."""
    agent = subject.make()
    checks.applies(isinstance(agent, protocol.ManyUserAgent), "it has no methods for many users")
    users, seeds = Population(n_arms=_usual_arms(subject)), range(subject.seed, subject.seed + 6)
    wanted = _runs(agent, users, STEPS_IN_STEP).figures("readable", seeds)
    for how, order in {
        "": slice(None),
        " in another order": slice(None, None, -1),
        " without other users": slice(5, 6),
        " with half of the users": slice(0, None, 2),
    }.items():
        actual = _runs(subject.make(), users, STEPS_IN_STEP).figures("in_step", seeds[order])
        alone = {name: values[order] for name, values in wanted.items()}
        _expect_same(actual, alone, seeds[order], f"run in step{how} differs from the run alone")


def expect_compiled(users: Population, seed: int, agent: AlgorithmAgent | None = None) -> None:
    """Fail the check unless compiled runs equal the runs in plain Python.

    If compilation fails, the check of an `agent` fails. Without an `agent`, the check is skipped.
    """
    reason = compiler.why_no_compiler()
    checks.applies(reason is None, f"it takes {compiler.COMPILER}, but {reason}")
    known = informed(agent or Uniform(order="random", horizon=COMPILED_STEPS), users)
    seeds = [*range(seed, seed + COMPILED_USERS)]
    for task in (protocol.BAI, protocol.REGRET)[: 1 if users.behaviour.moves_means else 2]:
        runs = Runs(users, known, COMPILED_STEPS, COMPILED_STEPS, task)
        try:
            actual = runs.figures("compiled", seeds)
        except compiler.errors_of_compiling() as error:
            refused = FailedCheckError if agent else checks.SkippedCheckError
            raise refused(f"compilation fails: {compiler.short(error)}") from error
        how = f"compiled run differs from plain Python (K = {users.n_arms}, task {task.name})"
        _expect_same(actual, runs.figures("readable", seeds), seeds, how)


def compiled_equals_readable(subject: Subject) -> None:
    """Compiled runs of an `Algorithm` record are bit-identical to runs in plain Python."""
    agent = subject.make()
    checks.applies(isinstance(agent, AlgorithmAgent), "it is not an Algorithm record")
    expect_compiled(Population(n_arms=_usual_arms(subject), **NOISY), subject.seed, agent)


def runs_in_another_process(subject: Subject) -> None:
    """Runs in another process equal runs in this process."""
    checks.applies(workers.can_start_processes(), workers.NONE_START)
    names, users = [*OUTCOMES[:3]], Population(n_arms=_usual_arms(subject))
    options: dict[str, Any] = {"population": users, "n_instances": 12, "seed": subject.seed}
    options |= {"max_steps": STEPS_IN_STEP, "compiled": False, "progress": False}
    options["baseline_time"] = STEPS_IN_STEP if needs_horizon(subject.make()) else None
    local, remote = (
        evaluate([subject.make()], workers=n, **options).runs[names].to_numpy() for n in (1, 2)
    )
    for user in np.flatnonzero((local != remote).any(axis=1))[:1]:
        there, here = remote[user].tolist(), local[user].tolist()
        raise FailedCheckError(f"user {user}: {names} are {there} in another process, {here} here")


register(globals(), Kind.AGENT)
