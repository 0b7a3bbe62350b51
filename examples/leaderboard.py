"""The leaderboard: what makes its file and its page, and what checks them.

`python examples/leaderboard.py make` runs the whole suite with every agent and every model of the
package and with the policies of `learnt_index.py`, packs the runs and writes the page; `page`
writes it anew from the files that are there, as where somebody has sent one; `check` makes the page
once more and runs a part of the rows again.
"""

import argparse
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

import explorative_user_env as eu
from explorative_user_env.commands.suite import entrants_called
from explorative_user_env.display.tables import Column, markdown, table
from explorative_user_env.protocol import name_of
from explorative_user_env.results.results import Results
from explorative_user_env.results.store import PACKED, about, pack
from explorative_user_env.studies.suite import (
    SuiteResults,
    entrant_of,
    load_suite,
    notes_of_scores,
    scores_table,
    suite_digest,
    taking_part,
    totals_table,
)

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "examples" / "leaderboard"
PAGE = ROOT / "examples" / "leaderboard.md"
MADE = ROOT / "results" / "leaderboard"
MODELS = "sb3:explorative_user_env/data/models"
NAME = "package"
"""What the file of the package's own agents is called."""

AGENTS = [name_of(each) for each in taking_part(None)]
"""All agents of the package."""

LEARNT = "learnt"
"""What the file of the policies that were learnt in these examples is called."""

LEARNT_AGENT = "learnt_index:by_task"

SHARE = 0.01
"""Of the rows that `check` runs again."""

INTRODUCTION = """\
# Leaderboard

Who does how well on the suite: in every task UNI has 0 and a stated reference 1, with the same
users for everybody. Anybody can run any row again from the users' seeds, and send one in.

"""

HOW_TO_VERIFY = """\
## Verify it

The runs themselves are in the files above, one row a user, agent and task. This runs one row in a
hundred of each agent and task again, drawn at random, and names whatever differs; `--all` leaves
nothing out:

```sh
explorative-user results verify examples/leaderboard/package.sqlite.xz --share 0.01
cd examples
explorative-user results verify leaderboard/learnt.sqlite.xz --agent learnt_index:by_task
```

[How to verify a result](../docs/how_to/verify.md) says what is asked, and what that could have
missed. `python examples/leaderboard.py check` does it for every file, and makes this page again.

## Send in a row

Run the suite with your agent, or your model, and let it be verified:

<!-- not run: the suite takes minutes, and the agent is yours -->
```sh
explorative-user suite --agent my_module:MyAgent --out results/mine
explorative-user results verify results/mine --agent my_module:MyAgent --all
```

Then pack the file of runs and write the page anew:

<!-- not run: the file is the one that was made above -->
```sh
python examples/leaderboard.py add results/mine/run.sqlite mine
```

and send both with the code, or the weights, of your agent: nobody has to believe a row.
"""


def files() -> list[Path]:
    """Return the files of runs that the board is made of, the package's first."""
    found = sorted(FOLDER.glob(f"*.sqlite{PACKED}"))
    return sorted(found, key=lambda path: not path.name.startswith(f"{NAME}."))


def command(quick: bool, models: bool) -> list[str]:
    """Return the command line that makes the package's file, from the checkout's folder."""
    words = ["suite", *(f"--agent={name}" for name in AGENTS)]
    words += [f"--agent={MODELS}"] * models
    return [*words, *_how(quick, NAME)]


def _how(quick: bool, name: str) -> list[str]:
    return ["--quick"] * quick + ["--overwrite", "--out", str(MADE / name)]


def make(quick: bool, models: bool) -> None:
    """Run the suite with all agents, pack the runs and write the page."""
    module = [sys.executable, "-m", "explorative_user_env"]
    subprocess.run([*module, *command(quick, models)], cwd=ROOT, check=True)
    learnt = ["suite", f"--agent={LEARNT_AGENT}", *_how(quick, LEARNT)]
    subprocess.run([*module, *learnt], cwd=ROOT / "examples", check=True)
    for name in (NAME, LEARNT):
        pack(MADE / name / "run.sqlite", FOLDER / f"{name}.sqlite{PACKED}", overwrite=True)
    PAGE.write_text(page_of(files()), encoding="utf-8")


def add(runs: Path, name: str) -> None:
    """Take a file of runs in under a name, and write the page."""
    pack(runs, FOLDER / f"{name}.sqlite{PACKED}", overwrite=True)
    PAGE.write_text(page_of(files()), encoding="utf-8")


def check(share: float) -> int:
    """Make the page once more, and run a part of the rows again; return how many things differ."""
    differing = 0
    if PAGE.read_text(encoding="utf-8") != page_of(files()):
        print(f"{PAGE.name} is not what its files give")
        differing += 1
    for path in files():
        own = entrants_called([LEARNT_AGENT] if path.name.startswith(f"{LEARNT}.") else [])
        found = eu.verify(path, own, share=share, workers=2)
        print(found)
        differing += found.differs
    return differing


