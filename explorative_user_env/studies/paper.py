"""Run the paper's experiments and compare their figures with the published figures."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from typing import Any

import numpy as np
import pandas as pd

from explorative_user_env.agents import AGENTS, BAIR, AlgorithmAgent, agent_named
from explorative_user_env.agents.shared_phase1 import Phase1, after_phase1
from explorative_user_env.display.progress import OnProgress, portion
from explorative_user_env.evaluation import Results, evaluate
from explorative_user_env.evaluation.runner import run_cells, times_for
from explorative_user_env.results.tables import PUBLISHED
from explorative_user_env.users import population as users
from explorative_user_env.users.instances import DEFAULT_GAP
from explorative_user_env.users.population import DIFFERENCES, PRINTED, Population, Setting
from explorative_user_env.validation import choice

#: The paper's agents; UNI and EXP3 run to BAIR's mean stopping time.
LINE_UP = tuple(AGENTS)

#: The agents whose stopping time is an input.
GIVEN_TIME = ("UNI", "EXP3")

#: Default delta and K of a benchmark.
BENCH_DELTAS = (0.1, 0.01)
BENCH_N_ARMS = (2, 5, 20)


@dataclass(frozen=True)
class Entrant:
    """An agent in an experiment.

    Attributes:
        name: the agent's name in the tables of this package.
        column: the agent's name in the columns of the file of published figures.
        make: function (delta, K, alpha) that returns the agent. An option of the agent that is None
            takes the value of the setting `printed` or `released`.
        judged: whether the report judges the agent's figures: True, False, or the name of the only
            setting under which it judges them.
    """

    name: str
    column: str
    make: Callable[[float, int, float], AlgorithmAgent]
    judged: bool | str = True


PAPERS = tuple(
    Entrant(name, "TaS" if name == "T&S" else name, lambda *cell, name=name: agent_named(name))
    for name in LINE_UP
)


@dataclass(frozen=True)
class Experiment:
    """One table or figure of the paper.

    Attributes:
        name: name on the command line.
        title: title in the report.
        deltas: the values of delta.
        n_arms: the values of K; each delta runs with each K.
        data: file of the published figures; None if the paper prints no numbers.
        alpha: the users' willingness to explore.
        gap: Delta_1.
        noise: click noise p.
        entrants: the agents; the stopping time of the first one is the horizon of UNI and EXP3.
        shared_phase1: whether every agent starts after a Phase 1 of BAIR, whose steps do not count.
        drawn: whether the paper shows the results as a plot.
        note: a remark for the report.
    """

    name: str
    title: str
    deltas: tuple[float, ...]
    n_arms: tuple[int, ...]
    data: str | None
    alpha: float = 1.0
    gap: float = DEFAULT_GAP
    noise: float = 0.0
    entrants: tuple[Entrant, ...] = PAPERS
    shared_phase1: bool = False
    drawn: bool = False
    note: str = ""


def _bair(name: str, column: str, judged: Any = True, n1: Any = None, **options: Any) -> Entrant:
    """Return a variant of BAIR; `n1` is None or a function (delta, K, alpha) that returns N_1."""

    def make(*cell: Any) -> AlgorithmAgent:
        return BAIR(name=name, n1=None if n1 is None else n1(*cell), **options)

    return Entrant(name, column, make, judged)


RISKS, ARMS, FEW_ARMS = (0.1, 0.05, 0.02, 0.01, 0.005), (2, 5, 20, 100), (2, 5, 20)

#: The paper's main experiment.
TABLE2 = Experiment(
    "table2", "Table 2: BAIR and three baselines (alpha = 1)", RISKS, ARMS, "table2_alpha1.csv"
)

TABLE3 = Experiment(
    "table3",
    "Table 3: users with click noise p = .1",
    RISKS[:2],
    ARMS,
    "table3_click_noise.csv",
    noise=0.1,
    entrants=(
        _bair("BAIR(m) printed", "BAIR", "printed", m="paper"),
        _bair("BAIR(m) released", "BAIR", "released", m="released"),
        _bair("BAIR(m) consecutive", "BAIR", False, m="paper", rejections="consecutive"),
        *PAPERS[1:],
    ),
    note=(
        "Three variants of BAIR(m) next to the published one: m = 2 log(K/delta) rejections in "
        "total, as printed; the threshold of the released code; and m = 2 log(K/delta) "
        "*consecutive* rejections, which the paper does not have: this variant shows that the "
        "printed m suffices if it counts consecutive rejections. Each published figure has one "
        "verdict, for the variant of the judged setting."
    ),
)

TABLE4 = Experiment(
    "table4",
    "Table 4: users who share BAIR's Phase 1",
    (0.02, 0.01),
    ARMS,
    "table4_shared_phase1.csv",
    shared_phase1=True,
    note=(
        "All agents start after BAIR's Phase 1, do not know its responses, and count from its end; "
        "UNI and EXP3 run to BAIR's time in Phase 2 (under `released` the published time)."
    ),
)

TABLE5 = Experiment(
    "table5", "Table 5: more willing users (alpha = 2)", RISKS, ARMS, "table5_alpha2.csv", 2.0
)

TABLE6 = Experiment(
    "table6", "Table 6: less willing users (alpha = .8)", RISKS, FEW_ARMS, "table6_alpha08.csv", 0.8
)

TABLE7 = Experiment(
    "table7",
    "Table 7: BAIR with other choices of N_1 (alpha = .8)",
    (0.1, 0.01),
    (20, 100),
    "table7_n1.csv",
    alpha=0.8,
    entrants=(
        _bair("N_1 full", "full"),
        _bair("N_1 of sqrt K", "sqrtK", n1=lambda d, k, alpha: (math.sqrt(k) / d) ** (1 / alpha)),
        _bair("N_1 of log K", "logK", n1=lambda d, k, alpha: (math.log(k) / d) ** (1 / alpha)),
        _bair("N_1 = K", "K", n1=lambda d, k, alpha: k),
    ),
    note=(
        "The full N_1 is (2K/delta)^(1/alpha) under `printed`, with 2(K-1) under `released`. Its "
        "published figures at K = 20 equal those of BAIR in Table 6, which has their verdicts."
    ),
)

#: (experiment, agent, K) of published figures that repeat an earlier table.
PRINTED_TWICE = {("table7", "N_1 full", 20)}

FIGURE1A = replace(TABLE2, name="figure1a", title="Figure 1a: Delta_1 = .5 (Table 2)", drawn=True)

FIGURE1B = replace(FIGURE1A, name="figure1b", title="Figure 1b: Delta_1 = .2", data=None, gap=0.2)

#: All experiments by name.
EXPERIMENTS = {
    experiment.name: experiment
    for experiment in (TABLE2, TABLE3, TABLE4, TABLE5, TABLE6, TABLE7, FIGURE1A, FIGURE1B)
}

#: Short titles by experiment name, such as "Table 2".
SHORT_TITLES = {name: each.title.split(":")[0] for name, each in EXPERIMENTS.items()}

#: Experiments whose published figures the benchmark shows.
PUBLISHED_CELLS = (TABLE2, TABLE3, TABLE5, TABLE6)


def quick_form(experiment: Experiment) -> Experiment:
    """Return `experiment` without the values of K above 20, which take most of the time."""
    return replace(experiment, n_arms=tuple(arms for arms in experiment.n_arms if arms <= 20))


def with_entrants(experiment: Experiment, names: Sequence[str]) -> Experiment:
    """Return `experiment` with only the agents of these names; letter case does not matter.

    BAIR also stays if another agent needs the Phase 1 or the stopping time of BAIR.

    Raises:
        InvalidArgumentError: for an unknown name.
    """
    known = {entrant.name.lower(): entrant for entrant in experiment.entrants}
    chosen = {choice("agent", name.lower(), known) for name in names}
    timed = any(known[name].name in GIVEN_TIME for name in chosen)
    if experiment.shared_phase1 or timed:
        chosen.add(experiment.entrants[0].name.lower())
    return replace(experiment, entrants=tuple(known[name] for name in known if name in chosen))


#: The columns that identify a published figure.
CELL = ["delta", "n_arms", "agent"]


def published_figures(experiment: Experiment) -> pd.DataFrame:
    """Return the published figures of an experiment, one row for each delta, K and agent.

    Missing figures are NaN. Rejection rates are in [0, 1]. UNI and EXP3 have BAIR's stopping time,
    which is their horizon.
    """
    columns = [*CELL, *PUBLISHED.values()]
    if experiment.data is None:
        return pd.DataFrame(columns=columns)
    file = resources.files("explorative_user_env") / "data" / experiment.data
    with resources.as_file(file) as path:
        printed = pd.read_csv(path)
    times = "phase2_stopping_time" if experiment.shared_phase1 else "stopping_time"
    chosen = printed["delta"].isin(experiment.deltas) & printed["K"].isin(experiment.n_arms)
    rows = []
    for row in printed[chosen].to_dict("records"):
        for entrant in experiment.entrants:
            time = row.get(f"{times}_{entrant.column}", row.get(f"{times}_BAIR"))
            percentage = row.get(f"rejection_pct_{entrant.column}", math.nan)
            figures = (float(time), percentage / 100, row[f"success_{entrant.column}"])
            rows.append((row["delta"], row["K"], entrant.name, *figures))
    return pd.DataFrame(rows, columns=columns)


def published_for(population: Population) -> pd.DataFrame | None:
    """Return the published figures of the paper's agents with these users; None without figures.

    Table 3 has BAIR(m) in place of BAIR; the result names this agent "BAIR" too.
    """
    papers = Population(setting=population.setting, n_arms=population.n_arms)
    for experiment in PUBLISHED_CELLS:
        users = replace(papers, alpha=experiment.alpha, gap=experiment.gap, noise=experiment.noise)
        if users.words() == population.words():
            figures = published_figures(experiment)
            first = figures["agent"] == experiment.entrants[0].name
            others = figures["agent"].isin(("T&S", "UNI", "EXP3"))
            return figures.assign(agent=figures["agent"].mask(first, "BAIR"))[first | others]
    return None


def run_experiment(
    experiment: Experiment, setting: Setting | str, *, progress: OnProgress, **options: Any
) -> list[Results]:
    """Run `experiment` for each delta and K under `setting`.

    UNI and EXP3 need a horizon. Under `printed`, it is BAIR's mean stopping time in these runs.
    Under settings that count private draws, such as `released`, it is BAIR's published time, which
    was the horizon in the paper. If Phase 1 is shared, its steps are subtracted from all counts of
    the same user.

    Args:
        experiment: the experiment.
        setting: a setting, or its name: `printed` or `released`.
        progress: as for `run_cells`.
        options: passed on to `evaluate`.
    """
    setting, first = users.as_setting(setting), experiment.entrants[0].name
    user = {name: getattr(experiment, name) for name in ("alpha", "gap", "noise")}
    published: dict[tuple[float, int], int] = {}
    if experiment.data is not None and setting.counts_private_draws:
        draws = 0 if experiment.shared_phase1 else setting.private_draws
        for row in published_figures(experiment).to_dict("records"):
            if row["agent"] in GIVEN_TIME:
                time = int(row[PUBLISHED["stopping_time"]]) - draws * row["n_arms"]
                published[row["delta"], row["n_arms"]] = max(1, time)

    def run(agents: Any, measured: Any, report: OnProgress) -> list[Results]:
        def times(*place: Any) -> dict[str, Any]:
            return times_for(agents(*place), published.get(place) or measured(*place))

        cells = (experiment.deltas, experiment.n_arms)
        how = {"setting": setting, **user, **options}
        return run_cells(agents, *cells, per_cell=times, progress=report, **how)

    def line_up(delta: float, arms: int) -> list[AlgorithmAgent]:
        return [each.make(delta, arms, experiment.alpha) for each in experiment.entrants]

    if not experiment.shared_phase1:
        return run(line_up, lambda *place: first, progress)
    phase1 = Phase1()
    phase1_runs, bair_cells, results = {}, {}, []
    begin = portion(progress, 0, 2)
    for cell in run(lambda *place: [line_up(*place)[0], phase1], lambda *place: first, begin):
        place, is_phase1 = _place(cell), cell.runs["agent"] == phase1.name
        phase1_runs[place] = cell.runs[is_phase1]
        runs = without_phase1(cell.runs[~is_phase1], phase1_runs[place])
        bair_cells[place] = replace(cell, runs=runs)
    if len(experiment.entrants) == 1:
        return list(bair_cells.values())

    def prepared(delta: float, arms: int) -> list[Any]:
        bair = setting.agent_options("BAIR", arms)
        phase1 = {name: bair[name] for name in ("n1", "phase1_counts", "first_sweep")}
        return [after_phase1(agent, **phase1) for agent in line_up(delta, arms)[1:]]

    def bairs_time(*place: Any) -> int:
        return max(1, round(float(bair_cells[place].runs["interactions"].mean())))

    for cell in run(prepared, bairs_time, portion(progress, 1, 2)):
        place = _place(cell)
        both = [bair_cells[place].runs, without_phase1(cell.runs, phase1_runs[place])]
        results.append(replace(cell, runs=pd.concat(both, ignore_index=True)))
    return results


def _place(cell: Results) -> tuple[float, int]:
    return cell.cell["delta"], cell.cell["n_arms"]


def without_phase1(runs: pd.DataFrame, phase1: pd.DataFrame) -> pd.DataFrame:
    """Return `runs` whose counts leave out private draws and the same user's steps in `phase1`."""
    counts = ["interactions", "acceptances"]
    before = phase1.set_index("user_seed")[counts].loc[runs["user_seed"]].to_numpy()
    steps, acceptances = (runs[counts] - before).to_numpy().T
    columns = {"interactions": steps, "acceptances": acceptances, "stopping_time": steps}
    return runs.assign(**columns, rejections=steps - acceptances)


