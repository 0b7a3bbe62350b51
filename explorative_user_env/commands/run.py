"""A run of a command: its options, the folder and the file that keep it, and what it prints."""

import itertools
import json
import os
import shlex
import sys
import textwrap
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console, RenderableType
from rich.text import Text

from explorative_user_env import commands
from explorative_user_env.display import plots
from explorative_user_env.display.progress import notice
from explorative_user_env.display.text import Unfailing, is_terminal, page_width, printable
from explorative_user_env.files import Folder, other_run
from explorative_user_env.protocol import name_of
from explorative_user_env.results import records
from explorative_user_env.validation import InvalidArgumentError, how_to_get

#: The file of runs in a folder.
RUN_FILE = "run.sqlite"

#: The command of a run with users who are not the paper's; words from "--" on do not call it.
OTHERS = "suite --user"


def places_of(output: Path) -> tuple[Path, Path]:
    """Return the folder and the file of runs for `--output`, which is either."""
    from explorative_user_env.results.store import ENDINGS  # which imports pandas

    file = output.suffix in ENDINGS
    return (output.with_suffix(""), output) if file else (output, output / RUN_FILE)


def places_around(path: Path) -> tuple[Path, Path]:
    """Return the folder and the file of runs of a run, by either."""
    file = path / RUN_FILE if path.is_dir() else path
    return file.parent if file.name == RUN_FILE else file.with_suffix(""), file


@dataclass(frozen=True)
class Run:
    """A run of a command.

    Attributes:
        command: the words that call it.
        asked: all options that its numbers follow from, by name.
        written: the options that were written on the command line.
        users: the options of `Population`.
        options: the options of the functions that the command calls.
        workers: who does the runs, as arguments of `evaluate`.
        usual: the default folder, None of a command without files.
        output: the folder or file that was asked for.
        resume: the file of the run that is continued.
        overwrite: whether the files of another run may be written over.
    """

    command: str
    asked: Mapping[str, Any]
    written: Collection[str]
    users: dict[str, Any]
    options: dict[str, Any]
    workers: dict[str, Any]
    usual: str | None
    output: Path | None = None
    resume: Path | None = None
    overwrite: bool = False

    @contextmanager
    def opened(
        self,
        agents: Sequence[Any] | Mapping[str, Any] = (),
        libraries: Mapping[str, str] | None = None,
        usual: str | None = None,
    ) -> Iterator[tuple[Folder, Any]]:
        """Open the folder and the file of runs; an interrupted run says how to continue it.

        Args:
            agents: the line-up, which the options do not describe in full; by name, or as agents.
            libraries: versions of libraries that the numbers rest on besides the package's.
            usual: the folder in place of the command's default.

        Raises:
            InvalidArgumentError: if either cannot be written to, or has another run.
        """
        from explorative_user_env.evaluation.runner import FEWEST_ARMS, agent_record
        from explorative_user_env.results import store as stores

        named = agents if isinstance(agents, Mapping) else {name_of(each): each for each in agents}
        line_up = {name: agent_record(agent, FEWEST_ARMS) for name, agent in named.items()}
        mine = json.loads(json.dumps({"command": self.command, "options": self.asked}, default=str))
        request = mine | {"line-up": {"agents": line_up}, "libraries": dict(libraries or {})}
        made_by = mine | {"versions": records.versions_of()}

        def has_this_run(file: Path, finished: bool = False) -> bool:
            with suppress(InvalidArgumentError):
                kept = stores.about(file)
                same = mine == {name: kept.request[name] for name in mine}
                return same and (kept.finished or not finished)
            return False

        if self.resume is not None:
            path, file = places_of(self.output or places_around(self.resume)[0])[0], self.resume
        elif self.output is not None:
            path, file = places_of(self.output)
        else:
            first = Path(usual or self.usual or "")
            for n in itertools.count(1):
                path, file = places_of(first if n == 1 else first.with_name(f"{first.name}-{n}"))
                if self.overwrite or not path.is_dir():
                    break
                if not other_run(path, made_by) and (not file.exists() or has_this_run(file)):
                    break
        resumes = self.resume is not None
        # A finished run is begun anew, to the same rows.
        anew = self.overwrite or has_this_run(file, finished=True)
        # Of a run that is continued, the file says first whether it is the same.
        folder = None if resumes else Folder(path, made_by, self.overwrite)
        argument = "resume" if resumes else "output"
        with stores.Store(file, request, argument, anew and not resumes) as store:
            folder = folder or Folder(path, made_by, self.overwrite)
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
                    line = f"{what} in {file}; to go on: {shlex.join(words)}"
                    commands.unfinished[:] = [line]
                raise


