"""Verify results: rerun random rows of a file and compare them with the stored rows.

The user's seed determines a run, so a row that was changed differs from its rerun. `verify` also
checks all rows, without reruns: no run may be missing or duplicated, and each user seed must follow
from the file's `seed`. Only reruns of all rows prove that no row was changed. `verify` executes no
code from the file.
"""

import copy
import math
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from rich.table import Table

from explorative_user_env import files, protocol
from explorative_user_env.agents import AlgorithmAgent, agent_named, informed
from explorative_user_env.display.progress import OnProgress, named, portion, shown
from explorative_user_env.display.tables import Column, as_text, html_table, paragraphs, table
from explorative_user_env.evaluation.paths import Runs
from explorative_user_env.evaluation.runner import agent_record, runs_of
from explorative_user_env.evaluation.workers import ONE_HERE, Crew
from explorative_user_env.protocol import Agent, Array, name_of
from explorative_user_env.results import records, store
from explorative_user_env.results.metrics import RUN_FRAMES
from explorative_user_env.results.results import Results, stored_cells
from explorative_user_env.runs.loop import Members
from explorative_user_env.seeding import seed_number, user_seeds
from explorative_user_env.shipped import shipped_models
from explorative_user_env.studies import suite_tasks
from explorative_user_env.users.population import OPTIONS, Population
from explorative_user_env.validation import (
    InvalidArgumentError,
    MissingExtraError,
    choice,
    integer,
    one_line,
    real,
    sequence,
)

#: The share of the rows to rerun if all rows would take more than about a second.
SHARE = 0.05

#: Approximate steps per second, compiled and in plain Python, to estimate the time of reruns.
COMPILED_SPEED, READABLE_SPEED = 2e7, 5e4

#: Steps from which compiling an agent is faster than running it step by step.
WORTH_COMPILING = 50_000

#: Steps of the longest run that is rerun.
MOST_STEPS_AGAIN = 100_000_000

#: Relative and absolute tolerance of numbers: the last bits of sums depend on the processor.
WITHIN = 1e-9

#: The share of a trained policy's rows that rounding may change; one row is always allowed.
MOST_ROUNDED = 0.02

#: Most rows of a table that also lists equal agents and cells; most characters of a line.
MOST_SHOWN, LONGEST_WORDS = 24, 200

#: Verdicts. "alike": rounding may explain the rows of a trained policy that differ.
SAME_ROWS, SAME_MEANS, OTHER_ROWS, NOT_CHECKED = "equal", "alike", "differs", "not checked"

#: The columns that determine a run.
GIVEN = ("instance", "user_seed", "agent")

#: The class in the record of a trained model.
MODEL = "explorative_user_env.rl.agent:SB3Agent"


class Finding(NamedTuple):
    """An error that `verify` found in a file of runs.

    Attributes:
        kind: "row": a rerun differs from its row; "missing": runs are missing, duplicated or not
            requested; "seed": a user seed is wrong; "streams": the random streams of NumPy differ
            from those of the file; "file": another file of the folder was changed.
        words: the message, in one line.
        cell: name of the cell (the runs with one combination of options); "" if the file has one
            cell, or if the error concerns all cells.
        agent: name of the agent; "" if the error concerns several agents.
        instance: number of the run; None if the error concerns several runs.
        column: name of the column that differs; None if no column differs.
        there: the value in the file.
        here: the value of the rerun, or of this installation.
    """

    kind: str
    words: str
    cell: str = ""
    agent: str = ""
    instance: int | None = None
    column: str | None = None
    there: Any = None
    here: Any = None


class RowsChecked(NamedTuple):
    """The verdict on the rows of one agent in one cell (one combination of options).

    Attributes:
        cell: name of the cell.
        agent: name of the agent.
        n_rows: number of rows.
        n_again: number of rows that were rerun.
        n_differing: number of rows that differ from their reruns.
        verdict: "equal", "differs", "not checked", or "alike": a trained policy has a few differing
            rows, which rounding may explain.
        why: the reason for "alike" or "not checked".
    """

    cell: str
    agent: str
    n_rows: int
    n_again: int
    n_differing: int
    verdict: str
    why: str = ""


