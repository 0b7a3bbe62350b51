"""The page of the command line: every command and option, as `--help` has them."""

import re
from collections.abc import Iterator
from typing import Any

import typer
from sphinx.application import Sphinx

from explorative_user_env import cli
from extensions import source
from extensions.places import fill

_DEFAULT = re.compile(r"\s*\[(?:default: \(?(.*?)\)?|(required))\]$", flags=re.DOTALL)
_OPTION = re.compile(r"`[^`]*`|(?<![\w-])(--[a-z][a-z0-9-]*)")


def page(env: Any, docname: str, what: str) -> Iterator[str]:
    """Yield the lines of the page, in Markdown."""
    group: Any = typer.main.get_command(cli.app())
    commands = dict(cli.commands_of(group))
    yield from (group.help, "", "| command | what it does |", "| :--- | :--- |")
    for words, command in commands.items():
        yield f"| [`{words}`](#{_label(words)}) | {_first_line(command.help)} |"
    for words, command in commands.items():
        yield from ("", f"({_label(words)})=", f"## {words}", "", command.help, "")
        yield from _options(command)


def _label(words: str) -> str:
    return words.replace(" ", "-")


def _options(command: Any) -> Iterator[str]:
    """Yield the table of what a command takes."""
    yield from ("| option | what it is | default |", "| :--- | :--- | :--- |")
    context = typer.Context(command)
    for option in command.params:
        record = option.get_help_record(context)
        if record is not None:
            spelled, about = record
            found = _DEFAULT.search(about)
            default = "" if found is None else found[1] or found[2]
            about = _DEFAULT.sub("", about)
            yield f"| `{spelled}` | {_marked(about)} | {_marked(default)} |"


def _marked(text: str) -> str:
    """Return words of the command line as Markdown: options as code, one line in a table."""
    marked = _OPTION.sub(lambda it: f"`{it[1]}`" if it[1] else it[0], " ".join(text.split()))
    return marked.replace("|", "\\|")


def _first_line(about: str) -> str:
    return _marked(about.split("\n\n")[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the place."""
    fill(app, "command-line", page, lambda: source.modules(source.ROOT).values())
    return {"parallel_read_safe": True, "parallel_write_safe": True}
