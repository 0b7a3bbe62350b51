"""The paper's experiments: what runs, on what, with which published figures."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
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
from explorative_user_env.users.instances import DEFAULT_GAP
from explorative_user_env.users.population import Population
from explorative_user_env.users.settings import DIFFERENCES, PRINTED, Setting, as_setting
from explorative_user_env.validation import choice

__all__ = [
    "BENCH_DELTAS",
    "BENCH_N_ARMS",
    "EXPERIMENTS",
    "LINE_UP",
    "PUBLISHED_CELLS",
    "TABLE2",
    "Entrant",
    "Experiment",
    "published_figures",
    "published_for",
    "quick_form",
    "run_experiment",
    "run_ladder",
    "with_entrants",
]


LINE_UP = tuple(AGENTS)
"""The paper's; the last two get BAIR's mean stopping time as their horizon."""

TOLD_THEIR_HORIZON = ("UNI", "EXP3")
"""Those of them whose stopping time is given, not found."""

BENCH_DELTAS = (0.1, 0.01)
"""The risks of the cells that a benchmark runs where no others are asked for."""

BENCH_N_ARMS = (2, 5, 20)
"""The numbers of arms of those cells."""

QUICK_MOST_ARMS = 20
"""What the quick form of an experiment keeps to."""


@dataclass(frozen=True)
class Entrant:
    """One who takes part.

    Attributes:
        name: what tables call it.
        column: what the columns of the published table call it.
        make: `(delta, K, alpha) -> agent`, with the options open that a setting or a cell fills in.
        judged: whether its figures should be the published ones; they only stand beside them else.
    """

    name: str
    column: str
    make: Callable[[float, int, float], AlgorithmAgent]
    judged: bool = True


def _plain(name: str) -> Entrant:
    """Return an entrant that is one of the package's agents as it is."""
    return Entrant(name, "TaS" if name == "T&S" else name, lambda *cell: agent_named(name))


PAPERS = tuple(_plain(name) for name in LINE_UP)


@dataclass(frozen=True)
class Experiment:
    """One table or figure of the paper.

    Attributes:
        name: what the command line calls it.
        title: what the paper calls it.
        deltas: delta of each row.
        n_arms: K of each row.
        data: file with the published figures, None if the paper prints none.
        alpha: the users' willingness to explore.
        gap: Delta_1.
        noise: click noise p.
        entrants: who takes part; the first gives UNI and EXP3 their horizon.
        shared_phase1: whether all meet users who have been through BAIR's Phase 1, which is not
            counted.
        drawn: whether the paper shows it as a figure.
        note: what a reader should know.
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


TABLE2 = Experiment(
    name="table2",
    title="Table 2: BAIR and three baselines (alpha = 1)",
    deltas=(0.1, 0.05, 0.02, 0.01, 0.005),
    n_arms=(2, 5, 20, 100),
    data="table2_alpha1.csv",
)
"""The paper's main experiment; the others are changes of it."""


def _bair_m(form: str, make: Callable[..., AlgorithmAgent], judged: bool = True) -> Entrant:
    """Return a form of BAIR(m); the published table has one, which stands beside each."""
    name = f"BAIR(m) {form}"
    return Entrant(name, "BAIR", lambda *cell: make(name=name), judged)


TABLE3 = Experiment(
    name="table3",
    title="Table 3: users with click noise p = .1",
    deltas=(0.1, 0.05),
    n_arms=(2, 5, 20, 100),
    data="table3_click_noise.csv",
    noise=0.1,
    entrants=(
        _bair_m("printed", partial(BAIR, m="paper")),
        _bair_m("released", partial(BAIR, m="released")),
        _bair_m("consecutive", partial(BAIR, m="paper", rejections="consecutive"), judged=False),
        *PAPERS[1:],
    ),
    note=(
        "BAIR(m) in three forms: m = 2 log(K/delta) rejections in all, as printed; the threshold "
        "of the released code; and m = 2 log(K/delta) *consecutive* rejections, which is not the "
        "paper's and is not judged: it shows that the printed m is enough if it is counted so."
    ),
)