@dataclass(frozen=True)
class Verification:
    """The verdict on the results of a file; it prints as a report.

    Attributes:
        path: the file or folder.
        seed: the seed that drew the rows to rerun.
        share: the share of the rows that was rerun, the same for every agent and cell.
        checked: the verdict for each agent and cell.
        findings: the errors in the file.
        notes: remarks that do not affect the verdict, such as different versions of libraries.
        only: the agents or cells to which `verify` was limited; empty without a limit.
    """

    path: str
    seed: int
    share: float
    checked: Sequence[RowsChecked]
    findings: Sequence[Finding]
    notes: Sequence[str] = ()
    only: Sequence[str] = ()

    @property
    def differs(self) -> bool:
        """Whether there are findings."""
        return bool(self.findings)

    @property
    def complete(self) -> bool:
        """Whether some rows of each agent in each of the cells could be rerun."""
        return bool(self.checked) and all(each.verdict != NOT_CHECKED for each in self.checked)

    @property
    def equal(self) -> bool:
        """Whether `complete` is True and there are no findings."""
        return self.complete and not self.differs

    def table(self) -> Table:
        """Return a row per agent and combination of options; a long table omits "equal" rows."""
        few = len(self.checked) <= MOST_SHOWN
        rows = [each for each in self.checked if few or each.verdict != SAME_ROWS]
        names = ["cell"] * any(each.cell for each in self.checked) + ["agent"]
        columns = [Column(name, name, left=True) for name in names]
        columns += map(Column, ("rows", "again", "differ"), ("n_rows", "n_again", "n_differing"))
        columns += [Column("verdict", "verdict", left=True)]
        return table(rows, columns, padding=1, leading=len(names))

    def reasons(self) -> list[str]:
        """Return a line for each reason for "not checked" or "alike", with its agent and cells."""
        cells: dict[tuple[str, str], list[str]] = {}
        for each in [each for each in self.checked if each.why]:
            cells.setdefault((each.agent, each.why), []).extend([each.cell] * bool(each.cell))
        names = [f" ({', '.join(each)})" * bool(each) for each in cells.values()]
        pairs = zip(cells, names, strict=True)
        return [f"{agent}{of}: {one_line(why, LONGEST_WORDS)}" for (agent, why), of in pairs]

    def in_short(self) -> list[str]:
        """Return the number of rerun rows, a bound on unnoticed changed rows, and the verdict."""
        rerun = [each for each in self.checked if each.verdict != NOT_CHECKED]
        n_rows, n_again = sum(each.n_rows for each in rerun), sum(each.n_again for each in rerun)
        left_out = sum(each.n_rows for each in self.checked) - n_rows
        n_differing = sum(each.n_differing for each in rerun)
        result = f"{n_differing} are not as stated." if n_differing else "all as stated."
        if n_again < n_rows and not n_differing:
            missed = min(most_missed(self.share), n_rows - n_again)
            result += f" Up to {missed} edited rows could have been missed; --all checks every row."
        word = "differs" if self.differs else "equal" if self.equal else "not checked in full"
        return [
            *[f"checked {n_again} of {n_rows} rows: {result}"] * (n_again > 0),
            *[f"Only rows of {', '.join(self.only)} were checked."] * (len(self.only) > 0),
            *[f"{left_out} rows could not be checked."] * (left_out > 0),
            f"{self.path}: {word} (rows drawn with seed {self.seed})",
        ]

    def _below(self) -> list[str]:
        return [*self.reasons(), *(each.words for each in self.findings), *self.in_short()]

    def __str__(self) -> str:
        rows = [self.table()] if self.table().row_count else []
        return "\n".join([*self.notes, *map(as_text, rows), *self._below()])

    def _repr_html_(self) -> str:
        rows = [self.table()] if self.table().row_count else []
        return "".join([paragraphs(self.notes), *map(html_table, rows), paragraphs(self._below())])


def most_missed(share: float) -> int:
    """Return the largest n such that reruns miss all of n changed rows with probability >= 0.05."""
    return math.floor(math.log(0.05) / math.log1p(-share))


