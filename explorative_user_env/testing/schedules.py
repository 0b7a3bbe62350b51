"""Whether a schedule of rho_t is a function of counts that keeps to its range."""

from collections.abc import Iterator
from typing import Any

from explorative_user_env.population import Population
from explorative_user_env.settings import SETTINGS
from explorative_user_env.testing.checks import FailedCheckError, Subject
from explorative_user_env.testing.compiled_paths import expect_compiled_users
from explorative_user_env.testing.surroundings import other_surroundings, shared_streams
from explorative_user_env.testing.users import Life
from explorative_user_env.users.confidence import Schedule
from explorative_user_env.validation import is_real

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