TABLE4 = Experiment(
    name="table4",
    title="Table 4: users who share BAIR's Phase 1",
    deltas=(0.02, 0.01),
    n_arms=(2, 5, 20, 100),
    data="table4_shared_phase1.csv",
    shared_phase1=True,
    note=(
        "Everyone meets users who have been through BAIR's Phase 1, knows nothing of it, and "
        "counts from its end; UNI and EXP3 run to BAIR's time in Phase 2 (under `released` the "
        "published one)."
    ),
)

TABLE5 = replace(
    TABLE2,
    name="table5",
    title="Table 5: more willing users (alpha = 2)",
    data="table5_alpha2.csv",
    alpha=2.0,
)

TABLE6 = Experiment(
    name="table6",
    title="Table 6: less willing users (alpha = .8)",
    deltas=TABLE2.deltas,
    n_arms=(2, 5, 20),
    data="table6_alpha08.csv",
    alpha=0.8,
)


def _with_n1(name: str, column: str, numerator: Callable[[int], float]) -> Entrant:
    """Return BAIR with N_1 = (numerator/delta)^(1/alpha), rho_0 being 1."""

    def make(delta: float, n_arms: int, alpha: float) -> AlgorithmAgent:
        return BAIR(n1=(numerator(n_arms) / delta) ** (1 / alpha), name=name)

    return Entrant(name, column, make)


TABLE7 = Experiment(
    name="table7",
    title="Table 7: BAIR with other choices of N_1 (alpha = .8)",
    deltas=(0.1, 0.01),
    n_arms=(20, 100),
    data="table7_n1.csv",
    alpha=0.8,
    entrants=(
        Entrant("N_1 full", "full", lambda *cell: BAIR(name="N_1 full")),
        _with_n1("N_1 of sqrt K", "sqrtK", math.sqrt),
        _with_n1("N_1 of log K", "logK", math.log),
        Entrant("N_1 = K", "K", lambda delta, n_arms, alpha: BAIR(n1=n_arms, name="N_1 = K")),
    ),
    note="The full N_1 is (2K/delta)^(1/alpha) under `printed`, with 2(K-1) under `released`.",
)

FIGURE1A = replace(TABLE2, name="figure1a", title="Figure 1a: Delta_1 = .5 (Table 2)", drawn=True)

FIGURE1B = replace(
    TABLE2, name="figure1b", title="Figure 1b: Delta_1 = .2", data=None, gap=0.2, drawn=True
)

EXPERIMENTS = {
    experiment.name: experiment
    for experiment in (TABLE2, TABLE3, TABLE4, TABLE5, TABLE6, TABLE7, FIGURE1A, FIGURE1B)
}
"""What `explorative-user reproduce` knows."""


def quick_form(experiment: Experiment) -> Experiment:
    """Return `experiment` without the cells of many arms, which take the most time."""
    few = tuple(arms for arms in experiment.n_arms if arms <= QUICK_MOST_ARMS)
    return replace(experiment, n_arms=few)


def with_entrants(experiment: Experiment, names: Sequence[str]) -> Experiment:
    """Return `experiment` with only the entrants of these names, in any case.

    Where all share BAIR's Phase 1, or one of them is to have BAIR's time, BAIR takes part too.

    Raises:
        InvalidArgumentError: for a name that none of them has.
    """
    known = {entrant.name.lower(): entrant for entrant in experiment.entrants}
    chosen = {choice("agent", name.lower(), known) for name in names}
    timed = any(known[name].name in TOLD_THEIR_HORIZON for name in chosen)
    if experiment.shared_phase1 or timed:
        chosen.add(experiment.entrants[0].name.lower())
    return replace(experiment, entrants=tuple(known[name] for name in known if name in chosen))


PUBLISHED_CELLS = (TABLE2, TABLE3, TABLE5, TABLE6)
"""Experiments with published figures for cells that a benchmark can meet."""

CELL = ["delta", "n_arms", "agent"]
"""What a published figure belongs to."""