@dataclass(frozen=True)
class Cell:
    """The requested and stored runs with one combination of options; a lone cell has no name."""

    request: Mapping[str, Any]
    results: Results
    finished: bool = True
    name: str = ""

    def runs(self, agent: str) -> pd.DataFrame:
        """Return the runs of an agent."""
        runs = self.results.runs
        return runs[runs["agent"] == agent].reset_index(drop=True)

    def where(self, agent: str = "") -> str:
        """Return the agent and the cell as text."""
        return ", ".join(filter(None, (agent, self.name))) or "all agents"

    def longest(self, rows: pd.DataFrame) -> int:
        """Return the stored number of steps of the longest run in `rows`."""
        cell = self.results.cell
        if self.results.over_horizon:
            return int(cell["horizon"]) * int(cell.get("n_users") or 1)
        return int(rows["interactions"].max())


def verify(
    path: Path | str,
    agents: Sequence[Any] = (),
    *,
    share: float | None = None,
    rows: int | None = None,
    seed: int | None = None,
    only: Sequence[str] = (),
    workers: int = ONE_HERE,
    executor: Executor | None = None,
    compiled: bool = True,
    progress: bool | OnProgress = True,
) -> Verification:
    """Rerun random rows of a file from the users' seeds and report the differences.

    A cell has the runs with one combination of options. `verify` reruns the same share of the rows
    of every agent in every cell, and at least one row of each.

    Args:
        path: a file of runs, or its compressed copy, that `evaluate(..., store=)`, `sweep`,
            `Results.save` or a command wrote; the result folder of a command; or a CSV or JSON file
            of `export`.
        agents: custom agents, `ModelsByTask` and other custom code, such as behaviours. Rows that
            need custom code that is not in `agents` are not checked.
        share: the share of the rows to rerun, in (0, 1]. With None, `verify` reruns all rows if
            that takes less than about a second, and otherwise 0.05 of the rows.
        rows: the smallest total number of rows to rerun; give either `rows` or `share`.
        seed: the seed that draws the rows, at least 0; None is a random seed.
        only: names of the agents or cells to rerun; empty for all agents and cells.
        workers: as for `evaluate`.
        executor: as for `evaluate`.
        compiled: as for `evaluate`.
        progress: as for `evaluate`.

    Returns:
        A printable `Verification` with `equal` and `findings`.

    Raises:
        InvalidArgumentError: if the file has no runs, or an argument is out of range.
    """
    if rows is not None and share is not None:
        raise InvalidArgumentError("rows", rows, "None if share is given")
    if share is not None and not 0.0 < real("share", share, "a number in (0, 1]") <= 1.0:
        raise InvalidArgumentError("share", share, "a number in (0, 1]")
    n_wanted = None if rows is None else integer("rows", rows, 1)
    file, folder = _runs_at(Path(path))
    drawn_with = secrets.randbits(32) if seed is None else seed_number(seed)
    rng = np.random.default_rng(drawn_with)
    crew = Crew(workers, executor, compiled)
    try:
        with shown(progress) as report:
            request, cells = _cells_in(file, agents)
            pairs = [
                (c, name) for c in cells if len(c.results.runs) for name in c.request["agents"]
            ]
            known = dict.fromkeys(word for c, name in pairs for word in (c.name, name) if word)
            wanted = {choice("only", name, known) for name in sequence("only", only)}
            chosen = [pair for pair in pairs if not wanted or {pair[0].name, pair[1]} & wanted]
            used = _share_of(chosen, n_wanted) if share is None else share
            items: list[Any] = [*_made_with(request), *_left_out(request, cells)]
            items += [each for cell in cells for each in _counted(cell)]
            for place, (cell, agent) in enumerate(chosen):
                bar = named(portion(report, place, len(chosen)), cell.name)
                places = _drawn(len(cell.runs(agent)), used, rng)
                items += [*_checked(cell, agent, places, replace(crew, progress=bar))]
                items += _unusual(cell, agent)
            items += [] if folder is None else _files_of(folder)
    except (InvalidArgumentError, MissingExtraError, OSError):
        raise
    except Exception as error:  # a file may hold anything
        allowed = f"a file of runs whose records can be read ({type(error).__name__}: {error})"
        raise InvalidArgumentError("path", str(path), allowed) from error
    of: list[list[Any]] = [[e for e in items if type(e) is k] for k in (RowsChecked, Finding, str)]
    return Verification(str(path), drawn_with, used, of[0], of[1], of[2], tuple(only))


