"""Whether an agent's answer depends on the numbers of arms of which it has heard the same."""

from dataclasses import replace

import numpy as np
from scipy.stats import binom

from explorative_user_env.protocol import needs_horizon
from explorative_user_env.testing.agent_secrets import FALSE_ALARM
from explorative_user_env.testing.checks import FailedCheckError, NotAskedError, Subject
from explorative_user_env.testing.meetings import (
    ACCEPTING,
    REJECTING,
    Run,
    Situation,
    run_of,
    usual_arms,
)

TRIES = 60
"""Runs of each situation, each with a stream of its own."""

FIRST_TRIES = 5
"""Runs of which one has to end with tied arms, for more to be looked at."""

MOST_STEPS = 300
"""Steps within which an agent that stops by itself has to."""

LEAST_TIES = 20
"""Ends with tied arms of which a share can be told."""

ROUNDS_TOLD = 4
"""How often an agent that is told a horizon could recommend every arm; once, of two arms: who
recommends at random then does so every other time."""


def breaks_ties_by_chance(subject: Subject) -> None:
    """Where it stops and has heard the same of all arms, it answers each of them equally often."""
    usual = usual_arms(subject)
    met = [
        _expect_chance(subject, situation)
        for n_arms, rounds in {usual: ROUNDS_TOLD, usual_arms(subject, 2): 1}.items()
        for situation in _ending(subject, n_arms, rounds)
    ]
    if not any(met):
        raise NotAskedError("it never stopped by itself having heard the same of all arms")


def _ending(subject: Subject, n_arms: int, rounds: int) -> list[Situation]:
    """Return what an agent meets that may leave all arms tied."""
    horizon = rounds * n_arms if needs_horizon(subject.make()) else None
    # One step more than the horizon, so that it can stop by itself.
    cap = MOST_STEPS if horizon is None else horizon + 1
    users = (ACCEPTING, REJECTING)
    return [Situation(n_arms, subject.seed, user, cap, horizon) for user in users]


def _expect_chance(subject: Subject, situation: Situation) -> bool:
    """Make sure that answers are no arm's too often; return whether there were any to look at."""
    if not _tied_answers(subject, situation, FIRST_TRIES).any():
        return False  # hardly ever, if at all
    answers, n_arms = _tied_answers(subject, situation, TRIES), situation.n_arms
    if answers.sum() < LEAST_TIES:
        return False
    # Each arm's share is binomial; that of the largest of K is above with K times the chance, and
    # there are four situations.
    most = int(binom.isf(FALSE_ALARM / (4 * n_arms), answers.sum(), 1 / n_arms))
    if answers.max() > most:
        arm = int(answers.argmax())
        raise FailedCheckError(
            f"it answered arm {arm} in {answers[arm]} of {answers.sum()} runs that it ended with "
            f"all arms tied ({situation} and the next); by chance it is at most {most} with "
            f"probability 1 - {FALSE_ALARM:g}: success must not depend on the best arm's number"
        )
    return True


def _tied_answers(subject: Subject, situation: Situation, n_runs: int) -> "np.ndarray":
    """Return how often each arm was answered, of the runs that ended with all arms tied."""
    answers = np.zeros(situation.n_arms, int)
    for seed in range(subject.seed, subject.seed + n_runs):
        run = run_of(subject.make(), replace(situation, seed=seed))
        if run.stopped and _all_tied(run, situation.n_arms):
            answers[run.answer] += 1
    return answers


def _all_tied(run: Run, n_arms: int) -> bool:
    """Return whether every arm was recommended, and accepted, as often as any other."""
    recommended = np.bincount(run.arms, minlength=n_arms)
    accepted = np.bincount(run.arms, weights=run.accepted, minlength=n_arms)
    return bool((recommended == recommended[0]).all() and (accepted == accepted[0]).all())
