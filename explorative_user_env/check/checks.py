"""Named checks, their reports, and helpers that watch global state and search for hidden data."""

import copy
import inspect
import pickle
import random
import sys
import time
import types
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from typing import Any, NamedTuple
from unittest import SkipTest, mock

import gymnasium as gym
import numpy as np
from gymnasium.vector.utils import CloudpickleWrapper
from rich.table import Table

from explorative_user_env.display.progress import OnProgress, silent
from explorative_user_env.display.tables import Column, as_text, table
from explorative_user_env.envs.lanes import Lanes
from explorative_user_env.users.hidden_state import HiddenState
from explorative_user_env.users.instances import Instance
from explorative_user_env.users.model import UserState
from explorative_user_env.validation import CallableError, choice, one_line

#: The largest probability that a statistical check fails a correct subject.
FALSE_ALARM = 1e-6

PASSED, FAILED, EXPECTED, UNEXPECTED = "passed", "failed", "expected", "unexpected"
SKIPPED = "skipped"


class Kind(StrEnum):
    """The kind of a subject."""

    AGENT = "agent"
    ENVIRONMENT = "environment"
    VECTOR = "vector environment"
    ALGORITHM = "algorithm"
    BEHAVIOUR = "behaviour"
    SCHEDULE = "schedule"
    REWARD_LAW = "reward law"


class FailedCheckError(AssertionError):
    """A check failed; the message states the observed value, the user and the step."""


class SkippedCheckError(SkipTest):
    """A check does not apply to its subject; the message says why. Test runners skip the case."""


@dataclass(frozen=True)
class Subject:
    """An object under test.

    Attributes:
        kind: the kind of object, which selects the checks.
        name: the subject's name in reports.
        make: a function that makes a new object for each test.
        seed: the seed of the users with whom the checks run.
        alone: for a vector environment, a function that makes the single environment of a lane.
    """

    kind: Kind
    name: str
    make: Callable[..., Any]
    seed: int = 0
    alone: Callable[[], Any] | None = None


@dataclass(frozen=True)
class NamedCheck:
    """A conformance check.

    Attributes:
        function: takes a `Subject` and raises `FailedCheckError` or `SkippedCheckError`. The check
            has the function's name; the first line of the function's docstring describes it.
    """

    function: Callable[[Subject], None]

    @property
    def name(self) -> str:
        """The name of the check, as in `expected_failed_checks`."""
        return self.function.__name__

    @property
    def asks(self) -> str:
        """What the check requires of the object, in one line."""
        return (self.function.__doc__ or "").strip().split("\n")[0]

    def __call__(self, subject: Subject) -> None:
        """Check a subject.

        Raises:
            FailedCheckError: if the subject fails, or its code raises an error.
            SkippedCheckError: if the check does not apply.
        """
        try:
            self.function(subject)
        except (FailedCheckError, SkippedCheckError):
            raise
        except Exception as error:
            raise FailedCheckError(in_words(error)) from error


#: All checks by kind of subject, in the order in which they are run.
CHECKS: dict[Kind, list[NamedCheck]] = {kind: [] for kind in Kind}


def register(module: Mapping[str, Any], *kinds: Kind) -> None:
    """Register the checks in a module's `globals()` for subjects of these kinds.

    A check is a public function whose first argument is `subject`. A second call of `register`
    for the same module registers only the checks that are new.
    """
    known = [check.function for checks in CHECKS.values() for check in checks]
    for name, each in module.items():
        local = inspect.isfunction(each) and each.__module__ == module["__name__"]
        if local and name[0] != "_" and each.__code__.co_varnames[:1] == ("subject",):
            for kind in kinds if each not in known else ():
                CHECKS[kind].append(NamedCheck(each))


def expect(holds: Any, seen: str, *when: object) -> None:
    """Fail the check unless `holds`; the message has the text `seen`, then `when` in brackets."""
    if not holds:
        raise FailedCheckError(" ".join([seen, *(f"({each})" for each in when)]))


def applies(holds: Any, why: str) -> None:
    """Skip the check unless `holds`; `why` is the reason."""
    if not holds:
        raise SkippedCheckError(why)


def in_words(error: Exception) -> str:
    """Describe an error of the tested code in one line."""
    raised = "" if isinstance(error, CallableError) else f"raised {type(error).__name__}: "
    return one_line(f"{raised}{error}", 600)


class Outcome(NamedTuple):
    """The outcome of one check."""

    check: NamedCheck
    verdict: str  # "passed", "failed", "expected", "unexpected" or "skipped"
    why: str  # the failure, the reason to expect the failure, or the reason to skip the check