def _share_of(chosen: Sequence[tuple[Cell, str]], n_wanted: int | None) -> float:
    """Return the share of the rows to rerun so that at least `n_wanted` rows are rerun.

    If `n_wanted` is None, return 1 if all reruns take about a second at most, and else SHARE.
    """
    n_rows, seconds = 0, 0.0
    for cell, name in chosen:
        rows, agent = cell.runs(name), cell.results.line_up.get(name)
        n_rows += len(rows)
        if agent is not None and len(rows):
            speed = COMPILED_SPEED if isinstance(agent, AlgorithmAgent) else READABLE_SPEED
            steps = cell.longest(rows) + int(cell.results.cell["n_arms"])
            seconds += len(rows) * steps / speed
    if n_wanted is not None:
        return min(1.0, n_wanted / max(1, n_rows))
    return 1.0 if seconds <= 1.0 else SHARE


def _drawn(n_rows: int, share: float, rng: np.random.Generator) -> Array:
    """Draw a share of `n_rows` rows, at least one; return their sorted positions."""
    n_drawn = min(n_rows, max(1, math.ceil(share * n_rows)))
    return np.sort(rng.choice(n_rows, n_drawn, replace=False)) if n_rows else np.zeros(0, int)


def _checked(cell: Cell, agent: str, places: Array, crew: Crew) -> Iterator[Finding | RowsChecked]:
    """Rerun the rows `places` of an agent; yield the differences found and the verdict."""
    results, rows = cell.results, cell.runs(agent)
    who, options = results.line_up.get(agent), results.cell
    part = rows.iloc[places].reset_index(drop=True)
    outcome = partial(RowsChecked, cell.name, agent, len(rows))
    if not len(rows) or who is None:
        record = cell.request["agents"].get(agent)
        kind = record.get(records.KIND) if isinstance(record, Mapping) else None
        needed = {
            None: "no agent of the package and no custom agent has this name",
            MODEL: "a trained model: pass its weights",
        }.get(kind, f"custom code, {kind}: pass the agent")
        yield outcome(0, 0, NOT_CHECKED, needed if len(rows) else "no rows")
        return
    try:
        longest, members, horizon = cell.longest(part), None, None
        if longest > MOST_STEPS_AGAIN:
            raise InvalidArgumentError("interactions", longest, f"at most {MOST_STEPS_AGAIN}")
        cap = integer("max_steps", options["agents"][agent]["max_steps"], 1)
        if results.over_horizon or protocol.needs_horizon(who):
            horizon = protocol.stored_steps("horizon", options["horizon"])
        if not results.over_horizon:
            cap = min(cap, 10 * longest + 1000)  # a rerun with more steps differs from its row
        if options.get("n_users") is not None:
            members = Members(options["n_users"], options["deviation"])
        task = protocol.as_task(options["task"])
        who = results.informed(who, agent)
        runs = Runs(results.population, who, cap, horizon, task, members)
        compiled = crew.compiled and len(part) * longest > WORTH_COMPILING
        here = runs_of(
            runs, [int(seed) for seed in part["user_seed"]], replace(crew, compiled=compiled)
        )
    except InvalidArgumentError as error:
        yield outcome(0, 0, NOT_CHECKED, f"the options in the file are invalid: {error}")
        return
    others = [*_others(part, here)]
    n_others = len({place for place, *_ in others})
    few = n_others <= max(1, MOST_ROUNDED * len(part))
    same_users = all(name != "best_arm" for _, name, *_ in others)
    if others and protocol.trained_on(who) and few and same_users:
        why = "rounding on another processor may change these rows"
        yield outcome(len(part), n_others, SAME_MEANS, why)
        return
    for place, name, was, now in others:
        instance = int(part["instance"].iloc[place])
        words = f"{cell.where(agent)}, instance {instance}: {name} is {was} there and {now} here"
        yield Finding("row", words, cell.name, agent, instance, name, was, now)
    yield outcome(len(part), n_others, OTHER_ROWS if others else SAME_ROWS)


