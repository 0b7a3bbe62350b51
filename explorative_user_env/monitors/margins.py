"""How far a run stayed within what should hold in it, as functions of its trace."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from explorative_user_env.agents.bair_parts import ELIMINATION, ROUNDS
from explorative_user_env.monitors.trace import Trace
from explorative_user_env.theory import iterated_log_band, largest_mean_drop


class PhaseCounts(NamedTuple):
    """How long the phases were."""

    phase1_acceptances: int
    phase1_rejections: int
    phase2_length: int


def phase_counts(trace: Trace) -> PhaseCounts:
    """Return the acceptances and rejections of Phase 1, and the recommendations of Phase 2."""
    phase2 = trace.parts.count(ELIMINATION)
    phase1 = len(trace.parts) - phase2  # Phase 2 comes last
    acceptances = sum(trace.accepted[:phase1])
    return PhaseCounts(acceptances, phase1 - acceptances, phase2)


def band_margin(trace: Trace, delta: float) -> float:
    """Return the least distance of an empirical mean to the edge of its band at delta/K.

    Over all arms and times; infinite if the user never had a reward.
    """
    truth = np.array(trace.instance.means)
    accepted = np.array(trace.accepted, dtype=bool)
    arms = np.concatenate([np.arange(len(truth)), np.array(trace.arms, dtype=int)[accepted]])
    numbers = np.concatenate([trace.counts, np.array(trace.numbers, dtype=int)[accepted]])
    means = np.concatenate([trace.estimates, np.array(trace.means, dtype=float)[accepted]])
    seen = numbers > 0
    if not seen.any():
        return math.inf
    bands = iterated_log_band(numbers[seen].astype(int), delta / len(truth))
    return float(np.min(bands - np.abs(means - truth[arms])[seen]))


def interval_margin(trace: Trace) -> float:
    """Return how far inside its interval mu was, at the least, at the rejections of Phase 2.

    Of the rejected arm i and of the arm j with the largest lcb, by which it was rejected (events B
    in the proof of Lemma lm:phase2bound1); infinite if there was no rejection.
    """
    truth = trace.instance.means
    least = math.inf
    for step, arm, estimates, counts in _rejections(trace, ELIMINATION):
        gamma = trace.gammas[step]
        others = [other for other in range(len(truth)) if other != arm and counts[other] > 0]
        # A coin flip can reject an arm that no other stands against.
        pair = [arm] if counts[arm] > 0 else []
        if others:
            pair.append(max(others, key=lambda j: estimates[j] - math.sqrt(gamma / counts[j])))
        for i in pair:
            least = min(least, math.sqrt(gamma / counts[i]) - abs(truth[i] - estimates[i]))
    return least


def n_rounds(trace: Trace) -> int:
    """Return the number of complete rounds of Phase 1, which end with K rejections each."""
    n_arms = trace.instance.n_arms
    pairs = zip(trace.parts, trace.accepted, strict=True)
    return sum(part == ROUNDS and not accepted for part, accepted in pairs) // n_arms


def drop_margin(trace: Trace) -> float:
    """Return the least of (fall of max hat mu_i) - 2 sqrt(Gamma/n(t_e)) over complete rounds.

    Gamma is the least in force from the start of the round to its end; infinite without a round.
    """
    least = math.inf
    if ROUNDS not in trace.parts:
        return least
    n_arms = trace.instance.n_arms
    start = trace.parts.index(ROUNDS)
    top = _largest_mean_before(trace, start)
    for number, (step, _, estimates, counts) in enumerate(_rejections(trace, ROUNDS), 1):
        if number % n_arms > 0:
            continue
        end = step + 1
        acceptances = sum(trace.accepted[:end])
        lowered = _largest(estimates, counts)
        if acceptances > 0:
            gamma = min(trace.gammas[start : end + 1])
            least = min(least, top - lowered - largest_mean_drop(gamma, acceptances))
        start, top = end, lowered
    return least


def _rejections(trace: Trace, part: int) -> Iterator[tuple[int, int, list[float], list[int]]]:
    """Yield (step, arm, hat mu, n_i) of every rejection in this part, good until the next."""
    estimates, counts = list(trace.estimates), list(trace.counts)
    for step, arm in enumerate(trace.arms):
        if trace.accepted[step]:
            estimates[arm], counts[arm] = trace.means[step], trace.numbers[step]
        elif trace.parts[step] == part:
            yield step, arm, estimates, counts


def _largest_mean_before(trace: Trace, end: int) -> float:
    """Return the largest empirical mean before step `end`."""
    estimates, counts = list(trace.estimates), list(trace.counts)
    for step in range(end):
        if trace.accepted[step]:
            arm = trace.arms[step]
            estimates[arm], counts[arm] = trace.means[step], trace.numbers[step]
    return _largest(estimates, counts)


def _largest(estimates: list[float], counts: list[int]) -> float:
    """Return the largest empirical mean of the arms that have one; -inf if none has."""
    seen = zip(estimates, counts, strict=True)
    return max((estimate for estimate, count in seen if count > 0), default=-math.inf)