@dataclass(frozen=True)
class CheckReport:
    """The outcomes of all checks of a subject; the report prints as a table.

    Attributes:
        subject: the object under test.
        outcomes: the outcome of each check, in the order of the checks.
    """

    subject: Subject
    outcomes: Sequence[Outcome]

    @property
    def failed(self) -> list[str]:
        """The names of checks that failed, or passed although their failure was expected."""
        return [each.check.name for each in self.outcomes if each.verdict in (FAILED, UNEXPECTED)]

    @property
    def passed(self) -> bool:
        """Whether all checks passed, were skipped, or failed as expected."""
        return not self.failed

    def table(self) -> Table:
        """Return a table with one row per check: its name, verdict and reason."""
        rows = [(check.name, verdict, one_line(why, 600)) for check, verdict, why in self.outcomes]
        columns = [Column(name, left=True) for name in ("check", "verdict", "why")]
        title = f"{self.subject.name} ({self.subject.kind})"
        return table(rows, columns, title, padding=1, leading=2)

    def in_short(self) -> str:
        """Return a line that counts the checks by verdict, such as "5 checks: 5 passed"."""
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
    """Run checks on a subject; the checks named in `expected_failed_checks` should fail."""
    outcomes = []
    seen: dict[str, str] = {}  # failure message -> name of the first check that raised it
    for place, check in enumerate(checks):
        progress(subject.name, place, len(checks))
        reason = expected_failed_checks.get(check.name)
        surprise = f"it passed, though expected to fail: {reason}"
        try:
            check(subject)
            verdict, why = (PASSED, "") if reason is None else (UNEXPECTED, surprise)
        except SkippedCheckError as error:
            verdict, why = SKIPPED, str(error)
        except FailedCheckError as error:
            first = seen.setdefault(str(error).partition(" (")[0], check.name)
            message = str(error) if first == check.name else f"as {first}"
            verdict, why = (FAILED, message) if reason is None else (EXPECTED, reason)
        outcomes.append(Outcome(check, verdict, why))
    return CheckReport(subject, outcomes)


def known_names(name: str, named: Collection[str], checks: Sequence[NamedCheck]) -> None:
    """Raise an error about the argument `name` if an element of `named` is not a check's name."""
    for each in named:
        choice(name, each, [check.name for check in checks])


# Global state

#: `other_global_state` advances the clocks by this number of seconds times `seed`.
LATER = 3661.7


def global_streams() -> dict[str, Any]:
    """Return the state of each module's global random stream, by module name."""
    streams: dict[str, Any] = {
        "random": random.getstate(),
        "numpy.random": repr(np.random.get_state(legacy=False)),  # noqa: NPY002 - read only
    }
    if (torch := sys.modules.get("torch")) is not None:
        streams["torch"] = torch.random.get_rng_state().numpy().tobytes()
    return streams


@contextmanager
def global_streams_unchanged(when: object) -> Iterator[None]:
    """Fail the check if code in the `with` block draws from or seeds a global random stream."""
    before = global_streams()
    yield
    for module, stream in global_streams().items():
        seen = f"it drew from {module} or seeded it, must draw from its own stream only"
        expect(stream == before.get(module, stream), seen, when)


@contextmanager
def other_global_state(seed: int) -> Iterator[None]:
    """Reseed the global random streams and set clocks hours ahead within the `with` block."""
    ahead: dict[str, Any] = {}
    for name, unit in product(("time", "monotonic", "perf_counter", "process_time"), ("", "_ns")):
        lead = int(seed * LATER * 1e9) if unit else seed * LATER
        clock = getattr(time, name + unit)
        ahead[name + unit] = lambda clock=clock, lead=lead: clock() + lead
    torch: Any = sys.modules.get("torch")
    before = random.getstate(), np.random.get_state()  # noqa: NPY002 - restored below
    with (
        mock.patch.multiple(time, **ahead),
        torch.random.fork_rng(devices=[]) if torch is not None else nullcontext(),
    ):
        try:
            random.seed(seed)
            np.random.seed(seed)  # noqa: NPY002 - a subject may draw from this stream
            if torch is not None:
                torch.random.manual_seed(seed)
            yield
        finally:
            random.setstate(before[0])
            np.random.set_state(before[1])  # noqa: NPY002


def pickled(thing: Any) -> Any:
    """Pickle an object with cloudpickle, and return the unpickled copy."""
    return pickle.loads(pickle.dumps(CloudpickleWrapper(thing))).fn


#: Functions that copy an object, by their description in messages.
COPIES: Mapping[str, Callable[[Any], Any]] = {
    "as a deep copy": copy.deepcopy,
    "as a pickled copy": pickled,
}

# Secrets

#: Classes whose objects give access to a user's hidden state.
TRUTHS: tuple[Any, ...] = (Instance, HiddenState, UserState, Lanes, gym.Env, gym.vector.VectorEnv)