def _unusual(cell: Cell, agent: str) -> Iterator[str]:
    """Yield a note if an agent differs from the package's agent or from its record in the file."""
    results, stored, where = cell.results, cell.request["agents"].get(agent), cell.where(agent)
    if (who := results.line_up.get(agent)) is None:
        return
    if stored is not None and not _matches(stored, agent_record(who, results.population.n_arms)):
        other = "the custom agent has other code, options or weights than the file's agent"
        yield f"{where}: {other}; its rows are compared nevertheless"
    try:
        usual: Any = informed(agent_named(agent), results.population, results.cell["delta"])
    except InvalidArgumentError:
        return
    if not isinstance(who, AlgorithmAgent):
        yield f"{where}: custom code, not the package's {agent}"
        return
    for name, *values in files.differences({"": who.options}, {"": usual.options}):
        was, now = (one_line(str(value)) for value in values)
        yield f"{where}: {name} is {was} there and {now} in the package's {agent}"


def _others(stored: pd.DataFrame, here: pd.DataFrame) -> Iterator[tuple[int, str, Any, Any]]:
    """Yield the row, the column and both values of each difference of two tables of runs."""
    for name in [each for each in here if each in stored and each not in GIVEN]:
        pairs = enumerate(zip(stored[name], here[name], strict=True))
        for place, (was, now) in [each for each in pairs if each[1][0] != each[1][1]]:
            try:  # `regret_by_user` holds several numbers as text
                numbers = np.array([str(was).split(), str(now).split()], float)
                close = np.allclose(numbers[0], numbers[1], WITHIN, WITHIN, equal_nan=True)
            except ValueError:  # text that is not numeric, or lists of different lengths
                close = False
            if not close:
                yield place, str(name), was, now


def _counted(cell: Cell) -> Iterator[Finding]:
    """Yield a finding for missing, duplicated or unrequested runs, and for wrong user seeds."""
    n_users, seed = int(cell.request["n_instances"]), cell.results.cell.get("seed", 0)
    if "until_width" in cell.results.cell and len(cell.results.runs):
        n_users = min(n_users, int(cell.results.runs["instance"].max()) + 1)
    for agent in cell.request["agents"]:
        where, rows = cell.where(agent), cell.runs(agent)
        numbers = rows["instance"].to_numpy(int)
        present = np.unique(numbers[(numbers >= 0) & (numbers < n_users)])
        messages = []
        if lacking := n_users - len(present):
            edges = np.array([-1, *present.tolist(), n_users])
            gaps = zip((edges[:-1] + 1).tolist(), (edges[1:] - 1).tolist(), strict=True)
            words = ", ".join(f"{a}" if a == b else f"{a}..{b}" for a, b in gaps if a <= b)
            which = "all" if lacking == n_users else f"instances {one_line(words, 60)}"
            unfinished = "" if cell.finished else "; the file is marked as unfinished"
            messages.append(f"{lacking} of {n_users} runs are missing ({which}){unfinished}")
        if doubled := len(numbers) - len(np.unique(numbers)):
            messages.append(f"{doubled} runs are duplicates")
        if strange := len(np.setdiff1d(numbers, present)):
            messages.append(f"{strange} runs were not requested")
        for words in messages:
            yield Finding("missing", f"{where}: {words}", cell.name, agent)
        # A changed file may contain instance 10**9: draw at most 100 seeds per row plus 10_000.
        n_known = min(max(numbers, default=-1) + 1, 100 * len(rows) + 10_000)
        known = dict(enumerate(user_seeds(seed, max(0, n_known))))
        pairs = zip(numbers.tolist(), rows["user_seed"].tolist(), strict=True)
        if wrong := [(number, was) for number, was in pairs if known.get(number) != was]:
            (first, was), now = wrong[0], known.get(wrong[0][0])
            words = (
                f"{where}: the user seeds of {len(wrong)} of {len(rows)} runs do not follow from "
                f"the study's seed {seed} (instance {first}: {was}, not {now})"
            )
            yield Finding("seed", words, cell.name, agent, first, "user_seed", was, now)


