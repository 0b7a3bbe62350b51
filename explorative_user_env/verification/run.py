"""`verify`: a random part of somebody's rows is run again from the users' seeds."""

import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from explorative_user_env.display.progress import OnProgress, shown
from explorative_user_env.evaluation.workers import Workforce, workforce_of
from explorative_user_env.results.store import unpacked
from explorative_user_env.seeding import seed_number
from explorative_user_env.validation import (
    InvalidArgumentError,
    choice,
    flag,
    integer,
    real,
    sequence,
)
from explorative_user_env.verification.beside import found_beside, runs_file_at
from explorative_user_env.verification.claims import FileClaims, claims_in, read_as_they_are
from explorative_user_env.verification.consistency import left_out_of
from explorative_user_env.verification.exported import READERS, exported_claims
from explorative_user_env.verification.findings import Verification
from explorative_user_env.verification.looking import Looking
from explorative_user_env.verification.made_with import other_streams, other_versions
from explorative_user_env.verification.suites import named_by_tasks, suite_of

SHARE = 0.05
"""The share of the rows that is run again, unless something else is said."""

NEW_SEED_BITS = 32


def verify(
    path: Path | str,
    own: Sequence[Any] = (),
    *,
    share: float | None = None,
    rows: int | None = None,
    seed: int | None = None,
    only: Sequence[str] = (),
    workers: int | Workforce = 1,
    compiled: bool = True,
    progress: bool | OnProgress = True,
) -> Verification:
    """Run a random part of somebody's rows again from the users' seeds, and say which differ.

    The rows are drawn of every agent in every cell alike, so that each has at least one. What needs
    no run is asked of all rows: whether each is there that was asked for, with the seed that
    follows from the study's, and whether the file, its summaries and its digests agree.

    Args:
        path: what `evaluate(..., store=)`, `sweep`, `Results.save` or a command has written (packed
            or not), the folder of a command, or the rows as `export` writes them, as CSV or JSON.
        own: agents, `ModelsByTask` and other code that is not this package's, which is never looked
            for because a file names it: as for `load`. Rows that rest on code that is not there are
            not checked.
        share: the share of the rows to run again, in (0, 1]; 1 is all. None is 0.05.
        rows: how many rows to run again at least, in place of a share.
        seed: what the rows are drawn with, at least 0; None is a new one, which is told.
        only: names of agents, or of cells, whose rows alone are run again; empty is all.
        workers: as for `evaluate`.
        compiled: as for `evaluate`.
        progress: as for `evaluate`.

    Returns:
        `Verification`: printable, with `equal` and the `findings`.

    Raises:
        InvalidArgumentError: if there is nothing to verify, or an argument is out of range.
    """
    where, beside = runs_file_at(Path(path))
    chosen = secrets.randbits(NEW_SEED_BITS) if seed is None else seed_number(seed)
    flag("compiled", compiled)
    workforce = workforce_of(workers)
    wanted = _wanted(share, rows)
    with unpacked(where, "path") as place, shown(progress) as report, read_as_they_are(where):
        claims = _claims(place, own)
        asked = _share_of(claims, wanted)
        chosen_ones = _chosen(claims, sequence("only", only))
        rng = np.random.default_rng(chosen)
        found = Looking(workforce, compiled, asked, rng, chosen_ones)
        found.findings += [*other_streams(claims.request), *left_out_of(claims)]
        found.look_at(claims, report)
        of_files, not_held = found_beside(beside, claims)
        found.findings += of_files
        notes = [*other_versions(claims.request), *found.notes, *not_held]
    told = (found.checked, found.findings, notes, tuple(only))
    return Verification(str(path), chosen, asked, *told)


def _claims(place: Path, own: Sequence[Any]) -> FileClaims:
    if place.suffix.lower() in READERS:
        return exported_claims(place, own)
    claims = claims_in(place, own)
    run = suite_of(claims)
    return claims if run is None else named_by_tasks(claims, run)


def _wanted(share: float | None, rows: int | None) -> float | int:
    """Return the share, or the number of rows, that was asked for."""
    if rows is not None:
        if share is not None:
            raise InvalidArgumentError("rows", rows, "left out beside a share")
        return integer("rows", rows, 1)
    allowed = "a number in (0, 1]"
    chosen = SHARE if share is None else real("share", share, allowed)
    if not 0.0 < chosen <= 1.0:
        raise InvalidArgumentError("share", share, allowed)
    return chosen


def _chosen(claims: FileClaims, only: Sequence[Any]) -> frozenset[tuple[str, str]]:
    """Return the cells and agents whose rows are run again: those of these names, or all."""
    pairs = [(claim.cell, agent) for claim in claims.cells for agent in claim.agents]
    known = {name: None for pair in pairs for name in pair if name}
    for name in only:
        choice("only", name, known)
    return frozenset(pair for pair in pairs if not only or not {*only}.isdisjoint(pair))


def _share_of(claims: FileClaims, wanted: float | int) -> float:
    """Return the share of the rows to run again."""
    if isinstance(wanted, float):
        return wanted
    n_rows = sum(len(cell.runs(agent)) for cell in claims.cells for agent in cell.agents)
    return min(1.0, wanted / max(1, n_rows))
