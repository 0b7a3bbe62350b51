"""What stands beside a file of runs: summaries of its rows, which must follow from them."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from explorative_user_env.files import MADE_BY, digests_in, is_as
from explorative_user_env.results.results import Sweep, all_runs
from explorative_user_env.results.store import ENDINGS, PACKED
from explorative_user_env.validation import InvalidArgumentError, one_line
from explorative_user_env.verification.claims import FileClaims
from explorative_user_env.verification.findings import Finding
from explorative_user_env.verification.suites import results_of_suite, suite_of

OF_A_SUMMARY = ("task", "setting", "delta", "n_arms", "behaviour", "agent")
OF_A_RUN = ("setting", "delta", "n_arms", "agent", "instance")
"""What says which row it is, of a table of summaries and of one of runs."""

CLOSE_ENOUGH = 1e-6
"""Of figures and ends of intervals, relatively: SciPy's quantiles are no more exact."""

MOST_TOLD_OF_A_FILE = 10

LONGEST_NOTE = 200


def runs_file_at(path: Path) -> tuple[Path, Path | None]:
    """Return where the runs are and the folder that stands beside them, if there is one.

    Args:
        path: the file, or the folder of a command.

    Raises:
        InvalidArgumentError: for a folder without such a file, or with several.
    """
    if path.is_dir():
        names = sorted(each for each in path.iterdir() if _is_runs_file(each))
        if len(names) != 1:
            found = ", ".join(each.name for each in names) or "none"
            allowed = f"a file of runs, or a folder with one of them (it has {found})"
            raise InvalidArgumentError("path", str(path), allowed)
        return names[0], path
    for folder in (path.parent, path.with_suffix("")):
        if _is_runs_file(path) and (folder / MADE_BY).is_file():
            return path, folder
    return path, None


def _is_runs_file(path: Path) -> bool:
    name = path.with_suffix("") if path.suffix == PACKED else path
    return name.suffix in ENDINGS and path.is_file()


def found_beside(folder: Path | None, claims: FileClaims) -> tuple[list[Finding], list[str]]:
    """Return what in the files of a folder is not what was written or what its rows give.

    Args:
        folder: where they are, if anywhere.
        claims: what the file of runs says.

    Returns:
        That, and in lines what nobody has held against the rows.
    """
    if folder is None:
        return [], []
    found = [
        Finding("file", f"{name} is not as the run has written it")
        for name, digest in digests_in(folder).items()
        if not is_as(folder / name, digest)
    ]
    held, notes = {MADE_BY}, []
    for name, keys, frame_of in _tables_of(claims):
        if (folder / name).is_file():
            told = list(_held(folder / name, frame_of(), keys))
            found += [each for each in told if isinstance(each, Finding)][:MOST_TOLD_OF_A_FILE]
            notes += [each for each in told if isinstance(each, str)]
            held.add(name)
    others = [each.name for each in folder.iterdir() if each.is_file() and not _is_runs_file(each)]
    if left := sorted({*others} - held):
        notes.append(f"not held against the rows: {one_line(', '.join(left), LONGEST_NOTE)}")
    return found, notes


def _tables_of(
    claims: FileClaims,
) -> Iterator[tuple[str, Sequence[str], Callable[[], pd.DataFrame]]]:
    """Yield the tables that may stand beside a file: the name, what tells its rows, what it is."""
    results = [each.results for each in claims.cells if each.results is not None]
    if not results:
        return
    run = suite_of(claims)
    if run is None:
        yield "summary.csv", OF_A_SUMMARY, Sweep(results).summary
        yield "runs.csv", OF_A_RUN, partial(all_runs, results)
    else:
        found = results_of_suite(claims, run)
        yield "scores.csv", ("task", "agent"), found.scores
        yield "totals.csv", ("agent",), found.totals


def table_at(path: Path) -> pd.DataFrame:
    """Return a table from CSV.

    Raises:
        InvalidArgumentError: if there is none.
    """
    try:
        return pd.read_csv(path)
    except (OSError, ValueError, OverflowError) as error:
        raise InvalidArgumentError("path", str(path), f"a table in CSV ({error})") from error


def _held(path: Path, rows: pd.DataFrame, keys: Sequence[str]) -> Iterator[Finding | str]:
    """Yield what a table beside the runs says otherwise than they do, and what is not compared."""
    try:
        there = table_at(path)
    except InvalidArgumentError as error:
        yield Finding("file", f"{path.name} cannot be read: {error}")
        return
    shared = [name for name in keys if name in rows and name in there]
    if "agent" not in shared:
        yield f"not held against the rows: {path.name}, which does not say whose they are"
        return
    if unknown := [str(name) for name in there if name not in rows]:
        columns = one_line(", ".join(unknown), LONGEST_NOTE)
        yield f"not held against the rows: of {path.name} the columns {columns}"
    ours, theirs = (_by_key(frame, shared) for frame in (rows, there))
    for key in {**ours, **theirs}:
        which, n_ours, n_theirs = f"{path.name}, {' '.join(key)}", len(ours[key]), len(theirs[key])
        if n_theirs != n_ours:
            yield Finding("file", f"{which}: {n_theirs} rows there and {n_ours} by its runs")
            continue
        for own, other in zip(theirs[key], ours[key], strict=True):
            yield from _figures_held(which, own, other)


def _by_key(frame: pd.DataFrame, keys: Sequence[str]) -> dict[tuple[str, ...], list[Any]]:
    found: dict[tuple[str, ...], list[Any]] = defaultdict(list)
    for row in frame.to_dict("records"):
        found[tuple(_word(row[name]) for name in keys)].append(row)
    return found


def _word(value: Any) -> str:
    return f"{value:.12g}" if isinstance(value, float | int) else str(value)


def _figures_held(which: str, there: Any, here: Any) -> Iterator[Finding]:
    for name in [name for name in here if name in there]:
        was, now = there[name], here[name]
        if not _same(was, now):
            words = f"{which}: {name} is {_word(was)} there and {_word(now)} by its rows"
            yield Finding("file", words, column=name, there=was, here=now)


def _same(was: Any, now: Any) -> bool:
    if pd.isna(was) or pd.isna(now):
        return bool(pd.isna(was) and pd.isna(now))
    try:
        return bool(np.isclose(float(was), float(now), rtol=CLOSE_ENOUGH, atol=0.0))
    except (TypeError, ValueError):
        return str(was) == str(now)