def continue_with(resume: Path, name: str, given: dict[str, Any], written: Collection[str]) -> None:
    """Put the options of a run that is continued among those given, unless they are written."""
    from explorative_user_env.results import store as stores

    if request := stores.request_resumed(resume):
        if words_of(request["command"]) != name.split():
            allowed = f"a run of {name} (it is of {request['command']})"
            raise InvalidArgumentError("resume", str(resume), allowed)
        before = request["options"]
        given |= {each: before[each] for each in given if each in before and each not in written}


def words_of(command: str) -> list[str]:
    """Return the words that call a command."""
    return command.partition(" --")[0].split()


def say(*lines: str, style: str = "") -> None:
    """Print lines, folded between words on a terminal."""
    width = page_width()
    for line in map(printable, lines):
        if is_terminal(sys.stdout):
            # A path or command that is longer than the page is no more one when cut.
            folds = textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False)
            line = "\n".join(folds)
        _print(Text(line), style=style, soft_wrap=True)


def show(*sections: RenderableType) -> None:
    """Print headings and tables."""
    for section in sections:
        (say if isinstance(section, str) else _print)(section)  # type: ignore[arg-type]


def _print(shown: RenderableType, **how: Any) -> None:
    file: Any = Unfailing(sys.stdout)  # as it is now: a progress bar may have replaced it
    Console(file=file, width=page_width(), highlight=False, markup=False).print(shown, **how)


def write_and_show(
    folder: Folder,
    contents: Mapping[str, Any],
    sections: Iterable[RenderableType],
    *,
    notes: Iterable[str] = (),
    cells: Iterable[Any] = (),
) -> None:
    """Write the files of a run, then print its tables and where the files are.

    Where the files cannot be written, the tables are printed all the same. A picture that cannot be
    drawn is left out, and a line says why.

    Args:
        folder: the folder of the run.
        contents: by the name of a file: a text (with a section on what made it, if it is a page),
            a frame, bytes, a function that draws a picture, or one that writes the file.
        sections: headings and tables.
        notes: lines below them.
        cells: the cells that were evaluated, for the manifest.
    """
    if cells := list(cells):
        folder.note(**records.details_of(cells))
    files: dict[str, Callable[[Path], object]] = {}
    undrawn = []
    for name, content in contents.items():
        if hasattr(content, "to_csv"):
            files[name] = partial(content.to_csv, index=False)
        elif isinstance(content, bytes):
            files[name] = partial(Path.write_bytes, data=content)
        elif isinstance(content, str):
            if name.endswith(".md") and folder.made_by:
                content = f"{content}\n{records.closing_section(folder.made_by)}"
            files[name] = partial(Path.write_text, data=content, encoding="utf-8")
        elif not name.endswith(".png"):
            files[name] = content
        elif not plots.can_plot():
            undrawn.append(f"For {name}: {how_to_get('plot')}")
        else:
            try:
                files[name] = partial(Path.write_bytes, data=plots.as_png(content()))
            except Exception as error:  # tables are worth more than a picture of them
                undrawn.append(f"{name}: not drawn, {type(error).__name__}: {error}")
    written: list[Path] = []
    try:
        written = folder.write(files)
    finally:
        with suppress(KeyboardInterrupt):  # the files are written
            show(*sections)
            say(*notes, style="dim")
            say(*undrawn)
            if written:
                every = [*written, *folder.beside]
                here = [path for path in every if path in written or os.path.exists(path)]
                say(f"Files: {', '.join(map(str, here))}")
                gone = [path for path in every if path not in here]
                say(*(f"{path} is not there: its folder was moved meanwhile" for path in gone))