PRINTED_STEP = "the paper's text"


def run_ladder(*, agents: Any = LINE_UP, progress: OnProgress, **options: Any) -> pd.DataFrame:
    """Return the figures of agents for settings that lead from `printed` to `released` in steps.

    Step 0 is the setting `printed`. Each further step changes one difference between the settings.
    All steps have the same users, unless the difference is one of the users.

    Args:
        agents: names of agents.
        progress: as for `run_cells`.
        options: passed on to `evaluate`.

    Returns:
        One row for each step and agent: `step` from 0, `point` (the changed difference), `agent`,
        and the figures with their intervals. Figures with the prefix `alone_` are for the setting
        `printed` with only this difference changed.
    """
    ladder, alone = [PRINTED], [PRINTED]
    for difference in DIFFERENCES:
        ladder.append(difference.switched(ladder[-1]))
        alone.append(difference.switched(PRINTED))
    points = [PRINTED_STEP, *(difference.point for difference in DIFFERENCES)]
    settings = list(dict.fromkeys([*ladder, *alone]))  # both lists begin with the same two settings
    rows = {}
    for index, setting in enumerate(settings):
        report = portion(progress, index, len(settings))
        results = evaluate(agents, setting=setting, progress=report, **options)
        rows[setting] = results.summary().to_dict("records")
    names = [f"{figure}{end}" for figure in PUBLISHED for end in ("", "_low", "_high")]
    return pd.DataFrame(
        {"step": step, "point": point, "agent": row["agent"]}
        | {name: row[name] for name in names}
        | {f"alone_{name}": by_itself[name] for name in names}
        for step, (point, here, lone) in enumerate(zip(points, ladder, alone, strict=True))
        for row, by_itself in zip(rows[here], rows[lone], strict=True)
    )


