"""Grade students' agents on hidden users: points, leaderboard, feedback and Gradescope's files.

`evaluate` runs the agents; each agent is in a separate process (module `submission`).
"""

import hmac
import json
import math
import shlex
import time
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from rich.table import Table

from explorative_user_env.display import text as texts
from explorative_user_env.display.progress import OnProgress, portion, silent
from explorative_user_env.display.tables import Column, markdown, table
from explorative_user_env.evaluation import Results, evaluate
from explorative_user_env.evaluation.runner import Request
from explorative_user_env.files import write_file
from explorative_user_env.protocol import BAI, DELTA, REGRET, Task, single_user_task
from explorative_user_env.results.intervals import mean_interval
from explorative_user_env.results.metrics import scores_of
from explorative_user_env.teach import submission as submissions
from explorative_user_env.teach.submission import GradingOutcome, SubmittedAgent
from explorative_user_env.users.population import Population
from explorative_user_env.validation import DISTRIBUTION, PACKAGE, InvalidArgumentError, choice

#: The environment variable for the key.
VARIABLE = "EXPLORATIVE_USER_KEY"

#: Default step cap of a run in the task "bai".
USUAL_CAP = 20_000

#: Agents of the package on every leaderboard. UNI, the last, sets the regret of 0 points.
REFERENCE_AGENTS = ("BAIR", "SE", "UNI")

FULL_POINTS = 100.0


# The assignment


@dataclass(frozen=True)
class Key:
    """A teacher's secret, which determines the hidden users.

    No message contains the secret. Only the autograder's zip file contains it.

    Args:
        secret: any text that is not empty.

    Raises:
        InvalidArgumentError: if `secret` is empty.
    """

    secret: str = field(repr=False)

    def __post_init__(self) -> None:
        if not self.secret.strip():
            raise InvalidArgumentError("key", "", "a text that is not empty")
        object.__setattr__(self, "secret", self.secret.strip())

    def seed(self, task: Task, population: Population, delta: float) -> int:
        """Return the seed of the hidden users: the HMAC-SHA256 of the options with the secret."""
        cell = {"task": task.name, "delta": delta, **population.words()}
        text = json.dumps(cell, sort_keys=True, default=str).encode()
        return int.from_bytes(hmac.digest(self.secret.encode(), text, "sha256"))


def key_from(given: str | None, file: Path | None, variable: str | None) -> Key:
    """Return the teacher's key from the command line, a file or the environment variable.

    Raises:
        InvalidArgumentError: if there is no key, if the command line gives both a key and a file,
            or if the file is unreadable.
    """
    if file is None:
        if secret := variable if given is None else given:
            return Key(secret)
        raise InvalidArgumentError("key", None, f"given by --key, --key-file or ${VARIABLE}")
    if given is not None:
        raise InvalidArgumentError("key_file", str(file), "left out with --key")
    try:
        return Key(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeError) as error:
        problem = getattr(error, "strerror", None) or "not a text file"
        allowed = f"a readable text file with the teacher's key ({problem})"
        raise InvalidArgumentError("key_file", str(file), allowed) from None