def published_figures(experiment: Experiment) -> pd.DataFrame:
    """Return the published figures of these cells, one row a cell and agent; NaN for none.

    Rates are shares, not percentages. UNI and EXP3 ran to BAIR's stopping time, which therefore
    stands for theirs.
    """
    if experiment.data is None:
        return pd.DataFrame(columns=[*CELL, *PUBLISHED.values()])
    file = resources.files("explorative_user_env") / "data" / experiment.data
    with resources.as_file(file) as path:
        printed = pd.read_csv(path)
    times = "phase2_stopping_time" if experiment.shared_phase1 else "stopping_time"
    rows = []
    for row in printed.to_dict("records"):
        if row["delta"] not in experiment.deltas or row["K"] not in experiment.n_arms:
            continue
        for entrant in experiment.entrants:
            time = row.get(f"{times}_{entrant.column}", row.get(f"{times}_BAIR"))
            rows.append(
                {
                    "delta": row["delta"],
                    "n_arms": row["K"],
                    "agent": entrant.name,
                    PUBLISHED["stopping_time"]: float(time),
                    PUBLISHED["rejection_rate"]: row.get(
                        f"rejection_pct_{entrant.column}", math.nan
                    )
                    / 100,
                    PUBLISHED["success"]: row[f"success_{entrant.column}"],
                }
            )
    return pd.DataFrame(rows)


def published_for(population: Population) -> pd.DataFrame | None:
    """Return the published figures of BAIR and the baselines with these users, None if none are.

    Those of Table 3 stand beside BAIR, whichever form of BAIR(m) it runs.
    """
    for experiment in PUBLISHED_CELLS:
        users = {"alpha": experiment.alpha, "gap": experiment.gap, "noise": experiment.noise}
        if is_papers(population, **users):
            figures = published_figures(experiment)
            first = figures["agent"] == experiment.entrants[0].name
            others = figures["agent"].isin(("T&S", "UNI", "EXP3"))
            return figures.assign(agent=figures["agent"].mask(first, "BAIR"))[first | others]
    return None


def is_papers(population: Population, *, alpha: float, gap: float, noise: float) -> bool:
    """Return whether these are the paper's users with this alpha, gap and click noise."""
    papers = Population(setting=population.setting, n_arms=population.n_arms)
    users = replace(papers, alpha=alpha, gap=gap, noise=noise)
    return users.words() == population.words()


PHASE1_NAME = Phase1().name
COUNTS = ("interactions", "acceptances")

RunCells = Callable[..., list[Results]]


def prepared(agents: Sequence[AlgorithmAgent], setting: Setting, n_arms: int) -> list[Any]:
    """Return `agents`, each behind the Phase 1 that BAIR has under `setting`."""
    bair = setting.agent_options("BAIR", n_arms)
    phase1 = {name: bair[name] for name in ("n1", "phase1_counts", "first_sweep")}
    return [after_phase1(agent, **phase1) for agent in agents]


def without_phase1(runs: pd.DataFrame, phase1: pd.DataFrame) -> pd.DataFrame:
    """Return `runs` with the steps of Phase 1 taken off, and no private draws counted.

    Args:
        runs: of any agents, as in `Results.runs`.
        phase1: of Phase 1 alone, with the same users.
    """
    before = phase1.set_index("user_seed")[list(COUNTS)].loc[runs["user_seed"]].to_numpy()
    counts = runs[list(COUNTS)] - before
    steps = counts["interactions"]
    own = {"stopping_time": steps, "rejections": steps - counts["acceptances"]}
    return runs.assign(**{name: counts[name] for name in COUNTS}, **own)