def _runs_on(record: Mapping[str, Any], task: suite_tasks.SuiteTask) -> bool:
    """Return whether the agent of a record runs on a task of the suite."""
    if record.get(records.KIND) != "agent":
        return False
    try:
        return bool(suite_tasks.running(records.from_record(record), task))
    except records.UnknownCodeError:  # a custom algorithm runs on all tasks
        return True


def _left_out(request: Mapping[str, Any], cells: Sequence[Cell]) -> Iterator[Finding]:
    """Yield a finding for each missing or duplicate combination of options, and missing agent."""
    digests = [records.digest(records.record_of(cell.request)) for cell in cells if request]
    for place, each in enumerate(digests):
        if each in digests[:place]:
            words = f"{cells[place].where()}: the cell is a duplicate"
            yield Finding("missing", words, cells[place].name)
    command, options = request.get("command"), request.get("options", {})
    filled = [cell for cell in cells if len(cell.results.runs)]
    names = request.get("line-up", {}).get("agents", {})
    known = {cell.name: cell for cell in cells}
    wanted: dict[str, Iterable[str]] = {}
    if command == "evaluate":
        wanted = {cells[0].name: options["agents"]}
    elif suite := _suite_of(request):
        known = {cell.name: cell for cell in filled}
        for task in suite.records():
            of_task = [suite_tasks.WORST, task.reference]
            for name, record in (options.get("agents") or names).items():
                its_task = task.name if _runs_on(record, task) else None
                model, its_task = suite_tasks.model_and_task(name) or (name, its_task)
                of_task += [model] * (its_task == task.name)
            wanted[task.name] = dict.fromkeys(of_task)
    elif command in ("bench", "sweep"):
        places = [(cell.results.cell["delta"], cell.results.cell["n_arms"]) for cell in filled]
        word = "n_arms={1} delta={0:g}".format
        known = {word(*place): cell for place, cell in zip(places, filled, strict=True)}
        deltas = options.get("delta") or options.get("deltas") or {delta for delta, _ in places}
        arms = options.get("n_arms") or {n_arms for _, n_arms in places}
        wanted = {word(*place): names for place in product(deltas, arms)}
    for cell_name, agents in wanted.items():
        if (cell := known.get(cell_name)) is None:
            words = f"the requested cell {cell_name} is missing"
            yield Finding("missing", words, cell_name)
            continue
        for name in [each for each in agents if each not in cell.request["agents"]]:
            words = f"{cell.where(name)}: all runs of this requested agent are missing"
            yield Finding("missing", words, cell.name, name)


def _suite_of(request: Mapping[str, Any]) -> suite_tasks.SuiteRun | None:
    """Return the `SuiteRun` that a request describes; None for a request of another command."""
    if request.get("command") != "suite":
        return None
    return suite_tasks.SuiteRun(*(request["options"][name] for name in ("task", "quick", "seed")))


def _made_with(request: Mapping[str, Any]) -> Iterator[Finding | str]:
    """Compare versions, code and random streams of the file and this installation."""
    if not request.get("versions"):
        yield "the file does not state its versions"
        return
    here = {"versions": records.versions_of()}
    if others := [
        f"{name} is {was or 'unknown'} there and {now or 'not installed'} here"
        for name, was, now in files.differences(request, here)
    ]:
        yield f"other versions: {', '.join(others)}"
    made_with, code = request.get("made with", {}), records.package_digest()
    if (was := made_with.get("code", "unknown")) != code:
        digests = f"its digest is {was} there and {code} here"
        yield f"other code of the package: {digests}; the rows are compared nevertheless"
    streams = records.stream_fingerprint()
    if (was := made_with.get("streams", "unknown")) != streams:
        digests = f"their fingerprint is {was} there and {streams} here, as with another NumPy"
        words = f"the random streams differ: {digests}"
        yield Finding("streams", words, there=was, here=streams)


