"""Named checks: how they are declared, run and reported, and the surroundings they change."""

import pickle
import random
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar
from unittest import SkipTest, mock

import numpy as np
from gymnasium.vector.utils import CloudpickleWrapper
from rich.table import Table

from explorative_user_env.display.progress import OnProgress, silent
from explorative_user_env.display.tables import Column, as_text, table
from explorative_user_env.validation import CallableError, choice, one_line

#: The largest probability that a check by chance fails a subject that is right.
FALSE_ALARM = 1e-6

PASSED, FAILED, EXPECTED, SURPRISING = "passed", "failed", "expected", "unexpected"
NOT_ASKED = "not asked"


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
    """A check failed; the message says what was seen, with whom and when."""


class NotAskedError(SkipTest):
    """A check does not apply to its subject; the message says why. Test runners skip it."""


@dataclass(frozen=True)
class Subject:
    """What is checked.

    Attributes:
        kind: the kind of its checks.
        name: its name in reports.
        make: makes an unused one.
        seed: the seed of the users of the checks.
        alone: for vector environments, makes the single environment that a lane equals.
    """

    kind: Kind
    name: str
    make: Callable[..., Any]
    seed: int = 0
    alone: Callable[[], Any] | None = None


@dataclass(frozen=True)
class NamedCheck:
    """A check: its name is the function's, and what it asks is the first line of the docstring.

    Attributes:
        function: called with a `Subject`; raises `FailedCheckError` or `NotAskedError`.
    """

    function: Callable[[Subject], None]

    @property
    def name(self) -> str:
        """The name, as for `expected_failed_checks`."""
        return self.function.__name__

    @property
    def asks(self) -> str:
        """What is asked, in a line."""
        return (self.function.__doc__ or "").strip().split("\n")[0]

    def __call__(self, subject: Subject) -> None:
        """Check a subject.

        Raises:
            FailedCheckError: if it fails, or the subject's code raises.
            NotAskedError: if the check does not apply.
        """
        try:
            self.function(subject)
        except (FailedCheckError, NotAskedError):
            raise
        except Exception as error:
            raise FailedCheckError(in_words(error)) from error


_Function = TypeVar("_Function", bound=Callable[..., None])

#: All checks by kind of subject, in the order in which they are run.
CHECKS: dict[Kind, list[NamedCheck]] = {kind: [] for kind in Kind}


def asked_of(*kinds: Kind) -> Callable[[_Function], _Function]:
    """Return the decorator that adds a function to the checks of these kinds."""

    def add(function: _Function) -> _Function:
        for kind in kinds:
            CHECKS[kind].append(NamedCheck(function))
        return function

    return add


def expect(holds: Any, seen: str, *when: object) -> None:
    """Fail a check unless something holds.

    Args:
        holds: whether it does.
        seen: what was seen, in words.
        *when: the situation, which ends the message.

    Raises:
        FailedCheckError: with both.
    """
    if not holds:
        raise FailedCheckError(" ".join([seen, *(f"({each})" for each in when)]))


def in_words(error: Exception) -> str:
    """Return an error of a subject's code in a line."""
    raised = "" if isinstance(error, CallableError) else f"raised {type(error).__name__}: "
    return one_line(f"{raised}{error}", 600)


class Outcome(NamedTuple):
    """The outcome of one check."""

    check: NamedCheck
    verdict: str  # one of the words above
    why: str  # what was seen, or why the failure is expected or the check does not apply


