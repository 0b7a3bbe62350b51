"""The commands `explorative-user paper`: `tables`, `tune-n1` and `lower-bound`."""

import sys
from functools import partial
from typing import Annotated, Any

import pandas as pd
import typer

from explorative_user_env.commands.options import command, users_a_cell
from explorative_user_env.commands.run import Run, say, write_and_show
from explorative_user_env.display.plots import can_plot
from explorative_user_env.display.progress import portion, progress_bar
from explorative_user_env.display.tables import markdown
from explorative_user_env.results.records import closing_section, details_of
from explorative_user_env.results.results import all_runs
from explorative_user_env.results.tables import table_of
from explorative_user_env.studies import lower_bound as bound
from explorative_user_env.studies import paper_report, tuning
from explorative_user_env.studies.paper import EXPERIMENTS, quick_form, run_ladder, with_entrants
from explorative_user_env.studies.paper_report import calibration_of, reproduce
from explorative_user_env.theory import hard_pair
from explorative_user_env.users.population import SETTINGS
from explorative_user_env.validation import choice, how_to_get, integer, risk

#: The deltas of the bounds; the smallest need more users to be measured.
DELTAS = (0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002)

#: N_0 of the lower bound's pair of users: about the acceptances that agents reach.
N0 = 1000


@command(
    "paper tables",
    first="quick n_instances setting agent seed",
    keeps="results/TARGET",
    parallel=True,
)
def tables(
    run: Run,
    target: Annotated[
        str | None, typer.Argument(show_default="that of the run to be continued")
    ] = None,
    setting: list[str] | None = None,
    agent: list[str] | None = None,
    quick: bool = False,
    n_instances: int | None = None,
    seed: int = 0,
) -> None:
    """Reproduce the paper's tables and plots, and report which published figures agree with ours.

    Example: explorative-user paper tables table2 --quick

    Options:
        target: table2, table3, ..., table7, figure1a, figure1b or all.
        setting: printed or released; repeat for more. None is both.
        agent: Run only this agent of the table; repeat for more. None is all.
        quick: Run 100 users for each cell of a table, and only cells with at most 20 arms. The
            default is 1000 users for each cell.
    """
    chosen = choice("target", target, (*EXPERIMENTS, "all"))
    full, users = chosen == "all", users_a_cell(n_instances, quick)
    names = [choice("setting", name, SETTINGS) for name in dict.fromkeys(setting or SETTINGS)]
    experiments = list(EXPERIMENTS.values()) if full else [EXPERIMENTS[chosen]]
    experiments = [quick_form(each) if quick else each for each in experiments]
    experiments = [with_entrants(each, agent) if agent else each for each in experiments]
    options: dict[str, Any] = {"n_instances": users, "seed": seed, **run.workers}
    with run.opened(usual=f"results/{chosen}") as (folder, store):
        with progress_bar() as progress:
            share, rest = (portion(progress, 0, 2) if full else progress), portion(progress, 1, 2)
            studies = reproduce(experiments, names, progress=share, store=store, **options)
            ladder = run_ladder(progress=rest, store=store.aside(), **options) if full else None
            calibration = calibration_of(studies, seed, progress=progress)
        cells = [each for one in studies for results in one.results.values() for each in results]
        folder.note(**details_of([each.cell for each in cells]))
        how = f"{users} users a cell, seed {seed}; settings: {', '.join(names)}."
        page, pictures = paper_report.report(studies, ladder, how, calibration)
        summaries = [(one.experiment, *each) for one in studies for each in one.summaries.items()]
        contents: dict[str, Any] = {
            "report.md": page,
            "report.html": paper_report.as_html(page + closing_section(folder.made_by), pictures),
            "summary.csv": pd.concat(each.assign(experiment=of.name) for of, _, each in summaries),
            **pictures,
        }
        shown: list[Any] = []
        if len(studies) == 1:
            shown = [table_of(each, f"{of.title}, {name}") for of, name, each in summaries]
        if judged := [one.figures for one in studies if not one.figures.empty]:
            contents["verdicts.csv"] = pd.concat(judged, ignore_index=True)
            shown.append(paper_report.glance(contents["verdicts.csv"], calibration))
        if ladder is not None:
            contents["ladder.csv"] = ladder
        if not full:
            contents["runs.csv"] = all_runs(cells)
        notes = [] if can_plot() else [f"For pictures in the report: {how_to_get('plot')}"]
        write_and_show(folder, contents, shown, notes=notes)


