"""Verdicts on the published figures: which agree, which cannot be had, and which differ."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from explorative_user_env.agents.bair import phase1_acceptances
from explorative_user_env.display.progress import OnProgress, named, portion, silent
from explorative_user_env.evaluation import Results
from explorative_user_env.results.tables import PUBLISHED
from explorative_user_env.studies import paper
from explorative_user_env.studies.paper import CELL, Entrant, Experiment, published_figures, z_of
from explorative_user_env.users.population import as_setting

AGREES, CANNOT, DIFFERS = VERDICTS = ("agrees", "cannot", "differs")
NOT_JUDGED = ""

#: The setting the published tables were made with, by which a figure is judged.
DECISIVE = "released"

#: Errors that two figures may be apart and still agree: chance takes one in 370 farther.
LIMIT = 3.0

#: Shares of a thousand users lie on the edge of a tolerance often, and it includes its edge.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Tolerance:
    """How far a figure may be from the published one to be near it; the larger of the two."""

    relative: float = 0.0
    absolute: float = 0.0


#: What is near enough in practice, whatever the errors are.
TOLERANCES: Mapping[str, Tolerance] = {
    "stopping_time": Tolerance(relative=0.04),
    "rejection_rate": Tolerance(relative=0.05, absolute=0.002),
    "success": Tolerance(absolute=0.02),
}


def is_given(agent: str, figure: str) -> bool:
    """Return whether the figure is an input: UNI and EXP3 run to a given time."""
    return figure == "stopping_time" and agent in paper.TOLD_THEIR_HORIZON


def agrees(z: Any) -> Any:
    """Return whether figures that are `z` errors apart agree; for a number or an array."""
    return abs(z) <= LIMIT


def is_near(figure: str, ours: float, published: float, n1: float = 0.0) -> bool:
    """Return whether `ours` is near the published figure in practice.

    Args:
        figure: "stopping_time", "rejection_rate" or "success".
        ours: the measured figure.
        published: the figure of the paper.
        n1: N_1 where it is most of T, which is then paper.compared without it.
    """
    published, tolerance = published - n1, TOLERANCES[figure]
    allowed = max(tolerance.relative * abs(published), tolerance.absolute)
    return abs(ours - n1 - published) <= allowed + ROUNDING


def n1_if_most(
    experiment: Experiment, entrant: Entrant, setting: str, row: Mapping[str, Any], time: float
) -> float:
    """Return N_1 of an entrant in a cell if it is at least half of `time`, else 0.

    It is 0 for agents without N_1 and where Phase 1 is not counted.
    """
    options = entrant.make(row["delta"], row["n_arms"], experiment.alpha).options
    if "n1" not in options or experiment.shared_phase1:
        return 0.0
    n1 = as_setting(setting).bair_n1 if options["n1"] is None else options["n1"]
    n1 = phase1_acceptances(n1, row["n_arms"], row["delta"], experiment.alpha, 1.0)
    return n1 if n1 >= 0.5 * time else 0.0


def decisive_of(settings: Collection[str]) -> str:
    """Return the setting that is judged: `released`, or the only one that ran."""
    return DECISIVE if DECISIVE in settings else next(iter(settings))


def verdicts(experiment: Experiment, summaries: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return one row a published figure, with ours under each setting, and whether it agrees.

    The verdict is that under `released`, or under the only setting there is. It is empty for
    entrants that are not judged, for figures that an earlier table has as well, and where there are
    too few runs for an error.

    Args:
        experiment: the experiment that ran.
        summaries: by setting, as from `compared`.

    Returns:
        The cell and agent, the figure, `published`, `n1` (N_1 where it is most of the published
        time, else 0), and by setting our figure, its interval (`_low`, `_high`), the errors it is
        apart (`_z`) and whether it is near in practice (`_near`); `verdict` and `reason`.
    """
    decisive = decisive_of(summaries)
    entrants = {entrant.name: entrant for entrant in experiment.entrants}
    by_setting = {setting: frame.to_dict("records") for setting, frame in summaries.items()}
    rows = []
    for index, row in enumerate(by_setting[decisive]):
        entrant = entrants[row["agent"]]
        twice = (experiment.name, row["agent"], row["n_arms"]) in paper.PRINTED_TWICE
        judged = entrant.judged in (True, decisive) and not twice
        for figure, beside in PUBLISHED.items():
            published = row.get(beside)
            if published is None or pd.isna(published) or is_given(row["agent"], figure):
                continue
            n1 = 0.0
            if figure == "stopping_time":
                n1 = n1_if_most(experiment, entrant, decisive, row, published)
            found: dict[str, Any] = {"experiment": experiment.name}
            found |= {name: row[name] for name in ("delta", "n_arms", "agent", "horizon")}
            found |= {"figure": figure, "published": published, "n1": n1}
            for setting, records in by_setting.items():
                ours = records[index]
                found |= {
                    f"{setting}{end}": ours[f"{figure}{end}"] for end in ("", "_low", "_high")
                }
                found[f"{setting}_z"] = float(z_of(figure, ours, published, ours["n_runs"]))
                found[f"{setting}_near"] = is_near(figure, ours[figure], published, n1)
            z = found[f"{decisive}_z"]
            verdict = AGREES if agrees(z) else DIFFERS
            found |= {"verdict": verdict if judged and not pd.isna(z) else NOT_JUDGED, "reason": ""}
            rows.append(found)
    return pd.DataFrame(rows)


