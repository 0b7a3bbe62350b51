"""Checks of records: algorithms, behaviours of users, schedules of rho_t and laws of rewards."""

import copy
import math
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import numpy as np

from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.check.agents import (
    ACCEPTING,
    Fickle,
    Situation,
    expect_compiled_agent,
    expect_compiled_users,
    run_of,
)
from explorative_user_env.check.checks import (
    FALSE_ALARM,
    FailedCheckError,
    Kind,
    NotAskedError,
    Subject,
    asked_of,
    expect,
    other_surroundings,
    shared_streams_kept,
    travelled,
)
from explorative_user_env.kernels.arrays import as_arrays
from explorative_user_env.protocol import STOP, Algorithm
from explorative_user_env.seeding import user_generator
from explorative_user_env.users.laws import RewardLaw, Schedule
from explorative_user_env.users.model import UserState
from explorative_user_env.users.population import Population
from explorative_user_env.users.settings import SETTINGS
from explorative_user_env.validation import InvalidArgumentError, is_real

SURROUNDINGS = "in other surroundings (global streams, clock)"

# Algorithms

RULE_STEPS, FEW_ARMS = 80, (2, 5)
"""Of runs of a record's functions: the steps, and K."""


class Ruled:
    """A run of a record's functions, with a user who responds by chance.

    Args:
        algorithm: the record.
        n_arms: K.
        seed: of the user and of the stream.
        state: the state that the run begins in; None is a blank one.
    """

    def __init__(self, algorithm: Algorithm, n_arms: int, seed: int, state: Any = None) -> None:
        self.algorithm, self.n_arms, self.seed = algorithm, n_arms, seed
        self.rng, self.user = np.random.default_rng(seed), Fickle(n_arms, seed)
        self.params = AlgorithmAgent(algorithm, {}).params(n_arms, RULE_STEPS)
        self.state = algorithm.blank(self.params) if state is None else state
        self.arms: list[int] = []
        algorithm.start(self.params, self.state, self.rng)

    def go_on(self, n_steps: int = RULE_STEPS) -> "Ruled":
        """Recommend so many times, or until the rule stops."""
        rule, given = self.algorithm, (self.params, self.state)
        for _ in range(n_steps):
            arm = int(rule.act(*given, self.rng))
            if arm == STOP:
                break
            accepted = self.user(arm)
            rule.observe(*given, arm, accepted)
            if accepted and rule.learn is not None:
                rule.learn(*given, arm, 0.5)
            self.arms.append(arm)
        return self

    def expect_same(self, wanted: "Ruled", how: str) -> None:
        """Fail a check unless another run came to the same."""
        for part, found, other in zip(
            ("arms", "state", "verdict"), *map(_came, (self, wanted)), strict=True
        ):
            told = f"its {part} differ {how}"
            expect(found == other, told, f"K = {self.n_arms}, seed {self.seed}")


def _came(run: Ruled) -> tuple[Any, ...]:
    given = copy.deepcopy((run.params, run.state, run.rng))  # a verdict may write there
    return run.arms, repr(run.state), int(run.algorithm.verdict(*given))


def _runs(subject: Subject, seed: int = 0) -> Iterator[Ruled]:
    for n_arms in FEW_ARMS:
        yield Ruled(subject.make(), n_arms, subject.seed + seed)


@asked_of(Kind.ALGORITHM)
def checks_its_options(subject: Subject) -> None:
    """Prepare refuses, by its name, a value that no option can have."""
    algorithm: Algorithm = subject.make()
    nonsense = object()
    for option in {*algorithm.defaults} - {"max_steps"}:  # the cap is the agent's
        try:
            algorithm.prepare({**algorithm.defaults, option: nonsense}, 5, RULE_STEPS)
        except InvalidArgumentError:
            continue
        raise FailedCheckError(f"prepare took a bare object for {option}, must refuse it by name")


