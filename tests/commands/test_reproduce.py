from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from explorative_user_env.commands.run import RUN_FILE
from explorative_user_env.display.plots import can_plot
from explorative_user_env.results.store import Store
from explorative_user_env.studies import paper
from explorative_user_env.studies import paper as ladder
from explorative_user_env.users.population import DIFFERENCES

REPRODUCE = "explorative_user_env.commands.paper.reproduce"


@pytest.fixture
def small_table2(monkeypatch: pytest.MonkeyPatch) -> None:
    small = replace(paper.TABLE2, deltas=(0.1,), n_arms=(2, 100))
    monkeypatch.setitem(paper.EXPERIMENTS, "table2", replace(small, n_arms=(2,)))
    monkeypatch.setitem(paper.EXPERIMENTS, "figure1a", replace(small, drawn=True))


@pytest.mark.slow
@pytest.mark.usefixtures("small_table2")
def test_both_settings_are_judged_in_a_report(
    run: Callable[..., int], capsys: pytest.CaptureFixture[str], output: Path
) -> None:
    code = run("paper tables", "table2", "--n-instances", "10", "--output", str(output))
    printed = capsys.readouterr().out
    assert code == 0
    for setting in ("printed", "released"):
        assert f"{paper.TABLE2.title}, {setting}" in printed
    assert " of 1" in printed
    pictures = ["verdicts.svg"] if can_plot() else []
    names = ["report.md", "report.html", "summary.csv", *pictures, "verdicts.csv", "runs.csv"]
    names += [RUN_FILE]
    assert printed.splitlines()[-1] == "Files: " + ", ".join(str(output / name) for name in names)
    summary = pd.read_csv(output / "summary.csv")
    assert list(summary["setting"].unique()) == ["printed", "released"]
    assert {"stopping_time_difference", "success_difference"} <= set(summary)
    verdicts = pd.read_csv(output / "verdicts.csv")
    assert {"published", "printed", "released", "verdict", "reason"} <= set(verdicts)
    assert len(pd.read_csv(output / "runs.csv")) == 2 * 4 * 10
    page = (output / "report.md").read_text(encoding="utf-8")
    assert "10 users a cell, seed 0; settings: printed, released." in page
    html = (output / "report.html").read_text(encoding="utf-8")
    assert html.startswith("<!doctype html>")
    assert "10 users a cell, seed 0; settings: printed, released." in html
    for form in (page, html):
        assert "What made this" in form
        assert "How far to trust the verdicts" in form


@pytest.mark.slow
@pytest.mark.usefixtures("small_table2")
def test_the_quick_form_leaves_out_many_arms_and_runs_a_hundred_users(
    run: Callable[..., int], output: Path
) -> None:
    words = "figure1a --quick --setting released --agent bair --agent uni"
    assert run("paper tables", *words.split(), "--output", str(output)) == 0
    summary = pd.read_csv(output / "summary.csv")
    assert set(summary["n_arms"]) == {2}
    assert set(summary["n_runs"]) == {100}
    assert set(summary["setting"]) == {"released"}
    assert list(summary["agent"]) == ["BAIR", "UNI"]
    assert not (output / "verdicts.csv").exists()  # the figures are Table 2's


def test_every_option_arrives(
    run: Callable[..., int], calls_of: Callable[[str], list[Any]], output: Path
) -> None:
    calls = calls_of(REPRODUCE)
    words = (
        "table3 --setting released --setting released --agent t&s --quick --n-instances 7 "
        "--seed 8 --workers 3"
    )
    assert run("paper tables", *words.split(), "--output", str(output)) == 130
    ((arguments, options),) = calls
    (experiment,), settings = arguments
    assert (experiment.name, experiment.n_arms) == ("table3", (2, 5, 20))
    assert [entrant.name for entrant in experiment.entrants] == ["T&S"]
    assert settings == ["released"]
    assert callable(options.pop("progress"))
    assert isinstance(options.pop("store"), Store)
    assert options == {"n_instances": 7, "seed": 8, "workers": 3}


