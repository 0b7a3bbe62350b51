"""The leaderboard: this script writes its files and its page, and verifies them.

Each submission has two files. NAME.json holds the scores of a full run of the suite, as
`explorative-user suite` writes them. NAME.sqlite.xz holds the runs with the first tenth of the
users, for verification. `python examples/leaderboard.py make` runs the suite with all agents and
models of the package and with the policies of `learnt_index.py`, and writes files and page. `add`
adds a submission; `page` writes the page from the files; `check` compares the page with the files
and runs a share of the rows again.
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
    NEIGHBOURS,
    Replicates,
    load_suite,
    neighbours_table,
    notes_of_scores,
    rankings_of,
    scores_table,
    totals_of,
    totals_table,
    twins_of,
)
from explorative_user_env.studies.suite_tasks import SUITE, as_entrants, entrant_of, suite_digest

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "examples" / "leaderboard"
PAGE = ROOT / "examples" / "leaderboard.md"
MADE = ROOT / "results" / "leaderboard"
MODELS = "sb3:explorative_user_env/data/models"
NAME = "package"
"""Name of the files of the package's agents."""

AGENTS = [name_of(each) for each in as_entrants(None)]
"""Names of all agents of the package."""

LEARNT = "learnt"
"""Name of the files of the policies of `learnt_index.py`."""

LEARNT_AGENT = "learnt_index:by_task"

SHARE = 0.1
"""Share of the rows that `check` runs again."""

INTRODUCTION = """\
# Leaderboard

Scores of agents on the suite. In every task UNI has score 0, a stated reference has score 1, and
all agents run on the same users. Anybody can reproduce any row from the seeds, and submit a row.

"""

HOW_TO_VERIFY = """\
## Verify the scores

The scores are means over all users. The files above hold the runs of the first tenth of the users,
one row per user, agent and task. With `--share 0.1` the command runs a random tenth of the rows of
each agent and task again and lists all differences; with `--all` it runs all rows:

```sh
explorative-user results verify examples/leaderboard/package.sqlite.xz --share 0.1
cd examples
explorative-user results verify leaderboard/learnt.sqlite.xz --agent learnt_index:by_task
```

[How to verify a result](../docs/how_to/verify.md) states what is compared, and what this could
miss. `python examples/leaderboard.py check` verifies every file, compares the scores with those of
the first tenth of the users, and compares this page with its files. The command of a row, which
takes minutes, reproduces its scores.

The seeds of the users are public. An agent that knows them could recognise each user by the first
draws of her random stream and answer at once. So rerunning rows does not show that an agent learns:
read its code, or run its command with another `--seed`.

## Submit a row

Run the suite with your agent or model twice, with all users and with a tenth of the users, and
verify the runs:

<!-- not run: the suite takes minutes, and the agent is yours -->
```sh
explorative-user suite --agent my_module:MyAgent --out results/mine
explorative-user suite --agent my_module:MyAgent --quick --out results/mine-quick
explorative-user results verify results/mine-quick --agent my_module:MyAgent --all
```

Then add the scores and the runs, which also writes the page:

<!-- not run: the files come from the commands above -->
```sh
python examples/leaderboard.py add results/mine/scores.json results/mine-quick/run.sqlite mine
```

and submit both files with the code or the weights of your agent, so that others can verify it.
"""


def files() -> list[Path]:
    """Return the files of runs of the leaderboard, the package's file first."""
    paths = sorted(FOLDER.glob(f"*.sqlite{PACKED}"))
    return sorted(paths, key=lambda path: not path.name.startswith(f"{NAME}."))


def record_of(path: Path) -> dict[str, Any]:
    """Return the scores that belong to a file of runs, from NAME.json."""
    name = path.name.removesuffix(f".sqlite{PACKED}")
    record: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return record