@dataclass(frozen=True, kw_only=True)
class Assignment:
    """The task, the users and the score of an assignment.

    All attributes except `full_marks` are arguments of `evaluate`.

    Attributes:
        full_marks: the reference agent that gets 100 points; UNI gets 0, and an agent better than
            `full_marks` gets more than 100. If `full_marks` is None, an agent gets at most 100
            points, for a cost (or regret) of 0.

    Raises:
        InvalidArgumentError: if an argument is out of range or has no meaning in the task.
    """

    task: Task = BAI
    population: Population = field(default_factory=Population)
    delta: float = DELTA
    n_instances: int = 200
    horizon: int | None = None
    max_steps: int | None = None
    step_cost: float | None = None
    full_marks: str | None = None

    def __post_init__(self) -> None:
        single_user_task(self.task)
        if not self.over_horizon and self.horizon is not None:
            raise InvalidArgumentError("horizon", self.horizon, "left out in the task bai")
        if self.full_marks is not None:
            name = choice("full_marks", self.full_marks.upper(), REFERENCE_AGENTS[:-1])
            object.__setattr__(self, "full_marks", name)
        Request(**self.options())

    @property
    def over_horizon(self) -> bool:
        """Whether the task is "regret"."""
        return self.task == REGRET

    @property
    def rank_by(self) -> str:
        """The column by which agents rank, the smallest value first."""
        return "regret" if self.over_horizon else "cost"

    def options(self) -> dict[str, Any]:
        """Return the arguments of `evaluate`, without `seed`."""
        options = {each.name: getattr(self, each.name) for each in fields(self)}
        del options["full_marks"]
        if not self.over_horizon and self.max_steps is None:
            options["max_steps"] = USUAL_CAP
        return options

    def title(self) -> str:
        """Return a one-line description of the assignment."""
        words = self.population.words()
        cell = f"K={words['n_arms']}, delta={self.delta:g}, gap={words['gap']:g}"
        return f"{self.task.name}, {words['setting']}: {self.n_instances} hidden users, {cell}"


class Points(NamedTuple):
    """Points of an agent, at least 0, and their 95% interval (NaN if there is only one user)."""

    value: float = 0.0
    low: float = 0.0
    high: float = 0.0


class Scale(NamedTuple):
    """Converts a cost, or a regret, to points."""

    zero: float  # the cost with 0 points
    full: float = 0.0  # the cost with 100 points
    most: float = FULL_POINTS  # the largest number of points

    @classmethod
    def of(cls, references: Results, full_marks: str | None) -> "Scale":
        """Return the scale for the reference agents' results.

        Raises:
            InvalidArgumentError: if the agent with full marks is not better than UNI.
        """
        uni = float(_costs(references, REFERENCE_AGENTS[-1]).mean())
        if full_marks is not None:
            full = float(_costs(references, full_marks).mean())
            if not full < uni:
                allowed = f"better than UNI on these users ({full:.4g}, UNI {uni:.4g})"
                raise InvalidArgumentError("full_marks", full_marks, allowed)
            return cls(uni, full, math.inf)
        cell = references.cell
        return cls(1.0 - 1.0 / int(cell["n_arms"]) if cell["task"] == BAI.name else uni)

    def points(self, results: Results, agent: str) -> Points:
        """Return the points of an agent's runs."""
        costs = _costs(results, agent)
        low, high = mean_interval(costs)
        return Points(*map(self._worth, (float(np.mean(costs)), high, low)))

    def _worth(self, cost: float) -> float:
        if not math.isfinite(cost):
            return math.nan
        # If `full` is 0, this is 1 - cost / zero without a rounding difference.
        share = 1.0 - (cost - self.full) / (self.zero - self.full)
        return min(max(FULL_POINTS * share, 0.0), self.most)


def _costs(results: Results, agent: str) -> Any:
    return -scores_of([(results.runs, results.cell)], None)[agent][:, 0]


# Grading


@dataclass
class Graded:
    """The result of grading a submission."""

    student: str  # the name on the leaderboard
    outcome: GradingOutcome = GradingOutcome.GRADED
    reason: str = ""  # why the outcome is not "graded"
    points: Points = field(default_factory=Points)
    # the agent's row of `Results.summary`; empty without a finished user
    figures: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0  # duration of the grading
    output: str = ""  # the beginning of the submission's output
    missing: Sequence[str] = ()  # limits that this system does not enforce


@dataclass(frozen=True)
class Leaderboard:
    """The results of all submissions and of the reference agents, on the same users."""

    assignment: Assignment
    references: Sequence[tuple[str, Points, Mapping[str, Any]]]
    graded: Sequence[Graded]


