"""A run of a command: its options, the folder of its files, and the file that keeps its runs."""

import json
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from explorative_user_env.display.progress import notice
from explorative_user_env.evaluation.request import FEWEST_ARMS, agent_record
from explorative_user_env.files import Folder, other_run
from explorative_user_env.protocol import name_of
from explorative_user_env.results import store as stores
from explorative_user_env.results.records import versions_of
from explorative_user_env.validation import InvalidArgumentError

#: The file of runs in a folder.
RUN_FILE = "run.sqlite"

#: The command of a run with users who are not the paper's; words from "--" on do not call it.
OTHERS = "suite --user"

#: What to say of the run that did not finish.
_interrupted: list[str] = []


class Places(NamedTuple):
    """Where the files of a run are.

    Attributes:
        folder: the tables and pictures.
        file: the runs.
    """

    folder: Path
    file: Path

    @classmethod
    def of(cls, output: Path) -> "Places":
        """Return the places for `--output`, a folder or a file of runs."""
        if output.suffix in stores.ENDINGS:
            return cls(output.with_suffix(""), output)
        return cls(output, output / RUN_FILE)

    @classmethod
    def around(cls, path: Path) -> "Places":
        """Return the places of a run by its file of runs, or its folder."""
        file = path / RUN_FILE if path.is_dir() else path
        return cls(file.parent if file.name == RUN_FILE else file.with_suffix(""), file)


@dataclass(frozen=True)
class Run:
    """A run of a command.

    Attributes:
        command: the words that call it.
        usual: the default folder.
        asked: all options that its numbers follow from, by name.
        written: the options that were written on the command line.
        output: the folder or file that was asked for.
        resume: the file of the run that is continued.
        overwrite: whether the files of another run may be written over.
        users: the options of `Population`.
        options: the options of the functions that the command calls.
        workers: who does the runs, as arguments of `evaluate`.
    """

    command: str
    usual: Path
    asked: Mapping[str, Any]
    written: Collection[str]
    output: Path | None
    resume: Path | None
    overwrite: bool
    users: dict[str, Any]
    options: dict[str, Any]
    workers: dict[str, Any]

    def refuse(self, allowed: str, *names: str) -> None:
        """Raise InvalidArgumentError if one of some options was written on the command line."""
        for name in names:
            if name in self.written:
                raise InvalidArgumentError(name, self.asked[name], allowed)

    @contextmanager
    def opened(
        self,
        agents: Sequence[Any] | Mapping[str, Any] = (),
        libraries: Mapping[str, str] | None = None,
        usual: Path | None = None,
    ) -> Iterator[tuple[Folder, stores.Store]]:
        """Open the folder and the file of runs; an interrupted run says how to continue it.

        Args:
            agents: the line-up, which the options do not describe in full; by name, or as agents.
            libraries: versions of libraries that the numbers rest on besides the package's.
            usual: the folder in place of the command's default.

        Raises:
            InvalidArgumentError: if either cannot be written to, or has another run.
        """
        named = agents if isinstance(agents, Mapping) else {name_of(each): each for each in agents}
        line_up = {name: agent_record(agent, FEWEST_ARMS) for name, agent in named.items()}
        mine = json.loads(json.dumps({"command": self.command, "options": self.asked}, default=str))
        request = mine | {"line-up": {"agents": line_up}, "libraries": dict(libraries or {})}
        made_by = mine | {"versions": versions_of()}
        resumes = self.resume is not None

        def has_this_run(file: Path, finished: bool = False) -> bool:
            with suppress(InvalidArgumentError):
                kept = stores.about(file)
                same = mine == {name: kept.request[name] for name in mine}
                return same and (kept.finished or not finished)
            return False

        def may_use(places: Places) -> bool:
            return (
                self.overwrite
                or not places.folder.is_dir()
                or (
                    not other_run(places.folder, made_by)
                    and (not places.file.exists() or has_this_run(places.file))
                )
            )

        if self.resume is not None:
            output = self.output or Places.around(self.resume).folder
            folder_path, file = Places.of(output).folder, self.resume
        elif self.output is not None:
            folder_path, file = Places.of(self.output)
        else:
            path = usual or self.usual
            paths = (path if n == 1 else path.with_name(f"{path.name}-{n}") for n in count(1))
            folder_path, file = next(filter(may_use, map(Places.of, paths)))
        # A finished run is begun anew, to the same rows.
        anew = self.overwrite or has_this_run(file, finished=True)
        # Of a run that is continued, the file says first whether it is the same.
        folder = None if resumes else Folder(folder_path, made_by, self.overwrite)
        argument = "resume" if resumes else "output"
        with stores.Store(file, request, argument, anew and not resumes) as store:
            folder = folder or Folder(folder_path, made_by, self.overwrite)
            folder.beside.append(file)
            if store.n_found:
                notice(f"goes on with {store.n_found} runs of {file}")
            try:
                yield folder, store
            except BaseException:
                n_runs = store.n_runs()
                if n_runs or store.n_kept():
                    words = ["explorative-user", *words_of(self.command), "--resume", str(file)]
                    what = f"{n_runs} runs are" if n_runs else "what was finished is"
                    _interrupted[:] = [f"{what} in {file}; to go on: {shlex.join(words)}"]
                raise


def continue_with(
    resume: Path, command: str, given: dict[str, Any], written: Collection[str]
) -> None:
    """Put the options of a run that is continued among those given, unless they are written.

    Raises:
        InvalidArgumentError: if it is of another command.
    """
    if request := stores.request_resumed(resume):
        if words_of(request["command"]) != command.split():
            allowed = f"a run of {command} (it is of {request['command']})"
            raise InvalidArgumentError("resume", str(resume), allowed)
        before = request["options"]
        given |= {each: before[each] for each in given if each in before and each not in written}


def words_of(command: str) -> list[str]:
    """Return the words that call a command."""
    return command.partition(" --")[0].split()


def where_it_is_kept() -> str:
    """Return, once, where an interrupted run is kept; empty if it is not."""
    return _interrupted.pop() if _interrupted else ""
