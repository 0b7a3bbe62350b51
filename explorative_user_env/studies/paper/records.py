"""The paper's tables and figures as records: who takes part, with which users, in which cells.

A cell is one pair (delta, K).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from explorative_user_env.agents import AGENTS, BAIR, AlgorithmAgent, agent_named
from explorative_user_env.users.instances import DEFAULT_GAP
from explorative_user_env.validation import choice

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
