"""What comes of checks: verdicts, reports, and names that there are none of."""

from functools import partial
from types import SimpleNamespace

import pytest
from specimens.agents import Honest, KeepsUsers, OutOfRange

import explorative_user_env as eu
from explorative_user_env import InvalidArgumentError, check
from explorative_user_env.agents import ALGORITHMS
from explorative_user_env.check import (
    FailedCheckError,
    Kind,
    NamedCheck,
    NotAskedError,
    Subject,
    check_agent,
    check_vector_environment,
    checks_of,
    parametrize_with_checks,
)
from explorative_user_env.check import checks as room
from explorative_user_env.check.checks import run_checks
from explorative_user_env.users.behaviours import EXPLORATIVE
from explorative_user_env.users.model import ACCEPTANCE_RATE


def is_fine(subject):
    pass


def is_wrong(subject):
    raise FailedCheckError("it is wrong at step 3")


def breaks(subject):
    raise ZeroDivisionError("by zero")


def asks_nothing(subject):
    raise NotAskedError("it has nothing")


ALL = [NamedCheck(each) for each in (is_fine, is_wrong, breaks, asks_nothing)]
SUBJECT = Subject(Kind.AGENT, "somebody", Honest)


def test_a_report_has_a_verdict_and_a_reason_for_each_check():
    told = []
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


def test_what_is_expected_to_fail_is_no_failure_unless_it_passes():
    known = dict.fromkeys(("is_wrong", "breaks", "asks_nothing"), "it is known")
    report = run_checks(SUBJECT, ALL, known)
    assert report.outcomes[3].verdict == "not asked"
    assert report.passed
    assert "it is known" in str(report)
    surprised = run_checks(SUBJECT, ALL[:1], {"is_fine": "a belief"})
    assert surprised.failed == ["is_fine"]
    assert surprised.outcomes[0].why == "it passed, though expected to fail: a belief"


@pytest.mark.slow
def test_a_failure_is_an_error_with_the_report_unless_it_is_only_asked_for():
    with pytest.raises(FailedCheckError, match=r"act returned 5, must be an integer"):
        check_agent(OutOfRange)
    assert "recommends_arms" in check_agent(OutOfRange, raises=False).failed


def test_there_is_a_function_for_every_kind(monkeypatch):
    def asked(*told):
        return SimpleNamespace(told=told[:2], passed=True)

    monkeypatch.setattr(room, "run_checks", asked)
    for name, thing, kind in [
        ("agent", Honest, Kind.AGENT),
        ("environment", eu.ENV_ID, Kind.ENVIRONMENT),
        ("vector_environment", eu.ENV_ID, Kind.VECTOR),
        ("algorithm", ALGORITHMS["UNI"], Kind.ALGORITHM),
        ("users", EXPLORATIVE, Kind.BEHAVIOUR),
        ("schedule", ACCEPTANCE_RATE, Kind.SCHEDULE),
        ("reward_law", "gaussian", Kind.REWARD_LAW),
    ]:
        report = getattr(check, f"check_{name}")(thing, seed=3)
        subject, checks = report.told
        assert (subject.kind, subject.seed, [*checks]) == (kind, 3, [*checks_of(kind)])


@pytest.mark.slow
def test_lanes_are_compared_with_the_single_environment_that_is_named():
    alone = partial(eu.ExplorativeUserEnv, gap=0.3)
    report = check_vector_environment(eu.ExplorativeUserVectorEnv, alone=alone, raises=False)
    assert report.failed == ["lanes_are_single_environments"]


def test_names_that_there_are_none_of_are_refused():
    for name in ("", "breaks_ties", "lanes_are_single_environments"):
        with pytest.raises(InvalidArgumentError, match=r"^expected_failed_checks must be one of"):
            check_agent(Honest, expected_failed_checks={name: "of no use"})
    with pytest.raises(InvalidArgumentError, match=r"^kind must be one of agent, algorithm, "):
        checks_of("planet")
    for subjects in ([Honest], [Honest, eu.ENV_ID]):
        with pytest.raises(InvalidArgumentError, match=r"^expected_failed_checks must be one of "):
            cases_of(subjects, {"is_nice": "it is not"})


def cases_of(subjects, known=None):
    return list(parametrize_with_checks(subjects, expected_failed_checks=known).args[1])


def test_every_check_of_every_subject_is_a_case_and_an_expected_failure_a_strict_xfail():
    cases = cases_of([Honest, eu.ENV_ID])
    kinds = ("agent", "environment", "vector environment")
    names = [check.name for kind in kinds for check in checks_of(kind)]
    assert [case.values[1].name for case in cases] == names
    assert cases[0].id == "Honest-has_the_methods"
    assert all(not case.marks for case in cases)

    def reasons(thing):
        return {"forgets_users_it_has_met": "it learns"} if thing is KeepsUsers else {}

    marked = [case for case in cases_of([Honest, KeepsUsers], reasons) if case.marks]
    assert [case.id for case in marked] == ["KeepsUsers-forgets_users_it_has_met"]
    (mark,) = marked[0].marks
    told = (mark.name, mark.kwargs["strict"], mark.kwargs["reason"])
    assert told == ("xfail", True, "it learns")