def command(quick: bool, models: bool) -> list[str]:
    """Return the command line of the package's runs, for the root of the repository."""
    words = ["suite", *(f"--agent={name}" for name in AGENTS)]
    words += [f"--agent={MODELS}"] * models
    return [*words, *_how(quick, f"{NAME}-quick" if quick else NAME)]


def _how(quick: bool, name: str) -> list[str]:
    return ["--quick"] * quick + ["--overwrite", "--out", str(MADE / name)]


def make(models: bool) -> None:
    """Run the suite twice, with all users and with a tenth of them; write files and page."""
    module = [sys.executable, "-m", "explorative_user_env"]
    for quick, suffix in ((False, ""), (True, "-quick")):
        words = command(quick, models)
        subprocess.run([*module, *words], cwd=ROOT, check=True)
        learnt = ["suite", f"--agent={LEARNT_AGENT}", *_how(quick, LEARNT + suffix)]
        subprocess.run([*module, *learnt], cwd=ROOT / "examples", check=True)
    for name in (NAME, LEARNT):
        put(MADE / name / "scores.json", MADE / f"{name}-quick" / "run.sqlite", name)
    PAGE.write_text(page_of(files()), encoding="utf-8")


def add(scores: Path, runs: Path, name: str) -> None:
    """Add a submission: scores, and runs with a tenth of the users; write the page."""
    put(scores, runs, name)
    PAGE.write_text(page_of(files()), encoding="utf-8")


def put(scores: Path, runs: Path, name: str) -> None:
    """Put the two files of a submission into the folder of the leaderboard."""
    FOLDER.mkdir(exist_ok=True)
    shutil.copy(scores, FOLDER / f"{name}.json")
    pack(runs, FOLDER / f"{name}.sqlite{PACKED}", overwrite=True)


def check(share: float) -> int:
    """Compare the page with its files, and run a share of the rows; return the differences."""
    n_differences = 0
    if PAGE.read_text(encoding="utf-8") != page_of(files()):
        print(f"{PAGE.name} differs from the page of its files")
        n_differences += 1
    for path in files():
        for words in differences(path):
            print(words)
            n_differences += 1
        custom = entrants_called([LEARNT_AGENT] if path.name.startswith(f"{LEARNT}.") else [])
        verified = eu.verify(path, custom, share=share, workers=2)
        print(verified)
        n_differences += verified.differs
    return n_differences


def differences(path: Path) -> Iterator[str]:
    """Yield the scores that differ significantly from those of the first tenth of the users."""
    names = ["task", "agent"]
    full = pd.DataFrame(record_of(path)["scores"])
    both = full.merge(load_suite(path).scores(), on=names, how="outer", suffixes=("", "_tenth"))
    for row in both.to_dict("records"):
        half = (row["high"] - row["low"] + row["high_tenth"] - row["low_tenth"]) / 2
        if not abs(row["score"] - row["score_tenth"]) <= 2 * half:
            scores = f"{row['score']:.2f}, with a tenth of the users {row['score_tenth']:.2f}"
            yield f"{row['agent']}, {row['task']}: {scores}"


