"""A command's files are written, and its tables printed, whatever happens to one of them."""

from pathlib import Path
from typing import Any

import pytest

from explorative_user_env.commands.run import write_and_show
from explorative_user_env.display import plots as figures
from explorative_user_env.files import MADE_BY, Folder
from explorative_user_env.validation import InvalidArgumentError


def broken() -> Any:
    raise TypeError("no numbers")


def test_a_picture_that_cannot_be_drawn_costs_only_the_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    pictures = {"bad.png": broken, "good.png": lambda: figures.new_figure(1.0, 1.0)}
    write_and_show(Folder(tmp_path), {"a.md": "a", **pictures}, ["shown"])
    assert {path.name for path in tmp_path.iterdir()} == {"a.md", "good.png", MADE_BY}
    printed = capsys.readouterr().out.splitlines()
    assert printed[:2] == ["shown", "bad.png: not drawn, TypeError: no numbers"]


def test_tables_are_printed_and_files_are_elsewhere_where_a_folder_does_not_take_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Folder(tmp_path / "out")
    (tmp_path / "out" / "a.md").mkdir()
    with pytest.raises(InvalidArgumentError, match=r"a\.md is a folder") as refused:
        write_and_show(folder, {"a.md": "a"}, ["shown"])
    assert capsys.readouterr().out == "shown\n"
    (elsewhere,) = tmp_path.glob("out-*")
    assert str(elsewhere) in str(refused.value)
    assert (elsewhere / "a.md").read_text() == "a"
