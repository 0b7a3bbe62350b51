"""The commands `explorative-user course`: write the notebooks, and grade students' agents."""

import os
import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from explorative_user_env.commands.options import command
from explorative_user_env.commands.run import Run, say, show, write_and_show
from explorative_user_env.display.progress import progress_bar
from explorative_user_env.display.text import in_spreadsheet
from explorative_user_env.files import Folder, add_files, write_file
from explorative_user_env.protocol import single_user_task
from explorative_user_env.results.records import versions_of
from explorative_user_env.teach import grade as grading
from explorative_user_env.teach import submission as submissions
from explorative_user_env.teach.notebooks import notebook_files
from explorative_user_env.users.population import Population
from explorative_user_env.validation import InvalidArgumentError, how_to_get, missing_of

#: The modules needed to open the notebooks and run them.
OPENS = ("jupyterlab", "ipykernel", "matplotlib")


@command("course notebooks")
def notebooks(
    folder: Annotated[Path, typer.Argument(metavar="DIR")], solutions: bool = False
) -> None:
    """Write the course's notebooks into a folder; existing files are never replaced.

    Example: explorative-user course notebooks my_course

    Options:
        folder: Folder for the notebooks; created if missing.
        solutions: Also write the notebooks with the answers.
    """
    added = add_files("folder", folder, notebook_files(solutions))
    say(*(f"new: {name}" for name in added.new))
    say(*(f"unchanged: {name}" for name in added.same), style="dim")
    say(*(f"not replaced, as it has your changes: {name}" for name in added.edited))
    line = shlex.join(["jupyter", "lab", str(folder)])
    if missing_of(OPENS):
        line = f"{how_to_get('course')} && {line}"
    say(f"To open them: {line}")


@command(
    "course grade",
    "teach.grade.Assignment",
    "evaluation.runner.evaluate",
    options="task delta horizon step_cost max_steps n_instances full_marks",
    first="key_file output n_instances full_marks task",
    users={},
)
def grade(
    run: Run,
    submission: Annotated[list[str] | None, typer.Argument(show_default=False)] = None,
    key: str | None = None,
    key_file: Path | None = None,
    time_limit: float = submissions.Limits.seconds,
    call_limit: float = submissions.Limits.call_seconds,
    memory_limit: int = submissions.Limits.memory,
    output: Path | None = None,
    overwrite: bool = False,
    gradescope: Path | None = None,
    autograder: Path | None = None,
) -> None:
    """Grade students' agents on hidden users, each in its own process.

    A submission that fails gets 0 points, and the report gives the reason. If a submission runs out
    of time, its finished runs count. Grade strangers' code in a container (see the teachers' page).

    Example: explorative-user course grade submissions --key-file key.txt --out grades

    Options:
        submission: FILE.py, FILE.py:Class or a folder with a file for each student. An agent is a
            class with the methods reset, act, observe and answer.
        key: Secret that determines the hidden users; other processes can read this option. None is
            the environment variable EXPLORATIVE_USER_KEY.
        key_file: File with the secret.
        task: bai (stop and name the best arm) or regret (over a horizon).
        max_steps: Step cap of a run of the task bai, at least 1; a run that reaches it is censored.
            None is 20000.
        n_instances: Number of hidden users, at least 1.
        full_marks: Agent that gets 100 points, BAIR or SE. UNI gets 0 points, and an agent with a
            lower cost than this agent gets more than 100. None is no agent: a cost of 0 gets 100.
        time_limit: Seconds of processor time for a submission in total, above 0.
        call_limit: Seconds of processor time for one call, above 0.
        memory_limit: MB of memory for a submission, not counting Python and the package.
        output: Folder for leaderboard.csv, leaderboard.md and a file for each student.
        gradescope: File for the results of one submission, in Gradescope's format.
        autograder: Write FILE.zip, an autograder that you upload to Gradescope. It grades with the
            options of this command, and contains the secret.
    """
    secret = grading.key_from(key, key_file, os.environ.get(grading.VARIABLE))
    limits = submissions.Limits(time_limit, call_limit, memory_limit)
    values = run.options | {"task": single_user_task(run.options["task"])}
    assignment = grading.Assignment(population=Population(**run.users), **values)
    options = run.options | run.users
    if len(secret.secret.encode()) < 16:
        say("The key is short and can be guessed. Use 16 characters or more.")
    if autograder is not None:
        given = {"time_limit": time_limit, "call_limit": call_limit, "memory_limit": memory_limit}
        grading.write_autograder(autograder, secret, options | given, overwrite)
        say(f"File: {autograder}. It contains the key: give it to Gradescope only.")
        if not submission:
            return
    if not submission:
        raise InvalidArgumentError("submission", None, "FILE.py, FILE.py:Class or a folder")
    if gradescope is None:
        chosen = submissions.submissions_at(submission)
    elif len(submission) > 1:
        raise InvalidArgumentError("submission", submission, "one file or folder for --gradescope")
    else:
        chosen = [submissions.one_submission(submission[0])]
    folder = None
    if output is not None:
        made_by = {"command": "course grade", "options": options, "versions": versions_of()}
        folder = Folder(output, made_by, overwrite)
    with progress_bar() as report:
        board = grading.grade(chosen, assignment, secret, limits, report)
    if gradescope is not None:
        text = grading.results_json(board)
        write_file("gradescope", gradescope, lambda path: path.write_text(text, "utf-8"), True)
    rows, notes = grading.rows_of(board), grading.board_notes(board)
    table = grading.leaderboard_table(rows, board.assignment.title())
    sections: list[Any] = [table, *grading.reasons_of(board)]
    if folder is None:
        show(*sections)
        say(*notes, style="dim")
        return
    contents = {
        f"feedback_{each.student}.json": grading.feedback_of(board, each) for each in board.graded
    }
    texts = {name: rows[name].map(in_spreadsheet) for name in ("name", "reason")}
    contents |= {"leaderboard.csv": rows.assign(**texts)}
    contents |= {"leaderboard.md": grading.as_page(board)}
    write_and_show(folder, contents, sections, notes=notes)
