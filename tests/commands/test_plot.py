"""`explorative-user plot` draws what a run has, says what it has not, and writes all or nothing."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from failing import Failing
from tiny_commands import run_tiny

import explorative_user_env as eu
from explorative_user_env import validation as extras
from explorative_user_env.commands.results import Drawing, drawings_of
from explorative_user_env.evaluation import runner as grid
from explorative_user_env.validation import CallableError

pytest.importorskip("matplotlib")
pytestmark = pytest.mark.slow

RUNS = ["success", "stopping_times", "regret", "rejections", "acceptances"]
DIFFERENCES = [f"differences-{name}" for name in ("stopping-time", "p-stops-sooner", "success")]
SMALL: dict[str, Any] = {"n_instances": 3, "n_arms": 3, "progress": False}


def written_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"made_by.json"}


def as_both(names: list[str]) -> set[str]:
    return {f"{name}.{ending}" for name in names for ending in ("png", "svg")}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "run" / "run.sqlite"
    path.parent.mkdir()
    eu.evaluate(["BAIR", "UNI"], **SMALL, store=path)
    return path


def test_a_run_of_one_cell_has_all_its_plots_as_png_and_svg(
    run: Callable[..., int], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("results plot", str(file.parent)) == 0
    folder = file.parent / "plots"
    assert written_in(folder) == as_both(RUNS + DIFFERENCES)
    state, *reasons, where = capsys.readouterr().out.splitlines()
    assert state == "evaluate: finished, 6 runs in 1 cell"
    assert reasons == [
        "Not drawn: rounds: of evaluations with check_theory=True",
        "Not drawn: phase1_rejections: of evaluations with check_theory=True",
        "Not drawn: regret_by_user: of the task population only",
    ]
    assert where == f"{folder}, as PNG and SVG: {', '.join(RUNS + DIFFERENCES)}"
    assert (folder / "success.png").read_bytes().startswith(b"\x89PNG")
    picture = (folder / "success.svg").read_text("utf-8")
    assert "<title>success: printed, K = 3, δ = 0.1, gap = 0.5, 3 users</title>" in picture


def test_the_file_itself_does_as_well_and_what_is_drawn_twice_is_the_same_to_the_byte(
    run: Callable[..., int], file: Path, tmp_path: Path
) -> None:
    assert run("results plot", str(file.parent)) == 0
    before = {path.name: path.read_bytes() for path in (file.parent / "plots").iterdir()}
    assert run("results plot", str(file)) == 0
    assert run("results plot", str(file), "--output", str(tmp_path / "other")) == 0
    for folder in (file.parent / "plots", tmp_path / "other"):
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_plots_of_another_run_are_not_written_over_unless_that_is_asked_for(
    run: Callable[..., int], file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other.sqlite"
    eu.evaluate(["UNI"], baseline_time=5, **SMALL, store=other)
    assert run("results plot", str(file), "--output", str(tmp_path / "plots")) == 0
    before = written_in(tmp_path / "plots")
    capsys.readouterr()
    assert run("results plot", str(other), "--output", str(tmp_path / "plots")) == 2
    assert "--overwrite writes over that" in capsys.readouterr().err
    assert written_in(tmp_path / "plots") == before
    assert run("results plot", str(other), "--output", str(tmp_path / "plots"), "--overwrite") == 0
    assert written_in(tmp_path / "plots") == as_both(RUNS)


@pytest.mark.parametrize("asked", [(), ("--overwrite",)])
def test_plots_never_take_the_place_of_the_tables_that_they_are_of(
    run: Callable[..., int],
    asked: tuple[str, ...],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = str(tmp_path / "bench")
    few = ("--agent", "bair", "--n-arms", "2", "--delta", "0.1", "--n-instances", "2")
    assert run("bench", *few, "--output", folder) == 0
    before = written_in(tmp_path / "bench")
    capsys.readouterr()
    assert run("results plot", folder, "--output", folder, *asked) == 2
    assert capsys.readouterr().err.startswith("error: --output must be another folder than the run")
    assert written_in(tmp_path / "bench") == before


def test_a_run_of_several_cells_is_drawn_over_them_and_one_cell_if_it_is_chosen(
    run: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.sqlite"
    options = SMALL | {"n_arms": (2, 3), "store": file}
    grid.sweep(["BAIR"], (0.1, 0.2), **options)
    assert run("results plot", str(file)) == 0
    cells = ["stopping_time", "success", "rejection_rate"]
    assert written_in(tmp_path / "a" / "plots") == as_both(cells)
    assert "of one cell each: choose one with --n-arms and --delta" in capsys.readouterr().out
    assert run("results plot", str(file), "--n-arms", "3", "--delta", "0.1") == 0
    assert written_in(tmp_path / "a" / "plots-K3-delta0.1") == as_both(RUNS)
    assert "differences: needs one of at least two agents" in capsys.readouterr().out
    assert run("results plot", str(file), "--delta", "0.2") == 0
    assert written_in(tmp_path / "a" / "plots-delta0.2") == as_both(cells)
    assert run("results plot", str(file), "--n-arms", "7") == 2
    assert capsys.readouterr().err == "error: --n-arms must be one of 2, 3, got 7\n"


def test_a_run_that_was_broken_off_is_drawn_as_far_as_it_is(
    run: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.sqlite"
    with pytest.raises(CallableError):
        eu.evaluate(["BAIR", Failing("act")], **SMALL, store=file)
    assert run("results plot", str(file)) == 0
    assert capsys.readouterr().out.startswith("evaluate: not finished, 3 runs in 1 cell\n")
    assert written_in(tmp_path / "a" / "plots") == as_both(RUNS)


def test_one_that_cannot_be_drawn_costs_no_other(
    run: Callable[..., int],
    file: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fails(progress: Any) -> Any:
        raise ZeroDivisionError

    def of(*told: Any) -> list[Any]:
        return [Drawing("broken", "a cell", fails), *list(drawings_of(*told))[:1]]

    monkeypatch.setattr("explorative_user_env.commands.results.drawings_of", of)
    assert run("results plot", str(file)) == 0
    assert "Not drawn: broken: ZeroDivisionError" in capsys.readouterr().out
    assert written_in(file.parent / "plots") == as_both(["success"])


def test_what_is_no_run_is_refused_in_one_line(
    run: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("results plot", str(tmp_path)) == 2
    assert capsys.readouterr().err == (
        f"error: path must be a file of runs (there is none), got '{tmp_path / 'run.sqlite'}'\n"
    )
    (tmp_path / "run.sqlite").touch()
    assert run("results plot", str(tmp_path)) == 2
    assert "(it is empty)" in capsys.readouterr().err
    assert not (tmp_path / "plots").exists()


def test_without_matplotlib_one_line_says_how_to_get_it(
    run: Callable[..., int],
    file: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    assert run("results plot", str(file)) == 2
    assert re.match(r"error: pictures need matplotlib: pip install .*\n$", capsys.readouterr().err)
    assert not (file.parent / "plots").exists()


def test_who_interrupts_it_leaves_no_file(
    run: Callable[..., int],
    file: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("explorative_user_env.commands.results.as_svg", interrupted)
    assert run("results plot", str(file)) == 130
    assert capsys.readouterr().err == "error: interrupted; no file was written\n"
    assert not list((file.parent / "plots").iterdir())


STUDIES = {
    "robustness": ["heat_map"],
    "lower-bound": ["overlap", "needed"],
    "tune-n1": ["frontier_stopping_time", "frontier_success"],
    "regret": [
        "regret",
        "rejections",
        "acceptances",
        *(f"differences-{name}" for name in ("regret", "p-less-regret", "utility")),
    ],
    "reproduce": ["stopping_time", "success", "rejection_rate"],
}


def test_a_run_without_a_cell_yet_has_nothing_to_draw(
    output: Path, capsys: pytest.CaptureFixture[str], run: Callable[..., int]
) -> None:
    assert run_tiny("bench", str(output / "first")) == 0
    assert run_tiny("bench", str(output / "second")) == 0  # for which nothing is computed
    capsys.readouterr()
    assert run("results plot", str(output / "second")) == 2
    assert "something to draw (no runs)" in capsys.readouterr().err


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_has_its_own_plots_while_its_files_are_there(
    name: str, output: Path, capsys: pytest.CaptureFixture[str], run: Callable[..., int]
) -> None:
    assert run_tiny(name, str(output), anew=True) == 0
    assert run("results plot", str(output)) == 0
    assert written_in(output / "plots") == as_both(STUDIES[name])
    capsys.readouterr()
    if name in ("lower-bound", "tune-n1"):  # whose tables are written at the end
        for path in output.glob("*.csv"):
            path.unlink()
        assert run("results plot", str(output)) == 2
        assert "which is written when a run is finished" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["lower-bound", "tune-n1"])
def test_tables_that_somebody_has_changed_are_not_drawn(
    name: str, output: Path, capsys: pytest.CaptureFixture[str], run: Callable[..., int]
) -> None:
    assert run_tiny(name, str(output), anew=True) == 0
    for path in output.glob("*.csv"):
        path.write_text(path.read_text("utf-8") + "\n", "utf-8")
    capsys.readouterr()
    assert run("results plot", str(output)) == 2
    assert "as its run has written them" in capsys.readouterr().err