def grade(
    submitted: Sequence[submissions.Submission],
    assignment: Assignment,
    key: Key,
    limits: submissions.Limits | None = None,
    progress: OnProgress = silent,
) -> Leaderboard:
    """Run each submission on the hidden users, in a separate process.

    A submission gets the score that `evaluate` computes for its agent. A submission that fails gets
    0 points and a reason. A submission that exceeds its time keeps the score of its finished users
    and gets the score of random answers for all other users. Submissions run one after another.

    Args:
        submitted: the submissions.
        assignment: the task and the users.
        key: the secret that determines the users.
        limits: the time and memory limits of a submission.
        progress: called with a student's name, the finished amount and the total amount.
    """
    options = assignment.options()
    options["seed"] = key.seed(assignment.task, assignment.population, assignment.delta)
    n_pieces, n_users = len(submitted) + 1, assignment.n_instances
    references = evaluate([*REFERENCE_AGENTS], progress=portion(progress, 0, n_pieces), **options)
    scale = Scale.of(references, assignment.full_marks)

    def play(agent: SubmittedAgent, graded: Graded, progress: OnProgress) -> None:
        def report(what: str, done: int, total: int) -> None:
            progress(graded.student, done, total)

        report("", 0, n_users)
        agent.begin()
        graded.missing, more = agent.missing, {}
        if agent.needs_horizon and not assignment.over_horizon:
            more["baseline_time"] = references.cell["horizon"]
        results = evaluate([agent], progress=report, **options, **more)
        if agent.failure is None or agent.n_finished:
            graded.figures = results.summary().to_dict("records")[0]
            graded.points = scale.points(results, graded.figures["agent"])
        if agent.failure is not None:
            graded.outcome, graded.reason = agent.failure.outcome, agent.failure.reason
            if agent.n_finished:
                graded.reason += f"; {agent.n_finished} of {n_users} users were finished"

    results_of_all = []
    for place, each in enumerate(submitted, 1):
        begin, graded = time.monotonic(), Graded(each.student)
        agent = SubmittedAgent(each, limits or submissions.Limits())
        try:
            play(agent, graded, portion(progress, place, n_pieces))
        except submissions.SubmissionError as error:
            graded.outcome, graded.reason = error.outcome, error.reason
        except InvalidArgumentError as error:
            # Students read the reason, and the error's message may contain the seed of a user.
            why = f"its agent cannot run ({type(error.__cause__ or error).__name__})"
            failure = agent.failure or submissions.SubmissionError(GradingOutcome.FAILED, why)
            graded.outcome, graded.reason = failure.outcome, failure.reason
        finally:
            agent.end()
        graded.output, graded.seconds = agent.output, time.monotonic() - begin
        results_of_all.append(graded)
    rows = references.summary().to_dict("records")
    reference = [(row["agent"], scale.points(references, row["agent"]), row) for row in rows]
    return Leaderboard(assignment, reference, results_of_all)


# The leaderboard

#: The column `outcome` of a reference agent's row.
REFERENCE_ROW = "reference"

#: The columns of `Results.summary` on the leaderboard, by the column that ranks.
SHOWN_FIGURES = {
    "cost": (
        *("stopping_time", "stopping_time_low", "stopping_time_high"),
        *("success", "success_low", "success_high", "wrong", "censored", "cost"),
    ),
    "regret": (
        *("regret", "regret_low", "regret_high", "utility", "acceptance_rate", "last_is_best"),
    ),
}


def rows_of(board: Leaderboard) -> pd.DataFrame:
    """Return the leaderboard as a table, the best agent first and agents without results last."""
    graded = [Graded(name, points=points, figures=row) for name, points, row in board.references]
    graded += board.graded
    rows = [
        {"name": each.student, "outcome": str(each.outcome) if place >= 0 else REFERENCE_ROW}
        | dict(zip(("points", "points_low", "points_high"), each.points, strict=True))
        | _shown(board, each.figures)
        | {"reason": each.reason}
        for place, each in enumerate(graded, -len(board.references))
    ]
    rank_by = board.assignment.rank_by
    frame = pd.DataFrame(rows).sort_values("name", key=lambda names: names.str.casefold())
    frame = frame.sort_values(rank_by, kind="stable", ignore_index=True)
    ranked = frame[rank_by].notna() & (frame["outcome"] != REFERENCE_ROW)
    frame.insert(0, "place", ranked.cumsum().where(ranked).astype("Int64"))
    return frame


