"""Every command that the package tells anyone works, from a clone and without an index."""

import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from snippets import blocks_of, commands_of

from explorative_user_env import commands as cli
from explorative_user_env import validation as extras
from explorative_user_env.commands.course import OPENS
from explorative_user_env.display.plots import NEEDS
from explorative_user_env.play.game import SERVED_BY
from explorative_user_env.rl import BROUGHT
from explorative_user_env.show.raster import PAINTER, VIDEO_NEEDS, WINDOW_NEEDS
from explorative_user_env.validation import MissingExtraError

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("examples/**/*.md"), *ROOT.glob("docs/**/*.md")])
ELSEWHERE = {"jupyter-server", "jupyterlite-core", "jupyterlite-pyodide-kernel", "rl_zoo3", "torch"}
"""Packages of others that the pages name, which are on an index."""


def commands() -> Iterator[tuple[str, str]]:
    """Yield every command of every page: lines of shell blocks, and installs within sentences."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for block in blocks_of(text):
            if block.kind == "sh":
                yield from ((page.name, command) for command in commands_of(block))
        for line in re.findall(r"`(pip install [^`\n]+)`", text):
            yield page.name, line.split("&&")[0].strip()


def of_kind(*words: str) -> list[str]:
    found = sorted(
        {command for _, command in commands() if command.split()[: len(words)] == [*words]}
    )
    assert found, f"no page has a command that begins with {words}"
    return found


@pytest.mark.parametrize("command", of_kind("pip", "install"))
def test_what_is_to_be_installed_is_in_the_clone_or_named_as_another_s(command: str) -> None:
    wanted = [word for word in shlex.split(command)[2:] if not word.startswith(("-", "http"))]
    for name in wanted:
        if name.startswith("."):
            asked = re.findall(r"[\w-]+", name)
            assert set(asked) <= set(PROJECT["optional-dependencies"])
        else:
            assert name in ELSEWHERE


@pytest.mark.parametrize("command", of_kind("explorative-user"))
def test_each_command_of_a_page_is_understood(command: str) -> None:
    known = dict(cli.commands_of(typer.main.get_command(cli.app())))
    # What a shell puts in for a variable is a number or a path: a number is both.
    words = shlex.split(re.sub(r"\$\w+", "7", command))[1:]
    name = next(name for name in known if words[: len(name.split())] == name.split())
    arguments = [each for each in words[len(name.split()) :] if each != "..."]
    known[name].make_context(name, arguments)


@pytest.mark.parametrize("extra", ["course", "plot", "play", "rl", "video"])
def test_the_command_of_a_message_installs_what_the_extra_brings(extra: str) -> None:
    command = extras.how_to_get(extra)
    assert sorted(shlex.split(command)[2:]) == sorted(PROJECT["optional-dependencies"][extra])


@pytest.mark.parametrize(
    ("version", "window"), [((3, 13, 9), "pygame>=2.5"), ((3, 14, 0), "pygame-ce>=2.5")]
)
def test_of_what_is_for_some_pythons_the_command_names_what_is_for_this_one(
    version: tuple[int, ...], window: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "version_info", version)
    assert shlex.split(extras.how_to_get("render"))[2:] == ["pillow>=10.1", window]


def test_every_condition_of_the_extras_is_one_that_is_understood() -> None:
    every = [each for extra in PROJECT["optional-dependencies"].values() for each in extra]
    conditions = [each.partition(";")[2].strip() for each in every if ";" in each]
    assert conditions
    assert all(extras.FOR_PYTHON.fullmatch(each) for each in conditions)


@pytest.mark.slow
def test_the_command_of_a_message_runs_in_any_folder(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    words = shlex.split(extras.how_to_get("plot"))
    finished = subprocess.run(
        [sys.executable, "-m", *words, "--dry-run", "--no-deps", "--no-index"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    assert "already satisfied: matplotlib" in finished.stdout


def test_what_was_not_installed_is_asked_for_from_its_folder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(extras, "DISTRIBUTION", "a-package-that-is-nowhere")
    assert extras.how_to_get("rl") == 'pip install ".[rl]"'


@pytest.mark.parametrize(
    ("extra", "modules"),
    [
        PAINTER[1:],
        VIDEO_NEEDS[1:],
        ("course", OPENS),
        ("render", WINDOW_NEEDS),
        ("play", SERVED_BY),
        ("plot", NEEDS),
        ("rl", BROUGHT),
    ],
)
def test_an_extra_brings_all_that_its_part_of_the_package_needs(
    extra: str, modules: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    brought = {re.split(r"[>;]", each)[0] for each in PROJECT["optional-dependencies"][extra]}
    assert set(extras.missing_of(modules)) <= brought


def test_a_missing_extra_is_one_line_with_that_command() -> None:
    with pytest.raises(MissingExtraError) as told:
        extras.require("pictures need", "plot", ("sys", "no_such_module", "nor_this"))
    command = extras.how_to_get("plot")
    assert str(told.value) == f"pictures need no-such-module and nor-this: {command}"
    extras.require("pictures need", "plot", ("sys",))