def run_shared_phase1(
    entrants: Sequence[Callable[[float, int], AlgorithmAgent]],
    setting: Setting,
    run: RunCells,
    published_time: Callable[[float, int], int | None],
    progress: OnProgress,
) -> list[Results]:
    """Run all cells: the first entrant, which is BAIR, as ever, and the others after its Phase 1.

    Args:
        entrants: what makes an agent for a cell (delta, K).
        setting: whose Phase 1 it is.
        run: `run_cells`, but for the agents and their times.
        published_time: T of those that need one, None for BAIR's mean time in Phase 2.
        progress: as for `run_cells`.
    """
    bair, *others = entrants
    firsts = run(
        lambda delta, arms: [bair(delta, arms), Phase1()], progress=portion(progress, 0, 2)
    )
    phase1, found = {}, {}
    for cell in firsts:
        place = _place(cell)
        alone = cell.runs["agent"] == PHASE1_NAME
        phase1[place] = cell.runs[alone]
        found[place] = without_phase1(cell.runs[~alone], cell.runs[alone])

    if not others:
        return [replace(cell, runs=found[_place(cell)]) for cell in firsts]

    def measured(delta: float, arms: int) -> int:
        return max(1, round(float(found[delta, arms]["interactions"].mean())))

    def line_up(delta: float, arms: int) -> list[Any]:
        return prepared([make(delta, arms) for make in others], setting, arms)

    def times(delta: float, arms: int) -> dict[str, Any]:
        time = published_time(delta, arms) or measured(delta, arms)
        return times_for(line_up(delta, arms), time)

    seconds = run(line_up, per_cell=times, progress=portion(progress, 1, 2))
    results = []
    for cell in seconds:
        place = _place(cell)
        own = without_phase1(cell.runs, phase1[place])
        results.append(replace(cell, runs=pd.concat([found[place], own], ignore_index=True)))
    return results


def _place(cell: Results) -> tuple[float, int]:
    return cell.cell["delta"], cell.cell["n_arms"]


def run_experiment(
    experiment: Experiment,
    setting: Setting | str,
    *,
    progress: OnProgress,
    **options: Any,
) -> list[Results]:
    """Run all cells of `experiment` under `setting`.

    UNI and EXP3 get T = BAIR's mean time as measured under `printed`. Under a setting that counts
    private draws, as the published tables do, they get the published time of BAIR: the published
    columns of UNI and EXP3 rest on it, also in the cells where BAIR's time cannot be had again.

    Args:
        experiment: what runs.
        setting: the modelling choices.
        progress: as for `run_cells`.
        options: passed on to `evaluate`.
    """
    choices = as_setting(setting)
    makers = [partial(_made, entrant, experiment.alpha) for entrant in experiment.entrants]
    run: Callable[..., list[Results]] = partial(
        run_cells,
        deltas=experiment.deltas,
        n_arms=experiment.n_arms,
        setting=choices,
        alpha=experiment.alpha,
        gap=experiment.gap,
        noise=experiment.noise,
        **options,
    )
    published_time = _published_time(experiment, choices)
    if experiment.shared_phase1:
        return run_shared_phase1(makers, choices, run, published_time, progress)

    def line_up(delta: float, arms: int) -> list[AlgorithmAgent]:
        return [make(delta, arms) for make in makers]

    def times(delta: float, arms: int) -> dict[str, Any]:
        time = published_time(delta, arms) or experiment.entrants[0].name
        return times_for(line_up(delta, arms), time)

    return run(line_up, per_cell=times, progress=progress)


def _made(entrant: Entrant, alpha: float, delta: float, n_arms: int) -> AlgorithmAgent:
    return entrant.make(delta, n_arms, alpha)


def _published_time(experiment: Experiment, setting: Setting) -> Callable[[float, int], int | None]:
    """Return T by cell, None where it is to be measured or no one needs one."""
    if experiment.data is None or not setting.counts_private_draws:
        return lambda delta, arms: None
    published = published_figures(experiment)
    told = published[published["agent"].isin(TOLD_THEIR_HORIZON)]
    times = told.groupby(["delta", "n_arms"])[PUBLISHED["stopping_time"]].first()
    draws = 0 if experiment.shared_phase1 else setting.private_draws
    if times.empty:
        return lambda delta, arms: None
    return lambda delta, arms: max(1, int(times[delta, arms]) - draws * arms)


PRINTED_STEP = "the paper's text"


