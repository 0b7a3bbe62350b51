"""The command `explorative-user reproduce`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from explorative_user_env.commands.asked import Asked, keeps_what_was_asked
from explorative_user_env.commands.options import (
    DaskOption,
    OptionalOutputOption,
    QuickInstancesOption,
    QuickOption,
    SeedOption,
    WorkersOption,
    setting_named,
    shared_options,
    users_a_cell,
)
from explorative_user_env.validation import choice

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from explorative_user_env.files import Folder
    from explorative_user_env.studies.paper_verdicts import Calibration, Reproduction

ALL = "all"


@keeps_what_was_asked
def reproduce(
    asked: Asked,
    target: Annotated[
        str | None,
        typer.Argument(
            help="table2, table3, ..., table7, figure1a, figure1b or all.",
            show_default="the run's that is gone on with",
        ),
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option(help="printed or released; repeat for more.", show_default="both"),
    ] = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            help="Only these of the table's agents; repeat for more.", show_default="all of them"
        ),
    ] = None,
    quick: QuickOption = False,
    n_instances: QuickInstancesOption = None,
    seed: SeedOption = 0,
    workers: WorkersOption = 0,
    dask: DaskOption = None,
    output: OptionalOutputOption = None,
) -> None:
    """Run the paper's tables and figures, and judge each published figure in one report."""
    from explorative_user_env.commands.kept import kept_run
    from explorative_user_env.display.progress import portion, progress_bar
    from explorative_user_env.results.records import details_of
    from explorative_user_env.studies.paper import (
        EXPERIMENTS,
        quick_form,
        run_ladder,
        with_entrants,
    )
    from explorative_user_env.studies.paper_verdicts import calibration_of
    from explorative_user_env.studies.paper_verdicts import reproduce as run
    from explorative_user_env.users.settings import SETTINGS

    chosen = choice("target", target, (*EXPERIMENTS, ALL))
    experiments = list(EXPERIMENTS.values()) if chosen == ALL else [EXPERIMENTS[chosen]]
    users = users_a_cell(n_instances, quick)
    names = [setting_named(name) for name in dict.fromkeys(setting or SETTINGS)]
    options = shared_options(users, seed, workers, dask)
    if quick:
        experiments = [quick_form(experiment) for experiment in experiments]
    if agent:
        experiments = [with_entrants(experiment, agent) for experiment in experiments]
    whole = chosen == ALL
    with kept_run(asked, output or Path("results") / chosen) as (folder, store):
        with progress_bar() as report:
            share, rest = (portion(report, 0, 2) if whole else report), portion(report, 1, 2)
            found = run(experiments, names, progress=share, store=store, **options)
            ladder = run_ladder(progress=rest, store=store.aside(), **options) if whole else None
            calibration = calibration_of(found, seed, progress=report)
        cells = [cell.cell for one in found for results in one.results.values() for cell in results]
        folder.note(**details_of(cells))
        how = f"{users} users a cell, seed {seed}; settings: {', '.join(names)}."
        _write_and_show(found, ladder, calibration, how, folder, keep_runs=not whole)


def _write_and_show(
    found: "list[Reproduction]",
    ladder: "pd.DataFrame | None",
    calibration: "Calibration | None",
    how: str,
    folder: "Folder",
    keep_runs: bool,
) -> None:
    """Write the report and the figures, print what agrees, and say where they are."""
    import pandas as pd

    from explorative_user_env.commands.output import table_file, write_and_show
    from explorative_user_env.display.plots import can_plot
    from explorative_user_env.results.results import all_runs
    from explorative_user_env.results.tables import table_of
    from explorative_user_env.studies.paper_report import glance, short_titles
    from explorative_user_env.validation import how_to_get

    shown = []
    if len(found) == 1:
        for setting, summary in found[0].summaries.items():
            shown.append(table_of(summary, f"{found[0].experiment.title}, {setting}"))
    files = _report_files(found, ladder, calibration, how, folder)
    judged = [one.found for one in found if not one.found.empty]
    if judged:
        verdicts = pd.concat(judged, ignore_index=True)
        shown.append(glance(verdicts, short_titles(found), calibration))
        files["verdicts.csv"] = table_file(verdicts)
    if ladder is not None:
        files["ladder.csv"] = table_file(ladder)
    if keep_runs:
        results = [cell for cells in found[0].results.values() for cell in cells]
        files["runs.csv"] = table_file(all_runs(results))
    notes = [] if can_plot() else [f"For pictures in the report: {how_to_get('plot')}"]
    write_and_show(folder, files, shown, notes=notes)


def _report_files(
    found: "list[Reproduction]",
    ladder: "pd.DataFrame | None",
    calibration: "Calibration | None",
    how: str,
    folder: "Folder",
) -> "dict[str, Callable[[Path], object]]":
    """Return what writes the report in both forms, and all figures."""
    import pandas as pd

    from explorative_user_env.commands.output import binary_file, page_file, table_file, text_file
    from explorative_user_env.results.records import closing_section
    from explorative_user_env.studies.paper_report import report

    page = report(found, ladder, how, calibration)
    summaries = [
        summary.assign(experiment=one.experiment.name)
        for one in found
        for summary in one.summaries.values()
    ]
    return {
        "report.md": page_file(folder, page.markdown),
        "report.html": text_file(page.html(closing_section(folder.made_by))),
        "summary.csv": table_file(pd.concat(summaries)),
        **{name: binary_file(picture) for name, picture in page.pictures.items()},
    }
