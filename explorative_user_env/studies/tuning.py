"""Find by simulation the least N_1 with which BAIR succeeds, an open question of the paper."""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from rich.table import Table
from scipy import special

from explorative_user_env.agents import ALGORITHMS, BAIR, AlgorithmAgent
from explorative_user_env.agents.bair import phase1_acceptances
from explorative_user_env.display import plots
from explorative_user_env.display.progress import OnProgress, shown, silent
from explorative_user_env.display.tables import Column, markdown, table
from explorative_user_env.display.text import fine_share, fine_share_with_interval, with_error
from explorative_user_env.evaluation import Results, evaluate
from explorative_user_env.files import check_one_run, finished_file, from_json
from explorative_user_env.protocol import STEP_CAP, Array
from explorative_user_env.results.intervals import HALF, LEVEL, sequence_interval
from explorative_user_env.results.metrics import succeeded
from explorative_user_env.results.tables import mean
from explorative_user_env.seeding import number_of_users, seed_number, tuning_seed
from explorative_user_env.users import population as users_of
from explorative_user_env.users.population import Population
from explorative_user_env.validation import LARGEST_COUNT, InvalidArgumentError, integer, risk

if TYPE_CHECKING:
    from matplotlib.figure import Figure

AGENT = "BAIR-tuned"
FILE, FRONTIER_FILE = "tuned.json", "frontier.csv"


class TunedAgent(AlgorithmAgent):
    """BAIR with a tuned N_1, called "BAIR-tuned".

    Args:
        n1: N_1, at least 0.
        trained_on: the arguments of `evaluate` (users, K, delta) for which N_1 was tuned, or None.
            For other arguments, the success of the agent is not guaranteed.
        max_steps: step cap of a run, at least 1; None is the step cap of `evaluate`.
    """

    def __init__(
        self, n1: int, trained_on: Mapping[str, Any] | None = None, max_steps: int | None = None
    ) -> None:
        if trained_on is not None and not isinstance(trained_on, Mapping):
            raise InvalidArgumentError("trained_on", trained_on, "None or a dict of options")
        self.trained_on = dict(trained_on or {})
        options = {"n1": integer("n1", n1, 0), "delta": self.trained_on.get("delta")}
        super().__init__(ALGORITHMS["BAIR"], options, AGENT, max_steps)


