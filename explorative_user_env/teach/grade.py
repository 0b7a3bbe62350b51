"""Students' agents on hidden users: points, a leaderboard, feedback and Gradescope's files.

An agent sits in a process of its own (`submission`) and is played by the normal `evaluate`.
"""

import hmac
import json
import math
import shlex
import time
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rich.table import Table

from explorative_user_env.display.progress import OnProgress, portion, silent
from explorative_user_env.display.tables import Column, markdown, table
from explorative_user_env.display.text import cost as shown_cost
from explorative_user_env.display.text import (
    in_line,
    in_markdown,
    in_spreadsheet,
    share_with_interval,
    with_error,
)
from explorative_user_env.evaluation import Results, evaluate
from explorative_user_env.evaluation.request import Request
from explorative_user_env.files import write_whole
from explorative_user_env.protocol import BAI, DELTA, REGRET, Task, as_task_of_one
from explorative_user_env.results.intervals import mean_interval
from explorative_user_env.results.metrics import scores_of
from explorative_user_env.teach.submission import (
    GradingOutcome,
    Limits,
    Process,
    Submission,
    SubmissionError,
    SubmittedAgent,
    apart,
)
from explorative_user_env.users.population import Population
from explorative_user_env.validation import (
    DISTRIBUTION,
    PACKAGE,
    CallableError,
    InvalidArgumentError,
    choice,
)

VARIABLE = "EXPLORATIVE_USER_KEY"
"""The environment variable that may hold the key."""

HIDDEN_USERS = 200
"""The default number of hidden users."""

USUAL_CAP = 20_000
"""The step cap of a run: an agent that never stops is censored there, and meets the next user."""

SHORTEST_KEY = 16
"""Characters of a key that nobody finds by trying."""

REFERENCE_AGENTS = ("BAIR", "SE", "UNI")
"""Agents of the package that stand beside the submissions; UNI learns nothing in time."""

FULL_POINTS = 100.0


# The assignment


class Key:
    """A teacher's secret, which stands in no message and no file but the autograder's.

    Args:
        secret: any text but an empty one; the same secret gives the same users to everyone.

    Raises:
        InvalidArgumentError: if it is empty.
    """

    def __init__(self, secret: str) -> None:
        if not secret.strip():
            raise InvalidArgumentError("key", "", "a text that is not empty")
        self._secret = secret.strip().encode()

    def __repr__(self) -> str:
        return "Key(...)"

    @property
    def is_short(self) -> bool:
        """Whether somebody may find it by trying."""
        return len(self._secret) < SHORTEST_KEY

    def seed(self, task: Task, population: Population, delta: float) -> int:
        """Return the seed of the hidden users of a cell: HMAC-SHA256 of the cell's settings."""
        cell = {"task": task.name, "delta": delta, **population.words()}
        text = json.dumps(cell, sort_keys=True, default=str).encode()
        return int.from_bytes(hmac.digest(self._secret, text, "sha256"))

    def text(self) -> str:
        """Return the secret, for the autograder."""
        return self._secret.decode()