def _files_of(folder: Path) -> Iterator[Finding | str]:
    """Yield a finding for each edited file of a result folder, and a note on unchecked files."""
    for name, digest in files.digests_in(folder).items():
        if not files.has_digest(folder / name, digest):
            yield Finding("file", f"{name} was changed after the run")
    names = {each.name for each in folder.iterdir() if each.is_file() and not _is_of_runs(each)}
    if rest := sorted(names - {files.MADE_BY}):
        yield f"not compared with the rows: {one_line(', '.join(rest), LONGEST_WORDS)}"


def _runs_at(path: Path) -> tuple[Path, Path | None]:
    """Return the file of runs, and its result folder if there is one."""
    if path.is_dir():
        candidates = sorted(each for each in path.iterdir() if _is_of_runs(each))
        if len(candidates) != 1:
            names = ", ".join(each.name for each in candidates) or "none"
            allowed = f"a file of runs, or a folder with one such file (found: {names})"
            raise InvalidArgumentError("path", str(path), allowed)
        return candidates[0], path
    folders = [path.parent, path.with_suffix("")] if _is_of_runs(path) else []
    return path, next((each for each in folders if (each / files.MADE_BY).is_file()), None)


def _is_of_runs(path: Path) -> bool:
    name = path.with_suffix("") if path.suffix == store.PACKED else path
    return name.suffix in store.ENDINGS and path.is_file()


def _cells_in(path: Path, custom: Sequence[Any]) -> tuple[Mapping[str, Any], list[Cell]]:
    """Return the request (a command and its options) and a `Cell` per combination of options."""
    given = [e.agents() if isinstance(e, suite_tasks.ModelsByTask) else [e] for e in custom]
    agents = [agent for each in given for agent in each if isinstance(agent, Agent)]
    if path.suffix.lower() in READERS:
        return {}, _named(_cells_of_table(path, agents))
    with store.read_only(path, "path") as db:
        request, stored = store.request_from(db), stored_cells(db, custom)
    if not stored:
        raise InvalidArgumentError("path", str(path), "a non-empty file of runs")
    kinds = [record for e in stored for record in e.record["request"]["agents"].values()]
    if any(isinstance(record, dict) and record.get(records.KIND) == MODEL for record in kinds):
        try:
            from explorative_user_env.rl import load_agent

            agents += map(load_agent, shipped_models().values())
        except ImportError:  # without Stable-Baselines3 no model can be rerun
            pass
    cells, suite = [], _suite_of(request)
    tasks = {task.seed: task for task in suite.records()} if suite else {}
    for each in stored:
        query = each.record["request"]
        results = each.results or Results(NO_RUNS, each.record["cell"])
        results = _with_agents(results, query, agents)
        if suite is None:
            cells.append(Cell(query, results, each.finished))
        elif task := tasks.get(query["seed"]):
            # Options in the file may be changed, so those of the suite's task replace them.
            frozen, users = {**results.cell, **task.numbers()}, task.population
            results = replace(results, cell=frozen, population=users)
            cells.append(Cell({**query, "n_instances": task.n_instances}, results, True, task.name))
    return request, cells if suite else _named(cells)


NO_RUNS = pd.DataFrame({"agent": [], "instance": [], "user_seed": []})


def _named(cells: Sequence[Cell]) -> list[Cell]:
    """Name each of the `cells` by the options in which they differ."""
    every = []
    for cell in cells:
        plain = {n: e for n, e in cell.results.cell.items() if isinstance(e, str | int | float)}
        words = {n: f"{e:g}" if isinstance(e, float) else str(e) for n, e in plain.items()}
        every.append(words | {"horizon": ""})
    names = dict.fromkeys(name for each in every for name in each)
    differing = [name for name in names if len({each.get(name) for each in every}) > 1]
    named_by = [" ".join(f"{name}={each.get(name)}" for name in differing) for each in every]
    return [replace(cell, name=name) for cell, name in zip(cells, named_by, strict=True)]


