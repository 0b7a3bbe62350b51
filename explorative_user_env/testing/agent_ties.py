"""Whether what an agent finds depends on the numbers that arms happen to have."""

from dataclasses import replace

import numpy as np

from explorative_user_env.evaluation.readable import RUN_COLUMNS, run_readable
from explorative_user_env.meeting import informed
from explorative_user_env.population import Population
from explorative_user_env.protocol import Array, needs_horizon
from explorative_user_env.seeding import user_seeds
from explorative_user_env.tasks import ANSWERED
from explorative_user_env.testing.agent_secrets import FALSE_ALARM
from explorative_user_env.testing.checks import FailedCheckError, NotAskedError, Subject
from explorative_user_env.testing.meetings import (
    ACCEPTING,
    MEETING_STEPS,
    REJECTING,
    Run,
    Situation,
    run_of,
    usual_arms,
)

TRIES = 60
"""Runs of each situation, each with a stream of its own."""

FIRST_TRIES = 5
"""Runs of which one has to end with tied arms, for more to be looked at; of an agent that is told
no horizon, and may be slow to stop, one."""

MOST_STEPS = 2000
"""Steps within which an agent that stops by itself has to."""

LEAST_TIES = 20
"""Ends with tied arms of which a share can be told."""

USERS_A_PLACE = 30
"""Users with their best arm at each place."""

BEST_MEAN, EASY_ALPHA = 1.5, 0.1
"""Of users with whom whoever looks at all arms is right: so its place hardly matters to most."""

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
    first_tries = 1 if situation.horizon is None else FIRST_TRIES
    if not _tied_answers(subject, situation, first_tries).any():
        return False  # hardly ever, if at all
    answers, n_arms = _tied_answers(subject, situation, TRIES), situation.n_arms
    if answers.sum() < LEAST_TIES:
        return False
    from scipy.stats import binom

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


def _tied_answers(subject: Subject, situation: Situation, n_runs: int) -> Array:
    """Return how often each arm was answered, of the runs that ended with all arms tied."""
    answers = np.zeros(situation.n_arms, int)
    for seed in range(subject.seed, subject.seed + n_runs):
        run = run_of(subject.make(), replace(situation, seed=seed))
        if run.stopped and _all_tied(run, situation.n_arms):
            answers[run.answer] += 1
    return answers


def succeeds_wherever_the_best_is(subject: Subject) -> None:
    """Where it stops by itself, it is right as often whatever the number of the best arm."""
    from scipy.stats import hypergeom

    n_arms = usual_arms(subject)
    right, ended = np.zeros(n_arms, int), np.zeros(n_arms, int)
    for place in range(n_arms):
        if not place and not _rows(subject, n_arms, place, 2)[1].any():
            raise NotAskedError(f"it does not stop by itself within {MOST_STEPS} steps")
        successes, stops = _rows(subject, n_arms, place, USERS_A_PLACE)
        right[place], ended[place] = successes.sum(), stops.sum()
    for place in range(n_arms):
        # Given how many successes there are, those at one place are hypergeometric: at either end.
        others = (int(ended.sum()), int(right.sum()), int(ended[place]))
        tails = hypergeom.cdf(right[place], *others), hypergeom.sf(right[place] - 1, *others)
        if min(tails) < FALSE_ALARM / (2 * n_arms):
            raise FailedCheckError(
                f"it was right with {right[place]} of {ended[place]} users whose best arm is "
                f"number {place}, and with {right.tolist()} of {ended.tolist()} by its number; by "
                f"chance they differ so with a probability below {FALSE_ALARM:g} (seed "
                f"{subject.seed})"
            )


def _rows(subject: Subject, n_arms: int, place: int, n_users: int) -> tuple[Array, Array]:
    """Return with which of some users, whose best arm this is, an agent succeeded and stopped."""
    means = np.roll([BEST_MEAN, *np.linspace(0.0, -1.0, n_arms - 1)], place)
    users = Population(n_arms=n_arms, means=tuple(means.tolist()), alpha=EASY_ALPHA)
    agent = informed(subject.make(), users)
    horizon = MEETING_STEPS if needs_horizon(agent) else None
    seeds = user_seeds(subject.seed, n_arms * n_users)[place::n_arms]
    found = run_readable(users, agent, seeds, MOST_STEPS, horizon)
    of = dict(zip(RUN_COLUMNS, found.T, strict=True))
    stops = of["end"] == ANSWERED
    return stops & (of["answer"] == of["best_arm"]), stops


def _all_tied(run: Run, n_arms: int) -> bool:
    """Return whether every arm was recommended, and accepted, as often as any other."""
    recommended = np.bincount(run.arms, minlength=n_arms)
    accepted = np.bincount(run.arms, weights=run.accepted, minlength=n_arms)
    return bool((recommended == recommended[0]).all() and (accepted == accepted[0]).all())
