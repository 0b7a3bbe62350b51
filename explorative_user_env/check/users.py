"""Whether a schedule of rho_t is a function of counts that keeps to its range."""

import copy
import math
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from explorative_user_env.check.agents import FALSE_ALARM, expect_compiled_users
from explorative_user_env.check.checks import (
    FailedCheckError,
    NotAskedError,
    Subject,
    other_surroundings,
    shared_streams,
    travelled,
)
from explorative_user_env.seeding import user_generator
from explorative_user_env.users.behaviours import Behaviour
from explorative_user_env.users.laws import RewardLaw, Schedule
from explorative_user_env.users.model import UserState
from explorative_user_env.users.population import Population
from explorative_user_env.users.settings import SETTINGS
from explorative_user_env.validation import is_real

USER_STEPS = 150
"""Recommendations to a user."""

COPIED_AFTER = 40
"""Recommendations after which she is copied."""

TABLES = ("logarithms", "inverse_roots")
"""The parts of her state that all users share."""


class Life:
    """A user of a behaviour, asked at random by her seed, on and on though she would leave.

    Args:
        population: whose user she is.
        seed: hers.
        state: what becomes hers; None is a new one.
    """

    def __init__(self, population: Population, seed: int, state: UserState | None = None) -> None:
        self.population, self.seed = population, seed
        behaviour, user = population.behaviour, population.user
        self.rng, self._arms = user_generator(seed), np.random.default_rng(seed)
        self.state = behaviour.blank(user) if state is None else state
        self.state.means[:] = population.instance_law.draw(self.rng).means
        behaviour.start(user, self.state, self.rng)
        self.responses: list[bool] = []
        self.leaving: list[Any] = []

    def respond(self, arm: int | None = None) -> Any:
        """Return what she says to an arm, None to one at random."""
        population = self.population
        arm = int(self._arms.integers(population.n_arms)) if arm is None else arm
        user, behaviour, rule = population.user, population.behaviour, population.schedule.rule
        accepted = behaviour.respond(user, self.state, rule, arm, self.rng)
        self.responses.append(accepted)
        if behaviour.leaves is not None:
            self.leaving.append(behaviour.leaves(user, self.state, accepted, self.rng))
        return accepted

    def lived(self, n_steps: int = USER_STEPS) -> "Life":
        """Return her after some recommendations."""
        for _ in range(n_steps):
            self.respond()
        return self

    @property
    def when(self) -> str:
        """In words, how far she has come."""
        return f"at step {len(self.responses)}: K = {self.population.n_arms}, seed {self.seed}"

    def numbers(self) -> Mapping[str, list[Any]]:
        """Return every number of her state by its name."""
        names = [field.name for field in fields(self.state) if field.name not in TABLES]
        return {name: list(getattr(self.state, name)) for name in names}


def populations(subject: Subject) -> Iterator[Population]:
    """Yield the users of a behaviour, with few arms and many, with noise and without."""
    behaviour: Behaviour = subject.make()
    for n_arms, noise, law in ((2, 0.0, "gaussian"), (5, 0.2, "bounded"), (30, 0.0, "bernoulli")):
        yield Population(
            n_arms=n_arms, noise=noise, alpha=0.1, reward_law=law, behaviour=behaviour, gap=0.3
        )


def expect_same_life(found: Life, wanted: Life, how: str) -> None:
    """Make sure that two users have said and become the same.

    Raises:
        FailedCheckError: naming the first response, or the part of the state, that differs.
    """
    pairs = zip(found.responses, wanted.responses, strict=True)
    for step, (one, other) in enumerate(pairs, 1):
        if one != other:
            told = f"she said {one!r} instead of {other!r} at step {step} {how}"
            raise FailedCheckError(f"{told} (K = {found.population.n_arms}, seed {found.seed})")
    if found.leaving != wanted.leaving:
        raise FailedCheckError(f"she leaves at another step {how} ({found.when})")
    for name, values in found.numbers().items():
        if repr(values) != repr(wanted.numbers()[name]):
            raise FailedCheckError(f"her {name} are others {how} ({found.when})")