def merged(records: Sequence[dict[str, Any]]) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return scores, totals and rankings of several records; of a repeated agent the first row.

    Raises:
        InvalidArgumentError: for records with different titles or digests.
    """
    for each in records:
        if (each["title"], each["digest"]) != (records[0]["title"], records[0]["digest"]):
            allowed = f"files of the same form of the suite, {records[0]['title']}"
            raise eu.InvalidArgumentError("files", each["title"], allowed)

    frames = [pd.DataFrame(each["scores"]) for each in records]
    scores = pd.concat(frames, ignore_index=True)
    scores = scores.drop_duplicates(["task", "agent"], ignore_index=True)
    totals = totals_of(scores, twins_of(SUITE))
    tasks = list(dict.fromkeys(scores["task"]))
    losses = {
        task: {
            row["agent"]: Replicates(row["loss"], pd.Series([row["loss"]]).to_numpy())
            for row in scores[scores["task"] == task].to_dict("records")
        }
        for task in tasks
    }
    references = set(totals.loc[totals["sees_rewards"], "agent"])
    return scores, totals, rankings_of(losses, references)


def page_of(paths: Sequence[Path]) -> str:
    """Return the page of a leaderboard with these files."""
    records = [record_of(path) for path in paths]
    scores, totals, ranked = merged(records)
    seeds = ", ".join(f"{task['name']} {task['seed']}" for task in records[0]["tasks"])
    notes = "\n".join(f"- {note}" for note in notes_of_scores(totals, ranked))
    commands = [Column("agent", left=True), Column("command", left=True), Column("file", left=True)]
    names = ("file", "runs", "versions", "streams")
    whole = totals["n_tasks"] == totals["n_tasks"].max()
    parts = [
        f"Scores on {records[0]['title']} (digest `{suite_digest()}`).",
        markdown(totals_table(totals[whole])),
        "## Trained for some tasks",
        "The mean is over these tasks only, so it cannot be compared with the means above.",
        markdown(totals_table(totals[~whole])),
        NEIGHBOURS,
        markdown(neighbours_table(scores, totals, twins_of(SUITE))),
        "## By task",
        markdown(scores_table(scores, totals, ranked)),
        notes,
        "## The command of each row",
        markdown(table(_rows(paths, records), commands)),
        f"The users of a task follow from its seed, which never changes: {seeds}.",
        markdown(table(_made_with(paths), [Column(name, left=True) for name in names])),
    ]
    return INTRODUCTION + "\n\n".join(parts) + "\n\n" + HOW_TO_VERIFY


def _rows(
    paths: Sequence[Path], records: Sequence[dict[str, Any]]
) -> Iterator[tuple[str, str, str]]:
    """Yield for each agent its name, the command that reproduces its row, and its file of runs."""
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
    """Return the command-line option of a custom agent or a model."""
    given = options.get("agent")
    words = [str(each) for each in given] if isinstance(given, list) else []
    named = [word for word in words if agent in (word, word.rpartition(":")[2].rpartition("/")[2])]
    default = words if len(words) == 1 else [entrant_of(agent)]
    return f"--agent {(named or default)[0]}"


def _made_with(paths: Sequence[Path]) -> Iterator[tuple[str, str, str, str]]:
    for path in paths:
        runs = about(path)
        versions = ", ".join(
            f"{name} {number}" for name, number in runs.request["versions"].items()
        )
        made = runs.request["made with"]
        yield _link(path), str(runs.n_runs), versions, f"`{made['streams']}`"


def _link(path: Path) -> str:
    return f"[{path.name}](leaderboard/{path.name})"


def main() -> int:
    """Run the command of the command line and return the exit code."""
    parser = argparse.ArgumentParser(description="The leaderboard of the suite.")
    what = parser.add_subparsers(dest="what", required=True)
    making = what.add_parser("make", help="run the suite, write the files and the page")
    making.add_argument("--no-models", action="store_true", help="without trained models")
    adding = what.add_parser("add", help="add a submission")
    adding.add_argument("scores", type=Path, help="scores.json of a run with all users")
    adding.add_argument("runs", type=Path, help="run.sqlite of a run with a tenth of the users")
    adding.add_argument("name", help="name of the files in the leaderboard")
    what.add_parser("page", help="write the page from the files")
    checking = what.add_parser("check", help="compare the page, and run a share of the rows again")
    checking.add_argument("--share", type=float, default=SHARE)
    args = parser.parse_args()
    if args.what == "make":
        make(not args.no_models)
    elif args.what == "add":
        add(args.scores, args.runs, args.name)
    elif args.what == "page":
        PAGE.write_text(page_of(files()), encoding="utf-8")
    else:
        return min(1, check(args.share))
    return 0


if __name__ == "__main__":
    sys.exit(main())
