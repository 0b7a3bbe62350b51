"""The command `explorative-user show`."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from explorative_user_env.results.store import About

RunArgument = Annotated[
    Path, typer.Argument(help="File of runs, as run.sqlite in the folder of a command.")
]


def show_run(path: RunArgument) -> None:
    """Show what a file of runs has, also while it is being written: its table and what made it."""
    from explorative_user_env.commands.output import say, show
    from explorative_user_env.results.results import load, summaries_of
    from explorative_user_env.results.store import about
    from explorative_user_env.results.tables import legend_of, table_of

    told = about(path)
    say(*_lines(told))
    if told.n_results:
        said: list[str] = []
        for title, summary in summaries_of(load(path)):
            show(table_of(summary, title))
            say(*(line for line in legend_of(summary) if line not in said), style="dim")
            said += legend_of(summary)


def state_of(told: "About") -> str:
    """Return how far a run is, in a line."""
    state = "finished" if told.finished else "not finished"
    cells = f"{told.n_results} cell{'s' * (told.n_results != 1)}"
    return f"{told.request['command']}: {state}, {told.n_runs} runs in {cells}"


def _lines(told: "About") -> Iterator[str]:
    """Yield what there is to say of a run before its table."""
    yield state_of(told)
    yield f"asked for: {_in_words(told.request['options'])}"
    for session in told.sessions:
        made_by, how = session["made_by"], session["how"] or "it goes on, or was killed"
        yield f"{session['began']} to {session['ended'] or '?'} ({how}): {made_by['command']}"
        yield f"  on {_in_words(made_by['machine'])}, commit {made_by['commit'] or 'unknown'}"
    made_with = told.request["versions"] | told.request["made with"]
    yield f"made with: {_in_words(made_with)}"


def _in_words(options: Mapping[str, Any]) -> str:
    """Return options in a line; of records inside only agents are told, by their names."""
    words = []
    for name, value in options.items():
        if isinstance(value, Mapping):
            value = ", ".join(value) if name == "agents" else "..."
        if value is not None:
            words.append(f"{name}={value}")
    return ", ".join(words)
