"""Binary search over N_1 when each candidate can only be tried out on users.

The guarantee. Each candidate meets users of its own, so whatever was decided before, its test errs
with probability at most `error / m`, where m bounds the number of candidates. By the union bound,
with probability at least 1 - `error` every decision is right: each N_1 called "good" succeeds with
probability at least 1 - delta, each called "bad" with less. That needs no assumption.

What the search looks for, the least N_1 that succeeds with probability at least 1 - delta, then
lies in the interval from the largest "bad" one + 1 to the least "good" one, provided that success
grows with N_1. The paper's bounds do, success itself nearly so.

Candidates do not share users. Which ones are tried would then depend on the very users that try
them, and the union bound would have to be over every N_1.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorative_user_env.results.confidence_sequences import sequence_interval
from explorative_user_env.results.intervals import LEVEL
from explorative_user_env.studies.tuning.sequential import Decision, judge

Draw = Callable[[int, int, int, int], np.ndarray[Any, Any]]
"""Called with N_1, the number of the candidate, that of the portion and how many users; returns
whether BAIR succeeded with each of them. All of them are new ones in every call."""

PORTION = 1000
"""Users drawn at a time; decisions do not depend on it."""


class NoneFoundError(Exception):
    """No N_1 was decided to succeed often enough; `candidates` are those that were tried."""

    def __init__(self, candidates: Sequence["Candidate"], delta: float) -> None:
        self.candidates = list(candidates)
        open_ones = [c.n1 for c in candidates if c.decision == "undecided"]
        why = f" ({len(open_ones)} undecided: more n_instances may do)" if open_ones else ""
        super().__init__(f"no N_1 was found to succeed with probability {1 - delta:g}{why}")


@dataclass(frozen=True)
class Candidate:
    """An N_1 that was tried.

    Attributes:
        n1: N_1.
        n_runs: users until the decision.
        failures: with how many of them BAIR did not succeed: it was wrong, or censored.
        decision: "good", "bad", or "undecided" where the users ended first.
    """

    n1: int
    n_runs: int
    failures: int
    decision: Decision

    @property
    def success(self) -> float:
        """Share of the users with whom BAIR succeeded; a bit extreme, as the test stopped there."""
        return 1.0 - self.failures / self.n_runs

    @property
    def success_interval(self) -> tuple[float, float]:
        """A 95% interval that allows for stopping at will, for this candidate by itself."""
        return sequence_interval(self.n_runs - self.failures, self.n_runs, 1.0 - LEVEL)


def most_candidates(first: int, top: int) -> int:
    """Return m, the most candidates that `search` tries."""
    return 1 + max(first, top - first).bit_length()


def search(
    draw: Draw,
    first: int,
    top: int,
    *,
    delta: float,
    error: float,
    cap: int,
    on_users: Callable[[int, int], object] = lambda n1, n: None,
    on_candidate: Callable[[Candidate], object] = lambda candidate: None,
) -> list[Candidate]:
    """Return the candidates tried on the way to the least good N_1 in 0..top.

    A candidate without a decision after `cap` users counts as not good enough: the N_1 found is
    then larger than it need be, but no less safe.

    Args:
        draw: runs BAIR; see `Draw`.
        first: the N_1 to begin with, in 0..top; afterwards the middle of what is left.
        top: the largest N_1; it is tried if no other is good.
        delta: allowed probability of failure, in (0, 1).
        error: probability that any decision is wrong, in (0, 1).
        cap: the most users for a candidate, at least 1.
        on_users: called with N_1 and the users it has met, as they become more.
        on_candidate: called with each candidate when it is done.
    """
    each = error / most_candidates(first, top)
    candidates: list[Candidate] = []
    low, high, n1 = 0, top + 1, first
    while low < high:
        met = failures = 0
        decision: Decision = "undecided"
        for portion, start in enumerate(range(0, cap, PORTION)):
            failed = ~draw(n1, len(candidates), portion, min(PORTION, cap - start))
            decision, met, failures = judge(failed, delta, each, (met, failures))
            on_users(n1, met)
            if decision != "undecided":
                break
        candidates.append(Candidate(n1, met, failures, decision))
        on_candidate(candidates[-1])
        low, high = (low, n1) if decision == "good" else (n1 + 1, high)
        n1 = (low + high) // 2
    return candidates


def found(candidates: Sequence[Candidate], delta: float) -> tuple[int, tuple[int, int]]:
    """Return the least good N_1, and the interval for the least that succeeds often enough.

    Raises:
        NoneFoundError: if none is good.
    """
    good = [candidate.n1 for candidate in candidates if candidate.decision == "good"]
    if not good:
        raise NoneFoundError(candidates, delta)
    bad = [candidate.n1 for candidate in candidates if candidate.decision == "bad"]
    return min(good), (max(bad, default=-1) + 1, min(good))
