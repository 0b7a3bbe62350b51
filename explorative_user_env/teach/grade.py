"""Students' agents on hidden users: points, a leaderboard, feedback and Gradescope's files.

Each agent is in a separate process (`submission`) and is played by the normal `evaluate`.
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
from explorative_user_env.files import write_whole
from explorative_user_env.protocol import BAI, DELTA, REGRET, Task, as_task_of_one
from explorative_user_env.results.intervals import mean_interval
from explorative_user_env.results.metrics import scores_of
from explorative_user_env.teach import submission as submissions
from explorative_user_env.teach.submission import GradingOutcome, SubmittedAgent
from explorative_user_env.users.population import Population
from explorative_user_env.validation import DISTRIBUTION, PACKAGE, choice
from explorative_user_env.validation import InvalidArgumentError as Invalid

#: The environment variable that may hold the key.
VARIABLE = "EXPLORATIVE_USER_KEY"

#: The step cap of a run: an agent that never stops is censored there, and meets the next user.
USUAL_CAP = 20_000

#: Agents of the package beside the submissions; UNI learns nothing in time.
REFERENCE_AGENTS = ("BAIR", "SE", "UNI")

FULL_POINTS = 100.0


# The assignment


@dataclass(frozen=True)
class Key:
    """A teacher's secret, which is in no message and no file but the autograder's.

    Args:
        secret: any text but an empty one; the same secret gives the same users to everyone.

    Raises:
        InvalidArgumentError: if it is empty.
    """

    secret: str = field(repr=False)

    def __post_init__(self) -> None:
        if not self.secret.strip():
            raise Invalid("key", "", "a text that is not empty")
        object.__setattr__(self, "secret", self.secret.strip())

    def seed(self, task: Task, population: Population, delta: float) -> int:
        """Return the seed of the hidden users of a cell: HMAC-SHA256 of the cell's settings."""
        cell = {"task": task.name, "delta": delta, **population.words()}
        text = json.dumps(cell, sort_keys=True, default=str).encode()
        return int.from_bytes(hmac.digest(self.secret.encode(), text, "sha256"))


