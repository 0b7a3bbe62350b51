"""Files are written before anything is printed, and nothing printed can be the end of a run."""

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import pytest
from processes import PACKAGE
from tiny_commands import WORDS, run, run_tiny

from explorative_user_env.validation import InvalidArgumentError

pytestmark = pytest.mark.slow

ENCODINGS = ("ascii", "cp1252", "latin-1")
FILES = ["made_by.json", "run.sqlite", "runs.csv", "summary.csv", "table.md"]
WAYS = (*ENCODINGS, "closed pipe", "no stdout")


@contextlib.contextmanager
def standard_output(way: str) -> Iterator[TextIO | None]:
    """Standard output in one of the ways in which it does not take everything."""
    if way == "no stdout":
        yield None
    elif way == "closed pipe":
        end, other = os.pipe()
        os.close(end)
        with open(other, "w", encoding="utf-8") as pipe:
            yield pipe
    elif way == "full disk":
        with open("/dev/full", "w", encoding="utf-8") as disk:
            yield disk
    else:
        yield io.TextIOWrapper(io.BytesIO(), encoding=way)


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the folders of all commands that print as usual, one for each command."""
    folder = tmp_path_factory.mktemp("usual")
    with contextlib.redirect_stdout(io.StringIO()):
        for name in WORDS:
            assert run_tiny(name, str(folder / name)) == 0
    return folder


@pytest.mark.parametrize("name", WORDS)
@pytest.mark.parametrize("way", WAYS)
def test_every_command_ends_well_with_all_its_files_whatever_takes_its_words(
    name: str,
    way: str,
    usual: Path,
    output: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with standard_output(way) as stream, monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", stream)
        assert run_tiny(name, str(output)) == 0
        buffer = stream and stream.buffer
        printed = buffer.getvalue() if isinstance(buffer, io.BytesIO) else b""
    assert capsys.readouterr() == ("", "")
    assert names_in(output) == names_in(usual / name)
    for path in output.glob("*.[mc]*"):  # pages and figures are the same to the byte
        assert path.read_bytes() == (usual / name / path.name).read_bytes()
    if way == "ascii":
        assert printed.isascii()
        assert name == "train" or b"?" in printed


@pytest.mark.parametrize("way", WAYS)
def test_help_is_printed_as_far_as_can_be(
    way: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with standard_output(way) as stream, monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", stream)
        assert run("paper", "lower-bound", "--help") == 0
    assert capsys.readouterr() == ("", "")


def test_what_a_full_disk_does_not_take_is_missed_in_one_line(
    output: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no full disk here")
    with standard_output("full disk") as stream, monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", stream)
        assert run_tiny("bench", str(output)) == 1
        assert names_in(output) == FILES
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: what was printed is not complete: ")
    assert "space" in line


def test_where_files_cannot_be_written_what_was_found_is_seen(
    output: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: object) -> None:
        raise InvalidArgumentError("output", "out", "a folder with room for the files")

    monkeypatch.setattr("explorative_user_env.files.Folder.write", full)
    assert run_tiny("bench", str(output)) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith(
        "error: --output must be a folder with room for the files, got 'out'"
    )
    assert captured.out.count("BAIR") == 5  # four rows and a sentence
    assert "Files: " not in captured.out


def test_an_interrupt_among_the_words_does_not_say_that_there_are_no_files(
    output: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*sections: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("explorative_user_env.commands.run.show", interrupted)
    assert run_tiny("bench", str(output)) == 0
    assert capsys.readouterr() == ("", "")
    assert names_in(output) == FILES


BENCH = "-m explorative_user_env bench --n-instances 4 --workers 1 --agent bair --n-arms 2"


@pytest.mark.parametrize(
    ("redirected", "variables"),
    [
        ("| true", {}),
        ("| head -1 > first-line", {}),
        (">&-", {}),
        (">&- 2>&-", {}),
        ("> page", {"PYTHONIOENCODING": "ascii"}),
    ],
)
def test_a_shell_sees_neither_an_error_nor_a_word(
    redirected: str, variables: dict[str, str], tmp_path: Path
) -> None:
    line = f"set -o pipefail; '{sys.executable}' {BENCH} --output out {redirected}"
    environment = os.environ | {"PYTHONPATH": str(PACKAGE), **variables}
    finished = subprocess.run(
        ["bash", "-c", line], cwd=tmp_path, env=environment, capture_output=True, check=False
    )
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, b"", b"")
    assert names_in(tmp_path / "out") == FILES
    assert "BAIR" in (tmp_path / "out" / "table.md").read_text(encoding="utf-8")
    if variables:
        assert b"?" in (tmp_path / "page").read_bytes()