def merged(found: Sequence[SuiteResults]) -> SuiteResults:
    """Return runs of several files as one; the first that has an agent counts.

    Raises:
        InvalidArgumentError: for files of another run of the suite.
    """
    first = found[0]
    for each in found:
        if each.run != first.run:
            allowed = f"files of one run of the suite, {first.run.title}"
            raise eu.InvalidArgumentError("files", each.run.title, allowed)
    cells = {}
    for task in first.run.records():
        if own := [each.cells[task.name] for each in found if task.name in each.cells]:
            cells[task.name] = _together(own)
    return SuiteResults(first.run, cells)


def _together(cells: Sequence[Results]) -> Results:
    """Return one task's runs of several files as one."""
    whole = cells[0]
    for cell in cells[1:]:
        new = [name for name in cell.runs["agent"].unique() if name not in whole.cell["agents"]]
        runs = cell.runs[cell.runs["agent"].isin(new)]
        whole = replace(
            whole,
            runs=pd.concat([whole.runs, runs], ignore_index=True),
            cell={**whole.cell, "agents": {**cell.cell["agents"], **whole.cell["agents"]}},
            deltas={**cell.deltas, **whole.deltas},
            line_up={**cell.line_up, **whole.line_up},
        )
    return whole


def page_of(paths: Sequence[Path]) -> str:
    """Return the page of a board made of these files."""
    loaded = [load_suite(path) for path in paths]
    whole = merged(loaded)
    scores, totals, ranked = whole.scores(), whole.totals(), whole.rankings()
    seeds = ", ".join(f"{task.name} {task.seed}" for task in whole.tasks)
    own = "\n".join(f"- {note}" for note in notes_of_scores(totals, ranked))
    tables = [
        f"Scores on {whole.run.title} (digest `{suite_digest()}`).",
        markdown(totals_table(totals)),
        "## By task",
        markdown(scores_table(scores, totals, ranked)),
        own,
        "## How each row was made",
        _in_words(_rows(paths, loaded), "agent", "command", "file"),
        f"Their users are the suite's own, by seeds that are frozen: {seeds}.",
        _in_words(_made_with(paths), "file", "runs", "versions", "streams"),
    ]
    return INTRODUCTION + "\n\n".join(tables) + "\n\n" + HOW_TO_VERIFY


def _in_words(rows: Iterable[Sequence[str]], *headings: str) -> str:
    return markdown(table(rows, [Column(heading, left=True) for heading in headings]))


def _rows(paths: Sequence[Path], loaded: Sequence[SuiteResults]) -> Iterator[tuple[str, str, str]]:
    """Yield the command that makes each row alone, and the file that has its runs."""
    told: set[str] = set()
    for path, results in zip(paths, loaded, strict=True):
        for name in results.agents:
            if name not in told:
                told.add(name)
                yield name, f"`{_command_of(name, path)}`", _link(path)


def _command_of(agent: str, path: Path) -> str:
    known = {name: name.lower() for name in AGENTS} | {"T&S": "tas"}
    if agent in known:
        return f"explorative-user suite --agent {known[agent]}"
    return f"explorative-user suite {_words_for(agent, about(path).request['options'])}"


def _words_for(agent: str, options: dict[str, object]) -> str:
    """Return the option by which an agent of one's own, or a model, took part."""
    asked = options.get("agent")
    words = [str(each) for each in asked] if isinstance(asked, list) else []
    own = [word for word in words if agent in (word, word.rpartition(":")[2].rpartition("/")[2])]
    alone = words if len(words) == 1 else [entrant_of(agent)]
    return f"--agent {(own or alone)[0]}"


def _made_with(paths: Sequence[Path]) -> Iterator[tuple[str, str, str, str]]:
    for path in paths:
        told = about(path)
        versions = ", ".join(
            f"{name} {number}" for name, number in told.request["versions"].items()
        )
        made = told.request["made with"]
        yield _link(path), str(told.n_runs), versions, f"`{made['streams']}`"


def _link(path: Path) -> str:
    return f"[{path.name}](leaderboard/{path.name})"


def main() -> int:
    """Do what the command line says, and return the exit code."""
    parser = argparse.ArgumentParser(description="The leaderboard of the suite.")
    what = parser.add_subparsers(dest="what", required=True)
    making = what.add_parser("make", help="run everything, and write the file and the page")
    making.add_argument("--quick", action="store_true", help="a tenth of the users")
    making.add_argument("--no-models", action="store_true", help="without trained models")
    adding = what.add_parser("add", help="take somebody's file of runs in")
    adding.add_argument("runs", type=Path)
    adding.add_argument("name")
    what.add_parser("page", help="write the page anew from the files")
    checking = what.add_parser("check", help="make the page once more and run a part again")
    checking.add_argument("--share", type=float, default=SHARE)
    asked = parser.parse_args()
    if asked.what == "make":
        make(asked.quick, not asked.no_models)
    elif asked.what == "add":
        add(asked.runs, asked.name)
    elif asked.what == "page":
        PAGE.write_text(page_of(files()), encoding="utf-8")
    else:
        return min(1, check(asked.share))
    return 0


if __name__ == "__main__":
    sys.exit(main())