@dataclass(frozen=True)
class CheckReport:
    """The outcomes of all checks of a subject; printed, it is a table.

    Attributes:
        subject: what was checked.
        outcomes: one for each check, in their order.
    """

    subject: Subject
    outcomes: Sequence[Outcome]

    @property
    def failed(self) -> list[str]:
        """The names of checks that failed, or passed though expected to fail."""
        return [each.check.name for each in self.outcomes if each.verdict in (FAILED, SURPRISING)]

    @property
    def passed(self) -> bool:
        """Whether no check failed."""
        return not self.failed

    def table(self) -> Table:
        """Return a row for each check: its name, the verdict, and what was seen."""
        rows = [(check.name, verdict, one_line(why, 600)) for check, verdict, why in self.outcomes]
        columns = [Column(name, left=True) for name in ("check", "verdict", "why")]
        title = f"{self.subject.name} ({self.subject.kind})"
        return table(rows, columns, title, padding=1, leading=2)

    def in_short(self) -> str:
        """Return the number of checks of each verdict."""
        verdicts = [each.verdict for each in self.outcomes]
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
    """Run checks of a subject.

    Args:
        subject: what is checked.
        checks: those to run.
        expected_failed_checks: the reasons of known failures by the names of checks.
        progress: called with the subject's name, how many checks are done and how many there are.
    """
    outcomes = []
    seen: dict[str, str] = {}  # what was seen, by the check that saw it first
    for place, check in enumerate(checks):
        progress(subject.name, place, len(checks))
        reason = expected_failed_checks.get(check.name)
        verdict, why = PASSED, ""
        try:
            check(subject)
            if reason is not None:
                verdict, why = SURPRISING, f"it passed, though expected to fail: {reason}"
        except NotAskedError as error:
            verdict, why = NOT_ASKED, str(error)
        except FailedCheckError as error:
            first = seen.setdefault(str(error).partition(" (")[0], check.name)
            verdict, why = FAILED, str(error) if first == check.name else f"as {first}"
            if reason is not None:
                verdict, why = EXPECTED, reason
        outcomes.append(Outcome(check, verdict, why))
    return CheckReport(subject, outcomes)


def known_names(name: str, named: Collection[str], checks: Sequence[NamedCheck]) -> None:
    """Validate names of checks.

    Args:
        name: the argument that has them.
        named: the names.
        checks: those there are.

    Raises:
        InvalidArgumentError: for a name that no check has.
    """
    for each in named:
        choice(name, each, [check.name for check in checks])


# Surroundings

#: Seconds by which the clocks are ahead in other surroundings, times their seed.
LATER = 3661.7

CLOCKS = [
    f"{name}{unit}"
    for name in ("time", "monotonic", "perf_counter", "process_time")
    for unit in ("", "_ns")
]


def shared_streams() -> dict[str, Any]:
    """Return the states of the global random streams by their modules."""
    streams: dict[str, Any] = {
        "random": random.getstate(),
        "numpy.random": repr(np.random.get_state(legacy=False)),  # noqa: NPY002 - looked at only
    }
    if (torch := sys.modules.get("torch")) is not None:
        streams["torch"] = torch.random.get_rng_state().numpy().tobytes()
    return streams


@contextmanager
def shared_streams_kept(when: object) -> Iterator[None]:
    """Fail the check if the block draws from a global random stream, or seeds one."""
    before = shared_streams()
    yield
    for module, stream in shared_streams().items():
        seen = f"it drew from {module} or seeded it, must draw from its stream alone"
        expect(stream == before.get(module, stream), seen, when)


@contextmanager
def other_surroundings(seed: int) -> Iterator[None]:
    """Run the block with the global random streams seeded anew and the clocks hours ahead.

    Args:
        seed: of the streams, above 0.
    """
    ahead: dict[str, Any] = {}
    for name in CLOCKS:
        lead = int(seed * LATER * 1e9) if name.endswith("_ns") else seed * LATER
        clock = getattr(time, name)
        ahead[name] = lambda clock=clock, lead=lead: clock() + lead
    torch: Any = sys.modules.get("torch")
    before = random.getstate(), np.random.get_state()  # noqa: NPY002 - put back as they were
    with (
        mock.patch.multiple(time, **ahead),
        torch.random.fork_rng(devices=[]) if torch is not None else nullcontext(),
    ):
        try:
            random.seed(seed)
            np.random.seed(seed)  # noqa: NPY002 - for those who draw from it
            if torch is not None:
                torch.random.manual_seed(seed)
            yield
        finally:
            random.setstate(before[0])
            np.random.set_state(before[1])  # noqa: NPY002


def travelled(thing: Any) -> Any:
    """Return what another process receives: by value, where it cannot import the class."""
    return pickle.loads(pickle.dumps(CloudpickleWrapper(thing))).fn
