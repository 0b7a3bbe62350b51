"""Every check bites: what is wrong in the one way that it asks about fails under its name."""

from typing import Any, ClassVar

import pytest
from specimens import SPECIMENS
from specimens.agents import (
    Drawing,
    Honest,
    HonestOfMany,
    ReadsTheStep,
    ThinksOfThree,
    WritesOnOptions,
)
from specimens.environments import BeginsWithTheNextSeed

from explorative_user_env.check import (
    CHECKS,
    FailedCheckError,
    Kind,
    NamedCheck,
    NotAskedError,
    check_agent,
    checks_of,
    subject_of,
)

SLOW = ("compiled", "another_process")
"""In the names of checks that compile something or start a process."""


def _cases() -> list[object]:
    return [
        pytest.param(
            kind,
            name,
            wrong,
            id=f"{kind}-{name}-{getattr(wrong, '__name__', place)}",
            marks=[pytest.mark.slow] if any(word in name for word in SLOW) else [],
        )
        for (kind, name), every in SPECIMENS.items()
        for place, wrong in enumerate(every)
    ]


def check_named(kind: Kind, name: str) -> NamedCheck:
    return next(check for check in checks_of(kind) if check.name == name)


def test_every_check_has_a_specimen_and_every_specimen_a_check() -> None:
    named = {(kind, check.name) for kind, checks in CHECKS.items() for check in checks}
    assert named == set(SPECIMENS)


@pytest.mark.parametrize(("kind", "name", "wrong"), _cases())
def test_a_wrong_one_is_caught_under_the_name_of_the_check(
    kind: Kind, name: str, wrong: Any
) -> None:
    subject = subject_of(wrong, kind)
    with pytest.raises(FailedCheckError) as caught:
        check_named(kind, name)(subject)
    assert len(str(caught.value)) > 20


@pytest.mark.slow
@pytest.mark.parametrize("honest", [Honest, HonestOfMany, Drawing])
def test_an_honest_one_passes_all(honest: type) -> None:
    report = check_agent(honest)
    assert report.passed
    assert {outcome.verdict for outcome in report.outcomes} == {"passed", "not asked"}


def test_options_that_an_agent_writes_on_are_what_it_was_given_as_well() -> None:
    with pytest.raises(FailedCheckError, match=r"its options were {'delta': 0\.1} and are"):
        check_named(Kind.AGENT, "leaves_what_it_is_given")(subject_of(WritesOnOptions))


def test_who_knows_the_truth_when_asked_about_many_users_alone_is_caught() -> None:
    told = r"it answers, asked about many at once, the best of 20 arms with 60 of 60 users"
    with pytest.raises(FailedCheckError, match=told):
        check_named(Kind.AGENT, "guesses_when_it_cannot_know")(subject_of(ReadsTheStep))


def test_an_agent_for_one_number_of_arms_is_told_how_to_say_so() -> None:
    class SaysSo(ThinksOfThree):
        trained_on: ClassVar = {"n_arms": 5}

    check = check_named(Kind.AGENT, "meets_two_arms")
    with pytest.raises(FailedCheckError, match=r"says so, as trained_on = \{\"n_arms\": 5\}$"):
        check(subject_of(ThinksOfThree))
    with pytest.raises(NotAskedError, match="trained for 5 arms"):
        check(subject_of(SaysSo))


def test_a_lane_with_another_ones_seed_is_not_the_single_environment() -> None:
    check = check_named(Kind.VECTOR, "lanes_are_single_environments")
    with pytest.raises(FailedCheckError, match="mode NextStep, as against single environments"):
        check(subject_of(BeginsWithTheNextSeed))


def test_who_ends_with_ties_is_asked_and_who_does_not_is_not() -> None:
    check = check_named(Kind.AGENT, "breaks_ties_by_chance")
    check(subject_of("UNI"))
    with pytest.raises(NotAskedError, match="never stopped by itself"):
        check(subject_of("BAIR"))
