"""The blocks of a page, run as its reader would: Python in one session, commands in one folder."""

import re
import shlex
from typing import NamedTuple

import pytest
import tiny_commands
from processes import python

from explorative_user_env.validation import MissingExtraError

# What a page may import that not everyone has.
OPTIONAL = {"distributed", "matplotlib", "numba", "sb3_contrib", "stable_baselines3", "torch"}

_BLOCK = re.compile(
    r"^(?P<indent> *)(?:<!-- not run: (?P<reason>[^\n]+?) -->\n *)?"
    r"```(?P<kind>\w+)(?P<marked> no-run)?\n(?P<text>.*?)^ *```$",
    re.DOTALL | re.MULTILINE,
)


class Block(NamedTuple):
    kind: str  # "python", "sh", "text" or another language
    text: str
    line: int  # of the page
    not_run: str | None  # the reason why no test runs it


def blocks_of(page):
    """Yield the blocks of a page, of which one marked as not run has to say why."""
    for found in _BLOCK.finditer(page):
        line = page.count("\n", 0, found.start("kind")) + 1
        assert found["reason"] or not found["marked"], f"line {line}: no reason why it is not run"
        text = re.sub(rf"^{found['indent']}", "", found["text"], flags=re.MULTILINE)
        yield Block(found["kind"], text, line, found["reason"])


def commands_of(block):
    for line in block.text.replace("\\\n", " ").splitlines():
        for command in line.split("&&"):
            words = command.split("#")[0].strip()
            if words:
                yield words


def follow(page, folder, capsys):
    """Do what a page says in a folder; skip the test for want of something optional."""
    space = {"__name__": "page"}
    printed = None
    for block in blocks_of(page.read_text(encoding="utf-8")):
        place = f"{page.name}:{block.line}"
        if block.kind == "text":
            if printed is not None:
                assert_shown(block.text, printed, place)
            continue
        printed = None
        if block.not_run is not None or block.kind not in ("python", "sh"):
            continue
        if block.kind == "python":
            _session(block, place, folder, space)
        else:
            _terminal(block, place, folder, capsys)
        printed = capsys.readouterr().out


def _session(block, place, folder, space):
    """Run a Python block, and write it if it says which file it is."""
    if named := re.match(r"# (\w+\.py)\n", block.text):
        (folder / named[1]).write_text(block.text, encoding="utf-8")
    try:
        exec(compile(block.text, place, "exec"), space)
    except (MissingExtraError, ModuleNotFoundError) as error:
        if isinstance(error, ModuleNotFoundError) and error.name.split(".")[0] not in OPTIONAL:
            raise
        pytest.skip(f"{place}: {error}")


def _terminal(block, place, folder, capsys):
    """Run the commands of a shell block; what is to be installed is there."""
    before = ""
    for command in commands_of(block):
        program, *words = shlex.split(command)
        if program == "explorative-user":
            code = tiny_commands.run(*words)
            out, err = capsys.readouterr()
            if code != 0 and "pip install" in err:
                pytest.skip(f"{place}: {err.strip()}")
            assert code == 0, f"{place}: {command}: {err}"
            before += out
        elif program == "pytest":
            finished = python("-m", "pytest", "-p", "no:cacheprovider", *words, folder=folder)
            assert finished.returncode == 0, f"{place}: {finished.stdout}{finished.stderr}"
        else:
            assert program == "pip", f"{place}: say why {program} is not run"
    print(before, end="")


def assert_shown(shown, printed, place):
    """Make sure that what a page shows is what is printed; a line `...` stands for any lines."""
    wanted, found = (
        "\n".join(line.rstrip() for line in text.strip("\n").splitlines())
        for text in (shown, printed)
    )
    parts = re.split(r"^\.\.\.$", wanted, flags=re.MULTILINE)
    pattern = "(?s:.*)".join(re.escape(part) for part in parts)
    assert re.fullmatch(pattern, found), f"{place} shows\n{wanted}\nand this is printed\n{found}"