def key_from(given: str | None, file: Path | None, variable: str | None) -> Key:
    """Return the key from a command line, a file or the environment.

    Raises:
        InvalidArgumentError: if there is none or two, or the file cannot be read.
    """
    if given is not None and file is not None:
        raise InvalidArgumentError("key_file", str(file), "left out beside --key")
    if file is not None:
        try:
            return Key(file.read_text(encoding="utf-8"))
        except (OSError, UnicodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is no text"
            allowed = f"a file with the key ({why})"
            raise InvalidArgumentError("key_file", str(file), allowed) from None
    secret = variable if given is None else given
    if not secret:
        allowed = f"given, by --key, --key-file or the variable {VARIABLE}"
        raise InvalidArgumentError("key", None, allowed)
    return Key(secret)


@dataclass(frozen=True, kw_only=True)
class Assignment:
    """What agents are asked for, and how it is scored.

    The attributes are arguments of `evaluate`, but for:

    Attributes:
        full_marks: the reference agent that gets 100 points, where UNI gets 0; who does better
            gets more. None gives 100 points for a cost of nothing.

    Raises:
        InvalidArgumentError: naming what is out of range, or means nothing for the task.
    """

    task: Task = BAI
    population: Population = field(default_factory=Population)
    delta: float = DELTA
    n_instances: int = HIDDEN_USERS
    horizon: int | None = None
    max_steps: int | None = None
    step_cost: float | None = None
    full_marks: str | None = None

    def __post_init__(self) -> None:
        as_task_of_one(self.task)
        if not self.over_horizon and self.horizon is not None:
            allowed = "left out, except for the task regret"
            raise InvalidArgumentError("horizon", self.horizon, allowed)
        if self.full_marks is not None:
            name = choice("full_marks", self.full_marks.upper(), REFERENCE_AGENTS[:-1])
            object.__setattr__(self, "full_marks", name)
        rest: dict[str, Any] = {"baseline_time": None, "compiled": True, "check_theory": False}
        Request(seed=0, **rest, **self.options())

    @property
    def over_horizon(self) -> bool:
        """Whether the task is "regret"."""
        return self.task == REGRET

    def options(self) -> dict[str, Any]:
        """Return the arguments of `evaluate`, but for the seed."""
        options = {each.name: getattr(self, each.name) for each in fields(self)}
        del options["full_marks"]
        if not self.over_horizon and self.max_steps is None:
            options["max_steps"] = USUAL_CAP
        return options

    def title(self) -> str:
        """Return the assignment in a line."""
        words = self.population.words()
        cell = f"K={words['n_arms']}, delta={self.delta:g}, gap={words['gap']:g}"
        return f"{self.task.name}, {words['setting']}: {self.n_instances} hidden users, {cell}"


@dataclass(frozen=True)
class Points:
    """Points of an agent, at least 0, with a 95% interval; NaN where one user says nothing."""

    value: float
    low: float
    high: float


NO_POINTS = Points(0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Scale:
    """The costs, or regrets, that are worth 0 and 100 points.

    Attributes:
        zero: the cost of 0 points.
        full: the cost of 100 points.
        most: the most points.
    """

    zero: float
    full: float = 0.0
    most: float = FULL_POINTS

    @classmethod
    def of(cls, references: Results, full_marks: str | None) -> "Scale":
        """Return the scale that the reference agents set.

        Raises:
            InvalidArgumentError: if the agent with full marks does no better than UNI.
        """
        uni = float(_costs(references, REFERENCE_AGENTS[-1]).mean())
        if full_marks is not None:
            full = float(_costs(references, full_marks).mean())
            if not full < uni:
                allowed = f"an agent that does better than UNI here ({full:.4g}, UNI {uni:.4g})"
                raise InvalidArgumentError("full_marks", full_marks, allowed)
            return cls(uni, full, math.inf)
        guess = references.cell["task"] == BAI.name
        return cls(1.0 - 1.0 / int(references.cell["n_arms"]) if guess else uni)

    def points(self, results: Results, agent: str) -> Points:
        """Return the points of an agent's runs."""
        costs = _costs(results, agent)
        low, high = mean_interval(costs)
        return Points(*map(self._worth, (float(np.mean(costs)), high, low)))

    def _worth(self, cost: float) -> float:
        if not math.isfinite(cost):
            return math.nan
        # Written so that a full cost of 0 gives 1 - cost / zero to the bit.
        share = 1.0 - (cost - self.full) / (self.zero - self.full)
        return min(max(FULL_POINTS * share, 0.0), self.most)


def _costs(results: Results, agent: str) -> Any:
    return -scores_of([(results.runs, results.cell)], None)[agent][:, 0]


# Grading


@dataclass(frozen=True)
class Graded:
    """What became of a submission.

    Attributes:
        student: the name on the leaderboard.
        outcome: "graded", "stopped" when its time was up, "failed" or "cheated".
        reason: why it was not graded to the end.
        points: its points.
        figures: the row of `Results.summary`; empty if no user was finished.
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

    A submission gets the score that `evaluate` gives its agent. One that fails gets 0 points and a
    reason; one whose time is up keeps what it finished, and for the other users the score of naming
    an arm by chance. The rest go on.

    Args:
        submissions: the files handed in.
        assignment: the task and the users.
        key: the secret that the users follow from.
        limits: what a submission may take.
        progress: called with a name, how much is done, and how much there is.
    """
    limits = Limits() if limits is None else limits
    options = assignment.options()
    options["seed"] = key.seed(assignment.task, assignment.population, assignment.delta)
    n_pieces = len(submissions) + 1
    references = evaluate([*REFERENCE_AGENTS], progress=portion(progress, 0, n_pieces), **options)
    scale = Scale.of(references, assignment.full_marks)
    time_told = None if assignment.over_horizon else references.cell["horizon"]
    graded = [
        _graded(each, options, time_told, scale, limits, portion(progress, place, n_pieces))
        for place, each in enumerate(submissions, 1)
    ]
    beside = [
        (row["agent"], scale.points(references, row["agent"]), row)
        for row in references.summary().to_dict("records")
    ]
    return Leaderboard(assignment, beside, graded)


def _graded(
    submission: Submission,
    options: Mapping[str, Any],
    time_told: int | None,
    scale: Scale,
    limits: Limits,
    progress: OnProgress,
) -> Graded:
    """Return what becomes of a submission, whatever it does."""
    begin = time.monotonic()
    progress(submission.student, 0, int(options["n_instances"]))
    process: Process | None = None
    missing: Sequence[str] = ()
    figures: Mapping[str, Any] = {}
    points, outcome, reason = NO_POINTS, GradingOutcome.GRADED, ""
    try:
        with apart(submission, limits) as process:
            told = process.started()
            missing = [str(each) for each in told.get("missing", ())]
            agent = SubmittedAgent(process, told)
            results = _played(agent, options, time_told, submission.student, progress)
        if agent.failure is not None:
            outcome, reason = agent.failure.outcome, agent.failure.reason
        if agent.failure is None or agent.n_finished:
            figures = results.summary().to_dict("records")[0]
            points = scale.points(results, figures["agent"])
            if reason:
                reason += f"; {agent.n_finished} of {options['n_instances']} users were finished"
    except SubmissionError as error:
        outcome, reason = error.outcome, error.reason
    output = "" if process is None else process.output
    seconds = time.monotonic() - begin
    student = submission.student
    return Graded(student, outcome, reason, points, figures, seconds, output, missing)


def _played(
    agent: SubmittedAgent,
    options: Mapping[str, Any],
    time_told: int | None,
    student: str,
    progress: OnProgress,
) -> Results:
    """Return the results of `evaluate` for a submission's agent.

    Raises:
        SubmissionError: if it fails.
    """
    more: dict[str, Any] = {}
    if agent.needs_horizon and time_told is not None:
        more["baseline_time"] = time_told

    def report(what: str, done: int, total: int) -> None:
        progress(student, done, total)

    try:
        return evaluate([agent], progress=report, **options, **more)
    except CallableError as error:
        if agent.failure is not None:
            raise agent.failure from None
        # Without the message: it names the user's seed, and students read this.
        why = f"it cannot be played ({type(error.__cause__).__name__})"
        raise SubmissionError(GradingOutcome.FAILED, why) from error


# The leaderboard

REFERENCE_ROW = "reference"
"""The outcome of an agent of the package."""

TOLD_FIGURES = {
    False: (
        *("stopping_time", "stopping_time_low", "stopping_time_high"),
        *("success", "success_low", "success_high", "wrong", "censored", "cost"),
    ),
    True: ("regret", "regret_low", "regret_high", "utility", "acceptance_rate", "last_is_best"),
}
"""The columns of `Results.summary` that are shown, by whether the task is "regret"."""


def rows_of(board: Leaderboard) -> pd.DataFrame:
    """Return one row a submission and reference agent: the best first, who has no figures last."""
    everyone = [
        (name, REFERENCE_ROW, "", points, figures) for name, points, figures in board.references
    ]
    everyone += [
        (each.student, str(each.outcome), each.reason, each.points, each.figures)
        for each in board.graded
    ]
    rank_by = "regret" if board.assignment.over_horizon else "cost"
    everyone.sort(key=lambda row: (not row[-1], row[-1].get(rank_by, 0.0), row[0].casefold()))
    place, rows = 0, []
    for name, outcome, reason, points, figures in everyone:
        ranked = bool(figures) and outcome != REFERENCE_ROW
        place += ranked
        row: dict[str, Any] = {"place": place if ranked else None, "name": name}
        row |= {"outcome": outcome, "points": points.value}
        row |= {"points_low": points.low, "points_high": points.high}
        row |= _shown(board, figures) | {"reason": reason}
        rows.append(row)
    return pd.DataFrame(rows).astype({"place": "Int64"})


def _shown(board: Leaderboard, figures: Mapping[str, Any]) -> dict[str, float]:
    """Return the figures that are shown, without negative bounds of what is never negative."""
    names = TOLD_FIGURES[board.assignment.over_horizon]
    shown = {name: figures.get(name, math.nan) for name in names}
    for name in {"stopping_time_low", "regret_low"} & figures.keys():
        shown[name] = max(shown[name], 0.0)
    return shown


def for_spreadsheets(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of `rows_of` with texts that no spreadsheet calculates."""
    return frame.assign(**{name: frame[name].map(in_spreadsheet) for name in ("name", "reason")})


def leaderboard_table(frame: pd.DataFrame, title: str | None = None) -> Table:
    """Return the rows of `rows_of` as a table; agents of the package have no place."""
    rank_by = "regret" if "regret" in frame else "cost"

    def figure(heading: str, shown: Any) -> Column:
        return Column(heading, lambda row: "" if math.isnan(row[rank_by]) else shown(row))

    if rank_by == "regret":
        figures = [figure("regret", lambda row: with_error(row["regret"], row["regret_high"]))]
    else:
        figures = [
            figure(
                "stopping time",
                lambda row: with_error(row["stopping_time"], row["stopping_time_high"]),
            ),
            figure("success [95%]", lambda row: share_with_interval(row, "success")),
            figure("wrong", lambda row: f"{row['wrong']:.3f}"),
            figure("cens.", lambda row: f"{row['censored']:.3f}"),
            figure("cost", lambda row: shown_cost(row["cost"])),
        ]
    columns = [
        Column("place", "place", lambda place: "" if pd.isna(place) else str(place)),
        Column("name", left=True),
        Column("points [95%]", lambda row: _shown_points(row, math.isnan(row[rank_by]))),
        *figures,
        Column("outcome", left=True),
    ]
    return table(frame, columns, title, leading=2)


def _shown_points(row: Mapping[str, Any], alone: bool) -> str:
    """Return points with their interval, which is no mean plus or minus an error: it ends at 0."""
    value, low, high = (row[name] for name in ("points", "points_low", "points_high"))
    alone = alone or math.isnan(low)
    return f"{value:.0f}" if alone else f"{value:.0f} [{low:.0f}, {high:.0f}]"


def board_notes(board: Leaderboard) -> list[str]:
    """Return the lines below the table: what points are, and which limits were not enforced."""
    asked = board.assignment
    what = "regret" if asked.over_horizon else "c T + error"
    if asked.full_marks is not None:
        worth = f"the share of the way in {what} from UNI to {asked.full_marks} in percent"
    elif asked.over_horizon:
        worth = "100 (1 - regret / the regret of UNI)"
    else:
        worth = "100 (1 - (c T + error) / the error of naming an arm at once)"
    notes = [f"points: {worth}, at least 0. All met the same hidden users."]
    missing = sorted({each for graded in board.graded for each in graded.missing})
    if missing:
        notes.append(
            f"Not enforced on this system: {', '.join(missing)}. Grade strangers in a container."
        )
    return notes


def reasons_of(board: Leaderboard) -> list[str]:
    """Return, in a line each, why submissions were not graded to the end."""
    return [
        in_line(f"{each.student}: {each.points.value:.0f} points, {each.outcome}: {each.reason}.")
        for each in board.graded
        if each.outcome != GradingOutcome.GRADED
    ]


def as_page(board: Leaderboard) -> str:
    """Return the leaderboard as Markdown."""
    title = board.assignment.title()
    lines = [f"# {title}", "", markdown(leaderboard_table(rows_of(board))), ""]
    lines += [f"{note}\n" for note in board_notes(board)]
    lines += [f"- {in_markdown(line)}" for line in reasons_of(board)]
    return "\n".join(lines).rstrip() + "\n"


def feedback_of(board: Leaderboard, graded: Graded) -> str:
    """Return a student's feedback as JSON: on all users together, and on no single one."""
    shown = _shown(board, graded.figures) if graded.figures else {}
    feedback = {
        "student": graded.student,
        "outcome": str(graded.outcome),
        "reason": graded.reason,
        "points": _number(graded.points.value),
        "interval": [_number(graded.points.low), _number(graded.points.high)],
        "figures": {name: _number(value) for name, value in shown.items()},
        "references": {name: _number(points.value) for name, points, _ in board.references},
        "seconds": round(graded.seconds, 1),
        "printed": graded.output,
    }
    return json.dumps(feedback, indent=2, ensure_ascii=False) + "\n"


def _number(value: float) -> float | None:
    """Return a number as JSON has it, which has no NaN."""
    return round(float(value), 6) if math.isfinite(value) else None


# Gradescope

TEMPLATES = Path(__file__).parent / "templates"
"""The two scripts that Gradescope runs, which say PACKAGE and OPTIONS for what differs."""

EXAMPLE = """class Agent:
    def reset(self, n_arms, rng, horizon=None):
        self.n_arms, self.rng = n_arms, rng

    def act(self):
        return int(self.rng.integers(self.n_arms)) if self.rng.random() < 0.9 else None

    def observe(self, arm, accepted):
        pass

    def answer(self):
        return 0
"""

LEFT_OUT = "__pycache__"
PRIVATE, READABLE, EXECUTABLE = 0o600, 0o644, 0o755
"""Who may do what with a file of the zip."""


def single_options(options: Mapping[str, Any]) -> str:
    """Return options as they are written on a command line, without those that are open."""
    words = []
    for name, value in options.items():
        if value is not None:
            words += [f"--{name.replace('_', '-')}", str(value)]
    return shlex.join(words)


def write_autograder(path: Path, key: Key, options: str, overwrite: bool = False) -> None:
    """Write the zip: the package, the key, and the two scripts that Gradescope runs.

    Args:
        path: the file.
        key: the secret, which is in the zip.
        options: those of the command, see `single_options`.
        overwrite: whether a file is replaced.

    Raises:
        InvalidArgumentError: for a path that is no zip, or cannot be written to; where the package
            is not installed.
    """
    if path.suffix != ".zip":
        raise InvalidArgumentError("autograder", str(path), "a path that ends in .zip")
    try:
        needed = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        allowed = "written where the package is installed, which says what it needs"
        raise InvalidArgumentError("autograder", str(path), allowed) from None
    home = Path(__file__).resolve().parents[1]
    requirements = "".join(f"{line}\n" for line in needed if "extra ==" not in line)
    run_script = (TEMPLATES / "run_autograder").read_text(encoding="utf-8")
    run_script = run_script.replace("PACKAGE", PACKAGE).replace("OPTIONS", options)
    entries = {
        "setup.sh": ((TEMPLATES / "setup.sh").read_bytes(), EXECUTABLE),
        "run_autograder": (run_script.encode(), EXECUTABLE),
        "requirements.txt": (requirements.encode(), READABLE),
        "example.py": (EXAMPLE.encode(), READABLE),
        "key.txt": (key.text().encode() + b"\n", PRIVATE),
    }
    for folder in (home, home / "agents"):  # a link, in a checkout
        for file in sorted(folder.rglob("*")):
            if file.is_file() and LEFT_OUT not in file.parts:
                within = Path("package", PACKAGE) / folder.relative_to(home)
                name = (within / file.relative_to(folder)).as_posix()
                entries[name] = (file.read_bytes(), READABLE)

    def write(place: Path) -> None:
        with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, (data, mode) in entries.items():
                entry = zipfile.ZipInfo(name)  # without a date: the same zip for the same
                entry.external_attr = (0o100000 | mode) << 16
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, data)
        place.chmod(PRIVATE)

    write_whole("autograder", path, write, overwrite)


def results_json(board: Leaderboard) -> str:
    """Return the first submission of a leaderboard as Gradescope reads it."""
    graded = board.graded[0]
    points, score = graded.points, round(graded.points.value, 2)
    lines = reasons_of(board)
    if graded.figures:
        interval = (
            "" if math.isnan(points.low) else f" (95%: {points.low:.1f} to {points.high:.1f})"
        )
        lines.append(f"{points.value:.1f} of {FULL_POINTS:.0f} points{interval}")
        shown = _shown(board, graded.figures)
        lines += [f"{name}: {value:.4g}" for name, value in shown.items()]
    lines += [f"{name}: {points.value:.1f} points" for name, points, _ in board.references]
    words = "\n".join(lines)
    test = {"name": "hidden users", "score": score, "max_score": FULL_POINTS, "output": words}
    results = {
        "score": score,
        "execution_time": round(graded.seconds),
        "output": "\n".join([*lines, *board_notes(board)]),
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [test],
        "leaderboard": [{"name": "points", "value": score}],
    }
    return json.dumps(results, indent=2, ensure_ascii=False) + "\n"
