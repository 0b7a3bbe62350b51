"""All checks of some subjects as the cases of a test, for pytest."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from explorative_user_env.testing.catalogue import checks_of
from explorative_user_env.testing.checks import FailedCheckError, NamedCheck, Subject, known_names
from explorative_user_env.testing.subjects import subjects_of

if TYPE_CHECKING:
    import pytest

Expected = Mapping[str, str] | Callable[[Any], Mapping[str, str]]
"""The reasons by the names of checks, or a function that returns them for each thing handed in."""


def parametrize_with_checks(
    subjects: Sequence[Any], *, expected_failed_checks: Expected | None = None, seed: int = 0
) -> "pytest.MarkDecorator":
    """Return the mark that makes a case of every check of every subject, in scikit-learn's manner.

    ```python
    @parametrize_with_checks([MyAgent])
    def test_it_is_an_agent(subject, check):
        check(subject)
    ```

    A check that is expected to fail is a strict xfail; one that has nothing to ask is skipped.

    Args:
        subjects: what `subjects_of` takes: agents, environments, behaviours, schedules, reward
            laws, algorithms, what makes one of these, or names.
        expected_failed_checks: by the names of checks that are known to fail, why; or a function
            that is called with what stands in `subjects` and returns that.
        seed: what the users of the checks follow from.

    Raises:
        InvalidArgumentError: for what is no subject, or the name of no check.
    """
    import pytest

    expected = expected_failed_checks or {}
    found = [subjects_of(thing, seed=seed) for thing in subjects]
    if not callable(expected):
        known_names("expected_failed_checks", expected, _all_of(chain(*found)))
    cases = []
    for thing, some in zip(subjects, found, strict=True):
        reasons = expected(thing) if callable(expected) else expected
        if callable(expected):
            known_names("expected_failed_checks", reasons, _all_of(some))
        for subject in some:
            for check in checks_of(subject.kind):
                marks = []
                if (reason := reasons.get(check.name)) is not None:
                    marks = [pytest.mark.xfail(strict=True, raises=FailedCheckError, reason=reason)]
                label = f"{subject.name}-{check.name}"
                cases.append(pytest.param(subject, check, marks=marks, id=label))
    return pytest.mark.parametrize(("subject", "check"), cases)


def _all_of(subjects: Iterable[Subject]) -> list[NamedCheck]:
    return [check for subject in subjects for check in checks_of(subject.kind)]
