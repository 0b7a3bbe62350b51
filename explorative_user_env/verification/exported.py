"""Rows as `export` writes them for other programs, taken for what they say."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from explorative_user_env.agents import AlgorithmAgent, agent_named
from explorative_user_env.envs.meeting import informed
from explorative_user_env.files import from_json
from explorative_user_env.protocol import STEP_CAP, TASKS, Agent, name_of
from explorative_user_env.results.columns import RUN_FRAMES
from explorative_user_env.results.results import Results
from explorative_user_env.users.population import OPTIONS, Population
from explorative_user_env.validation import InvalidArgumentError, choice, risk
from explorative_user_env.verification.beside import table_at
from explorative_user_env.verification.claims import CellClaim, FileClaims, named_cells

NEEDED_OF_A_CELL = ("task", "setting", "n_arms", "delta", "seed")
"""Columns without which nobody can tell what was run."""

AS_USUAL = ("means", "rho")
"""Options that stand in a table in words alone: those of the setting, where it has no other."""


def exported_claims(path: Path, own: Sequence[Any]) -> FileClaims:
    """Return what a table of runs says.

    Args:
        path: the file.
        own: as for `verify`.

    Raises:
        InvalidArgumentError: if it lacks a column that is needed, or says what cannot be run.
    """
    if not path.is_file():
        raise InvalidArgumentError("path", str(path), "a file of runs (there is none)")
    rows = READERS[path.suffix.lower()](path)
    needed = [*NEEDED_OF_A_CELL, "instance", "user_seed", "agent"]
    if lacking := [name for name in needed if name not in rows]:
        allowed = f"a table with the columns that export writes ({', '.join(lacking)} is not there)"
        raise InvalidArgumentError("path", str(path), allowed)
    if not len(rows):
        raise InvalidArgumentError("path", str(path), "a file with runs (it has none)")
    every = {name for kinds in RUN_FRAMES.values() for name in kinds}
    telling = [name for name in rows if name not in every]
    cells = rows.groupby(telling, sort=False, dropna=False)
    try:
        found = [_claim(runs.reset_index(drop=True), telling, own) for _, runs in cells]
    except InvalidArgumentError:
        raise
    except (TypeError, ValueError, KeyError, OverflowError) as error:
        allowed = f"a table as export writes it ({type(error).__name__}: {error})"
        raise InvalidArgumentError("path", str(path), allowed) from error
    return FileClaims({}, named_cells(found))


def _claim(runs: pd.DataFrame, telling: Sequence[str], own: Sequence[Any]) -> CellClaim:
    """Return what is said of one cell, whose users are as many as any agent has met."""
    cell: dict[str, Any] = {name: runs[name].to_list()[0] for name in telling}
    cell = {name: None if pd.isna(value) else value for name, value in cell.items()}
    task = choice("task", cell["task"], TASKS)
    cell |= {name: int(cell[name]) for name in ("n_arms", "seed")}
    for name in ("horizon", "n_users"):
        if cell.get(name) is not None:
            cell[name] = int(cell[name])
    kinds = {name: kind for name, kind in RUN_FRAMES[task].items() if name in runs}
    rows = runs[[*kinds]].astype({name: kind for name, kind in kinds.items() if kind is not str})
    population = _population(cell)
    names = [str(name) for name in dict.fromkeys(rows["agent"])]
    line_up = {name: _agent(name, cell, population, own) for name in names}
    known = {name: agent for name, agent in line_up.items() if agent is not None}
    own_end = TASKS[task].ends_itself
    cap = (cell.get("max_steps") or STEP_CAP) if own_end else cell["horizon"]
    cell["horizon"] = cell.get("horizon")
    cell["agents"] = {name: {"max_steps": _cap(known.get(name), int(cap))} for name in names}
    deltas = dict.fromkeys(names, risk("delta", cell["delta"]))
    results = Results(rows, cell, population, deltas, line_up=known)
    n_users = int(rows["instance"].max()) + 1
    return CellClaim("", {"agents": dict.fromkeys(names), "n_instances": n_users}, results)


def _cap(agent: Agent | None, cap: int) -> int:
    """Return the step cap of an agent's runs."""
    own = agent.max_steps if isinstance(agent, AlgorithmAgent) else None
    return cap if own is None else min(own, cap)


def _population(cell: Mapping[str, Any]) -> Population:
    """Return the users of a cell, if its words say who they are."""
    names = [each.name for each in OPTIONS if each.name in cell and each.name not in AS_USUAL]
    population = Population(**{name: cell[name] for name in names})
    words = population.words()
    for name in AS_USUAL:
        if name in cell and str(words[name]) != str(cell[name]):
            allowed = f"{words[name]}, the setting's, or in a file of runs, which has it whole"
            raise InvalidArgumentError(name, cell[name], allowed)
    return population


def _agent(
    name: str, cell: Mapping[str, Any], population: Population, own: Sequence[Any]
) -> Agent | None:
    """Return who is called so: handed in, or the package's with its usual options."""
    for each in own:
        if isinstance(each, Agent) and name_of(each) == name:
            return informed(each, population, float(cell["delta"]))
    try:
        agent = agent_named(name)
    except InvalidArgumentError:
        return None
    return informed(agent, population, float(cell["delta"])) if agent.name == name else None


def _from_records(path: Path) -> pd.DataFrame:
    """Return a table from JSON, a record a row.

    Raises:
        InvalidArgumentError: if there is none.
    """
    try:
        return pd.DataFrame(from_json(path.read_bytes()))
    except (OSError, ValueError, TypeError, OverflowError) as error:
        raise InvalidArgumentError("path", str(path), f"rows in JSON ({error})") from error


READERS = {".csv": table_at, ".json": _from_records}
"""What reads a table, by how its name ends."""
