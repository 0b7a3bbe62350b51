"""What is said of graded submissions: a table, files for who ranks, and one for each student."""

import json
import math
from collections.abc import Mapping
from typing import Any

import pandas as pd
from rich.table import Table

from explorative_user_env.display.tables import markdown, new_table
from explorative_user_env.display.text import cost as shown_cost
from explorative_user_env.display.text import (
    in_line,
    in_markdown,
    in_spreadsheet,
    share_with_interval,
    with_error,
)
from explorative_user_env.grading.assignment import Assignment, Points
from explorative_user_env.grading.grader import Graded, Leaderboard
from explorative_user_env.grading.reasons import GradingOutcome

REFERENCE_ROW = "reference"
"""What stands in the place of an outcome for an agent of the package."""

TOLD_FIGURES = {
    False: (
        *("stopping_time", "stopping_time_low", "stopping_time_high"),
        *("success", "success_low", "success_high", "wrong", "censored", "cost"),
    ),
    True: ("regret", "regret_low", "regret_high", "utility", "acceptance_rate", "last_is_best"),
}
"""The columns of `Results.summary` that are told, by whether the task is "regret"."""


def rows_of(board: Leaderboard) -> pd.DataFrame:
    """Return one row a submission and reference agent: most points first, who has none by name."""
    names = TOLD_FIGURES[board.assignment.over_horizon]
    rows = [
        _row(name, REFERENCE_ROW, "", points, figures, names)
        for name, points, figures in board.references
    ]
    rows += [
        _row(each.student, str(each.outcome), each.reason, each.points, each.figures, names)
        for each in board.graded
    ]
    rank_by = "regret" if board.assignment.over_horizon else "cost"
    rows.sort(key=lambda row: _order(row, rank_by))
    place = 0
    for row in rows:
        place += row["outcome"] == GradingOutcome.GRADED
        row["place"] = place if row["outcome"] == GradingOutcome.GRADED else None
    frame = pd.DataFrame(rows)
    frame.insert(0, "place", frame.pop("place").astype("Int64"))
    return frame


def for_spreadsheets(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of `rows_of` with texts that nothing calculates: students choose them."""
    told = {name: frame[name].map(in_spreadsheet) for name in ("name", "reason")}
    return frame.assign(**told)


def _row(
    name: str,
    outcome: str,
    reason: str,
    points: Points,
    figures: Mapping[str, Any],
    names: tuple[str, ...],
) -> dict[str, Any]:
    own: dict[str, Any] = {"name": name, "outcome": outcome}
    own |= {"points": points.value, "points_low": points.low, "points_high": points.high}
    return own | {each: figures.get(each, math.nan) for each in names} | {"reason": reason}


def _order(row: Mapping[str, Any], rank_by: str) -> tuple[bool, float, str]:
    done = row["outcome"] in (REFERENCE_ROW, GradingOutcome.GRADED)
    return not done, float(row[rank_by]) if done else 0.0, str(row["name"]).casefold()


def leaderboard_table(frame: pd.DataFrame, title: str | None = None) -> Table:
    """Return the rows of `rows_of` as a table; agents of the package have no place."""
    over_horizon = "regret" in frame
    figures = (
        ("regret",)
        if over_horizon
        else ("stopping time", "success [95%]", "wrong", "cens.", "cost")
    )
    columns = ("place", "name", "points [95%]", *figures, "outcome")
    table = new_table(columns, left=("name", "outcome"), title=title, leading=2)
    for row in frame.to_dict("records"):
        place = "" if pd.isna(row["place"]) else str(row["place"])
        points = "0"
        shown = [""] * len(figures)
        if row["outcome"] in (REFERENCE_ROW, GradingOutcome.GRADED):
            shown = _shown(row, over_horizon)
            points = _with_interval(row["points"], row["points_low"], row["points_high"])
        table.add_row(place, str(row["name"]), points, *shown, str(row["outcome"]))
    return table


def _with_interval(value: float, low: float, high: float) -> str:
    """Return points with their interval, which ends at 0: it is no mean plus or minus an error."""
    return f"{value:.0f}" if math.isnan(low) else f"{value:.0f} [{low:.0f}, {high:.0f}]"


def _shown(row: Mapping[str, Any], over_horizon: bool) -> list[str]:
    if over_horizon:
        return [with_error(row["regret"], row["regret_high"])]
    time = with_error(row["stopping_time"], row["stopping_time_high"])
    rest = [f"{row['wrong']:.3f}", f"{row['censored']:.3f}", shown_cost(row["cost"])]
    return [time, share_with_interval(row, "success"), *rest]


def board_notes(board: Leaderboard) -> list[str]:
    """Return what is to be said below the table: what points are, and who got none and why."""
    if board.assignment.over_horizon:
        worst = "points: 100 (1 - regret / the regret of UNI), at least 0"
    else:
        worst = "points: 100 (1 - (c T + error) / the error of naming an arm at once), at least 0"
    notes = [f"{worst}. All met the same hidden users."]
    missing = sorted({what for each in board.graded for what in each.missing})
    if missing:
        notes.append(f"Not enforced on this system: {', '.join(missing)}.")
    return notes


def reasons_of(board: Leaderboard) -> list[str]:
    """Return, in a line each, why submissions got no points."""
    return [
        in_line(f"{each.student}: 0 points, {each.outcome}: {each.reason}.")
        for each in board.graded
        if each.outcome != GradingOutcome.GRADED
    ]


def title_of_board(assignment: Assignment) -> str:
    """Return what was asked for, in a line."""
    words = assignment.population.words()
    cell = f"K={words['n_arms']}, delta={assignment.delta:g}, gap={words['gap']:g}"
    return (
        f"{assignment.task.name}, {words['setting']}: {assignment.n_instances} hidden users, {cell}"
    )


def as_page(board: Leaderboard, title: str) -> str:
    """Return the leaderboard as Markdown."""
    lines = [f"# {title}", "", markdown(leaderboard_table(rows_of(board))), ""]
    lines += [f"{note}\n" for note in board_notes(board)]
    lines += [f"- {in_markdown(line)}" for line in reasons_of(board)]
    return "\n".join(lines).rstrip() + "\n"


def feedback_of(board: Leaderboard, graded: Graded) -> str:
    """Return as JSON what a student is told: of all users together, and of no single one."""
    names = TOLD_FIGURES[board.assignment.over_horizon]
    told = {
        "student": graded.student,
        "outcome": str(graded.outcome),
        "reason": graded.reason,
        "points": _number(graded.points.value),
        "interval": [_number(graded.points.low), _number(graded.points.high)],
        "figures": {name: _number(graded.figures[name]) for name in names if graded.figures},
        "references": {name: _number(points.value) for name, points, _ in board.references},
        "seconds": round(graded.seconds, 1),
        "printed": graded.output,
    }
    return json.dumps(told, indent=2, ensure_ascii=False) + "\n"


def _number(value: float) -> float | None:
    """Return a number as JSON has it, which knows of no NaN."""
    return round(float(value), 6) if math.isfinite(value) else None
