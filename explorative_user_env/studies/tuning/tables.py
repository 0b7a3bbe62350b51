"""What a search found, as tables and sentences that a person can read."""

import pandas as pd
from rich.table import Table

from explorative_user_env.display.numbers import fine_share, fine_share_with_interval, with_error
from explorative_user_env.display.tables import markdown, new_table
from explorative_user_env.studies.tuning.n1 import Tuning
from explorative_user_env.studies.tuning.search import Candidate

SEARCH_HEADER = f"{'N_1':>10}{'users':>10}{'success [95%]':>26}  decision"


def search_line(candidate: Candidate) -> str:
    """Return a candidate as a line below `SEARCH_HEADER`."""
    success = fine_share_with_interval(candidate.success, *candidate.success_interval)
    return f"{candidate.n1:>10}{candidate.n_runs:>10}{success:>26}  {candidate.decision}"


def search_table(tuning: Tuning) -> Table:
    """Return the candidates in the order they were tried."""
    table = new_table(("N_1", "users", "success [95%]", "decision"), left=("decision",), padding=1)
    for candidate in tuning.candidates:
        success = fine_share_with_interval(candidate.success, *candidate.success_interval)
        table.add_row(str(candidate.n1), str(candidate.n_runs), success, candidate.decision)
    return table


def frontier_table(tuning: Tuning) -> Table:
    """Return what each N_1 costs, the least first."""
    table = new_table(
        ("N_1", "stopping time", "success [95%]", "wrong", "cens.", ""), left=("",), padding=1
    )
    for row in tuning.frontier.to_dict("records"):
        table.add_row(
            str(row["n1"]),
            with_error(row["stopping_time"], row["stopping_time_high"]),
            fine_share_with_interval(row["success"], row["success_low"], row["success_high"]),
            fine_share(row["wrong"]),
            fine_share(row["censored"]),
            _mark(tuning, row["n1"]),
        )
    return table


def _mark(tuning: Tuning, n1: int) -> str:
    names = {"found": tuning.tuned.n1, "paper": tuning.tuned.paper_n1, "fastest": tuning.fastest}
    return ", ".join(name for name, marked in names.items() if marked == n1)


def title(tuning: Tuning) -> str:
    """Return what was tuned, where."""
    cell = tuning.tuned.cell
    shown = [f"delta={cell['delta']:g}", f"K={cell['n_arms']}", f"alpha={cell['alpha']:g}"]
    if cell["gap"] is not None:
        shown.append(f"gap={cell['gap']:g}")
    shown += [f"noise={cell['noise']:g}", f"means {cell['means']}"]
    if cell["rho"] is not None:
        shown.append(f"rho {cell['rho']}")
    return f"BAIR's N_1, {cell['setting']}: {', '.join(shown)}"


def sentences(tuning: Tuning) -> list[str]:
    """Return what was found, in words."""
    tuned = tuning.tuned
    least = 1 - tuned.cell["delta"]
    low, high = tuned.interval
    time, papers = tuned.stopping_time, tuned.paper_stopping_time
    lines = [
        f"Found N_1 = {tuned.n1}, success at least {least:g}: right with probability at least "
        f"{1 - tuned.error:g}, after {tuned.n_runs} users.",
        f"The least such N_1 is {low if low == high else f'in {low}..{high}'}, if success grows "
        "with N_1.",
        f"Stopping time {with_error(time.value, time.high)}, {tuned.saving:.3f} of the "
        f"{with_error(papers.value, papers.high)} of the paper's N_1 = {tuned.paper_n1}.",
        f"Success on {tuned.n_fresh} fresh users "
        f"{fine_share_with_interval(tuned.success.value, tuned.success.low, tuned.success.high)}: "
        f"{'confirmed' if tuned.confirmed else 'not confirmed'}. "
        f"Censored: {fine_share(tuned.censored)}.",
    ]
    if tuning.fastest != tuned.n1:
        lines.append(
            "A longer Phase 1 can make a shorter run: of the frontier's N_1 that succeed, "
            f"{tuning.fastest} has the least mean stopping time."
        )
    return lines


def tuning_page(tuning: Tuning) -> str:
    """Return all of it as one Markdown page."""
    n_runs = int(pd.Series(tuning.frontier["n_runs"]).max())
    parts = [
        f"# {title(tuning)}",
        "\n".join(f"- {line}" for line in sentences(tuning)),
        "## Search",
        markdown(search_table(tuning)),
        f"## Frontier, {n_runs} users",
        markdown(frontier_table(tuning)),
    ]
    return "\n\n".join(parts) + "\n"