def _with_agents(results: Results, request: Mapping[str, Any], agents: Sequence[Agent]) -> Results:
    """Return `results`; add each agent whose record is in the request to their `line_up`."""
    line_up: dict[str, Any] = dict(results.line_up)
    population = results.population
    for each in agents:
        agent = informed(each, population, results.cell["delta"], request.get("max_steps"))
        record = agent_record(agent, population.n_arms)
        for name, stored in request["agents"].items():
            if isinstance(stored, dict) and _matches(stored, record):
                # Give the agent its name in the file, which determines the agent's random stream.
                line_up[name] = copy.copy(agent)
                if name_of(agent) != name:
                    line_up[name].name = name
    return replace(results, line_up=line_up)


def _matches(stored: Any, record: Any) -> bool:
    """Return whether a stored record has the values of `record`; None in `record` fits any."""
    if isinstance(stored, Mapping) and isinstance(record, Mapping):
        closed = [name for name in record if record[name] is not None]
        return all(name in stored and _matches(stored[name], record[name]) for name in closed)
    return bool(stored == record)


#: Functions that read a table of runs, by file name extension.
READERS: Mapping[str, Callable[[Path], pd.DataFrame]] = {
    ".csv": pd.read_csv,
    ".json": lambda path: pd.DataFrame(files.from_json(path.read_bytes())),
}


def _cells_of_table(path: Path, custom: Sequence[Agent]) -> list[Cell]:
    """Return the runs in a table that `export` wrote, one `Cell` per combination of options."""
    if not path.is_file():
        raise InvalidArgumentError("path", str(path), "an existing file of runs")
    rows = READERS[path.suffix.lower()](path)
    needed = ("task", "setting", "n_arms", "delta", "seed", "instance", "user_seed", "agent")
    if lacking := [name for name in needed if name not in rows]:
        allowed = f"a table with the columns of export (missing: {', '.join(lacking)})"
        raise InvalidArgumentError("path", str(path), allowed)
    of_runs = {name for kinds in RUN_FRAMES.values() for name in kinds}
    shared, cells = [name for name in rows if name not in of_runs], []
    given = {name_of(each): each for each in custom}
    for _, runs in rows.groupby(shared, sort=False, dropna=False):
        first = runs[shared].dropna(axis=1, how="all").iloc[:1].to_dict("list")
        ints = ("n_arms", "seed", "horizon", "n_users")
        cell: dict[str, Any] = dict.fromkeys(["horizon", *shared])
        cell |= {name: int(each[0]) if name in ints else each[0] for name, each in first.items()}
        task = choice("task", cell["task"], protocol.TASKS)
        kinds = {name: kind for name, kind in RUN_FRAMES[task].items() if name in runs}
        data = runs[[*kinds]].astype({n: kind for n, kind in kinds.items() if kind is not str})
        in_words = ("means", "rho")  # a table holds these options only as text
        names = [e.name for e in OPTIONS if e.name in cell and e.name not in in_words]
        population = Population(**{name: cell[name] for name in names})
        for name in in_words:
            if name in cell and str(population.words()[name]) != str(cell[name]):
                allowed = f"{population.words()[name]}, the value of the setting, in a table"
                raise InvalidArgumentError(name, cell[name], allowed)
        ends_itself = protocol.TASKS[task].ends_itself
        cap = int((cell.get("max_steps") or protocol.STEP_CAP) if ends_itself else cell["horizon"])
        delta, line_up, agents = float(cell["delta"]), {}, {}
        for name in map(str, dict.fromkeys(data["agent"])):
            agents[name] = {"max_steps": cap}
            try:
                who = informed(given.get(name, name), population, delta)
            except InvalidArgumentError:
                continue
            agents[name] = {"max_steps": min(cap, getattr(who, "max_steps", None) or cap)}
            if name_of(who) == name:
                line_up[name] = who
        cell["agents"] = agents
        deltas = dict.fromkeys(agents, delta)
        results = Results(data.reset_index(drop=True), cell, population, deltas, line_up=line_up)
        request = {"agents": dict.fromkeys(agents), "n_instances": int(data["instance"].max()) + 1}
        cells.append(Cell(request, results))
    return cells
