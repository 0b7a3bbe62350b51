"""`explorative-user course` gives the notebooks out, and takes nobody's work away."""

import os
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from explorative_user_env import validation as extras
from explorative_user_env.teach import LESSONS
from explorative_user_env.teach import notebooks as places
from explorative_user_env.validation import InvalidArgumentError

NAMES = [f"{lesson.name}.ipynb" for lesson in LESSONS]
Run = Callable[..., int]
Printed = pytest.CaptureFixture[str]


def test_the_notebooks_are_written_and_it_is_said_how_to_open_them(
    run: Run, capsys: Printed, tmp_path: Path
) -> None:
    folder = tmp_path / "my course"
    assert run("course notebooks", str(folder)) == 0
    assert sorted(path.name for path in folder.iterdir()) == NAMES
    *lines, last = capsys.readouterr().out.splitlines()
    assert lines == [f"new: {name}" for name in NAMES]
    assert last.endswith(f"jupyter lab {shlex.quote(str(folder))}")


def test_her_work_is_kept_and_the_rest_is_there_already(
    run: Run, capsys: Printed, tmp_path: Path
) -> None:
    run("course notebooks", str(tmp_path))
    (tmp_path / NAMES[1]).write_text("her work")
    (tmp_path / NAMES[2]).unlink()
    capsys.readouterr()
    assert run("course notebooks", str(tmp_path)) == 0
    lines = capsys.readouterr().out.splitlines()
    assert f"kept as it is, with what was changed in it: {NAMES[1]}" in lines
    assert f"new: {NAMES[2]}" in lines
    assert sum(line.startswith("there already") for line in lines) == len(NAMES) - 2
    assert (tmp_path / NAMES[1]).read_text() == "her work"


def test_a_teacher_has_the_solutions_beside_them(run: Run, tmp_path: Path) -> None:
    run("course notebooks", str(tmp_path), "--solutions")
    solved = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.ipynb"))
    assert solved == sorted([*NAMES, *(f"solutions/{name}" for name in NAMES)])
    assert (tmp_path / NAMES[0]).read_text() != (tmp_path / "solutions" / NAMES[0]).read_text()


def test_who_lacks_what_opens_them_is_told_how_to_get_it(
    run: Run, capsys: Printed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    run("course notebooks", str(tmp_path))
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == f"To open them: {extras.how_to_get('course')} && jupyter lab {tmp_path}"


def test_a_place_that_is_no_folder_is_refused(run: Run, capsys: Printed, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert run("course notebooks", str(tmp_path / "file")) == 2
    assert "folder must be a folder that can be written to" in capsys.readouterr().err


def test_an_installation_without_notebooks_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "_HOMES", (tmp_path,))
    with pytest.raises(InvalidArgumentError, match=f"the notebook must be part .* {tmp_path}"):
        places.notebook_files()


def test_who_is_interrupted_has_all_notebooks_or_none(
    run: Run, capsys: Printed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace, moved = os.replace, list[Path]()

    def interrupted(source: Path, target: Path) -> None:
        if len(moved) == 3:
            raise KeyboardInterrupt
        moved.append(target)
        replace(source, target)

    monkeypatch.setattr(os, "replace", interrupted)
    assert run("course notebooks", str(tmp_path)) == 130
    assert capsys.readouterr().err == "error: interrupted; no file was written\n"
    assert len(moved) == 3
    assert not list(tmp_path.iterdir())