class Estimate(NamedTuple):
    """A figure with its 95% interval, as in `Results.summary`; NaN if missing."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class TunedN1:
    """The tuned N_1, which is the least N_1 that passed its test, and the figures of BAIR with it.

    The search ran each tested N_1 with other users. The frontier ran several N_1 on the same users.

    Attributes:
        n1: the tuned N_1. With probability at least 1 - `error`, BAIR with this N_1 has success at
            least 1 - delta.
        interval: ends (included) of a confidence interval, of level 1 - `error`, for the least N_1
            with success at least 1 - delta, if success grows with N_1. The upper end is `n1`.
        success: share of the fresh users with whom BAIR stopped and named the best arm.
        stopping_time: mean T with the fresh users; the setting decides which runs and steps count.
        censored: share of censored runs with the fresh users; the setting `released` leaves these
            runs out of `stopping_time`.
        n_fresh: number of fresh users, with whom the search did not run.
        paper_n1: the paper's N_1, which is (2K/delta)^(1/alpha)/rho_0, rounded up.
        paper_stopping_time: mean T with the paper's N_1, on the users of the frontier.
        error: allowed probability that any decision of the search is wrong.
        n_runs: number of users of the search.
        n_instances: largest number of users of a tested N_1.
        seed: the seed of the tuning.
        cell: `delta`, and the options of `Population` (`rho` is None for the setting's schedule).
    """

    n1: int
    interval: tuple[int, int]
    success: Estimate
    stopping_time: Estimate
    censored: float
    n_fresh: int
    paper_n1: int
    paper_stopping_time: Estimate
    error: float
    n_runs: int
    n_instances: int
    seed: int
    cell: Mapping[str, Any]

    def agent(self, max_steps: int | None = None) -> TunedAgent:
        """Return BAIR with this N_1 for `evaluate`; see `TunedAgent`."""
        return TunedAgent(self.n1, {"task": "bai", **self.cell}, max_steps)

    def save(self, path: Path) -> None:
        """Write this record as JSON; NaN becomes null."""
        figures = {name: getattr(self, name)._asdict() for name in ESTIMATES}
        for ends in figures.values():
            ends |= {end: None for end, value in ends.items() if math.isnan(value)}
        record = vars(self) | figures
        path.write_text(json.dumps(record, indent=2, allow_nan=False) + "\n", encoding="utf-8")


ESTIMATES = ("success", "stopping_time", "paper_stopping_time")
CELL_NAMES = ("setting", "n_arms", "delta", "alpha", "gap", "noise", "means", "rho")


def load_tuned(source: str | Path) -> TunedN1:
    """Read a `TunedN1` that `TunedN1.save` or the command `tune-n1` wrote.

    Args:
        source: the file, or a folder that contains tuned.json.

    Raises:
        InvalidArgumentError: if the file is missing, incomplete or changed.
    """
    path = Path(source)
    path = path / FILE if path.is_dir() else path
    check_one_run("tuned", path.parent, [path.name])
    try:
        given = from_json(path.read_text(encoding="utf-8"))
        for name in ESTIMATES:
            figures = {end: math.nan if x is None else x for end, x in given[name].items()}
            given[name] = Estimate(**figures)
        low, high = given["interval"]
        tuned = TunedN1(**given | {"interval": (low, high)})
        integer("n1", tuned.n1, 0)
        cell = {name: tuned.cell[name] for name in CELL_NAMES}
        integer("n_arms", cell["n_arms"], 2)
        risk("delta", cell["delta"])
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        allowed = f"a file or folder written by tune-n1 ({type(error).__name__}: {error})"
        raise InvalidArgumentError("tuned", str(source), allowed) from error
    return tuned


Decision = Literal["good", "bad", "undecided"]


def log_evidence(failures: Array, n: Array, delta: float) -> tuple[Array, Array]:
    """Return the log evidence for P(failure) < delta and for P(failure) > delta after n trials."""
    first, second = HALF, HALF * (1.0 - delta) / delta
    after = (first + failures, second + n - failures)
    at_delta = failures * math.log(delta) + (n - failures) * math.log1p(-delta)
    ratio = special.betaln(*after) - special.betaln(first, second) - at_delta
    with np.errstate(divide="ignore"):  # log(0) = -inf is right: no evidence for this side
        below = np.log(special.betainc(*after, delta) / special.betainc(first, second, delta))
        above = np.log(special.betaincc(*after, delta) / special.betaincc(first, second, delta))
    return ratio + below, ratio + above


def judge(
    failed: Array, delta: float, error: float, before: tuple[int, int] = (0, 0)
) -> tuple[Decision, int, int]:
    """Return the first decision of a sequential test, and the numbers of trials and failures.

    A wrong decision at any time has probability at most `error`. "good" is wrong if P(failure) >
    delta, and "bad" if P(failure) <= delta. `before` is (trials, failures) of earlier calls.
    """
    n = before[0] + np.arange(1, len(failed) + 1)
    failures = before[1] + np.cumsum(failed)
    good, bad = (side >= -math.log(error) for side in log_evidence(failures, n, delta))
    decided = np.flatnonzero(good | bad)
    if not len(decided):
        return "undecided", before[0] + len(failed), before[1] + int(np.sum(failed))
    first = decided[0]
    return "good" if good[first] else "bad", int(n[first]), int(failures[first])


#: A function (N_1, number of the candidate, number of the portion, number of users) -> success of
#: BAIR with each user; all users are new in every call.
Draw = Callable[[int, int, int, int], np.ndarray[Any, Any]]

#: Users of a candidate per call of `Draw`; decisions do not depend on this number.
PORTION = 1000


@dataclass(frozen=True)
class Candidate:
    """A tested N_1.

    Attributes:
        n1: N_1.
        n_runs: number of users until the decision.
        failures: number of these users with a wrong answer or a censored run.
        decision: "good", "bad", or "undecided" if the largest number of users was not enough.
    """

    n1: int
    n_runs: int
    failures: int
    decision: Decision

    @property
    def success(self) -> float:
        """The share of successes, biased away from 1 - delta because the test stops early."""
        return 1.0 - self.failures / self.n_runs

    @property
    def success_interval(self) -> tuple[float, float]:
        """The 95% interval of the candidate's success, valid for any stopping time of the test."""
        return sequence_interval(self.n_runs - self.failures, self.n_runs, 1.0 - LEVEL)


class NoneFoundError(Exception):
    """No tested N_1 had the decision "good"; `candidates` lists all tested N_1."""

    def __init__(self, candidates: Sequence[Candidate], delta: float) -> None:
        self.candidates = list(candidates)
        open_ones = [c.n1 for c in candidates if c.decision == "undecided"]
        why = f" ({len(open_ones)} undecided: try more n_instances)" if open_ones else ""
        super().__init__(f"no tested N_1 succeeds with probability {1 - delta:g}{why}")


def search(
    draw: Draw, first: int, top: int, *, delta: float, error: float, cap: int
) -> Iterator[Candidate]:
    """Yield the candidates of a binary search for the least N_1 in 0..top with enough success.

    The first candidate is `first`. A candidate without a decision after `cap` users counts as bad.
    The search may then end at a larger N_1 than necessary, which has enough success all the same.
    `error` bounds the probability that any decision is wrong.
    """
    each = error / (1 + max(first, top - first).bit_length())  # per candidate
    low, high, n1, place = 0, top + 1, first, 0
    while low < high:
        n_runs = failures = 0
        decision: Decision = "undecided"
        for portion, start in enumerate(range(0, cap, PORTION)):
            failed = ~draw(n1, place, portion, min(PORTION, cap - start))
            decision, n_runs, failures = judge(failed, delta, each, (n_runs, failures))
            if decision != "undecided":
                break
        yield Candidate(n1, n_runs, failures, decision)
        low, high = (low, n1) if decision == "good" else (n1 + 1, high)
        n1, place = (low + high) // 2, place + 1


def least_good(candidates: Sequence[Candidate], delta: float) -> tuple[int, tuple[int, int]]:
    """Return the least N_1 that passed its test, and an interval for the least good N_1."""
    good, bad = ([c.n1 for c in candidates if c.decision == word] for word in ("good", "bad"))
    if not good:
        raise NoneFoundError(candidates, delta)
    return min(good), (max(bad, default=-1) + 1, min(good))


#: Parts of a tuning, which use different users.
SEARCH, FRONTIER, CONFIRMATION = 0, 1, 2

FRONTIER_USERS = 2000

#: The columns of `Results.summary` in a frontier.
FIGURES = (
    *(f"{name}{end}" for name in ("stopping_time", "success") for end in ("", "_low", "_high")),
    *("wrong", "censored", "n_runs"),
)


def measure(agents: Any, how: Any, n_users: int, *place: int, progress: OnProgress) -> Results:
    """Evaluate agents on `n_users` users; each `place` (part of the tuning) has its own users."""
    seed = tuning_seed(how["seed"], *place)
    return evaluate(agents, **{**how, "seed": seed, "n_instances": n_users, "progress": progress})


def successes(how: Mapping[str, Any], n1: int, candidate: int, portion: int, n_users: int) -> Array:
    """Return for each of `n_users` new users whether BAIR with this N_1 names the best arm."""
    store = how.get("store")
    hidden = {**how, "store": store.aside() if store else None}
    agents, place = [TunedAgent(n1, {"delta": how["delta"]})], (SEARCH, candidate, portion)
    return np.asarray(succeeded(measure(agents, hidden, n_users, *place, progress=silent).runs))


def frontier_of(n1s: Sequence[int], how: Mapping[str, Any], progress: OnProgress) -> pd.DataFrame:
    """Return the metrics of BAIR with each N_1 in `n1s`, all on the same users."""
    agents = [BAIR(n1=n1, delta=how["delta"], name=f"N_1 = {n1}") for n1 in n1s]
    results = measure(agents, how, FRONTIER_USERS, FRONTIER, progress=progress)
    frontier = results.summary().assign(n1=list(n1s))[["n1", *FIGURES]]
    frontier.attrs["cells"] = [results.cell]
    return frontier


#: Least `error`, so that its share per candidate is a positive float.
LEAST_ERROR = 1e-100


@dataclass(frozen=True)
class Tuning:
    """The result of `tune_n1`.

    Attributes:
        tuned: the N_1 with its figures.
        candidates: each N_1 that the search tested, in the order of the search.
        frontier: metrics of BAIR for several N_1 on the same users. Each row has one N_1, in
            increasing order, with `n1`, the number `n_runs` of users, and the columns
            `stopping_time`, `success`, `wrong` and `censored` of `Results.summary`.
    """

    tuned: TunedN1
    candidates: Sequence[Candidate]
    frontier: pd.DataFrame

    def search(self) -> pd.DataFrame:
        """Return one row per candidate, in the order of the search."""
        return pd.DataFrame(
            vars(each)
            | {"success": each.success}
            | dict(zip(("success_low", "success_high"), each.success_interval, strict=True))
            for each in self.candidates
        )

    @property
    def fastest(self) -> int:
        """The N_1 in `frontier` that has the least stopping time and enough success.

        Success is enough if the lower end of its interval is at least 1 - delta. The success of the
        tuned N_1 always counts as enough. The fastest N_1 may be larger than the tuned N_1, because
        a shorter Phase 1 may lead to a longer Phase 2.
        """
        rows = self.frontier
        succeeds = rows["success_low"] >= 1.0 - self.tuned.cell["delta"]
        rows = rows[succeeds | (rows["n1"] == self.tuned.n1)]
        return int(rows.loc[rows["stopping_time"].idxmin(), "n1"])


@users_of.lists_user_options(n_arms=20, setting="released")
def tune_n1(
    *,
    delta: float = 0.1,
    error: float = 0.05,
    n_instances: int = 20_000,
    confirm: int = 10_000,
    max_steps: int = STEP_CAP,
    seed: int = 0,
    progress: bool | OnProgress = True,
    on_candidate: Callable[[Candidate], object] = lambda candidate: None,
    population: Population | None = None,
    **options: Any,
) -> Tuning:
    """Return the least N_1 with which BAIR succeeds with probability at least 1 - delta.

    The function searches the integers from 0 to the paper's N_1 = (2K/delta)^(1/alpha)/rho_0 by
    bisection. The first candidate is delta^(-1/alpha)/rho_0, which the paper proposes. The paper
    conjectures that the hardest users need this N_1 ("The optimal choice of N_1"). Each candidate
    runs with new users until a sequential test decides whether its success is at least 1 - delta.

    With probability at least 1 - `error`, the returned N_1 has success at least 1 - delta, and all
    candidates with the decision "bad" have less success; see `tuning.search`. Success is a mean
    over these users, whereas the paper's bound holds for the hardest user. A censored run is a
    failure.

    Args:
        delta: allowed probability of failure, in (0, 1).
        error: allowed probability that any decision of the search is wrong, in (0, 1).
        n_instances: most users of a candidate, at least 1; an undecided candidate counts as bad.
        confirm: number of further users for success and stopping time of the tuned N_1; with 0,
            both come from `Tuning.frontier`.
        max_steps: step cap of a run.
        seed: the seed of users and agents, at least 0.
        progress: as in `evaluate`.
        on_candidate: called with each finished candidate of the search.
        population: the users, as a record. Without a record, give the users as `**options`.
        **options: the options of `Population`, and `workers`, `executor` and `store` of `evaluate`.

    Raises:
        InvalidArgumentError: if an argument is out of range; the message names the argument.
        NoneFoundError: if no candidate had the decision "good".
    """
    confirm = number_of_users(confirm, "confirm", 0)
    if risk("error", error) < LEAST_ERROR:
        raise InvalidArgumentError("error", error, f"at least {LEAST_ERROR:g}")
    n_instances = number_of_users(n_instances)
    user, how = users_of.split_options(options)
    users = users_of.population_of(population, user)
    n_arms, alpha = users.n_arms, users.user.alpha
    paper = phase1_acceptances("paper", n_arms, risk("delta", delta), alpha, users.user.rho_0)
    if paper > LARGEST_COUNT:
        allowed = f"large enough for the paper's N_1 to be at most {LARGEST_COUNT}"
        raise InvalidArgumentError("alpha", alpha, allowed)
    first, top = math.ceil(paper * (2 * n_arms) ** (-1 / alpha)), math.ceil(paper)
    how |= {"population": users, "delta": delta, "max_steps": max_steps, "seed": seed_number(seed)}
    candidates = []
    with shown(progress) as report:

        def draw(n1: int, candidate: int, portion: int, n_users: int) -> Array:
            report(f"N_1 = {n1}", portion * PORTION, n_instances)
            return successes(how, n1, candidate, portion, n_users)

        for each in search(draw, first, top, delta=delta, error=error, cap=n_instances):
            candidates.append(each)
            on_candidate(each)
        n1, interval = least_good(candidates, delta)
        frontier = frontier_of(grid(n1, n_arms, top), how, report)
        fresh = frontier[frontier["n1"] == n1]
        if confirm:
            agent = TunedAgent(n1, {"delta": delta})
            fresh = measure([agent], how, confirm, CONFIRMATION, progress=report).summary()

    def estimate(row: Any, name: str) -> Estimate:
        return Estimate(*(float(row[f"{name}{end}"]) for end in ("", "_low", "_high")))

    measured, papers = fresh.iloc[0], frontier.iloc[-1]
    record: dict[str, Any] = {"n1": n1, "interval": interval, "paper_n1": top, "seed": int(seed)}
    record |= {name: estimate(measured, name) for name in ("success", "stopping_time")}
    record |= {"censored": float(measured["censored"]), "n_fresh": int(measured["n_runs"])}
    record |= {"paper_stopping_time": estimate(papers, "stopping_time"), "error": float(error)}
    record |= {"n_runs": sum(each.n_runs for each in candidates), "n_instances": int(n_instances)}
    schedule = {"rho": None} if users.rho is None else {}
    tuned = TunedN1(**record, cell={"delta": float(delta), **users.words(), **schedule})
    return Tuning(tuned, candidates, frontier)


def grid(n1: int, n_arms: int, top: int) -> list[int]:
    """Return the N_1 of `Tuning.frontier`: 0, a geometric grid from 1 to `top`, K, and `n1`."""
    points = np.geomspace(1, top, 10).round().astype(int).tolist()
    return sorted({0, *points, min(n_arms, top), n1, top})


SEARCH_HEADER = f"{'N_1':>10}{'users':>10}{'success [95%]':>26}  decision"


def _success(candidate: Candidate) -> str:
    return fine_share_with_interval(candidate.success, *candidate.success_interval)


def search_line(candidate: Candidate) -> str:
    """Return a line of the table of tested N_1; its columns are those of `SEARCH_HEADER`."""
    success = _success(candidate)
    return f"{candidate.n1:>10}{candidate.n_runs:>10}{success:>26}  {candidate.decision}"


def frontier_table(tuning: Tuning) -> Table:
    """Return `tuning.frontier` as a Rich table: one row for each N_1, in increasing order."""
    n1s = {"tuned": tuning.tuned.n1, "paper": tuning.tuned.paper_n1, "fastest": tuning.fastest}
    ends = ("success", "success_low", "success_high")
    columns = [
        Column("N_1", "n1"),
        mean("stopping time", "stopping_time"),
        Column("success [95%]", lambda row: fine_share_with_interval(*(row[end] for end in ends))),
        Column("wrong", "wrong", fine_share),
        Column("cens.", "censored", fine_share),
        Column("", lambda row: ", ".join(n for n in n1s if n1s[n] == row["n1"]), left=True),
    ]
    return table(tuning.frontier, columns, padding=1)


def title(tuning: Tuning) -> str:
    """Return the title of a tuning, with its setting, delta and the options of its users."""
    cell = tuning.tuned.cell
    forms = {"delta": "delta={:g}", "n_arms": "K={}", "alpha": "alpha={:g}", "gap": "gap={:g}"}
    forms |= {"noise": "noise={:g}", "means": "means {}", "rho": "rho {}"}
    words = (form.format(cell[name]) for name, form in forms.items() if cell[name] is not None)
    return f"BAIR's N_1, {cell['setting']}: {', '.join(words)}"


def sentences(tuning: Tuning) -> list[str]:
    """Return the conclusions as sentences."""
    tuned = tuning.tuned
    least = 1 - tuned.cell["delta"]
    low, high = tuned.interval
    time, papers = tuned.stopping_time, tuned.paper_stopping_time
    confirmed = "confirmed" if tuned.success.low >= least else "not confirmed"
    lines = [
        f"N_1 = {tuned.n1} has success at least {least:g}, with confidence "
        f"{1 - tuned.error:g}, after {tuned.n_runs} users.",
        f"The least such N_1 is {low if low == high else f'in {low}..{high}'}, if success grows "
        "with N_1.",
        f"Stopping time {with_error(time.value, time.high)}: {time.value / papers.value:.3f} of "
        f"{with_error(papers.value, papers.high)} with the paper's N_1 = {tuned.paper_n1}.",
        f"Success on {tuned.n_fresh} fresh users {fine_share_with_interval(*tuned.success)}: "
        f"{confirmed}. Censored: {fine_share(tuned.censored)}.",
    ]
    if tuning.fastest != tuned.n1:
        lines.append(
            "A longer Phase 1 can make a shorter run: of the frontier's N_1 with enough success, "
            f"{tuning.fastest} has the least mean stopping time."
        )
    return lines


def tuning_page(tuning: Tuning) -> str:
    """Return a Markdown page: the conclusions, the tested N_1, and the table of the frontier."""
    columns = [
        Column("N_1", "n1"),
        Column("users", "n_runs"),
        Column("success [95%]", _success),
        Column("decision", "decision", left=True),
    ]
    parts = [
        f"# {title(tuning)}",
        "\n".join(f"- {line}" for line in sentences(tuning)),
        f"## Search\n\n{markdown(table(tuning.candidates, columns, padding=1))}",
        f"## Frontier, {tuning.frontier['n_runs'].max():g} users",
        markdown(frontier_table(tuning)),
    ]
    return "\n\n".join(parts) + "\n"


#: Axis labels of the figures of the frontier.
NAMED = {"stopping_time": "stopping time T", "success": "success"}


def frontier_figure(tuning: Tuning) -> "Figure":
    """Draw stopping time and success over N_1 in two panels, with 95% intervals."""
    figure = plots.new_figure(plots.PLOT_WIDTH, 1.6 * plots.PLOT_HEIGHT)
    above, below = figure.subplots(2, 1, sharex=True)
    draw_frontier(tuning, "stopping_time", above)
    draw_frontier(tuning, "success", below)
    above.set_xlabel("")
    below.set_title("", loc="left")
    return figure


def draw_frontier(tuning: Tuning, figure: str = "stopping_time", axes: Any = None) -> Any:
    """Draw "stopping_time" or "success" over N_1, with 95% intervals."""
    axes, rows, style = plots.plot_axes(axes), tuning.frontier, plots.line_style(0)
    plots.draw_band(axes, rows["n1"], rows[f"{figure}_low"], rows[f"{figure}_high"], 0, 1)
    axes.plot(rows["n1"], rows[figure], color=style.colour, marker=style.mark, ms=4, lw=1.5)
    if figure == "success":
        level, quiet = 1.0 - tuning.tuned.cell["delta"], plots.colour_of("quiet")
        axes.axhline(level, color=quiet, linewidth=1, linestyle=":", label="1 - δ")
    else:
        axes.set_ylim(bottom=0)
    axes.set_xscale("symlog", linthresh=1)
    axes.set_xlim(-0.1, 1.2 * tuning.tuned.paper_n1)
    marked = {"tuned": tuning.tuned.n1, "paper's": tuning.tuned.paper_n1}
    for place, (name, n1) in enumerate(marked.items(), 1):
        style = plots.line_style(place)
        axes.axvline(n1, label=name, color=style.colour, linestyle=style.dashes, linewidth=1.5)
    plots.dress(axes, title(tuning), "N₁, acceptances of Phase 1", NAMED[figure])
    plots.name_lines(axes, list(zip(*axes.get_legend_handles_labels(), strict=True)))
    return axes


def saved_tuning(folder: Path) -> Tuning:
    """Return the tuning of a finished result folder; its `candidates` are empty."""
    tuned, frontier = (finished_file("path", folder, name) for name in (FILE, FRONTIER_FILE))
    return Tuning(load_tuned(tuned), (), pd.read_csv(frontier))