def test_the_ladder_has_the_same_options(
    run: Callable[..., int],
    calls_of: Callable[[str], list[Any]],
    output: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(REPRODUCE, lambda *arguments, **options: [])
    calls = calls_of("explorative_user_env.commands.paper.run_ladder")
    words = "all --n-instances 7 --seed 8 --workers 3"
    assert run("paper tables", *words.split(), "--output", str(output)) == 130
    ((_, options),) = calls
    assert callable(options.pop("progress"))
    assert isinstance(options.pop("store"), Store)
    assert options == {"n_instances": 7, "seed": 8, "workers": 3}


@pytest.mark.parametrize(("quick", "users"), [([], 1000), (["--quick"], 100)])
def test_all_of_a_table_runs_where_nothing_is_asked_for(
    run: Callable[..., int],
    calls_of: Callable[[str], list[Any]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    quick: list[str],
    users: int,
) -> None:
    monkeypatch.chdir(tmp_path)
    calls = calls_of(REPRODUCE)
    run("paper tables", "table2", *quick)
    ((arguments, options),) = calls
    most = 20 if quick else 100
    (experiment,), settings = arguments
    assert replace(experiment, n_arms=()) == replace(paper.TABLE2, n_arms=())
    assert max(experiment.n_arms) == most
    assert settings == ["printed", "released"]
    assert (options["n_instances"], options["seed"]) == (users, 0)
    assert (tmp_path / "results" / "table2").is_dir()


@pytest.fixture
def small_experiments(monkeypatch: pytest.MonkeyPatch) -> None:
    """One cell and agent of each experiment: agents after a Phase 1 take long to compile."""
    for name, experiment in list(paper.EXPERIMENTS.items()):
        small = replace(experiment, deltas=experiment.deltas[:1], n_arms=experiment.n_arms[:1])
        monkeypatch.setitem(paper.EXPERIMENTS, name, replace(small, entrants=small.entrants[:1]))


@pytest.fixture
def short_ladder(monkeypatch: pytest.MonkeyPatch) -> Sequence[str]:
    """The first two differences alone: the others would each be compiled."""
    monkeypatch.setattr(ladder, "DIFFERENCES", DIFFERENCES[:2])
    return [ladder.PRINTED_STEP, *(one.point for one in DIFFERENCES[:2])]


@pytest.mark.slow
@pytest.mark.usefixtures("small_experiments")
def test_all_is_every_experiment_and_the_ladder_in_one_report(
    run: Callable[..., int],
    capsys: pytest.CaptureFixture[str],
    output: Path,
    short_ladder: Sequence[str],
) -> None:
    arguments = ("all", "--n-instances", "3", "--workers", "1", "--output", str(output))
    assert run("paper tables", *arguments) == 0
    printed = capsys.readouterr().out
    assert f"{paper.TABLE2.title}, printed" not in printed  # all cells would fill many screens
    page = (output / "report.md").read_text(encoding="utf-8")
    for experiment in paper.EXPERIMENTS.values():
        assert f"## {experiment.title}\n" in page
    assert "## What differs between the paper's text and its released code" in page
    assert set(pd.read_csv(output / "verdicts.csv")["experiment"]) == {
        f"table{number}" for number in range(2, 8)
    }
    shown = pd.read_csv(output / "ladder.csv")
    assert list(shown["agent"]) == ["BAIR", "T&S", "UNI", "EXP3"] * 3
    assert list(shown["point"].unique()) == short_ladder
    assert not (output / "runs.csv").exists()


def test_no_users_are_refused(run: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    assert run("paper tables", "table2", "--n-instances", "0") == 2
    assert "--n-instances must be an integer of at least 1, got 0" in capsys.readouterr().err


def test_an_unknown_target_is_refused(
    run: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("paper tables", "table9") == 2
    assert capsys.readouterr().err.startswith(
        "error: target must be one of all, figure1a, figure1b, table2, "
    )