def key_from(given: str | None, file: Path | None, variable: str | None) -> Key:
    """Return the key from a command line, a file or the environment.

    Raises:
        InvalidArgumentError: if there is none or two, or the file cannot be read.
    """
    if file is None:
        if secret := variable if given is None else given:
            return Key(secret)
        raise Invalid("key", None, f"given, by --key, --key-file or the variable {VARIABLE}")
    if given is not None:
        raise Invalid("key_file", str(file), "left out beside --key")
    try:
        return Key(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or "it is no text"
        raise Invalid("key_file", str(file), f"a file with the key ({why})") from None


@dataclass(frozen=True, kw_only=True)
class Assignment:
    """The task and the users of an assignment, and its score.

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
    n_instances: int = 200
    horizon: int | None = None
    max_steps: int | None = None
    step_cost: float | None = None
    full_marks: str | None = None

    def __post_init__(self) -> None:
        as_task_of_one(self.task)
        if not self.over_horizon and self.horizon is not None:
            raise Invalid("horizon", self.horizon, "left out, except for the task regret")
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
        """The figure by which agents rank."""
        return "regret" if self.over_horizon else "cost"

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


class Points(NamedTuple):
    """Points of an agent, at least 0, with a 95% interval; NaN where one user says nothing."""

    value: float = 0.0
    low: float = 0.0
    high: float = 0.0


class Scale(NamedTuple):
    """The costs, or regrets, that are worth 0 and 100 points."""

    zero: float  # the cost of 0 points
    full: float = 0.0  # the cost of 100 points
    most: float = FULL_POINTS  # the most points

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
                raise Invalid("full_marks", full_marks, allowed)
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
        # Written so that a full cost of 0 gives 1 - cost / zero to the bit.
        share = 1.0 - (cost - self.full) / (self.zero - self.full)
        return min(max(FULL_POINTS * share, 0.0), self.most)


def _costs(results: Results, agent: str) -> Any:
    return -scores_of([(results.runs, results.cell)], None)[agent][:, 0]


# Grading


@dataclass
class Graded:
    """What became of a submission."""

    student: str  # the name on the leaderboard
    # "graded", "stopped" when its time was up, "failed" or "cheated"
    outcome: GradingOutcome = GradingOutcome.GRADED
    reason: str = ""  # why it was not graded to the end
    points: Points = field(default_factory=Points)  # its points
    # the row of `Results.summary`; empty if no user was finished
    figures: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0  # how long it took
    output: str = ""  # what it printed, cut off
    missing: Sequence[str] = ()  # limits that this system does not enforce


@dataclass(frozen=True)
class Leaderboard:
    """What became of all submissions, beside the reference agents on the same users."""

    assignment: Assignment
    references: Sequence[tuple[str, Points, Mapping[str, Any]]]
    graded: Sequence[Graded]


def grade(
    handed_in: Sequence[submissions.Submission],
    assignment: Assignment,
    key: Key,
    limits: submissions.Limits | None = None,
    progress: OnProgress = silent,
) -> Leaderboard:
    """Run submissions on the hidden users of a key, each in a separate process.

    A submission gets the score that `evaluate` gives its agent. One that fails gets 0 points and a
    reason; one that runs out of time keeps the users it finished, and gets for the others the score
    of naming an arm by chance. The rest go on.

    Args:
        handed_in: the submissions.
        assignment: the task and the users.
        key: the secret that the users follow from.
        limits: what a submission may take.
        progress: called with a name, how much is done, and how much there is.
    """
    options = assignment.options()
    options["seed"] = key.seed(assignment.task, assignment.population, assignment.delta)
    n_pieces, n_users = len(handed_in) + 1, assignment.n_instances
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

    everyone = []
    for place, each in enumerate(handed_in, 1):
        begin, graded = time.monotonic(), Graded(each.student)
        agent = SubmittedAgent(each, limits or submissions.Limits())
        try:
            play(agent, graded, portion(progress, place, n_pieces))
        except submissions.SubmissionError as error:
            graded.outcome, graded.reason = error.outcome, error.reason
        except Invalid as error:
            # Without the message: it names the user's seed, and students read this.
            why = f"it cannot be played ({type(error.__cause__ or error).__name__})"
            failure = agent.failure or submissions.SubmissionError(GradingOutcome.FAILED, why)
            graded.outcome, graded.reason = failure.outcome, failure.reason
        finally:
            agent.end()
        graded.output, graded.seconds = agent.output, time.monotonic() - begin
        everyone.append(graded)
    rows = references.summary().to_dict("records")
    beside = [(row["agent"], scale.points(references, row["agent"]), row) for row in rows]
    return Leaderboard(assignment, beside, everyone)


# The leaderboard

#: The outcome of an agent of the package.
REFERENCE_ROW = "reference"

#: The columns of `Results.summary` that are shown, by the figure that ranks.
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
    """Return one row a submission and reference agent: the best first, who has no figures last."""
    everyone = [Graded(name, points=points, figures=row) for name, points, row in board.references]
    everyone += board.graded
    rows = [
        {"name": each.student, "outcome": str(each.outcome) if place >= 0 else REFERENCE_ROW}
        | dict(zip(("points", "points_low", "points_high"), each.points, strict=True))
        | _shown(board, each.figures)
        | {"reason": each.reason}
        for place, each in enumerate(everyone, -len(board.references))
    ]
    rank_by = board.assignment.rank_by
    frame = pd.DataFrame(rows).sort_values("name", key=lambda names: names.str.casefold())
    frame = frame.sort_values(rank_by, kind="stable", ignore_index=True)
    ranked = frame[rank_by].notna() & (frame["outcome"] != REFERENCE_ROW)
    frame.insert(0, "place", ranked.cumsum().where(ranked).astype("Int64"))
    return frame


def _shown(board: Leaderboard, figures: Mapping[str, Any]) -> dict[str, float]:
    """Return the figures that are shown, without negative bounds of what is never negative."""
    shown = {name: figures.get(name, math.nan) for name in SHOWN_FIGURES[board.assignment.rank_by]}
    for name in {"stopping_time_low", "regret_low"} & figures.keys():
        shown[name] = max(shown[name], 0.0)
    return shown


def leaderboard_table(frame: pd.DataFrame, title: str | None = None) -> Table:
    """Return the rows of `rows_of` as a table; agents of the package have no place."""

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
    """Return the lines below the table: what points are, and which limits were not enforced."""
    assignment = board.assignment
    worth = "100 (1 - (c T + error) / the error of naming an arm at once)"
    if assignment.full_marks is not None:
        what = "regret" if assignment.over_horizon else "c T + error"
        worth = f"the share of the way in {what} from UNI to {assignment.full_marks} in percent"
    elif assignment.over_horizon:
        worth = "100 (1 - regret / the regret of UNI)"
    notes = [f"points: {worth}, at least 0. All met the same hidden users."]
    if missing := sorted({each for graded in board.graded for each in graded.missing}):
        names = ", ".join(missing)
        notes.append(f"Not enforced on this system: {names}. Grade strangers in a container.")
    return notes


def reasons_of(board: Leaderboard) -> list[str]:
    """Return, in a line each, why submissions were not graded to the end."""
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
    """Return a student's feedback as JSON: on all users together, and on no single one."""

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

#: The permissions of a file in the zip.
PRIVATE, READABLE, EXECUTABLE = 0o600, 0o644, 0o755


def write_autograder(path: Path, key: Key, options: Any, overwrite: bool = False) -> None:
    """Write the zip: the package, the key, and the two scripts that Gradescope runs.

    Args:
        path: the file.
        key: the secret, which is in the zip.
        options: those of the command; None is the default.
        overwrite: whether a file is replaced.

    Raises:
        InvalidArgumentError: for a path that is no zip, or cannot be written to; where the package
            is not installed.
    """
    if path.suffix != ".zip":
        raise Invalid("autograder", str(path), "a path that ends in .zip")
    try:
        needed = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        allowed = "written where the package is installed, which says what it needs"
        raise Invalid("autograder", str(path), allowed) from None
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
    for folder in (home, home / "agents"):  # a link, in a checkout
        for file in sorted(folder.rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
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