def says_yes_or_no(subject: Subject) -> None:
    """What respond returns is True or False, at every step."""
    for population in populations(subject):
        life = Life(population, subject.seed)
        for _ in range(USER_STEPS):
            accepted = life.respond()
            if not isinstance(accepted, bool | np.bool_):
                raise FailedCheckError(
                    f"respond returned {accepted!r}, must be True or False ({life.when})"
                )


def leaves_or_stays(subject: Subject) -> None:
    """What leaves returns is True or False, at every step, if she may leave at all."""
    for population in populations(subject):
        if population.behaviour.leaves is None:
            raise NotAskedError("its users never leave")
        life = Life(population, subject.seed)
        for _ in range(USER_STEPS):
            life.respond()
            if not isinstance(life.leaving[-1], bool | np.bool_):
                told = f"leaves returned {life.leaving[-1]!r}, must be True or False"
                raise FailedCheckError(f"{told} ({life.when})")


def counts_what_she_said(subject: Subject) -> None:
    """n(t) and t of her state count the acceptances and the recommendations."""
    for population in populations(subject):
        life = Life(population, subject.seed)
        for step in range(1, USER_STEPS + 1):
            life.respond()
            n, t = life.state.acceptances[0], life.state.interactions[0]
            if (n, t) != (sum(life.responses), step):
                told = f"n(t) is {n} and t is {t} after {sum(life.responses)} acceptances of {step}"
                raise FailedCheckError(f"{told} ({life.when})")


def keeps_her_means(subject: Subject) -> None:
    """Her true means stay what they are, unless it says that it moves_means."""
    for population in populations(subject):
        if population.behaviour.moves_means:
            raise NotAskedError("it says that it moves_means")
        life = Life(population, subject.seed)
        means = [*life.state.means]
        for _ in range(USER_STEPS):
            life.respond()
            if [*life.state.means] != means:
                raise FailedCheckError(f"her means moved, and moves_means is False ({life.when})")


def draws_from_her_stream_alone(subject: Subject) -> None:
    """The same stream gives the same user, and no stream or clock that others use matters."""
    for population in populations(subject):
        before = shared_streams()
        wanted = Life(population, subject.seed).lived()
        if shared_streams() != before:
            raise FailedCheckError(f"she drew from random, numpy.random or torch ({wanted.when})")
        with other_surroundings(1):
            found = Life(population, subject.seed).lived()
        expect_same_life(found, wanted, "in other surroundings (global streams, clock)")


def is_all_in_her_state(subject: Subject) -> None:
    """A copy of her state and stream goes on as she does, whoever else is asked in between."""
    for population in populations(subject):
        wanted = Life(population, subject.seed).lived()
        life = Life(population, subject.seed).lived(COPIED_AFTER)
        other = copy.deepcopy(life)
        neighbour = Life(population, subject.seed + 1)
        for _ in range(USER_STEPS - COPIED_AFTER):
            life.respond()
            neighbour.respond()
        expect_same_life(life, wanted, "while another user was asked in between")
        expect_same_life(other.lived(USER_STEPS - COPIED_AFTER), wanted, "as a copy of her state")


def starts_as_a_new_user(subject: Subject) -> None:
    """Start makes a used state a new user's, to the last number."""
    for population in populations(subject):
        wanted = Life(population, subject.seed).lived()
        used = Life(population, subject.seed + 1).lived()
        found = Life(population, subject.seed, used.state).lived()
        expect_same_life(found, wanted, "in a state that was another user's before")


def travels_as_a_record(subject: Subject) -> None:
    """Pickled and unpickled, it makes the same users."""
    for population in populations(subject):
        wanted = Life(population, subject.seed).lived()
        again: Any = travelled(population)
        expect_same_life(Life(again, subject.seed).lived(), wanted, "when it was pickled")