def counted(found: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return how many figures have each verdict, and how many are judged, by groups of `by`."""
    judged = found[found["verdict"] != NOT_JUDGED]
    each = {verdict: judged["verdict"].eq(verdict).astype(int) for verdict in VERDICTS}
    return judged[by].assign(**each, cells=1).groupby(by, sort=False).sum().reset_index()


Row = dict[str, Any]


@dataclass(frozen=True)
class Reason:
    """Why a published figure cannot be had, tested without running anything.

    Attributes:
        title: the reason.
        text: the argument, and the test.
        concerns: whether it may be the reason for a figure (a row of `verdicts`).
        test: `(experiment, row) -> (found, at, explained)`: the figure that the test gives, what
            gave it, and whether the reason holds.
    """

    title: str
    text: str
    concerns: Callable[[Row], bool]
    test: Callable[[Experiment, Row], tuple[float, str, bool]]


#: The figures whose product is the mean number of rejections.
COUNTED = ("stopping_time", "rejection_rate")


def fewest_rejections(agent: str, n_arms: int) -> int:
    """Return the fewest rejections of a run that stops, as the tables count them.

    BAIR has one arm left after K-1 rejections, and the K private draws are counted. Those of
    Track-and-Stop are not; to it an arm that was never rejected looks as good as any.
    """
    return 2 * n_arms - 1 if agent == "BAIR" else n_arms - 1


def by_arithmetic(experiment: Experiment, row: Row) -> tuple[float, str, bool]:
    """Compare the rejections that time and rate leave room for with the fewest possible.

    Each of the two figures may be up to half a digit more than what is printed.
    """
    published = published_figures(experiment).set_index(CELL)
    cell = published.loc[(row["delta"], row["n_arms"], row["agent"])]
    room = math.prod(cell[PUBLISHED[name]] + paper.UNITS[name] / 2 for name in COUNTED)
    fewest = fewest_rejections(row["agent"], row["n_arms"])
    return room, f"rejections at most, of at least {fewest}", bool(room < fewest)


def _is_counted(row: Row) -> bool:
    tables = {"BAIR": ("2", "5", "6"), "T&S": ("2", "3", "4", "5", "6")}.get(row["agent"], ())
    return row["figure"] in COUNTED and row["experiment"] in {f"table{n}" for n in tables}


#: Columns of Table 4 in which digits of Table 2 come back.
COPIED = {("BAIR", "stopping_time"), ("BAIR", "rejection_rate"), ("T&S", "stopping_time")}


def by_digits(experiment: Experiment, row: Row) -> tuple[float, str, bool]:
    """Compare the digits with those of Table 2, less 2(K-1)/delta for BAIR's time."""
    table2 = published_figures(replace(paper.TABLE2, entrants=experiment.entrants)).set_index(CELL)
    place = (row["delta"], row["n_arms"], row["agent"])
    other, at = table2.loc[place, PUBLISHED[row["figure"]]], "Table 2's figure"
    if (row["agent"], row["figure"]) == ("BAIR", "stopping_time"):
        other -= 2 * (row["n_arms"] - 1) / row["delta"]
        at = "Table 2's time less 2(K-1)/delta"
    return other, at, bool(abs(other - row["published"]) <= 1e-9 * max(1.0, row["published"]))


#: The reasons by name, in the order in which they are tested.
REASONS: Mapping[str, Reason] = {
    "arithmetic": Reason(
        "time and rejection rate leave no room for the rejections there must be",
        "Every run of BAIR has at least K-1 rejections before one arm is left, and the table "
        "counts the K private draws as well; Track-and-Stop has to see each other arm rejected. So "
        "time x rate cannot be less, whatever was run. The test multiplies the two figures, each "
        "half a digit above what is printed.",
        _is_counted,
        by_arithmetic,
    ),
    "digits": Reason(
        "the digits are Table 2's",
        "BAIR's time in this table is Table 2's less 2(K-1)/delta, digit by digit, but for one "
        "cell: Phase 1 was not measured. Where Table 2's time cannot be had, this one cannot. "
        "BAIR's rejection rates are those of its whole run in Table 2, and one time of T&S "
        "is Table 2's as well. The test compares the digits.",
        lambda row: row["experiment"] == "table4" and (row["agent"], row["figure"]) in COPIED,
        by_digits,
    ),
}


def explained(
    experiment: Experiment, found: pd.DataFrame
) -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    """Test the reasons for each figure that differs; its verdict is "cannot" where one holds.

    Args:
        experiment: the experiment that ran.
        found: as from `verdicts`.

    Returns:
        `found` with verdicts and reasons, and by reason the rows that were tested, with `found`,
        `at` and `explained` of the test.
    """
    found, evidence = found.copy(), {}
    for key, reason in REASONS.items():
        tested = []
        for index, row in found[found["verdict"] == DIFFERS].iterrows():
            if reason.concerns(dict(row)):
                given, at, holds = reason.test(experiment, dict(row))
                tested.append({**row, "found": given, "at": at, "explained": holds})
                if holds:
                    found.loc[index, ["verdict", "reason"]] = [CANNOT, key]
        if tested:
            evidence[key] = pd.DataFrame(tested)
    return found, evidence


@dataclass(frozen=True)
class Reproduction:
    """One experiment with its results.

    Attributes:
        experiment: the experiment.
        results: by setting, one a cell.
        summaries: by setting, beside the published figures.
        found: a row a published figure with a verdict; empty for a drawn experiment, whose figures
            are a table's.
        evidence: by reason, the rows that were tested.
    """

    experiment: Experiment
    results: Mapping[str, list[Results]]
    summaries: Mapping[str, pd.DataFrame]
    found: pd.DataFrame = field(default_factory=pd.DataFrame)
    evidence: Mapping[str, pd.DataFrame] = field(default_factory=dict)


def reproduce(
    experiments: Sequence[Experiment],
    settings: Sequence[str],
    *,
    progress: OnProgress,
    **options: Any,
) -> list[Reproduction]:
    """Run `experiments` under `settings`; two that run the same share their runs.

    Args:
        experiments: the experiments.
        settings: names of settings.
        progress: called with the cell that runs and the share done over all.
        options: `n_instances`, `seed`, `workers` and `store`, as for `evaluate`.
    """
    runs: dict[Experiment, Mapping[str, list[Results]]] = {}
    found = []
    for position, experiment in enumerate(experiments):
        report = portion(progress, position, len(experiments))
        if (alike := replace(experiment, name="", title="", drawn=False)) not in runs:
            runs[alike] = {
                setting: paper.run_experiment(
                    experiment,
                    setting,
                    progress=named(portion(report, place, len(settings)), experiment.name),
                    **options,
                )
                for place, setting in enumerate(settings)
            }
        found.append(judged(experiment, runs[alike]))
    return found


def judged(experiment: Experiment, results: Mapping[str, list[Results]]) -> Reproduction:
    """Return the results of an experiment, by setting, with verdicts and their reasons."""
    published = published_figures(experiment)
    summaries = {name: paper.compared(cells, published) for name, cells in results.items()}
    if experiment.data is None or experiment.drawn:
        return Reproduction(experiment, results, summaries)
    return Reproduction(
        experiment, results, summaries, *explained(experiment, verdicts(experiment, summaries))
    )


#: Samples of each agent's runs in each cell, twice.
DRAWS = 200

#: How the drawn published figures are moved: times a number, or a success down by points.
MOVES: Mapping[str, Sequence[float]] = {
    "stopping_time": (1.05, 1.1, 1.2),
    "rejection_rate": (1.05, 1.1, 1.2),
    "success": (0.01, 0.02, 0.05),
}


@dataclass(frozen=True)
class Calibration:
    """How far verdicts can be trusted, by simulation.

    Attributes:
        figures: one row a judged figure, as in `verdicts`.
        false_alarms: whether it differs from a published figure drawn from the same runs, shape
            (figures, draws), bool.
        agreeing: whether ours, drawn anew, agrees with the published figure, shape (figures,
            draws), bool.
        found: by place in `MOVES`, whether it differs from a drawn figure that was moved, shape
            (figures, draws), bool.
    """

    figures: pd.DataFrame
    false_alarms: np.ndarray
    agreeing: np.ndarray
    found: Sequence[np.ndarray]

    @property
    def expected(self) -> float:
        """The expected number of false alarms if errors were normal."""
        from scipy import stats

        return 2.0 * float(stats.norm.sf(LIMIT)) * len(self.figures)

    def spread(self, by: Sequence[str]) -> dict[tuple[str, ...], tuple[int, int]]:
        """Return between how many figures agree in 95% of the draws, by groups of `by`."""
        groups = self.figures.groupby(list(by), sort=False).indices
        return {key: range_of(self.agreeing[places].sum(axis=0)) for key, places in groups.items()}


def range_of(counts: np.ndarray) -> tuple[int, int]:
    """Return the range of the central 95% of `counts`."""
    low, high = np.quantile(counts, (0.025, 0.975), method="nearest")
    return int(low), int(high)


def calibrate(
    found: pd.DataFrame,
    results: Mapping[str, Sequence[Results]],
    seed: int,
    draws: int = DRAWS,
    *,
    progress: OnProgress = silent,
) -> Calibration:
    """Draw users anew and judge again.

    Args:
        found: as from `verdicts`, of all experiments; those without a verdict are left out.
        results: by experiment, its cells under the setting that is judged.
        seed: of the draws.
        draws: the number of samples.
        progress: called with the number of cells that are done.
    """
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    judged = found[found["verdict"] != NOT_JUDGED].reset_index(drop=True)
    rows_of = judged.groupby(["experiment", *CELL]).indices
    shape = (2 + len(MOVES["success"]), len(judged), draws)
    agreeing, *apart = np.zeros(shape, dtype=bool)
    cells = [(experiment, cell) for experiment, own in results.items() for cell in own]
    for done, (experiment, cell) in enumerate(cells):
        progress("drawing users anew", done, len(cells))
        n_runs = int(cell.runs.groupby("agent").size().iloc[0])
        ours = rng.integers(n_runs, size=(draws, n_runs))
        theirs = rng.integers(n_runs, size=(draws, paper.PUBLISHED_RUNS))
        for agent in cell.runs["agent"].unique():
            place = (experiment, cell.cell["delta"], cell.cell["n_arms"], agent)
            if place not in rows_of:
                continue
            sample, other = (paper.figures_of_agent(cell, agent, users) for users in (ours, theirs))
            for row in rows_of[place]:
                figure = judged.loc[row, "figure"]
                unit, drawn = paper.UNITS[figure], other[figure]
                published = np.full(draws, judged.loc[row, "published"])
                agreeing[row] = agrees(z_of(figure, sample, published, n_runs))
                moved = [
                    np.maximum(drawn - move, 0.0) if figure == "success" else drawn * move
                    for move in MOVES[figure]
                ]
                for verdict, values in zip(apart, [drawn, *moved], strict=True):
                    printed = np.round(values / unit) * unit
                    verdict[row] = ~agrees(z_of(figure, sample, printed, n_runs))
    return Calibration(judged, apart[0], agreeing, apart[1:])


def calibration_of(
    reproductions: Sequence[Reproduction], seed: int, *, progress: OnProgress
) -> Calibration | None:
    """Return the calibration of the verdicts of experiments; None where nothing is judged."""
    if not (judged := [one for one in reproductions if not one.found.empty]):
        return None
    found = pd.concat([one.found for one in judged], ignore_index=True)
    results = {one.experiment.name: one.results[decisive_of(one.results)] for one in judged}
    return calibrate(found, results, seed, progress=progress)