# Modules and classes are no secrets: any code can import them.
_IMPORTED = (types.ModuleType, type)
_PLAIN = (int, float, complex, str, bytes, bytearray, bool, type(None), np.generic)
_LOOKED_UP = ["__self__", "__func__", "__wrapped__", "__defaults__", "__kwdefaults__", "func"]
_LOOKED_UP += ["args", "keywords", "base", "bit_generator", "seed_seq", "state", "entropy"]
_LOOKED_UP += ["spawn_key", "gi_frame", "gi_yieldfrom", "cr_frame", "ag_frame", "f_back", "obj"]
_LOOKED_UP += ["f_locals", "tb_frame", "tb_next", "__traceback__", "__cause__", "__context__"]


def reached(root: Any, depth: int = 9) -> Iterator[tuple[str, Any]]:
    """Yield the path and the object for every object within `depth` references of `root`."""
    seen: dict[int, Any] = {id(root): root}  # keeps the objects alive, so that no id is reused
    front = [("", root)]
    yield from front
    for _ in range(depth):
        further = []
        for path, thing in front:
            for step, next_thing in _next_to(thing):
                if id(next_thing) not in seen and not isinstance(next_thing, _IMPORTED):
                    seen[id(next_thing)] = next_thing
                    further.append((path + step, next_thing))
        yield from further
        front = further


def _next_to(thing: Any) -> Iterator[tuple[str, Any]]:
    """Yield the objects to which `thing` refers: attributes, items, closures, frames."""
    if isinstance(thing, _PLAIN):
        return
    if isinstance(thing, Mapping):
        for key, value in list(thing.items()):
            yield f".keys({key!r})", key
            yield f"[{key!r}]", value
    elif isinstance(thing, np.ndarray) and thing.dtype == object:
        yield from ((f"[{place}]", value) for place, value in enumerate(thing.ravel()))
    elif isinstance(thing, list | tuple | Set):
        yield from ((f"[{place}]", value) for place, value in enumerate(list(thing)))
    for place, cell in enumerate(getattr(thing, "__closure__", None) or ()):
        yield f".__closure__[{place}]", cell.cell_contents
    slots = [name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())]
    for name in {*getattr(thing, "__dict__", {}), *slots, *_LOOKED_UP}:
        try:
            yield f".{name}", getattr(thing, name)
        except Exception:
            continue


class Secrets:
    """The hidden data of users, which no agent and no observation may hold.

    Args:
        seeds: the users' seeds; they identify the users' random streams.
        numbers: the users' means, rewards, bounds and estimates.
        truths: classes whose objects give access to a user's hidden state.
    """

    def __init__(
        self, seeds: Iterable[int], numbers: Iterable[float], truths: tuple[Any, ...] = TRUTHS
    ) -> None:
        self.truths = truths
        self.seeds = {int(seed) for seed in seeds}
        streams = [np.random.PCG64(np.random.SeedSequence(seed)) for seed in self.seeds]
        self.increments = {stream.state["state"]["inc"] for stream in streams}
        # Integers such as 0 and 1 occur everywhere; drawn means and rewards are not integers.
        drawn = np.array([number for number in set(numbers) if number % 1.0 != 0.0], float)
        drawn = drawn[np.isfinite(drawn)]
        self.numbers = np.unique(np.concatenate([drawn, drawn.astype(np.float32), -drawn]))

    def are(self, thing: Any) -> bool:
        """Return whether an object is a secret, or an array that holds a secret number."""
        if isinstance(thing, self.truths):
            return True
        if isinstance(thing, np.random.BitGenerator):
            return bool(thing.state["state"].get("inc") in self.increments)
        if isinstance(thing, int | np.integer) and not isinstance(thing, bool):
            return int(thing) in self.seeds | self.increments
        if not isinstance(thing, float | np.floating | np.ndarray):
            return False
        values = np.asarray(thing)
        if values.dtype.kind == "f":
            return bool(np.isin(values.astype(float), self.numbers).any())
        seeds = np.array([*self.seeds], np.uint64)
        return values.dtype.kind in "iu" and bool(np.isin(values, seeds).any())

    def paths_from(self, root: Any) -> Iterator[str]:
        """Yield the path from `root` to each secret, as an expression such as `.rng[0]`."""
        return (path for path, thing in reached(root) if self.are(thing))


def numbers_of(truth: HiddenState) -> list[float]:
    """Return the means, Gamma, bounds and estimates in a user's hidden state."""
    bounds = (truth.lower_bounds, truth.upper_bounds, truth.estimates)
    return [*truth.instance.means, truth.gamma, *(number for part in bounds for number in part)]