def run_ladder(
    *,
    delta: float = 0.1,
    n_arms: int = 5,
    agents: Sequence[str] = LINE_UP,
    progress: OnProgress,
    **options: Any,
) -> pd.DataFrame:
    """Return the figures of `agents` while one difference after the other is switched.

    All of them meet the same users (as far as a difference leaves users the same), so that even
    small effects show.

    Args:
        delta: as for `evaluate`, like all others.
        n_arms: K.
        agents: who takes part.
        progress: as for `grid.run_cells`.
        options: passed on to `evaluate`.

    Returns:
        A row for each step and agent: `step` from 0, `point`, `agent`, and the figures with their
        intervals; the same with `alone_` before them, where this difference alone is switched.
    """
    ladder = [PRINTED]
    for difference in DIFFERENCES:
        ladder.append(difference.switched(ladder[-1]))
    alone = [PRINTED, *(difference.switched(PRINTED) for difference in DIFFERENCES)]
    points = [PRINTED_STEP, *(difference.point for difference in DIFFERENCES)]
    settings = list(dict.fromkeys([*ladder, *alone]))  # the first two steps are each alone as well
    found = {}
    for index, setting in enumerate(settings):
        results = evaluate(
            agents,
            setting=setting,
            delta=delta,
            n_arms=n_arms,
            progress=portion(progress, index, len(settings)),
            **options,
        )
        found[setting] = results.summary().to_dict("records")
    names = [f"{figure}{end}" for figure in PUBLISHED for end in ("", "_low", "_high")]
    rows = []
    for step, (point, here, lone) in enumerate(zip(points, ladder, alone, strict=True)):
        for row, by_itself in zip(found[here], found[lone], strict=True):
            figures = {name: row[name] for name in names}
            figures |= {f"alone_{name}": by_itself[name] for name in names}
            rows.append({"step": step, "point": point, "agent": row["agent"], **figures})
    return pd.DataFrame(rows)


PUBLISHED_RUNS = 1000
"""Users behind each published figure (paper, experiments)."""

UNITS = {"stopping_time": 1.0, "rejection_rate": 0.001, "success": 0.001}
"""The last digit printed of each figure."""

ESTIMATED = ("stopping_time", "rejection_rate")
"""Figures whose relative error is estimated from runs; a success has that of its own value."""


def figures_of(
    times: np.ndarray,
    rejections: np.ndarray,
    correct: np.ndarray,
    censored: np.ndarray,
    *,
    rejection_rate: str,
    drops_censored: bool,
) -> Mapping[str, np.ndarray]:
    """Return the figures of samples of runs, with the relative errors of ours and the published.

    The error of a mean is the standard error, and beside it what one more run as far off as the
    farthest would do: stopping times may have a tail of which a sample holds a run or two, or none,
    and it is the sample without it whose standard error is too small. A step cap bounds the tail,
    and runs that it cuts off say where it is.

    Args:
        times: T of each run, shape (..., n).
        rejections: of each run, shape (..., n).
        correct: whether each run's answer is the best arm, shape (..., n), bool.
        censored: whether the step cap ended each run, shape (..., n), bool.
        rejection_rate: as for `summarize`, like the next.
        drops_censored: whether runs cut off are left out of times and rejections.

    Returns:
        Each of shape (...): the three figures, and of time and rejection rate `_error` and
        `_published_error`. NaN where fewer than two runs are left.
    """
    kept = ~censored if drops_censored else np.ones_like(censored)
    n_kept = kept.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        time = (times * kept).sum(axis=-1) / n_kept
        farthest = (times.max(axis=-1) - time) / time
        off_time = (times - time[..., None]) / time[..., None]
        if rejection_rate == "ratio of means":
            rate = (rejections * kept).sum(axis=-1) / (times * kept).sum(axis=-1)
            off_rate = rejections / (rate * time)[..., None] - times / time[..., None]
            farthest_rate = farthest
        else:
            ratios = np.divide(
                rejections, times, out=np.zeros(times.shape), where=(times > 0) & kept
            )
            rate = ratios.sum(axis=-1) / n_kept
            off_rate = ratios / rate[..., None] - 1.0
            farthest_rate = off_rate.max(axis=-1)
        found = {
            "stopping_time": time,
            "rejection_rate": rate,
            "success": (correct & ~censored).mean(axis=-1),
        }
        share_kept = kept.mean(axis=-1)
        for name, off, far in zip(
            ESTIMATED, (off_time, off_rate), (farthest, farthest_rate), strict=True
        ):
            variance = (off**2 * kept).sum(axis=-1) / (n_kept - 1)
            for end, size in (("error", times.shape[-1]), ("published_error", PUBLISHED_RUNS)):
                n = share_kept * size
                found[f"{name}_{end}"] = np.sqrt(variance / n + (far / n) ** 2)
    return found


