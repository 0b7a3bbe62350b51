"""The command that holds somebody's results against what comes out, and what it returns."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tampered import by_sql, without_digests
from tiny_commands import run_tiny

Run = Callable[..., int]


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a benchmark."""
    folder = tmp_path_factory.mktemp("verified") / "bench"
    assert run_tiny("bench", str(folder), anew=True) == 0
    return folder


@pytest.fixture
def copied(bench: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(bench, tmp_path / "bench"))


def test_the_folder_of_an_honest_benchmark_is_equal(
    run: Run, bench: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in (bench, bench / "run.sqlite"):
        assert run("results verify", str(path), "--all", "--workers", "1") == 0
        last = capsys.readouterr().out.splitlines()[-1]
        assert last.startswith(f"{path}: equal (rows drawn with seed ")
    assert run("results verify", str(bench), "--share", "0.5", "--seed", "3", "--workers", "1") == 0
    told = capsys.readouterr().out
    assert "checked 16 of 32 rows: all as stated. Up to 4 edited rows could have been" in told
    assert "equal (rows drawn with seed 3)" in told


def test_what_differs_is_named_with_exit_code_1(
    run: Run, copied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = copied / "run.sqlite"
    edit = "UPDATE runs_bai SET acceptances = 1 WHERE part = 2 AND instance = 1"
    without_digests(by_sql(file, copied / "other", edit)).replace(file)
    assert run("results verify", str(copied), "--all", "--workers", "1") == 1
    told = capsys.readouterr().out
    assert "instance 1: acceptances is 1 there and " in told
    assert told.splitlines()[-1].startswith(f"{copied}: differs (rows drawn with seed ")


def test_a_file_that_is_not_as_the_run_has_written_it_is_named(
    run: Run, copied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with (copied / "table.md").open("a") as file:
        file.write("BAIR wins.\n")
    assert run("results verify", str(copied), "--rows", "1", "--workers", "1") == 1
    told = " ".join(capsys.readouterr().out.split())
    assert "table.md is not as the run has written it" in told
    assert "not compared with the rows: runs.csv, summary.csv, table.md" in told


def test_what_cannot_be_asked_has_exit_code_2(
    run: Run, copied: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run("results verify", str(tmp_path / "nothing")) == 2
    assert "error: path must be a file of runs (there is none)" in capsys.readouterr().err
    assert run("results verify", str(copied), "--all", "--share", "0.1") == 2
    assert "error: --all must be left out beside --share or --rows" in capsys.readouterr().err
    assert run("results verify", str(copied), "--share", "2") == 2
    assert "error: --share must be a number in (0, 1]" in capsys.readouterr().err
