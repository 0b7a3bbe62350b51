"""Scores of a task and in all, with intervals.

A score is where an agent's mean loss stands between two others' with the same users: UNI's is 0,
the reference's is 1. The loss is that by which agents rank: the regret, or the cost c T + error.

Intervals are percentiles of a bootstrap. In every task users are drawn again, the same for all
agents, so that what differs between users is in no score, and the anchors' stay 0 and 1. Of an
agent that was trained more than once the trainings are drawn again as well; in a task its loss is
the mean over them. What is said in all is a mean over tasks, or the interquartile mean (of the
scores between the quartiles), of which every replicate has draws of its own in every task: the
tasks are the strata (Agarwal et al. 2021, "Deep reinforcement learning at the edge of the
statistical precipice"). Tasks themselves are not drawn again: the suite is these. With n trainings
that part of an interval is too short, by a factor of sqrt((n - 1)/n).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np

from explorative_user_env.protocol import Array
from explorative_user_env.results.intervals import LEVEL
from explorative_user_env.results.results import Results
from explorative_user_env.results.scores import scores_of
from explorative_user_env.studies.suite.asked import SuiteTask
from explorative_user_env.studies.suite.entrants import entrant_of
from explorative_user_env.studies.suite.records import WORST

N_REPLICATES = 2000
"""Of the bootstrap."""


@dataclass(frozen=True)
class Replicates:
    """A number, and what it is for users and trainings that are drawn again.

    Attributes:
        value: the number.
        drawn: of each replicate, shape (`N_REPLICATES`,).
    """

    value: float
    drawn: Array

    def interval(self) -> tuple[float, float]:
        """Return the interval between the percentiles; NaN where there is no number."""
        tail = (1.0 - LEVEL) / 2.0
        low, high = np.quantile(self.drawn, [tail, 1.0 - tail])
        return float(low), float(high)


def losses_of(results: Results) -> dict[str, Array]:
    """Return the losses of each agent, by its name: one a training and user, (trainings, users)."""
    found: dict[str, list[Array]] = {}
    for name, scores in scores_of([(results.runs, results.cell)], None).items():
        found.setdefault(entrant_of(name), []).append(-scores[:, 0])
    return {name: np.stack(losses) for name, losses in found.items()}


def mean_losses(losses: Mapping[str, Array], seed: int) -> dict[str, Replicates]:
    """Return the mean loss of each agent with the users of a task.

    Args:
        losses: as of `losses_of`.
        seed: the task's; the draws of users follow from it, those of trainings from the agent's
            name as well, so that who else is there changes nothing.
    """
    n_users = next(iter(losses.values())).shape[1]
    weights = _weights(np.random.default_rng(_sequence(seed, "users")), n_users)
    found = {}
    for name, own in losses.items():
        drawn = weights @ own.T  # (replicates, trainings)
        if len(own) > 1:
            chosen = np.random.default_rng(_sequence(seed, name)).integers(
                len(own), size=drawn.shape
            )
            drawn = np.take_along_axis(drawn, chosen, axis=1)
        found[name] = Replicates(float(own.mean()), drawn.mean(axis=1))
    return found


def _weights(stream: np.random.Generator, n_users: int) -> Array:
    """Return the share of each user among those of every replicate, (replicates, users)."""
    drawn = stream.integers(n_users, size=(N_REPLICATES, n_users))
    places = drawn + np.arange(0, N_REPLICATES * n_users, n_users)[:, np.newaxis]
    counts = np.bincount(places.ravel(), minlength=places.size)
    weights: Array = counts.reshape(places.shape) / n_users
    return weights


def _sequence(seed: int, what: str) -> np.random.SeedSequence:
    return np.random.SeedSequence(
        seed, spawn_key=(crc32(b"bootstrap"), crc32(what.encode(errors="backslashreplace")))
    )


def scores_in(task: SuiteTask, losses: Mapping[str, Replicates]) -> dict[str, Replicates]:
    """Return the score of each agent in a task; NaN where both anchors lose the same."""
    worst, reference = losses[WORST], losses[task.reference]

    def between(own: float | Array, low: float | Array, high: float | Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.subtract(low, own) / np.subtract(low, high))

    return {
        name: Replicates(
            float(between(own.value, worst.value, reference.value)),
            between(own.drawn, worst.drawn, reference.drawn),
        )
        for name, own in losses.items()
    }


def mean_of(scores: Sequence[Replicates]) -> Replicates:
    """Return the mean over tasks."""
    return Replicates(
        float(np.mean([each.value for each in scores])),
        np.mean([each.drawn for each in scores], axis=0),
    )


def interquartile_mean_of(scores: Sequence[Replicates]) -> Replicates:
    """Return the mean over the tasks that are left without a quarter of the best and the worst."""
    from scipy import stats

    values, drawn = ([getattr(each, name) for each in scores] for name in ("value", "drawn"))
    return Replicates(
        float(stats.trim_mean(values, 0.25)), np.asarray(stats.trim_mean(drawn, 0.25, axis=0))
    )
