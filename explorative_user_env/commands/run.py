"""Run a command: store its options and its runs, and print and write its results."""

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
from explorative_user_env.files import RUN_FILE, Folder, other_run
from explorative_user_env.protocol import name_of
from explorative_user_env.results import records
from explorative_user_env.validation import InvalidArgumentError, how_to_get

#: The command stored for a run with other users; the words from "--" on are an option.
OTHERS = "suite --user"


def places_of(output: Path) -> tuple[Path, Path]:
    """Return the folder and the file of runs for the value of `--output`, a folder or a file."""
    from explorative_user_env.results.store import ENDINGS  # it imports pandas

    file = output.suffix in ENDINGS
    return (output.with_suffix(""), output) if file else (output, output / RUN_FILE)


def places_around(path: Path) -> tuple[Path, Path]:
    """Return the folder and the file of a stored run; `path` is the folder or the file."""
    file = path / RUN_FILE if path.is_dir() else path
    return file.parent if file.name == RUN_FILE else file.with_suffix(""), file


@dataclass(frozen=True)
class Run:
    """A run of a command.

    Attributes:
        command: the name of the command.
        values: the values of all options that determine the results, by name.
        written: the names of the options that the command line states.
        users: the options of `Population`.
        options: the options of the functions that the command calls.
        workers: the argument `workers` or `executor` of `evaluate`, by name.
        usual: the default folder; None for a command without files.
        output: the value of `--output`.
        resume: the value of `--resume`, a file of runs.
        overwrite: whether the run may replace the files of another run.
    """

    command: str
    values: Mapping[str, Any]
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
        """Open the folder and the file of runs; after an interrupt, say how to continue the run.

        Args:
            agents: the agents, in a sequence or by name; the file stores their options.
            libraries: versions of other libraries that determine the results.
            usual: the default folder; None is the attribute `usual`.

        Raises:
            InvalidArgumentError: if the folder or file is not writable or belongs to another run.
        """
        from explorative_user_env.evaluation.runner import FEWEST_ARMS, agent_record
        from explorative_user_env.results import store as stores

        named = agents if isinstance(agents, Mapping) else {name_of(each): each for each in agents}
        line_up = {name: agent_record(agent, FEWEST_ARMS) for name, agent in named.items()}
        values = {"command": self.command, "options": self.values}
        mine = json.loads(json.dumps(values, default=str))
        request = mine | {"line-up": {"agents": line_up}, "libraries": dict(libraries or {})}
        made_by = mine | {"versions": records.versions_of()}

        def has_this_run(file: Path, finished: bool = False) -> bool:
            with suppress(InvalidArgumentError):
                stored = stores.about(file)
                same = mine == {name: stored.request[name] for name in mine}
                return same and (stored.finished or not finished)
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
        # A finished run of the same command is run again; its new rows equal the old rows.
        anew = self.overwrite or has_this_run(file, finished=True)
        # With --resume the file of runs is checked before the folder.
        folder = None if resumes else Folder(path, made_by, self.overwrite)
        argument = "resume" if resumes else "output"
        with stores.Store(file, request, argument, anew and not resumes) as store:
            folder = folder or Folder(path, made_by, self.overwrite)
            folder.others.append(file)
            if store.n_resumed:
                notice(f"continues {file}, which has {store.n_resumed} runs")
            try:
                yield folder, store
            except BaseException:
                n_runs = store.n_runs()
                if n_runs or store.n_pieces():
                    words = ["explorative-user", *words_of(self.command), "--resume", str(file)]
                    what = f"{n_runs} runs are" if n_runs else "the finished part is"
                    line = f"{what} in {file}; to continue: {shlex.join(words)}"
                    commands.unfinished[:] = [line]
                raise


def continue_with(resume: Path, name: str, given: dict[str, Any], written: Collection[str]) -> None:
    """Copy options of the stored run into `given`, except those that the command line states."""
    from explorative_user_env.results import store as stores

    if request := stores.request_resumed(resume):
        if words_of(other := request["command"]) != name.split():
            raise InvalidArgumentError("resume", str(resume), f"a run of {name}, not of {other}")
        before = request["options"]
        given |= {each: before[each] for each in given if each in before and each not in written}


def words_of(command: str) -> list[str]:
    """Return the words of a command's name."""
    return command.partition(" --")[0].split()


def say(*lines: str, style: str = "") -> None:
    """Print lines; on a terminal, wrap them between words."""
    width = page_width()
    for line in map(printable, lines):
        if is_terminal(sys.stdout):
            # A path or command that is broken across lines cannot be copied.
            wrapped = textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False)
            line = "\n".join(wrapped)
        _print(Text(line), style=style, soft_wrap=True)


def show(*sections: RenderableType) -> None:
    """Print sections, which are headings and tables."""
    for section in sections:
        (say if isinstance(section, str) else _print)(section)  # type: ignore[arg-type]


def _print(shown: RenderableType, **how: Any) -> None:
    file: Any = Unfailing(sys.stdout)  # a progress bar may have replaced sys.stdout
    Console(file=file, width=page_width(), highlight=False, markup=False).print(shown, **how)


def write_and_show(
    folder: Folder,
    contents: Mapping[str, Any],
    sections: Iterable[RenderableType],
    *,
    notes: Iterable[str] = (),
    cells: Iterable[Any] = (),
) -> None:
    """Write the files of a run, then print its tables and the names of the files.

    The tables are printed even if the files cannot be written. A figure that cannot be drawn is
    left out, and a line says why.

    Args:
        folder: the folder of the run.
        contents: the content of each file, by file name: text, a data frame, bytes, a function that
            draws a figure, or a function that writes the file. A Markdown page gets a last section
            that says how it was made.
        sections: headings and tables.
        notes: lines below the tables.
        cells: the options of each cell, which made_by.json then states.
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
            except Exception as error:  # print the tables
                undrawn.append(f"{name}: not drawn, {type(error).__name__}: {error}")
    written: list[Path] = []
    try:
        written = folder.write(files)
    finally:
        with suppress(KeyboardInterrupt):  # the files are already written
            show(*sections)
            say(*notes, style="dim")
            say(*undrawn)
            if written:
                every = [*written, *folder.others]
                here = [path for path in every if path in written or os.path.exists(path)]
                say(f"Files: {', '.join(map(str, here))}")
                gone = [path for path in every if path not in here]
                say(*(f"{path} is missing: its folder was moved during the run" for path in gone))