#: Users of each published figure (paper, experiments).
PUBLISHED_RUNS = 1000

#: The unit of the last printed digit of each figure.
UNITS = {"stopping_time": 1.0, "rejection_rate": 0.001, "success": 0.001}

#: Figures with errors estimated from runs; the error of a success follows from its value.
ESTIMATED = ("stopping_time", "rejection_rate")


def figures_of(runs: Sequence[np.ndarray], setting: Setting) -> Mapping[str, np.ndarray]:
    """Return stopping time, rejection rate and success of samples of runs, with relative errors.

    The error of a mean combines two terms: the standard error, and the change of the mean if one
    more run were as far from the mean as the farthest run. The standard error alone is too small if
    stopping times have a long tail, because a sample has few runs in the tail.

    Args:
        runs: four arrays of shape (..., n): times, rejections, whether the answer is right, and
            whether the run is censored.
        setting: decides whether figures exclude censored runs, and the kind of rejection rate.

    Returns:
        Arrays of shape (...): the three figures. Time and rejection rate also have an `_error` of
        these n runs, and a `_published_error` of the paper's number of runs. Values are NaN if the
        figures include fewer than two runs.
    """
    times, rejections, correct, censored = runs
    used = ~censored if setting.drops_censored else np.ones_like(censored)
    n_used = used.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        time = (times * used).sum(axis=-1) / n_used
        farthest = (times.max(axis=-1) - time) / time
        off_time = (times - time[..., None]) / time[..., None]
        if setting.rejection_rate == "ratio of means":
            rate = (rejections * used).sum(axis=-1) / (times * used).sum(axis=-1)
            off_rate = rejections / (rate * time)[..., None] - times / time[..., None]
            farthest_rate = farthest
        else:
            ratios, some = np.zeros(times.shape), (times > 0) & used
            np.divide(rejections, times, out=ratios, where=some)
            rate = ratios.sum(axis=-1) / n_used
            off_rate = ratios / rate[..., None] - 1.0
            farthest_rate = off_rate.max(axis=-1)
        success = (correct & ~censored).mean(axis=-1)
        figures = {"stopping_time": time, "rejection_rate": rate, "success": success}
        share_used = used.mean(axis=-1)
        offs = ((off_time, farthest), (off_rate, farthest_rate))
        for name, (off, far) in zip(ESTIMATED, offs, strict=True):
            variance = (off**2 * used).sum(axis=-1) / (n_used - 1)
            for end, size in (("error", times.shape[-1]), ("published_error", PUBLISHED_RUNS)):
                n = share_used * size
                figures[f"{name}_{end}"] = np.sqrt(variance / n + (far / n) ** 2)
    return figures


