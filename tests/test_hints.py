"""Every command that the package tells anyone works, from a clone and without an index."""

import re
import shlex
import sys
import tomllib
from pathlib import Path

import pytest
import typer
from snippets import blocks_of, commands_of

from explorative_user_env import commands as cli
from explorative_user_env import validation as extras
from explorative_user_env.commands.course import OPENS
from explorative_user_env.display.plots import NEEDS
from explorative_user_env.play.game import SERVED_BY
from explorative_user_env.rl import MODULES
from explorative_user_env.show.raster import PAINTER, VIDEO_NEEDS, WINDOW_NEEDS
from explorative_user_env.validation import MissingExtraError

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
PLACES = ("*.md", "examples/**/*.md", "docs/**/*.md")
PAGES = [page.read_text("utf-8") for place in PLACES for page in ROOT.glob(place)]
COMMANDS = {
    command
    for page in PAGES
    for block in blocks_of(page)
    if block.kind == "sh"
    for command in commands_of(block)
}


def test_each_command_of_a_page_is_understood(subtests):
    known = dict(cli.commands_of(typer.main.get_command(cli.app())))
    asked = [command for command in COMMANDS if command.startswith("explorative-user ")]
    assert len(asked) > 30
    for command in sorted(asked):
        with subtests.test(command):
            # What a shell puts in for a variable is a number or a path: a number is both.
            words = shlex.split(re.sub(r"\$\w+", "7", command))[1:]
            name = next(name for name in known if words[: len(name.split())] == name.split())
            arguments = [each for each in words[len(name.split()) :] if each != "..."]
            known[name].make_context(name, arguments)


def test_the_command_of_a_message_installs_what_the_extra_brings(monkeypatch):
    installed = re.findall(r"pip install [^\n`]*\.\[([\w,]+)\]", "\n".join(PAGES))
    assert "rl" in installed
    assert {name for names in installed for name in names.split(",")} <= set(EXTRAS)
    for extra in ("course", "plot", "play", "rl", "video"):
        assert sorted(shlex.split(extras.how_to_get(extra))[2:]) == sorted(EXTRAS[extra])
    for version, window in (((3, 13, 9), "pygame>=2.5"), ((3, 14, 0), "pygame-ce>=2.5")):
        monkeypatch.setattr(sys, "version_info", version)
        assert shlex.split(extras.how_to_get("render"))[2:] == ["pillow>=10.1", window]
    monkeypatch.setattr(extras, "DISTRIBUTION", "a-package-that-is-nowhere")
    assert extras.how_to_get("rl") == 'pip install ".[rl]"'


def test_an_extra_brings_all_that_its_part_of_the_package_needs(monkeypatch):
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    named = {"course": OPENS, "render": WINDOW_NEEDS, "play": SERVED_BY, "plot": NEEDS}
    for extra, modules in [PAINTER[1:], VIDEO_NEEDS[1:], *named.items(), ("rl", MODULES)]:
        brought = {re.split(r"[>;]", each)[0] for each in EXTRAS[extra]}
        assert set(extras.missing_of(modules)) <= brought
    monkeypatch.undo()
    with pytest.raises(MissingExtraError) as told:
        extras.require("pictures need", "plot", ("sys", "no_such_module", "nor_this"))
    command = extras.how_to_get("plot")
    assert str(told.value) == f"pictures need no-such-module and nor-this: {command}"
