"""All checks of some subjects as the cases of a test, for pytest."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from explorative_user_env.testing.catalogue import checks_of
from explorative_user_env.testing.checks import FailedCheckError, known_names
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

    cases = []
    for thing in subjects:
        expected = expected_failed_checks or {}
        reasons = expected(thing) if callable(expected) else expected
        found = subjects_of(thing, seed=seed)
        every = [check for subject in found for check in checks_of(subject.kind)]
        if callable(expected_failed_checks) or len(subjects) == 1:
            known_names("expected_failed_checks", reasons, every)
        for subject in found:
            for check in checks_of(subject.kind):
                marks = []
                if (reason := reasons.get(check.name)) is not None:
                    marks = [pytest.mark.xfail(strict=True, raises=FailedCheckError, reason=reason)]
                label = f"{subject.name}-{check.name}"
                cases.append(pytest.param(subject, check, marks=marks, id=label))
    return pytest.mark.parametrize(("subject", "check"), cases)
