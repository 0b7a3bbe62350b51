import contextlib
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import typer
from processes import python

from explorative_user_env.commands import paper
from explorative_user_env.commands.run import RUN_FILE
from explorative_user_env.display import plots as plotting
from explorative_user_env.display.plots import can_plot
from explorative_user_env.files import MADE_BY
from explorative_user_env.results.store import Store
from explorative_user_env.studies import tuning as trials
from explorative_user_env.studies.tuning import load_tuned
from explorative_user_env.validation import how_to_get

pytestmark = pytest.mark.slow

SMALL = [
    "--n-arms",
    "3",
    "--delta",
    "0.2",
    "--gap",
    "0.4",
    "--n-instances",
    "600",
    "--confirm",
    "80",
    "--workers",
    "1",
]
FILES = ["frontier.csv", "search.csv", "table.md", "tuned.json"]


@pytest.fixture(autouse=True, scope="module")
def few_users() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trials, "FRONTIER_USERS", 40)
        yield


def tune(*arguments: str) -> None:
    app = typer.Typer()
    app.command()(paper.tune_n1)
    app([*arguments], standalone_mode=False)


@pytest.fixture(scope="module")
def written(few_users: None, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """The folder of a small tuning, and the lines that it printed."""
    folder = tmp_path_factory.mktemp("tuning")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        tune(*SMALL, "--output", str(folder))
    return folder, printed.getvalue().splitlines()


def test_it_prints_the_search_what_was_found_and_where_it_is(
    written: tuple[Path, list[str]],
) -> None:
    folder, lines = written
    tuned = load_tuned(folder)
    search = pd.read_csv(folder / "search.csv")
    assert lines[0].split() == ["N_1", "users", "success", "[95%]", "decision"]
    assert lines[1].split()[0] == "5"
    shown = [line.split() for line in lines[1 : 1 + len(search)]]
    assert [int(line[0]) for line in shown] == search["n1"].tolist()
    assert [line[-1] for line in shown] == search["decision"].tolist()
    assert any(line.startswith(f"Found N_1 = {tuned.n1}, success at least 0.8") for line in lines)
    assert any(line.startswith("BAIR's N_1, released: delta=0.2, K=3") for line in lines)
    assert lines[-1] == f"explorative-user bench --agent bair-tuned:{folder}"
    assert all(str(folder / name) in lines[-2] for name in FILES)


def test_the_files_have_all_that_was_found(written: tuple[Path, list[str]]) -> None:
    folder, _ = written
    pictures = ["frontier.png"] if can_plot() else []
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        [*FILES, MADE_BY, RUN_FILE, *pictures]
    )
    tuned = load_tuned(folder)
    search = pd.read_csv(folder / "search.csv")
    assert search["n1"].iloc[0] == 5
    assert search["n_runs"].sum() == tuned.n_runs
    assert pd.read_csv(folder / "frontier.csv")["n1"].iloc[-1] == tuned.paper_n1 == 30
    page = (folder / "table.md").read_text(encoding="utf-8")
    assert page.startswith("# BAIR's N_1, released: delta=0.2, K=3")
    assert f"- Found N_1 = {tuned.n1}, " in page


def test_without_matplotlib_everything_else_is_written(
    run: Callable[..., int],
    capsys: pytest.CaptureFixture[str],
    output: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(plotting, "can_plot", lambda: False)
    assert run("paper tune-n1", *SMALL, "--output", str(output)) == 0
    assert f"For frontier.png: {how_to_get('plot')}" in capsys.readouterr().out
    assert sorted(path.name for path in output.iterdir()) == sorted([*FILES, MADE_BY, RUN_FILE])


def test_where_nothing_is_found_it_says_so_and_where_its_runs_are(
    run: Callable[..., int], capsys: pytest.CaptureFixture[str], output: Path
) -> None:
    assert run("paper tune-n1", *SMALL, "--max-steps", "3", "--output", str(output)) == 1
    printed = capsys.readouterr()
    assert printed.err == (
        "error: no N_1 was found to succeed with probability 0.8; "
        f"its runs are in {output / RUN_FILE}\n"
    )
    assert "bad" in printed.out
    assert [path.name for path in output.iterdir()] == [RUN_FILE]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--error", "1"], "--error must be a number in (0, 1), got 1.0"),
        (["--setting", "text"], "--setting must be one of printed, released, got 'text'"),
        (["--confirm", "-1"], "--confirm must be an integer of at least 0, got -1"),
        (["--n-instances", "0"], "--n-instances must be an integer of at least 1, got 0"),
    ],
)
def test_a_wrong_option_is_refused_and_nothing_is_written(
    refused: Callable[..., str], arguments: list[str], message: str
) -> None:
    assert refused("paper tune-n1", *arguments) == message


TUNE = "explorative_user_env.studies.tuning.tune_n1"


def test_an_output_that_cannot_be_written_is_refused_before_anything_runs(
    run: Callable[..., int],
    calls_of: Callable[[str], list[Any]],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("")
    calls = calls_of(TUNE)
    assert run("paper tune-n1", "--output", str(tmp_path / "file")) == 2
    assert calls == []
    assert "--output must be a folder that can be written to" in capsys.readouterr().err


def test_every_option_arrives(
    run: Callable[..., int], calls_of: Callable[[str], list[Any]], output: Path
) -> None:
    calls = calls_of(TUNE)
    words = (
        "--delta 0.2 --error 0.3 --n-instances 9 --confirm 6 --max-steps 77 --seed 8 --workers 3 "
        "--setting printed --n-arms 4 --alpha 2 --gap 0.3 --noise 0.1 --means normal --rho 0.9 "
        "--reward-law bounded --behaviour forgetful"
    )
    assert run("paper tune-n1", *words.split(), "--output", str(output)) == 130
    ((arguments, options),) = calls
    assert arguments == ()
    assert callable(options.pop("on_candidate"))
    assert isinstance(options.pop("store"), Store)
    assert options == {
        "delta": 0.2,
        "error": 0.3,
        "n_instances": 9,
        "confirm": 6,
        "max_steps": 77,
        "seed": 8,
        "workers": 3,
        "setting": "printed",
        "n_arms": 4,
        "alpha": 2.0,
        "gap": 0.3,
        "noise": 0.1,
        "means": "normal",
        "rho": 0.9,
        "reward_law": "bounded",
        "behaviour": "forgetful",
    }


def test_what_is_not_asked_for_is_one_in_ten_of_twenty_arms(
    run: Callable[..., int], calls_of: Callable[[str], list[Any]], output: Path
) -> None:
    calls = calls_of(TUNE)
    run("paper tune-n1", "--output", str(output))
    ((_, options),) = calls
    cell = {name: options[name] for name in ("delta", "error", "n_arms", "setting", "seed")}
    assert cell == {"delta": 0.1, "error": 0.05, "n_arms": 20, "setting": "released", "seed": 0}
    assert (options["n_instances"], options["confirm"]) == (20_000, 10_000)


def test_the_list_of_commands_needs_nothing_heavy() -> None:
    code = (
        "import sys; from explorative_user_env import commands as cli; cli.app(['--help']);"
        "print([name for name in ('numba', 'pandas', 'scipy') if name in sys.modules])"
    )
    finished = python("-c", code)
    assert finished.stdout.strip() == "[]", finished.stderr