def _shown(board: Leaderboard, figures: Mapping[str, Any]) -> dict[str, float]:
    """Return the metrics that the leaderboard shows, with negative lower bounds raised to 0."""
    shown = {name: figures.get(name, math.nan) for name in SHOWN_FIGURES[board.assignment.rank_by]}
    for name in {"stopping_time_low", "regret_low"} & figures.keys():
        shown[name] = max(shown[name], 0.0)
    return shown


def leaderboard_table(frame: pd.DataFrame, title: str | None = None) -> Table:
    """Return the rows of `rows_of` as a printable table; reference agents have no rank."""

    def mean(name: str) -> Callable[[Mapping[str, Any]], str]:
        return lambda row: texts.with_error(row[name], row[f"{name}_high"])

    def number(form: Callable[[float], str]) -> Callable[[float], str]:
        return lambda value: "" if pd.isna(value) else form(value)

    rank_by = "regret" if "regret" in frame else "cost"

    def points(row: Mapping[str, Any]) -> str:
        interval = f" [{row['points_low']:.0f}, {row['points_high']:.0f}]"
        known = not math.isnan(row[rank_by]) and not math.isnan(row["points_low"])
        return f"{row['points']:.0f}{interval if known else ''}"

    figures = {
        "regret": [Column("regret", mean("regret"))],
        "cost": [
            Column("stopping time", mean("stopping_time")),
            Column("success [95%]", lambda row: texts.share_with_interval(row, "success")),
            Column("wrong", "wrong", number("{:.3f}".format)),
            Column("cens.", "censored", number("{:.3f}".format)),
            Column("cost", "cost", number(texts.cost)),
        ],
    }
    columns = [
        Column("place", "place", number(str)),
        Column("name", left=True),
        Column("points [95%]", points),
        *figures[rank_by],
        Column("outcome", left=True),
    ]
    return table(frame, columns, title, leading=2)


def board_notes(board: Leaderboard) -> list[str]:
    """Return the lines below the leaderboard: the formula of points and unenforced limits."""
    assignment = board.assignment
    worth = "100 (1 - (c T + error) / error of an answer at random)"
    if assignment.full_marks is not None:
        measure = "regret" if assignment.over_horizon else "c T + error"
        worth = f"100 (UNI - agent) / (UNI - {assignment.full_marks}), in {measure}"
    elif assignment.over_horizon:
        worth = "100 (1 - regret / regret of UNI)"
    notes = [f"points: {worth}, at least 0. All agents ran with the same hidden users."]
    if missing := sorted({each for graded in board.graded for each in graded.missing}):
        names = ", ".join(missing)
        notes.append(f"Not enforced on this system: {names}. Grade strangers in a container.")
    return notes


def reasons_of(board: Leaderboard) -> list[str]:
    """Return a line for each submission that was not graded completely, with the reason."""
    return [
        texts.in_line(f"{one.student}: {one.points.value:.0f} points, {one.outcome}: {one.reason}.")
        for one in board.graded
        if one.outcome != GradingOutcome.GRADED
    ]


def as_page(board: Leaderboard) -> str:
    """Return the leaderboard as Markdown."""
    lines = [f"# {board.assignment.title()}", "", markdown(leaderboard_table(rows_of(board))), ""]
    lines += [f"{note}\n" for note in board_notes(board)]
    lines += [f"- {texts.in_markdown(line)}" for line in reasons_of(board)]
    return "\n".join(lines).rstrip() + "\n"


