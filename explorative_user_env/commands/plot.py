"""The command `explorative-user plot`."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from explorative_user_env.commands.asked import OverwriteOption
from explorative_user_env.validation import InvalidArgumentError

if TYPE_CHECKING:
    from explorative_user_env.commands.drawings import Drawing
    from explorative_user_env.display.progress import OnProgress
    from explorative_user_env.results.results import Results

PLOTS = "plots"
"""What the folder is called, in that of a run."""

DOTS = 200
"""Dots an inch: a plot is then as wide as a slide needs."""


def plot(
    path: Annotated[
        Path, typer.Argument(help="Folder of a command, or its file of runs, as run.sqlite.")
    ],
    output: Annotated[
        Path | None, typer.Option(help="Folder for the plots.", show_default="plots in the run's")
    ] = None,
    n_arms: Annotated[
        list[int] | None,
        typer.Option(help="Only cells with this K; repeat for more.", show_default="all"),
    ] = None,
    delta: Annotated[
        list[float] | None,
        typer.Option(help="Only cells with this delta; repeat for more.", show_default="all"),
    ] = None,
    overwrite: OverwriteOption = False,
) -> None:
    """Draw all plots that a run has, as PNG and SVG, also while it is going on."""
    from explorative_user_env.commands.drawings import NotDrawn, drawings_of
    from explorative_user_env.commands.kept import RUN_FILE, Places
    from explorative_user_env.commands.output import say
    from explorative_user_env.commands.show import state_of
    from explorative_user_env.display.plots import require_plot
    from explorative_user_env.files import Folder
    from explorative_user_env.results.records import versions_of
    from explorative_user_env.results.store import about

    require_plot()
    places = Places.around(path / RUN_FILE if path.is_dir() else path)
    told = about(places.file)
    cells = _chosen(places.file, n_arms, delta) if told.n_results else []
    found = list(drawings_of(told.request, places, cells))
    not_drawn = [f"{each.name}: {each.why}" for each in found if isinstance(each, NotDrawn)]
    drawings = [each for each in found if not isinstance(each, NotDrawn)]
    if not drawings:
        allowed = f"a run of which there is something to draw ({'; '.join(not_drawn) or 'no runs'})"
        raise InvalidArgumentError("path", str(path), allowed)
    options = {"path": str(places.file), "n_arms": n_arms, "delta": delta}
    made_by = {"command": "plot", "options": options, "versions": versions_of()}
    if output is not None:
        _not_the_run_s(output, places.folder)
    folder = Folder(output or places.folder / _name_of(n_arms, delta), made_by, overwrite)
    files, undrawn = _painted(drawings)
    if files:
        folder.write(files)
    say(state_of(told))
    say(*(f"Not drawn: {line}" for line in [*not_drawn, *undrawn]), style="dim")
    names = dict.fromkeys(name.rpartition(".")[0] for name in files)
    say(f"{folder.path}, as PNG and SVG: {', '.join(names)}")


def _not_the_run_s(output: Path, of_the_run: Path) -> None:
    """Make sure that plots do not take the place of the files that they are of.

    Raises:
        InvalidArgumentError: naming the folder, if they would.
    """
    from explorative_user_env.files import MADE_BY, from_json

    if output.resolve() != of_the_run.resolve():
        return
    try:
        made_by = from_json((output / MADE_BY).read_text(encoding="utf-8"))
    except (OSError, ValueError):  # nobody's folder, or one that the folder itself refuses
        return
    if not (isinstance(made_by, dict) and made_by.get("command") == "plot"):
        allowed = "another folder than the run's, as plots would take the place of its files"
        raise InvalidArgumentError("output", str(output), allowed)


def _name_of(n_arms: Sequence[int] | None, delta: Sequence[float] | None) -> str:
    """Return what a folder is called that has the plots of some cells."""
    arms = [f"K{value}" for value in n_arms or ()]
    return "-".join([PLOTS, *arms, *(f"delta{value:g}" for value in delta or ())])


def _chosen(
    file: Path, n_arms: Sequence[int] | None, delta: Sequence[float] | None
) -> "list[Results]":
    """Return the results of a file, those with some K and delta if that is asked for."""
    from explorative_user_env.results.results import Sweep, load

    loaded = load(file)
    cells = list(loaded.cells) if isinstance(loaded, Sweep) else [loaded]
    for name, wanted in (("n_arms", n_arms), ("delta", delta)):
        there = list(dict.fromkeys(each.cell[name] for each in cells))
        for value in wanted or ():
            if value not in there:
                raise InvalidArgumentError(name, value, f"one of {', '.join(map(str, there))}")
        cells = [each for each in cells if not wanted or each.cell[name] in wanted]
    return cells


def _painted(
    drawings: "Sequence[Drawing]",
) -> tuple[dict[str, Callable[[Path], object]], list[str]]:
    """Return what writes the files of each drawing, and why others could not be drawn."""
    from explorative_user_env.commands.output import binary_file
    from explorative_user_env.display.progress import portion, progress_bar

    files: dict[str, Callable[[Path], object]] = {}
    undrawn = []
    with progress_bar() as report:
        for place, drawing in enumerate(drawings):
            told = portion(report, place, len(drawings))
            told(f"drawing {drawing.name}", 0, 1)
            try:
                painted = _files_of(drawing, told)
            except Exception as error:  # one picture is not worth the others
                undrawn.append(f"{drawing.name}: {type(error).__name__}: {error}")
            else:
                files |= {name: binary_file(data) for name, data in painted.items()}
    return files, undrawn


def _files_of(drawing: "Drawing", progress: "OnProgress") -> dict[str, bytes]:
    from explorative_user_env.display.plots import as_png, as_svg

    axes = drawing.draw(progress)
    title = f"{drawing.name}: {drawing.about}"
    return {
        f"{drawing.name}.png": as_png(axes, DOTS),
        f"{drawing.name}.svg": as_svg(axes, title),
    }
