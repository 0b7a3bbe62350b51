"""What surrounds a run and is to be nothing to it: everybody's streams, the clock, the process."""

import pickle
import random
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple
from unittest import SkipTest

import numpy as np
from gymnasium.vector.utils import CloudpickleWrapper
from rich.table import Table

from explorative_user_env.display.progress import OnProgress, silent
from explorative_user_env.display.tables import as_text, new_table
from explorative_user_env.validation import CallableError, InvalidArgumentError, one_line

LONGEST_WHY = 600
"""What a check saw is cut to this length."""

PASSED, FAILED, EXPECTED, SURPRISING = "passed", "failed", "expected", "unexpected"
NOT_ASKED = "not asked"

BAD = (FAILED, SURPRISING)
"""The verdicts with which nobody can be content."""


class Kind(StrEnum):
    """What a subject is."""

    AGENT = "agent"
    ENVIRONMENT = "environment"
    VECTOR = "vector environment"
    ALGORITHM = "algorithm"
    BEHAVIOUR = "behaviour"
    SCHEDULE = "schedule"
    REWARD_LAW = "reward law"


class FailedCheckError(AssertionError):
    """What a check asks for is not so; the message says what was seen, with whom and when."""


class NotAskedError(SkipTest):
    """A check has nothing to ask of its subject; the message says why. Test runners skip it."""


@dataclass(frozen=True)
class Subject:
    """What is checked: its kind, what it is called, and what makes one anew.

    Attributes:
        kind: which of the checks it is asked.
        name: what reports call it.
        make: makes one that nobody has used.
        seed: what the users of the checks follow from.
        alone: for environments in step, what makes the single one that a lane is to equal.
    """

    kind: Kind
    name: str
    make: Callable[..., Any]
    seed: int = 0
    alone: Callable[[], Any] | None = None


@dataclass(frozen=True)
class NamedCheck:
    """One thing that is asked: a function whose name is the check's and whose first line says what.

    Attributes:
        function: called with a `Subject`; raises `FailedCheckError` or `NotAskedError`.
    """

    function: Callable[[Subject], None]

    @property
    def name(self) -> str:
        """What the check is called."""
        return self.function.__name__

    @property
    def asks(self) -> str:
        """What is asked, in a line."""
        return (self.function.__doc__ or "").strip().split("\n")[0]

    def __call__(self, subject: Subject) -> None:
        """Ask it of a subject.

        Raises:
            FailedCheckError: if it is not so, or the subject's own code fails.
            NotAskedError: if there is nothing to ask.
        """
        try:
            self.function(subject)
        except (FailedCheckError, NotAskedError):
            raise
        except Exception as error:
            raise FailedCheckError(in_words(error)) from error


def in_words(error: Exception) -> str:
    """Return an error of code that was handed in, as a report says it."""
    raised = "" if isinstance(error, CallableError) else f"raised {type(error).__name__}: "
    return one_line(f"{raised}{error}", LONGEST_WHY)


class Outcome(NamedTuple):
    """What came of one check."""

    check: NamedCheck
    verdict: str  # one of the words above
    why: str  # what was seen, or the reason why it is expected or not asked


@dataclass(frozen=True)
class CheckReport:
    """What came of all checks of a subject; printed, it is a table.

    Attributes:
        subject: what was checked.
        outcomes: one for each check, in their order.
    """

    subject: Subject
    outcomes: Sequence[Outcome]

    @property
    def failed(self) -> list[str]:
        """The names of the checks with which one cannot be content."""
        return [outcome.check.name for outcome in self.outcomes if outcome.verdict in BAD]

    @property
    def passed(self) -> bool:
        """Whether there are none."""
        return not self.failed

    def table(self) -> Table:
        """Return a row for each check: its name, the verdict, and what was seen."""
        title = f"{self.subject.name} ({self.subject.kind})"
        columns = ("check", "verdict", "why")
        table = new_table(columns, left=columns, title=title, padding=1, leading=2)
        for outcome in self.outcomes:
            table.add_row(outcome.check.name, outcome.verdict, one_line(outcome.why, LONGEST_WHY))
        return table

    def in_short(self) -> str:
        """Return how many checks there were of each verdict."""
        verdicts = [outcome.verdict for outcome in self.outcomes]
        counts = [f"{verdicts.count(each)} {each}" for each in dict.fromkeys(verdicts)]
        return f"{len(verdicts)} check{'s' * (len(verdicts) != 1)}: {', '.join(counts)}"

    def __str__(self) -> str:
        return f"{as_text(self.table())}\n{self.in_short()}"