def arrays_of(results: Results, agent: str) -> tuple[np.ndarray, ...]:
    """Return an agent's times, rejections, right answers and runs cut off, for `figures_of`."""
    runs = results.runs[results.runs["agent"] == agent]
    kinds = {"stopping_time": float, "rejections": float, "correct": bool, "censored": bool}
    return tuple(runs[name].to_numpy(kind) for name, kind in kinds.items())


def z_of(figure: str, ours: Mapping[str, Any], published: Any, n_runs: int) -> Any:
    """Return how many errors apart two figures are, positive where ours is larger.

    Times and rates are compared by their logarithms, as large means have large errors; successes
    by the pooled share. Rounding to the last printed digit counts as an error as well.

    Args:
        figure: "stopping_time", "rejection_rate" or "success".
        ours: the figure by its name, with its errors, as from `figures_of`; numbers or arrays.
        published: as printed; a number, or an array.
        n_runs: runs behind ours.

    Returns:
        A number, or an array as the others are.
    """
    unit, own = UNITS[figure], ours[figure]
    if figure == "success":
        pooled = (n_runs * own + PUBLISHED_RUNS * published) / (n_runs + PUBLISHED_RUNS)
        variance = pooled * (1.0 - pooled) * (1.0 / n_runs + 1.0 / PUBLISHED_RUNS)
        return (own - published) / np.sqrt(variance + unit**2 / 12)
    errors = ours[f"{figure}_error"] ** 2 + ours[f"{figure}_published_error"] ** 2
    printed = np.maximum(published, unit / 2)
    return np.log(np.maximum(own, unit / 2) / printed) / np.sqrt(
        errors + (unit / printed) ** 2 / 12
    )


def compared(results: Sequence[Results], published: pd.DataFrame | None) -> pd.DataFrame:
    """Return the summaries of all cells, with published figures and differences where there are.

    `stopping_time_difference` is relative to the published time, the other differences are
    absolute; positive where ours is larger. For `_error` and `_published_error` see `with_errors`.
    """
    if published is None:
        return pd.concat([cell.summary() for cell in results], ignore_index=True)
    summary = pd.concat([with_errors(cell) for cell in results], ignore_index=True)
    summary = summary.merge(published, on=CELL, how="left", validate="one_to_one")
    if summary[PUBLISHED["success"]].isna().all():
        return summary.drop(columns=list(PUBLISHED.values()))
    for figure, beside in PUBLISHED.items():
        difference = summary[figure] - summary[beside]
        if figure == "stopping_time":
            difference /= summary[beside]
        summary[f"{figure}_difference"] = difference
    return summary


def with_errors(results: Results) -> pd.DataFrame:
    """Return `Results.summary` with the relative errors of times and rejection rates.

    `_error` is that of ours, `_published_error` that of a thousand runs (see `figures_of`).
    """
    summary = results.summary()
    setting = results.population.setting
    found = [
        figures_of(
            *arrays_of(results, agent),
            rejection_rate=setting.rejection_rate,
            drops_censored=setting.drops_censored,
        )
        for agent in summary["agent"]
    ]
    names = [f"{figure}_{end}" for figure in ESTIMATED for end in ("error", "published_error")]
    return summary.assign(**{name: [float(one[name]) for one in found] for name in names})
