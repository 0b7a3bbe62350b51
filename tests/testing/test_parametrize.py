"""The checks as cases of a test."""

from pathlib import Path
from typing import Any

import pytest
from processes import python
from specimens.agents import Honest, KeepsUsers

from explorative_user_env import ENV_ID, InvalidArgumentError
from explorative_user_env.check import checks_of, parametrize_with_checks


def cases_of(subjects: list[Any], known: Any = None) -> list[Any]:
    names, cases = parametrize_with_checks(subjects, expected_failed_checks=known).args
    assert names == ("subject", "check")
    return list(cases)


def test_there_is_a_case_for_every_check_of_every_subject() -> None:
    cases = cases_of([Honest, ENV_ID])
    kinds = ("agent", "environment", "vector environment")
    names = [check.name for kind in kinds for check in checks_of(kind)]
    assert [case.values[1].name for case in cases] == names
    assert cases[0].id == "Honest-has_the_methods"
    assert all(not case.marks for case in cases)


def test_an_expected_failure_is_a_strict_xfail_of_its_subject() -> None:
    def reasons(thing: Any) -> dict[str, str]:
        return {"forgets_users_it_has_met": "it learns"} if thing is KeepsUsers else {}

    marked = [case for case in cases_of([Honest, KeepsUsers], reasons) if case.marks]
    assert [case.id for case in marked] == ["KeepsUsers-forgets_users_it_has_met"]
    (mark,) = marked[0].marks
    told = (mark.name, mark.kwargs["strict"], mark.kwargs["reason"])
    assert told == ("xfail", True, "it learns")


def test_a_name_that_no_check_has_is_refused() -> None:
    for subjects in ([Honest], [Honest, ENV_ID]):
        with pytest.raises(InvalidArgumentError, match=r"^expected_failed_checks must be one of "):
            cases_of(subjects, {"is_nice": "it is not"})


SUITE = """
from specimens.agents import Honest, OutOfRange, PrefersLowNumbers
from explorative_user_env.check import parametrize_with_checks

KNOWN = {"breaks_ties_by_chance": "we like the first"}

@parametrize_with_checks([PrefersLowNumbers, Honest], expected_failed_checks=KNOWN)
def test_known(subject, check):
    check(subject)

@parametrize_with_checks([OutOfRange])
def test_wrong(subject, check):
    check(subject)
"""


@pytest.mark.slow
def test_pytest_runs_them(tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text(SUITE)
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    paths = ["-o", f"pythonpath={Path(__file__).parents[1]}", "test_mine.py"]
    chosen = ["-k", "ties or recommends or step"]
    finished = python("-m", "pytest", *options, *paths, *chosen, folder=tmp_path)
    told = finished.stdout + finished.stderr
    assert "1 xfailed" in told
    assert "test_known[Honest-breaks_ties_by_chance] - [XPASS(strict)] we like" in told
    assert "FAILED test_mine.py::test_wrong[OutOfRange-recommends_arms]" in told
    assert "skipped" in told
    assert finished.returncode == 1