def run_checks(
    subject: Subject,
    checks: Sequence[NamedCheck],
    expected_failed_checks: Mapping[str, str],
    progress: OnProgress = silent,
) -> CheckReport:
    """Ask all of these checks of a subject.

    Args:
        subject: what is checked.
        checks: what is asked.
        expected_failed_checks: by the names of checks that are known to fail, the reasons.
        progress: called with the subject's name, how many checks are done and how many there are.
    """
    outcomes = []
    seen: dict[str, str] = {}  # what was seen first under the name of which check
    for place, check in enumerate(checks):
        progress(subject.name, place, len(checks))
        reason = expected_failed_checks.get(check.name)
        try:
            check(subject)
        except NotAskedError as error:
            outcomes.append(Outcome(check, NOT_ASKED, str(error)))
        except FailedCheckError as error:
            first = seen.setdefault(str(error).partition(" (")[0], check.name)
            why = str(error) if first == check.name else f"as {first}"
            known = (FAILED, why) if reason is None else (EXPECTED, reason)
            outcomes.append(Outcome(check, *known))
        else:
            why = f"it passed, though expected to fail: {reason}"
            known = (PASSED, "") if reason is None else (SURPRISING, why)
            outcomes.append(Outcome(check, *known))
    return CheckReport(subject, outcomes)


def known_names(name: str, named: Collection[str], checks: Sequence[NamedCheck]) -> None:
    """Make sure that there are checks of these names.

    Args:
        name: of the argument that has them.
        named: the names.
        checks: those there are.

    Raises:
        InvalidArgumentError: for a name that no check has.
    """
    known = [check.name for check in checks]
    for each in named:
        if each not in known:
            raise InvalidArgumentError(name, each, f"one of {', '.join(known)}")


LATER = 3661.7
"""Seconds by which the clocks are ahead in other surroundings, times their seed."""

_CLOCKS = ("time", "monotonic", "perf_counter", "process_time")


def shared_streams() -> dict[str, Any]:
    """Return where everybody's streams stand, by the modules they are in."""
    streams: dict[str, Any] = {
        "random": random.getstate(),
        "numpy.random": repr(np.random.get_state(legacy=False)),  # noqa: NPY002 - looked at only
    }
    torch: Any = sys.modules.get("torch")
    if torch is not None:
        streams["torch"] = torch.random.get_rng_state().numpy().tobytes()
    return streams


@contextmanager
def other_surroundings(seed: int) -> Iterator[None]:
    """Run the block with everybody's streams seeded anew and the clocks hours ahead.

    Args:
        seed: what these follow from, above 0.
    """
    torch: Any = sys.modules.get("torch")
    before = random.getstate(), np.random.get_state()  # noqa: NPY002 - put back as they were
    torchs = torch.random.get_rng_state() if torch is not None else None
    clocks = {name: getattr(time, name) for name in _clock_names()}
    try:
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002 - for those who draw from it
        if torch is not None:
            torch.random.manual_seed(seed)
        for name, clock in clocks.items():
            setattr(time, name, _ahead(clock, seed * LATER * (1e9 if name.endswith("_ns") else 1)))
        yield
    finally:
        for name, clock in clocks.items():
            setattr(time, name, clock)
        random.setstate(before[0])
        np.random.set_state(before[1])  # noqa: NPY002
        if torch is not None:
            torch.random.set_rng_state(torchs)


def travelled(thing: Any) -> Any:
    """Return what arrives of a thing that is sent to another process, as workers are sent theirs.

    By value, where it is of a class that no other process can import.
    """
    return pickle.loads(pickle.dumps(CloudpickleWrapper(thing))).fn


def _clock_names() -> list[str]:
    return [name + unit for name in _CLOCKS for unit in ("", "_ns")]


def _ahead(clock: Any, by: float) -> Any:
    def later() -> Any:
        now = clock()
        return now + type(now)(by)

    return later