def feedback_of(board: Leaderboard, graded: Graded) -> str:
    """Return a student's feedback as JSON, without data about single users."""

    def number(value: float) -> float | None:
        return round(float(value), 6) if math.isfinite(value) else None  # JSON has no NaN

    shown = _shown(board, graded.figures) if graded.figures else {}
    points, *interval = map(number, graded.points)
    feedback = {
        "student": graded.student,
        "outcome": graded.outcome,
        "reason": graded.reason,
        "points": points,
        "interval": interval,
        "figures": {name: number(value) for name, value in shown.items()},
        "references": {name: number(points.value) for name, points, _ in board.references},
        "seconds": round(graded.seconds, 1),
        "printed": graded.output,
    }
    return json.dumps(feedback, indent=2, ensure_ascii=False) + "\n"


# Gradescope

#: Permissions of the files in the zip.
PRIVATE, READABLE, EXECUTABLE = 0o600, 0o644, 0o755


def write_autograder(path: Path, key: Key, options: Any, overwrite: bool = False) -> None:
    """Write Gradescope's zip: the package, the key and two scripts.

    Args:
        path: the zip file to write.
        key: the secret; the zip contains it.
        options: options of the command `course grade`; None stands for the default.
        overwrite: whether to replace an existing file.

    Raises:
        InvalidArgumentError: if `path` does not end in .zip or cannot be written, or if the package
            is not installed.
    """
    if path.suffix != ".zip":
        raise InvalidArgumentError("autograder", str(path), "a path that ends in .zip")
    try:
        needed = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        allowed = "written where the package is installed"
        raise InvalidArgumentError("autograder", str(path), allowed) from None
    home = Path(__file__).resolve().parents[1]
    templates = home / "teach" / "templates"
    requirements = "".join(f"{line}\n" for line in needed if "extra ==" not in line)
    given = {
        name.replace("_", "-"): str(value) for name, value in options.items() if value is not None
    }
    words = shlex.join(word for name, value in given.items() for word in (f"--{name}", value))
    run_script = (templates / "run_autograder").read_text(encoding="utf-8")
    run_script = run_script.replace("PACKAGE", PACKAGE).replace("OPTIONS", words)
    entries = {
        "setup.sh": ((templates / "setup.sh").read_bytes(), EXECUTABLE),
        "run_autograder": (run_script.encode(), EXECUTABLE),
        "requirements.txt": (requirements.encode(), READABLE),
        "example.py": ((templates / "example.txt").read_bytes(), READABLE),
        "key.txt": (f"{key.secret}\n".encode(), PRIVATE),
    }
    for folder in (home, home / "agents"):  # `agents` is a link in a checkout: rglob skips it
        for file in sorted(folder.rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                within = Path("package", PACKAGE) / folder.relative_to(home)
                name = (within / file.relative_to(folder)).as_posix()
                entries[name] = (file.read_bytes(), READABLE)

    def write(place: Path) -> None:
        with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, (data, mode) in entries.items():
                entry = zipfile.ZipInfo(name)  # a fixed date: equal content gives equal bytes
                entry.external_attr = (0o100000 | mode) << 16
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, data)
        place.chmod(PRIVATE)

    write_file("autograder", path, write, overwrite)


def results_json(board: Leaderboard) -> str:
    """Return the first submission's result in Gradescope's format."""
    graded, lines = board.graded[0], reasons_of(board)
    points, score = graded.points, round(graded.points.value, 2)
    if graded.figures:
        known = not math.isnan(points.low)
        interval = f" (95%: {points.low:.1f} to {points.high:.1f})" if known else ""
        lines.append(f"{points.value:.1f} of {FULL_POINTS:.0f} points{interval}")
        shown = _shown(board, graded.figures)
        lines += [f"{name}: {value:.4g}" for name, value in shown.items()]
    lines += [f"{name}: {points.value:.1f} points" for name, points, _ in board.references]
    test = {"name": "hidden users", "score": score, "max_score": FULL_POINTS}
    results = {
        "score": score,
        "execution_time": round(graded.seconds),
        "output": "\n".join([*lines, *board_notes(board)]),
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [test | {"output": "\n".join(lines)}],
        "leaderboard": [{"name": "points", "value": score}],
    }
    return json.dumps(results, indent=2, ensure_ascii=False) + "\n"