@command(
    "paper tune-n1",
    "studies.tuning.tune_n1",
    options="delta error n_instances confirm max_steps seed",
    first="n_arms delta gap alpha seed",
    users={"n_arms": 20, "setting": "released"},
    keeps="results/tune-n1",
    parallel=True,
)
def tune_n1(run: Run) -> None:
    """Find the least N_1 with which BAIR is right with probability at least 1 - delta.

    The paper leaves this N_1 open; the command finds it for one distribution of users. A binary
    search tests each N_1 with a sequential test, and bounds the probability that any test is wrong.
    New users then confirm the result. `bench --agent bair-tuned:DIR` runs BAIR with this N_1.

    Example: explorative-user paper tune-n1 --n-arms 5 --delta 0.1
    """
    header = iter([tuning.SEARCH_HEADER])  # say() prints this line before the first row only

    failure = ""
    with run.opened() as (folder, store):
        try:
            how = run.options | run.users | run.workers
            study = tuning.tune_n1(
                on_candidate=lambda each: say(*header, tuning.search_line(each)), store=store, **how
            )
        except tuning.NoneFoundError as none:  # the run is complete without a result
            failure = f"error: {none}; its runs are in {store.path}"
        else:
            contents = {
                "tuned.json": study.tuned.save,
                "search.csv": study.search(),
                tuning.FRONTIER_FILE: study.frontier,
                "table.md": tuning.tuning_page(study),
                "frontier.png": lambda: tuning.frontier_figure(study),
            }
            table = tuning.frontier_table(study)
            sections: list[Any] = [tuning.title(study), table, *tuning.sentences(study)]
            write_and_show(folder, contents, sections, cells=study.frontier.attrs["cells"])
    if failure:
        print(failure, file=sys.stderr)
        raise typer.Exit(1)
    say(f"explorative-user bench --agent bair-tuned:{folder.path}")


@command(
    "paper lower-bound",
    "studies.lower_bound.success",
    options="seed",
    # With a small alpha, the growth of T as delta^(-1/alpha) shows within measurable runs.
    users={"n_arms": 2, "alpha": 0.25, "gap": 0.5},
    only=("n_arms", "alpha", "gap"),
    first="delta alpha n_arms n_instances seed",
    keeps="results/lower-bound",
    parallel=True,
)
def lower_bound(run: Run, delta: list[float] | None = None, n_instances: int = 2000) -> None:
    """Run agents on the two nearly identical users in the proof of the paper's lower bound.

    Example: explorative-user paper lower-bound --delta 0.1 --delta 0.01

    Options:
        delta: Allowed probability of a wrong answer, in (0, 1); repeat for more. None is 0.2 0.1
            0.05 0.02 0.01 0.005 0.002.
        n_instances: Number of runs with each of the two users, at least 1.
    """
    deltas = [risk("delta", value) for value in delta or DELTAS]
    n_arms = integer("n_arms", run.users["n_arms"], 2, N0)
    pair = hard_pair(min(deltas), n0=N0, **run.users)
    n0s = sorted({max(n0, n_arms) for n0 in bound.DEFAULT_N0S} | {N0})
    options = run.options | {"n_instances": n_instances}
    with run.opened() as (folder, store):
        with progress_bar() as progress:
            options["progress"] = progress
            grown = bound.overlap(n0s, **options, **run.users)
            measured = bound.success(pair, store=store, **options, **run.workers)
        needed = bound.needed(measured, pair, deltas)
        frames = {"overlap": grown, "success": measured, "needed": needed}
        sections, notes = bound.sections_of(pair, **frames), bound.footnotes_of(measured)
        page = ["# The lower bound's pair of users"]
        page += [f"## {heading}\n\n{markdown(table)}" for heading, table in sections.items()]
        page += [f"- {note}" for note in notes]
        contents = {
            "table.md": "\n\n".join(page) + "\n",
            **{f"{name}.csv": frame for name, frame in frames.items()},
            "lower_bound.png": partial(bound.draw, grown, needed),
        }
        shown = [part for section in sections.items() for part in section]
        write_and_show(folder, contents, shown, notes=notes, cells=measured.attrs["cells"])
