"""The command `explorative-user grade`."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from explorative_user_env.commands.asked import OverwriteOption
from explorative_user_env.commands.options import (
    STEP_CAP_HELP,
    TASK_OF_ONE_HELP,
    DeltaOption,
    HorizonOption,
    StepCostOption,
    takes_users,
)
from explorative_user_env.protocol import BAI, DELTA
from explorative_user_env.teach.grade import HIDDEN_USERS, USUAL_CAP, VARIABLE
from explorative_user_env.teach.submission import Limits
from explorative_user_env.validation import InvalidArgumentError

if TYPE_CHECKING:
    from explorative_user_env.teach.grade import Assignment, Leaderboard
    from explorative_user_env.teach.submission import Submission


@takes_users()
def grade(
    users: dict[str, Any],
    submission: Annotated[
        list[str] | None,
        typer.Argument(
            help="FILE.py, FILE.py:Class or a folder of files, one a student. An agent is a class "
            "with the methods reset, act, observe and answer.",
            show_default=False,
        ),
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(
            help="Secret that the hidden users follow from; who lists processes sees it.",
            show_default=f"the variable {VARIABLE}",
        ),
    ] = None,
    key_file: Annotated[
        Path | None, typer.Option(help="File with the secret.", show_default="none")
    ] = None,
    task: Annotated[str, typer.Option(help=TASK_OF_ONE_HELP)] = BAI.name,
    delta: DeltaOption = DELTA,
    horizon: HorizonOption = None,
    step_cost: StepCostOption = None,
    max_steps: Annotated[
        int | None,
        typer.Option(
            help=STEP_CAP_HELP,
            show_default=f"{USUAL_CAP}",
        ),
    ] = None,
    n_instances: Annotated[int, typer.Option(help="Hidden users, at least 1.")] = HIDDEN_USERS,
    full_marks: Annotated[
        str | None,
        typer.Option(
            help="BAIR or SE: the agent that gets 100 points, where UNI gets 0; who does better "
            "gets more.",
            show_default="a cost of 0 gets 100",
        ),
    ] = None,
    time_limit: Annotated[
        float,
        typer.Option(help="Seconds of processor time that a submission may take in all, above 0."),
    ] = Limits.seconds,
    call_limit: Annotated[
        float,
        typer.Option(help="Seconds of processor time that one call may take, above 0."),
    ] = Limits.call_seconds,
    memory_limit: Annotated[
        int, typer.Option(help="MB that a submission may take, beside Python and the package.")
    ] = Limits.memory,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "--out",
            help="Folder for leaderboard.csv, leaderboard.md and a file for each student.",
            show_default="none",
        ),
    ] = None,
    overwrite: OverwriteOption = False,
    gradescope: Annotated[
        Path | None,
        typer.Option(
            help="File for the results of one submission, as Gradescope reads them.",
            show_default="none",
        ),
    ] = None,
    autograder: Annotated[
        Path | None,
        typer.Option(
            help="Write an autograder for Gradescope, FILE.zip, that asks for the same. It holds "
            "the secret.",
            show_default="none",
        ),
    ] = None,
) -> None:
    """Grade students' agents on hidden users, each in a process of its own.

    As in: explorative-user grade submissions --key-file key.txt --out grades

    A submission that fails gets 0 points and a reason; one whose time is up keeps what it
    finished. Grade strangers in a container, see the teachers' page.
    """
    from explorative_user_env.commands.output import say
    from explorative_user_env.protocol import as_task_of_one
    from explorative_user_env.teach.grade import (
        Assignment,
        key_from,
        single_options,
        write_autograder,
    )
    from explorative_user_env.users.population import Population

    secret = key_from(key, key_file, os.environ.get(VARIABLE))
    limits = Limits(time_limit, call_limit, memory_limit)
    asked: dict[str, Any] = {"delta": delta, "n_instances": n_instances, "horizon": horizon}
    asked |= {"step_cost": step_cost, "max_steps": max_steps, "full_marks": full_marks}
    assignment = Assignment(task=as_task_of_one(task), population=Population(**users), **asked)
    options = {"task": task, **asked, **users}
    if secret.is_short:
        say("The key is short: who tries many finds it. 16 characters or more are safe.")
    if autograder is not None:
        told = {"time_limit": time_limit, "call_limit": call_limit, "memory_limit": memory_limit}
        write_autograder(autograder, secret, single_options(options | told), overwrite)
        say(f"File: {autograder}. It holds the key: hand it to Gradescope and to nobody else.")
        if not submission:
            return
    chosen = _chosen(submission or [], single=gradescope is not None)
    made_by = {"command": "grade", "options": options}
    _grade(chosen, assignment, secret, limits, output, made_by, overwrite, gradescope)


def _chosen(places: list[str], single: bool) -> "list[Submission]":
    from explorative_user_env.teach.submission import PLACES, one_submission, submissions_at

    if not places:
        raise InvalidArgumentError("submission", None, PLACES)
    if not single:
        return submissions_at(places)
    if len(places) > 1:
        raise InvalidArgumentError("submission", places, "one file or folder, for Gradescope")
    return [one_submission(places[0])]


def _grade(
    submissions: "list[Submission]",
    assignment: "Assignment",
    secret: Any,
    limits: Any,
    output: Path | None,
    made_by: dict[str, Any],
    overwrite: bool,
    gradescope: Path | None,
) -> None:
    """Grade, print the leaderboard and write the files."""
    from explorative_user_env.commands.output import say, show, text_file, write_and_show
    from explorative_user_env.display.progress import progress_bar
    from explorative_user_env.files import Folder, write_whole
    from explorative_user_env.results.records import versions_of
    from explorative_user_env.teach import grade as grading

    folder = None
    if output is not None:
        folder = Folder(output, made_by | {"versions": versions_of()}, overwrite)
    with progress_bar() as report:
        board = grading.grade(submissions, assignment, secret, limits, report)
    if gradescope is not None:
        write = text_file(grading.results_json(board))
        write_whole("gradescope", gradescope, write, overwrite=True)
    table = grading.leaderboard_table(grading.rows_of(board), assignment.title())
    notes = grading.board_notes(board)
    reasons = grading.reasons_of(board)
    if folder is None:
        show(table, *reasons)
        say(*notes, style="dim")
    else:
        write_and_show(folder, _files(board), [table, *reasons], notes=notes)


def _files(board: "Leaderboard") -> dict[str, Any]:
    """Return what writes each file of the folder, by its name."""
    from explorative_user_env.commands.output import table_file, text_file
    from explorative_user_env.teach import grade as grading

    page = grading.as_page(board)
    files = {
        f"feedback_{each.student}.json": text_file(grading.feedback_of(board, each))
        for each in board.graded
    }
    table = table_file(grading.for_spreadsheets(grading.rows_of(board)))
    return {"leaderboard.csv": table, "leaderboard.md": text_file(page), **files}
