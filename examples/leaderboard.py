"""The leaderboard: the script that makes its files and its page, and checks them.

Each entry has two files: NAME.json has the scores of a whole run of the suite, as `explorative-user
suite` writes them, and NAME.sqlite.xz the runs with the first tenth of the users, to be verified.
`python examples/leaderboard.py make` runs the suite with every agent and every model of the package
and with the policies of `learnt_index.py`, and writes files and page; `page` writes the page anew
from the files, as where somebody has sent two; `check` makes the page once more and runs a part of
the rows again.
"""

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

import explorative_user_env as eu
from explorative_user_env.commands.suite import entrants_called
from explorative_user_env.display.tables import Column, markdown, table
from explorative_user_env.protocol import name_of
from explorative_user_env.results.store import PACKED, about, pack
from explorative_user_env.studies.suite import (
    Replicates,
    load_suite,
    notes_of_scores,
    rankings_of,
    scores_table,
    totals_table,
    with_ranks,
)
from explorative_user_env.studies.suite_tasks import as_entrants, entrant_of, suite_digest

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "examples" / "leaderboard"
PAGE = ROOT / "examples" / "leaderboard.md"
MADE = ROOT / "results" / "leaderboard"
MODELS = "sb3:explorative_user_env/data/models"
NAME = "package"
"""What the file of the package's own agents is called."""

AGENTS = [name_of(each) for each in as_entrants(None)]
"""All agents of the package."""

LEARNT = "learnt"
"""What the file of the policies that were learnt in these examples is called."""

LEARNT_AGENT = "learnt_index:by_task"

SHARE = 0.1
"""Of the rows that `check` runs again."""

INTRODUCTION = """\
# Leaderboard

The scores of agents on the suite: in every task UNI has 0 and a stated reference 1, and all agents
meet the same users. Anybody can run any row again from the users' seeds, and send one in.

"""

HOW_TO_VERIFY = """\
## Verify it

The scores are of all users. The files above have the runs with the first tenth of them, one row a
user, agent and task. This runs one row in ten of each agent and task again, drawn at random, and
names whatever differs; `--all` leaves nothing out:

```sh
explorative-user results verify examples/leaderboard/package.sqlite.xz --share 0.1
cd examples
explorative-user results verify leaderboard/learnt.sqlite.xz --agent learnt_index:by_task
```

[How to verify a result](../docs/how_to/verify.md) says what is compared, and what that could have
missed. `python examples/leaderboard.py check` does it for every file, compares the scores with
those of the first tenth of the users, and makes this page again. The command of a row, which takes
minutes, gives its scores once more.

The users' seeds are public. An agent that knows them could recognise each user by the first draws
of her stream and name her best arm at once, so rerunning rows does not show that an agent learns:
read its code, or give its command a `--seed` of your choosing.

## Send in a row

Run the suite with your agent, or your model, once with all users and once with a tenth of them, and
verify the runs:

<!-- not run: the suite takes minutes, and the agent is yours -->
```sh
explorative-user suite --agent my_module:MyAgent --out results/mine
explorative-user suite --agent my_module:MyAgent --quick --out results/mine-quick
explorative-user results verify results/mine-quick --agent my_module:MyAgent --all
```

Then take the scores and the runs in, which writes the page anew:

<!-- not run: the files are those that were made above -->
```sh
python examples/leaderboard.py add results/mine/scores.json results/mine-quick/run.sqlite mine
```

and send both files with the code, or the weights, of your agent: nobody has to believe a row.
"""


def files() -> list[Path]:
    """Return the files of runs of the board, the package's first."""
    found = sorted(FOLDER.glob(f"*.sqlite{PACKED}"))
    return sorted(found, key=lambda path: not path.name.startswith(f"{NAME}."))


def record_of(path: Path) -> dict[str, Any]:
    """Return the scores of the whole run that a file of runs is a tenth of."""
    name = path.name.removesuffix(f".sqlite{PACKED}")
    found: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return found


def command(quick: bool, models: bool) -> list[str]:
    """Return the command line of the package's runs, from the checkout's folder."""
    words = ["suite", *(f"--agent={name}" for name in AGENTS)]
    words += [f"--agent={MODELS}"] * models
    return [*words, *_how(quick, f"{NAME}-quick" if quick else NAME)]


def _how(quick: bool, name: str) -> list[str]:
    return ["--quick"] * quick + ["--overwrite", "--out", str(MADE / name)]


def make(models: bool) -> None:
    """Run the suite with all agents, with all users and with a tenth; write files and page."""
    module = [sys.executable, "-m", "explorative_user_env"]
    for quick, suffix in ((False, ""), (True, "-quick")):
        words = command(quick, models)
        subprocess.run([*module, *words], cwd=ROOT, check=True)
        learnt = ["suite", f"--agent={LEARNT_AGENT}", *_how(quick, LEARNT + suffix)]
        subprocess.run([*module, *learnt], cwd=ROOT / "examples", check=True)
    for name in (NAME, LEARNT):
        add(MADE / name / "scores.json", MADE / f"{name}-quick" / "run.sqlite", name)


