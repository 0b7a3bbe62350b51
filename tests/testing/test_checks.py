"""What comes of checks: verdicts, reports, and names that there are none of."""

import pytest
from specimens.agents import Honest, OutOfRange

import explorative_user_env as eu
from explorative_user_env import InvalidArgumentError
from explorative_user_env.agents import ALGORITHMS
from explorative_user_env.check import (
    FailedCheckError,
    Kind,
    NamedCheck,
    NotAskedError,
    Subject,
    check_agent,
    check_algorithm,
    check_environment,
    check_reward_law,
    check_schedule,
    check_users,
    check_vector_environment,
    checks_of,
)
from explorative_user_env.check.checks import run_checks
from explorative_user_env.users.behaviours import EXPLORATIVE
from explorative_user_env.users.model import ACCEPTANCE_RATE


def is_fine(subject: Subject) -> None:
    """It is fine."""


def is_wrong(subject: Subject) -> None:
    """It is right.

    Which it is not.
    """
    raise FailedCheckError("it is wrong at step 3")


def breaks(subject: Subject) -> None:
    """It does not break."""
    raise ZeroDivisionError("by zero")


def asks_nothing(subject: Subject) -> None:
    """It is asked."""
    raise NotAskedError("it has nothing")


ALL = [NamedCheck(each) for each in (is_fine, is_wrong, breaks, asks_nothing)]
SUBJECT = Subject(Kind.AGENT, "somebody", Honest)


def test_a_report_has_a_verdict_and_a_reason_for_each_check() -> None:
    told: list[tuple[str, int, int]] = []
    report = run_checks(SUBJECT, ALL, {}, lambda *progress: told.append(progress))
    assert [(outcome.verdict, outcome.why) for outcome in report.outcomes] == [
        ("passed", ""),
        ("failed", "it is wrong at step 3"),
        ("failed", "raised ZeroDivisionError: by zero"),
        ("not asked", "it has nothing"),
    ]
    assert report.failed == ["is_wrong", "breaks"]
    assert not report.passed
    assert "4 checks: 1 passed, 2 failed, 1 not asked" in str(report)
    assert told == [("somebody", place, 4) for place in range(4)]


def test_what_is_expected_to_fail_is_no_failure_unless_it_passes() -> None:
    known = dict.fromkeys(("is_wrong", "breaks", "asks_nothing"), "it is known")
    report = run_checks(SUBJECT, ALL, known)
    assert report.outcomes[3].verdict == "not asked"
    assert report.passed
    assert "it is known" in str(report)
    surprised = run_checks(SUBJECT, ALL[:1], {"is_fine": "a belief"})
    assert surprised.failed == ["is_fine"]
    assert surprised.outcomes[0].why == "it passed, though expected to fail: a belief"


def test_what_was_seen_before_is_told_once() -> None:
    def is_wrong_again(subject: Subject) -> None:
        """It is right elsewhere."""
        raise FailedCheckError("it is wrong at step 3 (with another user)")

    report = run_checks(SUBJECT, [*ALL[:2], NamedCheck(is_wrong_again)], {})
    assert [outcome.why for outcome in report.outcomes] == [
        "",
        "it is wrong at step 3",
        "as is_wrong",
    ]
    assert report.failed == ["is_wrong", "is_wrong_again"]


@pytest.mark.slow
def test_a_failure_is_an_error_with_the_report_unless_it_is_only_asked_for() -> None:
    with pytest.raises(FailedCheckError, match=r"act returned 5, must be an integer"):
        check_agent(OutOfRange)
    assert "recommends_arms" in check_agent(OutOfRange, raises=False).failed


@pytest.mark.slow
def test_there_is_a_function_for_every_kind() -> None:
    reports = [
        check_environment(eu.ENV_ID),
        check_vector_environment(eu.ENV_ID),
        check_algorithm(ALGORITHMS["UNI"]),
        check_users(EXPLORATIVE),
        check_schedule(ACCEPTANCE_RATE),
        check_reward_law("gaussian"),
    ]
    assert {report.subject.kind for report in reports} == {*Kind} - {Kind.AGENT}
    for report in reports:
        assert [outcome.check for outcome in report.outcomes] == [*checks_of(report.subject.kind)]


@pytest.mark.slow
def test_lanes_are_compared_with_the_single_environment_that_is_named() -> None:
    report = check_vector_environment(
        eu.ExplorativeUserVectorEnv,
        alone=lambda: eu.ExplorativeUserEnv(gap=0.3),
        raises=False,
    )
    assert report.failed == ["lanes_are_single_environments"]


def test_names_that_there_are_none_of_are_refused() -> None:
    for name in ("", "breaks_ties", "lanes_are_single_environments"):
        with pytest.raises(InvalidArgumentError, match=r"^expected_failed_checks must be one of"):
            check_agent(Honest, expected_failed_checks={name: "of no use"})
    with pytest.raises(InvalidArgumentError, match=r"^kind must be one of agent, algorithm, "):
        checks_of("planet")