def compiled_users_are_plain(subject: Subject) -> None:
    """Users in compiled code are those in plain Python, to the bit, if they compile at all."""
    for population in populations(subject):
        expect_compiled_users(population, subject.seed)


DRAWN_REWARDS = 20_000
"""Rewards of each mean."""

TRIED_MEANS = (-2.0, -0.5, 0.0, 0.3, 0.7, 1.5, 4.0)
"""Means that are tried, of those that the law allows; the ends of its range are tried as well."""


def draws_finite_numbers(subject: Subject) -> None:
    """Every reward is a finite number."""
    law: RewardLaw = subject.make()
    for mean in _means(law):
        rng = np.random.default_rng(subject.seed)
        for place in range(DRAWN_REWARDS // 10):
            reward = law(mean, rng)
            is_number = is_real(reward) or isinstance(reward, bool | np.bool_)
            if not is_number or not math.isfinite(reward):
                told = f"draw {place + 1} around mean {mean:g} is {reward!r}"
                raise FailedCheckError(f"{told}, must be a finite number (seed {subject.seed})")


def has_the_mean_it_is_asked_for(subject: Subject) -> None:
    """The average of many rewards is within the interval of a law that is sub-Gaussian about it."""
    law: RewardLaw = subject.make()
    means = _means(law)
    # Hoeffding: off by x with probability at most 2 exp(-n x^2 / 2).
    width = math.sqrt(2.0 * math.log(2.0 * len(means) / FALSE_ALARM) / DRAWN_REWARDS)
    for mean in means:
        average = float(_rewards(law, mean, subject.seed).mean())
        if abs(average - mean) > width:
            raise FailedCheckError(
                f"the average of {DRAWN_REWARDS} rewards is {average:.4g}, must be within "
                f"{width:.2g} of the mean {mean:g}, as with probability 1 - {FALSE_ALARM:g} "
                f"(seed {subject.seed})"
            )


def has_variance_at_most_one(subject: Subject) -> None:
    """The variance of rewards is at most 1, as of what is sub-Gaussian with parameter 1."""
    law: RewardLaw = subject.make()
    means = _means(law)
    most = _largest_average_of_squares(FALSE_ALARM / len(means))
    for mean in means:
        variance = float(((_rewards(law, mean, subject.seed) - mean) ** 2).mean())
        if variance > most:
            raise FailedCheckError(
                f"the average of (reward - mean)^2 is {variance:.4g} around mean {mean:g}, must be "
                f"at most {most:.3g}, as with probability 1 - {FALSE_ALARM:g} if the law is "
                f"sub-Gaussian with parameter 1 (seed {subject.seed})"
            )


def _largest_average_of_squares(chance: float) -> float:
    """Return what the average square exceeds with at most this probability.

    The square of what is sub-Gaussian with parameter 1 has no larger exponential moments than that
    of a normal: P(average >= 1 + x) <= exp(-n (x - log(1 + x)) / 2).
    """
    low, high = 0.0, 10.0
    for _ in range(60):
        x = (low + high) / 2.0
        if DRAWN_REWARDS * (x - math.log1p(x)) / 2.0 < -math.log(chance):
            low = x
        else:
            high = x
    return 1.0 + high


def draws_from_its_stream_alone(subject: Subject) -> None:
    """The same stream gives the same rewards, whatever was drawn before and whatever else is."""
    law: RewardLaw = subject.make()
    for mean in _means(law):
        before = shared_streams()
        wanted = _rewards(law, mean, subject.seed, 200)
        if shared_streams() != before:
            raise FailedCheckError(f"it drew from random, numpy.random or torch (mean {mean:g})")
        with other_surroundings(1):
            found = _rewards(law, mean, subject.seed, 200)
        if not np.array_equal(found, wanted):
            place = int(np.flatnonzero(found != wanted)[0])
            told = f"draw {place + 1} around mean {mean:g} is {wanted[place]} and then"
            raise FailedCheckError(f"{told} {found[place]} with the same stream")


def compiled_law_is_plain(subject: Subject) -> None:
    """Users who draw from it in compiled code are those in plain Python, to the bit."""
    law: RewardLaw = subject.make()
    low, high = law.range_of_means
    inside = [mean for mean in (0.05, 0.25, 0.45, 0.85) if low <= mean <= high]
    inside = inside if len(inside) > 1 else [*_means(law)]
    users = Population(
        n_arms=len(inside), means=tuple(inside), reward_law=law, alpha=0.1, noise=0.1
    )
    expect_compiled_users(users, subject.seed)


def _means(law: RewardLaw) -> list[float]:
    low, high = law.range_of_means
    ends = {end for end in (low, high) if math.isfinite(end)}
    between = {(low + high) / 2.0} if len(ends) == 2 else set()
    return sorted({mean for mean in TRIED_MEANS if low <= mean <= high} | ends | between)


def _rewards(law: RewardLaw, mean: float, seed: int, n_draws: int = DRAWN_REWARDS) -> np.ndarray:
    return np.fromiter(_drawn(law, mean, seed, n_draws), float, n_draws)


def _drawn(law: RewardLaw, mean: float, seed: int, n_draws: int) -> Iterator[float]:
    rng = np.random.default_rng(seed)
    for _ in range(n_draws):
        yield float(law(mean, rng))


TIMES = (*range(1, 40), 100, 10_000, 1_000_000)
"""Interactions t that rho_t is asked for."""

NUMBERS_OF_ARMS = (2, 5, 1000)
"""K with which it is asked for."""


def gives_numbers_in_its_range(subject: Subject) -> None:
    """rho_t is a number in [rho_0, rho_1], for every n(t), t and K."""
    schedule: Schedule = subject.make()
    for counts in _counts():
        value = schedule.rule(schedule.parameters, *counts)
        if not is_real(value) or not schedule.rho_0 <= value <= schedule.rho_1:
            shown = f"rho_t is {value!r} at n(t), t, K = {counts}"
            allowed = f"a number in [{schedule.rho_0:g}, {schedule.rho_1:g}], its declared range"
            raise FailedCheckError(f"{shown}, must be {allowed}")


def depends_on_counts_alone(subject: Subject) -> None:
    """rho_t follows from its parameters, n(t), t and K: not from what was asked before."""
    schedule: Schedule = subject.make()
    before = shared_streams()
    first = {counts: _value(schedule, counts) for counts in _counts()}
    if shared_streams() != before:
        raise FailedCheckError("the rule drew from random, numpy.random or torch")
    with other_surroundings(1):
        again = {counts: _value(schedule, counts) for counts in reversed([*_counts()])}
    for counts, value in first.items():
        if again[counts] != value:
            told = f"rho_t is {value} at n(t), t, K = {counts}, and then {again[counts]}"
            raise FailedCheckError(told)


def makes_users_who_live(subject: Subject) -> None:
    """Users with this schedule respond without an error, under every setting."""
    for setting in SETTINGS.values():
        for n_arms in (2, 20):
            users = Population(setting=setting, n_arms=n_arms, rho=subject.make(), alpha=0.1)
            Life(users, subject.seed).lived()


def compiled_schedule_is_plain(subject: Subject) -> None:
    """Users with it in compiled code are those in plain Python, to the bit, if it compiles."""
    expect_compiled_users(Population(rho=subject.make(), alpha=0.1, noise=0.1), subject.seed)


def _counts() -> Iterator[tuple[int, int, int]]:
    for n_arms in NUMBERS_OF_ARMS:
        for t in TIMES:
            for n in sorted({0, min(1, t), t // 3, t - 1, t}):
                yield n, t, n_arms


def _value(schedule: Schedule, counts: tuple[int, int, int]) -> Any:
    return schedule.rule(schedule.parameters, *counts)