def figures_of_agent(results: Results, agent: str, places: Any = slice(None)) -> Mapping[str, Any]:
    """Return `figures_of` for the runs of an agent, or only for the runs with indices `places`."""
    runs = results.runs[results.runs["agent"] == agent]
    kinds = {"stopping_time": float, "rejections": float, "correct": bool, "censored": bool}
    arrays = [runs[name].to_numpy(kind)[places] for name, kind in kinds.items()]
    return figures_of(arrays, results.population.setting)


def z_of(figure: str, ours: Mapping[str, Any], published: Any, n_runs: int) -> Any:
    """Return our figure minus the published figure, divided by the error of the difference.

    For times and rejection rates the difference is between logarithms, since larger means have
    larger errors. The error of a success rate is binomial, with the pooled share of both samples.
    All errors include rounding to the last printed digit. `ours` is a result of `figures_of`, of
    numbers or arrays.
    """
    unit, measured = UNITS[figure], ours[figure]
    if figure == "success":
        pooled = (n_runs * measured + PUBLISHED_RUNS * published) / (n_runs + PUBLISHED_RUNS)
        variance = pooled * (1.0 - pooled) * (1.0 / n_runs + 1.0 / PUBLISHED_RUNS)
        return (measured - published) / np.sqrt(variance + unit**2 / 12)
    errors = ours[f"{figure}_error"] ** 2 + ours[f"{figure}_published_error"] ** 2
    printed = np.maximum(published, unit / 2)
    return np.log(np.maximum(measured, unit / 2) / printed) / np.sqrt(
        errors + (unit / printed) ** 2 / 12
    )