@asked_of(Kind.ALGORITHM)
def has_numbers_alone(subject: Subject) -> None:
    """Params is a NamedTuple of numbers, and its state one of lists of numbers."""
    for run, again in zip(_runs(subject), _runs(subject), strict=True):
        params = run.params
        named = isinstance(params, tuple) and hasattr(params, "_fields")
        numbers = named and all(isinstance(each, bool | int | float) for each in params)
        expect(numbers, f"params are {params!r}, must be a NamedTuple of numbers")
        expect(params == again.params, f"params are {params!r} and then {again.params!r}")
        for when in ("blank", "used"):
            told = f"the {when} state is {run.state!r}, must be a NamedTuple"
            expect(hasattr(run.state, "_fields"), told)
            try:
                as_arrays(run.state)
            except TypeError as error:
                raise FailedCheckError(f"{error}, of the {when} state") from error
            run.go_on()


@asked_of(Kind.ALGORITHM)
def starts_anew(subject: Subject) -> None:
    """Start fills a used state as it fills a blank one."""
    for run, other in zip(_runs(subject), _runs(subject, 1), strict=True):
        again = Ruled(run.algorithm, run.n_arms, run.seed, other.go_on().state).go_on()
        again.expect_same(run.go_on(), "in a state that was used before")


@asked_of(Kind.ALGORITHM)
def keeps_all_in_its_state(subject: Subject) -> None:
    """The functions know params, state and rng alone: a copy goes on alike, whoever else runs."""
    with shared_streams_kept(f"seed {subject.seed}"):
        every = [run.go_on() for run in _runs(subject)]
    for run, wanted, other in zip(_runs(subject), every, _runs(subject, 1), strict=True):
        copied = copy.deepcopy(run.go_on(RULE_STEPS // 4))
        for _ in range(RULE_STEPS - RULE_STEPS // 4):
            run.go_on(1)
            other.go_on(1)
        run.expect_same(wanted, "while another run went on")
        copied.go_on(RULE_STEPS - RULE_STEPS // 4).expect_same(wanted, "as a copy of its state")


@asked_of(Kind.ALGORITHM)
def stops_by_its_horizon(subject: Subject) -> None:
    """Where stops_itself is False, it stops after as many steps as it was told."""
    algorithm: Algorithm = subject.make()
    if algorithm.stops_itself:
        raise NotAskedError("it stops by itself")
    for n_arms in FEW_ARMS:
        situation = Situation(n_arms, subject.seed, ACCEPTING, RULE_STEPS + 1, RULE_STEPS)
        run = run_of(AlgorithmAgent(algorithm, {}), situation)
        told = f"it {'stopped' if run.stopped else 'was cut off'} after {len(run.arms)} steps"
        right = run.stopped and len(run.arms) == RULE_STEPS
        expect(right, f"{told}, must stop after {RULE_STEPS}", situation)


@asked_of(Kind.ALGORITHM)
def compiled_rules_are_plain(subject: Subject) -> None:
    """It compiles, and does the same as in plain Python, to the bit."""
    for n_arms in FEW_ARMS:
        expect_compiled_agent(AlgorithmAgent(subject.make(), {}), n_arms, subject.seed)


# Users

USER_STEPS, COPIED_AFTER = 150, 40
"""Recommendations to a user, and those after which she is copied."""

TABLES = ("logarithms", "inverse_roots")
"""The parts of her state that all users share."""


class Life:
    """A user of a behaviour who is recommended arms by her seed, on and on though she would leave.

    Args:
        population: the users.
        seed: hers.
        state: the state that she begins in; None is a new one.
    """

    def __init__(self, population: Population, seed: int, state: UserState | None = None) -> None:
        self.population, self.seed = population, seed
        behaviour, user = population.behaviour, population.user
        self.rng, self._arms = user_generator(seed), np.random.default_rng(seed)
        self.state = behaviour.blank(user) if state is None else state
        self.state.means[:] = population.instance_law.draw(self.rng).means
        behaviour.start(user, self.state, self.rng)
        self.responses: list[Any] = []
        self.leaving: list[Any] = []

    def steps(self, n_steps: int = USER_STEPS) -> Iterator[None]:
        """Recommend an arm at each step."""
        population, given = self.population, (self.population.user, self.state)
        behaviour, rule = population.behaviour, population.schedule.rule
        for _ in range(n_steps):
            arm = int(self._arms.integers(population.n_arms))
            accepted = behaviour.respond(*given, rule, arm, self.rng)
            self.responses.append(accepted)
            if behaviour.leaves is not None:
                self.leaving.append(behaviour.leaves(*given, accepted, self.rng))
            yield

    def lived(self, n_steps: int = USER_STEPS) -> "Life":
        """Return her after some recommendations."""
        for _ in self.steps(n_steps):
            pass
        return self

    def __str__(self) -> str:
        steps = len(self.responses)
        return f"at step {steps}: K = {self.population.n_arms}, seed {self.seed}"

    def expect_same(self, wanted: "Life", how: str) -> None:
        """Fail a check unless another user has said and become the same."""
        for step, (one, other) in enumerate(zip(self.responses, wanted.responses, strict=True), 1):
            expect(
                one == other, f"she said {one!r} instead of {other!r} at step {step} {how}", self
            )
        expect(self.leaving == wanted.leaving, f"she leaves at another step {how}", self)
        for name in {each.name for each in fields(self.state)} - {*TABLES}:
            one, other = ([*getattr(life.state, name)] for life in (self, wanted))
            expect(repr(one) == repr(other), f"her {name} are others {how}", self)


def _lives(subject: Subject, seed: int = 0) -> Iterator[Life]:
    for population in _populations(subject):
        yield Life(population, subject.seed + seed)


def _populations(subject: Subject) -> Iterator[Population]:
    """Yield the users of a behaviour, with few arms and many, with noise and without."""
    options: dict[str, Any] = {"alpha": 0.1, "behaviour": subject.make(), "gap": 0.3}
    for n_arms, noise, law in ((2, 0.0, "gaussian"), (5, 0.2, "bounded"), (30, 0.0, "bernoulli")):
        yield Population(n_arms=n_arms, noise=noise, reward_law=law, **options)


@asked_of(Kind.BEHAVIOUR)
def says_yes_or_no(subject: Subject) -> None:
    """What respond returns is True or False at every step, and what leaves returns as well."""
    for life in _lives(subject):
        for _ in life.steps():
            for what, said in (("respond", life.responses), ("leaves", life.leaving)):
                right = not said or isinstance(said[-1], bool | np.bool_)
                expect(right, f"{what} returned {said[-1:]!r}, must be True or False", life)


@asked_of(Kind.BEHAVIOUR)
def counts_what_she_said(subject: Subject) -> None:
    """n(t) and t of her state count the acceptances and the recommendations."""
    for life in _lives(subject):
        for step, _ in enumerate(life.steps(), 1):
            n, t, said = life.state.acceptances[0], life.state.interactions[0], sum(life.responses)
            told = f"n(t) is {n} and t is {t} after {said} acceptances of {step}"
            expect((n, t) == (said, step), told, life)


@asked_of(Kind.BEHAVIOUR)
def keeps_her_means(subject: Subject) -> None:
    """Her true means stay what they are, unless it says that it moves_means."""
    if subject.make().moves_means:
        raise NotAskedError("it says that it moves_means")
    for life in _lives(subject):
        means = [*life.state.means]
        for _ in life.steps():
            told = "her means moved, and moves_means is False"
            expect([*life.state.means] == means, told, life)


@asked_of(Kind.BEHAVIOUR)
def draws_from_her_stream_alone(subject: Subject) -> None:
    """The same stream gives the same user, and no stream or clock that others use matters."""
    for wanted, found in zip(_lives(subject), _lives(subject), strict=True):
        with shared_streams_kept(wanted):
            wanted.lived()
        with other_surroundings(1):
            found.lived().expect_same(wanted, SURROUNDINGS)


@asked_of(Kind.BEHAVIOUR)
def is_all_in_her_state(subject: Subject) -> None:
    """A copy of her state and stream goes on as she does, whoever else is asked in between."""
    for life, neighbour in zip(_lives(subject), _lives(subject, 1), strict=True):
        wanted = copy.deepcopy(life).lived()
        other = copy.deepcopy(life.lived(COPIED_AFTER))
        rest = USER_STEPS - COPIED_AFTER
        for _ in zip(life.steps(rest), neighbour.steps(rest), strict=True):
            pass
        life.expect_same(wanted, "while another user was asked in between")
        other.lived(rest).expect_same(wanted, "as a copy of her state")


@asked_of(Kind.BEHAVIOUR)
def starts_as_a_new_user(subject: Subject) -> None:
    """Start makes a used state a new user's, to the last number."""
    for wanted, used in zip(_lives(subject), _lives(subject, 1), strict=True):
        found = Life(wanted.population, subject.seed, used.lived().state).lived()
        found.expect_same(wanted.lived(), "in a state that was another user's before")


@asked_of(Kind.BEHAVIOUR)
def travels_as_a_record(subject: Subject) -> None:
    """Pickled and unpickled, it makes the same users."""
    for wanted in _lives(subject):
        found = Life(travelled(wanted.population), subject.seed).lived()
        found.expect_same(wanted.lived(), "when it was pickled")


@asked_of(Kind.BEHAVIOUR)
def compiled_users_are_plain(subject: Subject) -> None:
    """Users in compiled code are those in plain Python, to the bit, if they compile at all."""
    for population in _populations(subject):
        expect_compiled_users(population, subject.seed)


# Schedules

TIMES, NUMBERS_OF_ARMS = (*range(1, 40), 100, 10_000, 1_000_000), (2, 5, 1000)
"""The t and K for which rho_t is computed."""


def _values(schedule: Schedule) -> Iterator[tuple[tuple[int, int, int], Any]]:
    """Yield rho_t for many n(t), t and K."""
    for n_arms in NUMBERS_OF_ARMS:
        for t in TIMES:
            for n in sorted({0, min(1, t), t // 3, t - 1, t}):
                yield (n, t, n_arms), schedule.rule(schedule.parameters, n, t, n_arms)


@asked_of(Kind.SCHEDULE)
def gives_numbers_in_its_range(subject: Subject) -> None:
    """rho_t is a number in [rho_0, rho_1], for every n(t), t and K."""
    schedule: Schedule = subject.make()
    for counts, value in _values(schedule):
        allowed = f"a number in [{schedule.rho_0:g}, {schedule.rho_1:g}], its declared range"
        right = is_real(value) and schedule.rho_0 <= value <= schedule.rho_1
        expect(right, f"rho_t is {value!r} at n(t), t, K = {counts}, must be {allowed}")


@asked_of(Kind.SCHEDULE)
def depends_on_counts_alone(subject: Subject) -> None:
    """rho_t follows from its parameters, n(t), t and K: not from what was asked before."""
    schedule: Schedule = subject.make()
    with shared_streams_kept("of a rule"):
        first = dict(_values(schedule))
    with other_surroundings(1):
        for counts, value in reversed(first.items()):
            again = schedule.rule(schedule.parameters, *counts)
            expect(again == value, f"rho_t is {value} at n(t), t, K = {counts}, and then {again}")


@asked_of(Kind.SCHEDULE)
def makes_users_who_live(subject: Subject) -> None:
    """Users with this schedule respond without an error, under every setting."""
    for setting in SETTINGS.values():
        for n_arms in (2, 20):
            users = Population(setting=setting, n_arms=n_arms, rho=subject.make(), alpha=0.1)
            Life(users, subject.seed).lived()


@asked_of(Kind.SCHEDULE)
def compiled_schedule_is_plain(subject: Subject) -> None:
    """Users with it in compiled code are those in plain Python, to the bit, if it compiles."""
    expect_compiled_users(Population(rho=subject.make(), alpha=0.1, noise=0.1), subject.seed)


# Laws of rewards

DRAWN_REWARDS = 20_000
"""Rewards of each mean."""

TRIED_MEANS = (-2.0, -0.5, 0.0, 0.3, 0.7, 1.5, 4.0)
"""Means that are tried, of those that the law allows; the ends of its range are tried as well."""


def _means(law: RewardLaw) -> list[float]:
    low, high = law.range_of_means
    ends = {end for end in (low, high) if math.isfinite(end)}
    between = {(low + high) / 2.0} if len(ends) == 2 else set()
    return sorted({mean for mean in TRIED_MEANS if low <= mean <= high} | ends | between)


def _rewards(law: RewardLaw, mean: float, seed: int, n_draws: int = DRAWN_REWARDS) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.fromiter((float(law(mean, rng)) for _ in range(n_draws)), float, n_draws)


@asked_of(Kind.REWARD_LAW)
def draws_finite_numbers(subject: Subject) -> None:
    """Every reward is a finite number."""
    law: RewardLaw = subject.make()
    for mean in _means(law):
        rng = np.random.default_rng(subject.seed)
        for place in range(DRAWN_REWARDS // 10):
            reward = law(mean, rng)
            right = is_real(reward) or isinstance(reward, bool | np.bool_)
            told = f"draw {place + 1} around mean {mean:g} is {reward!r}, must be a finite number"
            expect(right and math.isfinite(reward), told, f"seed {subject.seed}")


@asked_of(Kind.REWARD_LAW)
def has_the_mean_it_is_asked_for(subject: Subject) -> None:
    """The average of many rewards is within the interval of a law that is sub-Gaussian about it."""
    law: RewardLaw = subject.make()
    means = _means(law)
    # Hoeffding: off by x with probability at most 2 exp(-n x^2 / 2).
    width = math.sqrt(2.0 * math.log(2.0 * len(means) / FALSE_ALARM) / DRAWN_REWARDS)
    for mean in means:
        average = float(_rewards(law, mean, subject.seed).mean())
        told = f"the average of {DRAWN_REWARDS} rewards is {average:.4g}, must be within "
        told += f"{width:.2g} of the mean {mean:g}, as with probability 1 - {FALSE_ALARM:g}"
        expect(abs(average - mean) <= width, told, f"seed {subject.seed}")


@asked_of(Kind.REWARD_LAW)
def has_variance_at_most_one(subject: Subject) -> None:
    """The variance of rewards is at most 1, as of what is sub-Gaussian with parameter 1."""
    from scipy.optimize import brentq

    law: RewardLaw = subject.make()
    means = _means(law)
    # The square of what is sub-Gaussian with parameter 1 has no larger exponential moments than
    # that of a normal: P(average >= 1 + x) <= exp(-n (x - log(1 + x)) / 2).
    chance = math.log(len(means) / FALSE_ALARM)
    most = 1.0 + brentq(lambda x: DRAWN_REWARDS * (x - math.log1p(x)) / 2.0 - chance, 1e-9, 10.0)
    for mean in means:
        variance = float(((_rewards(law, mean, subject.seed) - mean) ** 2).mean())
        told = f"the average of (reward - mean)^2 is {variance:.4g} around mean {mean:g}, must be "
        told += f"at most {most:.3g}, as with probability 1 - {FALSE_ALARM:g} if the law is "
        expect(variance <= most, f"{told}sub-Gaussian with parameter 1", f"seed {subject.seed}")


@asked_of(Kind.REWARD_LAW)
def draws_from_its_stream_alone(subject: Subject) -> None:
    """The same stream gives the same rewards, whatever was drawn before and whatever else is."""
    law: RewardLaw = subject.make()
    for mean in _means(law):
        with shared_streams_kept(f"mean {mean:g}"):
            wanted = _rewards(law, mean, subject.seed, 200)
        with other_surroundings(1):
            found = _rewards(law, mean, subject.seed, 200)
        for place in np.flatnonzero(found != wanted)[:1]:
            told = f"draw {place + 1} around mean {mean:g} is {wanted[place]} and then"
            raise FailedCheckError(f"{told} {found[place]} with the same stream")


@asked_of(Kind.REWARD_LAW)
def compiled_law_is_plain(subject: Subject) -> None:
    """Users who draw from it in compiled code are those in plain Python, to the bit."""
    law: RewardLaw = subject.make()
    low, high = law.range_of_means
    inside = [mean for mean in (0.05, 0.25, 0.45, 0.85) if low <= mean <= high]
    means = tuple(inside if len(inside) > 1 else _means(law))
    users = Population(n_arms=len(means), means=means, reward_law=law, alpha=0.1, noise=0.1)
    expect_compiled_users(users, subject.seed)
