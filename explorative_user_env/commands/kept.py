"""The run of a command, kept in a file while it goes on, so that it can be gone on with."""

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from explorative_user_env.results.store import ENDINGS

if TYPE_CHECKING:
    from explorative_user_env.commands.asked import Asked
    from explorative_user_env.files import Folder
    from explorative_user_env.results.store import Store

RUN_FILE = "run.sqlite"
"""What the file is called in a folder of a command's files."""

_broken_off: list[str] = []
"""What is to be said of a run that did not come to its end, once it has been."""


class Places(NamedTuple):
    """Where a command writes its files, and where it keeps its runs."""

    folder: Path
    file: Path

    @classmethod
    def of(cls, output: Path) -> "Places":
        """Return the places for a folder, or for a file of runs: its folder is called like it."""
        if output.suffix in ENDINGS:
            return cls(output.with_suffix(""), output)
        return cls(output, output / RUN_FILE)

    @classmethod
    def around(cls, file: Path) -> "Places":
        """Return the places that a file of runs was made for."""
        return cls(file.parent if file.name == RUN_FILE else file.with_suffix(""), file)


@contextmanager
def kept_run(
    asked: "Asked",
    output: Path,
    agents: Sequence[Any] | Mapping[str, Any] = (),
    libraries: Mapping[str, str] | None = None,
) -> "Iterator[tuple[Folder, Store]]":
    """Open the folder and the file of runs of a command, which is told beside its files.

    Args:
        asked: what the command was asked for.
        output: the folder, or the file.
        agents: who takes part, where the options do not say all of it: with their own options;
            by other names than their own where these are not enough.
        libraries: versions of libraries, besides those that all runs rest on.

    Raises:
        InvalidArgumentError: if either cannot be written to, or has another run.
    """
    from explorative_user_env.display.progress import notice
    from explorative_user_env.evaluation.runner import FEWEST_ARMS, agent_record
    from explorative_user_env.protocol import name_of
    from explorative_user_env.results.store import Store

    places = _places(asked, output)
    # Of what is gone on with, the file says first whether it is the same.
    folder = asked.folder(places.folder) if asked.resume is None else None
    named = agents if isinstance(agents, Mapping) else {name_of(each): each for each in agents}
    own = {name: agent_record(agent, FEWEST_ARMS) for name, agent in named.items()}
    request = {"command": asked.command, "options": dict(asked.options)}
    request |= {"line-up": {"agents": own}, "libraries": dict(libraries or {})}
    argument = "output" if asked.resume is None else "resume"
    with Store(places.file, request, argument, _overwrites(asked, places.file)) as store:
        folder = folder or asked.folder(places.folder)
        folder.beside.append(places.file)
        if store.n_found:
            notice(f"goes on with {store.n_found} runs of {places.file}")
        try:
            yield folder, store
        except BaseException:
            _note_broken_off(asked.command, store)
            raise


def _places(asked: "Asked", output: Path) -> Places:
    """Return where the files and the runs of a command are."""
    places = Places.of(output)
    if asked.resume is None:
        return places
    folder = places.folder if asked.says_output else Places.around(asked.resume).folder
    return Places(folder, asked.resume)


def _overwrites(asked: "Asked", file: Path) -> bool:
    """Return whether a file of runs is replaced."""
    from explorative_user_env.results.store import is_finished, request_in

    if asked.resume is not None or asked.overwrite:
        return asked.resume is None
    # What is finished is run again by who asks for it again, and comes to the same rows.
    mine = json.loads(json.dumps({"command": asked.command, "options": asked.options}))
    return is_finished(file) and {name: request_in(file)[name] for name in mine} == mine


def _note_broken_off(command: str, store: "Store") -> None:
    n_runs = store.n_runs()
    if n_runs or store.n_kept():
        again = shlex.join(["explorative-user", command, "--resume", str(store.path)])
        what = f"{n_runs} runs are" if n_runs else "what was finished is"
        _broken_off[:] = [f"{what} in {store.path}; to go on: {again}"]


def what_is_kept() -> str:
    """Return what is to be said of a run that was broken off, once; nothing if none is kept."""
    return _broken_off.pop() if _broken_off else ""