def compared(results: Sequence[Results], published: pd.DataFrame | None) -> pd.DataFrame:
    """Return the summaries of all results with the published figures in further columns.

    `stopping_time_difference` is relative to the published time; other differences are absolute. A
    positive difference means that our figure is larger. `_error` is the relative error of our times
    and rejection rates. `_published_error` is the relative error of the published figures, means of
    a thousand runs (see `figures_of`).
    """
    summaries = [cell.summary() for cell in results]
    if published is None:
        return pd.concat(summaries, ignore_index=True)
    names = [f"{figure}_{end}" for figure in ESTIMATED for end in ("error", "published_error")]
    for place, cell in enumerate(results):
        figures = [figures_of_agent(cell, agent) for agent in summaries[place]["agent"]]
        errors = {name: [float(one[name]) for one in figures] for name in names}
        summaries[place] = summaries[place].assign(**errors)
    summary = pd.concat(summaries, ignore_index=True)
    summary = summary.merge(published, on=CELL, how="left", validate="one_to_one")
    if summary[PUBLISHED["success"]].isna().all():
        return summary.drop(columns=list(PUBLISHED.values()))
    for figure, column in PUBLISHED.items():
        difference = summary[figure] - summary[column]
        if figure == "stopping_time":
            difference /= summary[column]
        summary[f"{figure}_difference"] = difference
    return summary