def add(scores: Path, runs: Path, name: str) -> None:
    """Take scores, and runs with a tenth of the users, in under a name, and write the page."""
    FOLDER.mkdir(exist_ok=True)
    shutil.copy(scores, FOLDER / f"{name}.json")
    pack(runs, FOLDER / f"{name}.sqlite{PACKED}", overwrite=True)
    PAGE.write_text(page_of(files()), encoding="utf-8")


def check(share: float) -> int:
    """Make the page once more, and run a part of the rows again; return how many things differ."""
    differing = 0
    if PAGE.read_text(encoding="utf-8") != page_of(files()):
        print(f"{PAGE.name} is not what its files give")
        differing += 1
    for path in files():
        for words in apart(path):
            print(words)
            differing += 1
        own = entrants_called([LEARNT_AGENT] if path.name.startswith(f"{LEARNT}.") else [])
        found = eu.verify(path, own, share=share, workers=2)
        print(found)
        differing += found.differs
    return differing


def apart(path: Path) -> Iterator[str]:
    """Yield the scores that are farther from those of a tenth of the users than chance allows."""
    names = ["task", "agent"]
    whole = pd.DataFrame(record_of(path)["scores"])
    both = whole.merge(load_suite(path).scores(), on=names, how="outer", suffixes=("", "_tenth"))
    for row in both.to_dict("records"):
        half = (row["high"] - row["low"] + row["high_tenth"] - row["low_tenth"]) / 2
        if not abs(row["score"] - row["score_tenth"]) <= 2 * half:
            found = f"{row['score']:.2f}, with a tenth of the users {row['score_tenth']:.2f}"
            yield f"{row['agent']}, {row['task']}: {found}"


def merged(records: Sequence[dict[str, Any]]) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return scores, totals and rankings of several runs; the first that has an agent counts.

    Raises:
        InvalidArgumentError: for records of another run of the suite.
    """
    for each in records:
        if (each["title"], each["digest"]) != (records[0]["title"], records[0]["digest"]):
            allowed = f"files of one run of the suite, {records[0]['title']}"
            raise eu.InvalidArgumentError("files", each["title"], allowed)

    def rows(name: str, by: list[str]) -> pd.DataFrame:
        frames = [pd.DataFrame(each[name]) for each in records]
        return pd.concat(frames, ignore_index=True).drop_duplicates(by, ignore_index=True)

    scores, totals = rows("scores", ["task", "agent"]), rows("totals", ["agent"])
    tasks = list(dict.fromkeys(scores["task"]))
    losses = {
        task: {
            row["agent"]: Replicates(row["loss"], pd.Series([row["loss"]]).to_numpy())
            for row in scores[scores["task"] == task].to_dict("records")
        }
        for task in tasks
    }
    references = set(totals.loc[totals["sees_rewards"], "agent"])
    return scores, with_ranks(totals, len(tasks)), rankings_of(losses, references)


def page_of(paths: Sequence[Path]) -> str:
    """Return the page of a board made of these files."""
    records = [record_of(path) for path in paths]
    scores, totals, ranked = merged(records)
    seeds = ", ".join(f"{task['name']} {task['seed']}" for task in records[0]["tasks"])
    own = "\n".join(f"- {note}" for note in notes_of_scores(totals, ranked))
    commands = [Column("agent", left=True), Column("command", left=True), Column("file", left=True)]
    names = ("file", "runs", "versions", "streams")
    parts = [
        f"Scores on {records[0]['title']} (digest `{suite_digest()}`).",
        markdown(totals_table(totals)),
        "## By task",
        markdown(scores_table(scores, totals, ranked)),
        own,
        "## How each row was made",
        markdown(table(_rows(paths, records), commands)),
        f"The users are the suite's, by seeds that are frozen: {seeds}.",
        markdown(table(_made_with(paths), [Column(name, left=True) for name in names])),
    ]
    return INTRODUCTION + "\n\n".join(parts) + "\n\n" + HOW_TO_VERIFY


def _rows(
    paths: Sequence[Path], records: Sequence[dict[str, Any]]
) -> Iterator[tuple[str, str, str]]:
    """Yield the command that makes each row alone, and the file that has its runs."""
    named: set[str] = set()
    for path, record in zip(paths, records, strict=True):
        for name in dict.fromkeys(row["agent"] for row in record["scores"]):
            if name not in named:
                named.add(name)
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
    making = what.add_parser("make", help="run everything, and write the files and the page")
    making.add_argument("--no-models", action="store_true", help="without trained models")
    adding = what.add_parser("add", help="take somebody's scores and runs in")
    adding.add_argument("scores", type=Path, help="scores.json of a run with all users")
    adding.add_argument("runs", type=Path, help="the file of a run with a tenth of them")
    adding.add_argument("name")
    what.add_parser("page", help="write the page anew from the files")
    checking = what.add_parser("check", help="make the page once more and run a part again")
    checking.add_argument("--share", type=float, default=SHARE)
    asked = parser.parse_args()
    if asked.what == "make":
        make(not asked.no_models)
    elif asked.what == "add":
        add(asked.scores, asked.runs, asked.name)
    elif asked.what == "page":
        PAGE.write_text(page_of(files()), encoding="utf-8")
    else:
        return min(1, check(asked.share))
    return 0


if __name__ == "__main__":
    sys.exit(main())
