"""Submissions on hidden users: the normal `evaluate`, of an agent that sits in another process."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from explorative_user_env.display.progress import OnProgress, portion, silent
from explorative_user_env.evaluation import Results, evaluate
from explorative_user_env.grading.apart import Apart, apart
from explorative_user_env.grading.assignment import (
    NO_POINTS,
    REFERENCE_AGENTS,
    Assignment,
    Points,
    points_of,
    worst_of,
)
from explorative_user_env.grading.hidden import Key
from explorative_user_env.grading.limits import Limits
from explorative_user_env.grading.proxy import SubmittedAgent
from explorative_user_env.grading.reasons import (
    CHEATS,
    GradingOutcome,
    SubmissionError,
    claimed_score,
)
from explorative_user_env.grading.submissions import LARGEST_SUBMISSION, Submission
from explorative_user_env.validation import CallableError


@dataclass(frozen=True)
class Graded:
    """What became of a submission.

    Attributes:
        student: whose it is.
        outcome: what became of it; only what is "graded" has more than 0 points.
        reason: why, if it is not.
        points: its points.
        figures: the row of `Results.summary`; none if it was not graded.
        seconds: how long it took.
        output: what it printed, cut off.
        missing: limits that this system does not enforce.
    """

    student: str
    outcome: GradingOutcome
    reason: str = ""
    points: Points = NO_POINTS
    figures: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    output: str = ""
    missing: Sequence[str] = ()


@dataclass(frozen=True)
class Leaderboard:
    """What became of all submissions, beside the reference agents on the same users."""

    assignment: Assignment
    references: Sequence[tuple[str, Points, Mapping[str, Any]]]
    graded: Sequence[Graded]


def grade(
    submissions: Sequence[Submission],
    assignment: Assignment,
    key: Key,
    limits: Limits | None = None,
    progress: OnProgress = silent,
) -> Leaderboard:
    """Run submissions on the hidden users of a key, each in a process of its own.

    An honest one gets the score that `evaluate` gives its agent. All others get 0 and a reason;
    the rest go on.

    Args:
        submissions: what was handed in.
        assignment: what is asked for.
        key: what the users follow from.
        limits: what a submission may take.
        progress: called with what goes on, how much is done, and how much there is.
    """
    limits = Limits() if limits is None else limits
    options = assignment.options()
    options["seed"] = key.seed(assignment.task, assignment.population, assignment.delta)
    n_pieces = len(submissions) + 1
    references = evaluate([*REFERENCE_AGENTS], progress=portion(progress, 0, n_pieces), **options)
    worst = worst_of(references)
    time_told = None if assignment.over_horizon else references.cell["horizon"]
    graded = [
        _graded(each, options, time_told, worst, limits, portion(progress, place, n_pieces))
        for place, each in enumerate(submissions, 1)
    ]
    figures = references.summary().to_dict("records")
    beside = [
        (str(row["agent"]), points_of(references, row["agent"], worst), row) for row in figures
    ]
    return Leaderboard(assignment, beside, graded)


def _graded(
    submission: Submission,
    options: Mapping[str, Any],
    time_told: int | None,
    worst: float,
    limits: Limits,
    progress: OnProgress,
) -> Graded:
    """Return what becomes of a submission, whatever it does."""
    begin = time.monotonic()
    student = submission.student
    progress(student, 0, int(options["n_instances"]))
    process: Apart | None = None
    figures: Mapping[str, Any] = {}
    points, outcome, reason = NO_POINTS, GradingOutcome.GRADED, ""
    try:
        source = _source(submission)
        with apart(limits) as process:
            told = process.started(source, submission.class_name)
            results = _results(process, told, options, time_told, student, progress)
        if (line := claimed_score(process.output)) is not None:
            raise SubmissionError(GradingOutcome.CHEATED, f"{CHEATS['score']} ({line})")
        figures = results.summary().to_dict("records")[0]
        points = points_of(results, figures["agent"], worst)
    except SubmissionError as error:
        outcome, reason = error.outcome, error.reason
    return Graded(
        student,
        outcome,
        reason,
        points,
        figures,
        seconds=time.monotonic() - begin,
        output="" if process is None else process.output,
        missing=() if process is None else process.missing,
    )


def _source(submission: Submission) -> bytes:
    if submission.fault:
        raise SubmissionError(GradingOutcome.FAILED, submission.fault)
    try:
        source = submission.source()
    except OSError as error:
        raise SubmissionError(
            GradingOutcome.FAILED, f"its file cannot be read ({error.strerror})"
        ) from error
    if len(source) > LARGEST_SUBMISSION:
        raise SubmissionError(
            GradingOutcome.FAILED, f"its file has more than {LARGEST_SUBMISSION} bytes"
        )
    return source


def _results(
    process: Apart,
    told: Mapping[str, Any],
    options: Mapping[str, Any],
    time_told: int | None,
    student: str,
    progress: OnProgress,
) -> Results:
    """Return the results of `evaluate` for the agent of a process.

    Raises:
        SubmissionError: if it got no further.
    """
    agent = SubmittedAgent(process, told)
    asked = dict(options)
    if agent.needs_horizon and time_told is not None:
        asked["baseline_time"] = time_told

    def report(what: str, done: int, total: int) -> None:
        progress(student, done, total)

    try:
        results = evaluate([agent], progress=report, **asked)
    except CallableError as error:
        if agent.failure is not None:
            raise agent.failure from None
        # Not its words: they name the user's seed, and this is shown to students.
        why = f"it cannot be played ({type(error.__cause__).__name__})"
        raise SubmissionError(GradingOutcome.FAILED, why) from error
    agent.check()
    return results
