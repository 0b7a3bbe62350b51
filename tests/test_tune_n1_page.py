"""What the example's page says is what the search finds."""

import re
from functools import partial
from pathlib import Path

import pytest

from explorative_user_env.agents.bair import phase1_acceptances
from explorative_user_env.display.progress import silent
from explorative_user_env.studies.tuning import (
    CONFIRMATION,
    FRONTIER_USERS,
    TunedAgent,
    found,
    frontier_of,
    meet,
    search,
    search_line,
    successes,
)
from explorative_user_env.users.population import RELEASED, Population

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "examples" / "tune_n1.md").read_text(encoding="utf-8")
HOW_TO = (ROOT / "docs" / "how_to" / "tune_n1.md").read_text(encoding="utf-8")
USERS = Population(setting=RELEASED, n_arms=20)
HOW = {"population": USERS, "delta": 0.005, "max_steps": 1_000_000, "workers": 2, "seed": 0}


def rows(heading: str) -> list[list[str]]:
    """The cells of the table below a heading, without its head."""
    table = PAGE.split(f"### {heading}", 1)[1].split("\n\n", 2)[1]
    lines = [line for line in table.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_the_command_is_this_cell() -> None:
    assert "explorative-user paper tune-n1 --delta 0.005 --n-arms 20" in PAGE
    paper = phase1_acceptances("paper", 20, 0.005, 1.0, 1.0)
    assert rows("Frontier")[-1][0] == f"{paper:.0f}" == "8000"


@pytest.mark.slow
def test_the_search_is_the_pages() -> None:
    draw = partial(successes, HOW)
    candidates = list(search(draw, 200, 8000, delta=0.005, error=0.05, cap=20_000))
    assert [search_line(candidate).split() for candidate in candidates] == [
        " ".join(row).split() for row in rows("Search")
    ]
    assert found(candidates, 0.005)[0] == 2
    assert "Found N_1 = 2, success at least 0.995" in PAGE


@pytest.mark.slow
def test_the_frontier_is_the_pages() -> None:
    shown = {int(row[0]): row for row in rows(f"Frontier, {FRONTIER_USERS} users")}
    n1s = [0, 2, 20, 8000]
    for found_row in frontier_of(n1s, HOW, silent).to_dict("records"):
        _, time, success, *_ = shown[found_row["n1"]]
        half = found_row["stopping_time_high"] - found_row["stopping_time"]
        assert time == f"{found_row['stopping_time']:.0f} ± {half:.0f}"
        assert success.startswith(f"{found_row['success']:.4f} [{found_row['success_low']:.4f}")


@pytest.mark.slow
def test_the_confirmation_is_near_the_pages() -> None:
    """The 95% interval of the first 3000 of its 100000 users holds the page's success.

    T is not compared: one run in some thousands is so long that a small sample tells little of it.
    """
    agents = [TunedAgent(2, {"delta": 0.005})]
    row = meet(agents, HOW, 3000, CONFIRMATION, progress=silent).summary().iloc[0]
    shown = float(re.findall(r"on 100000 fresh users (\d\.\d+)", PAGE)[0])
    assert row["success_low"] < shown < row["success_high"]


def test_the_saving_is_that_of_the_times() -> None:
    found_time, saving, papers = re.findall(
        r"Stopping time (\d+) ± \d+, (\S+) of the (\d+) ±", PAGE
    )[0]
    assert float(saving) == pytest.approx(int(found_time) / int(papers), abs=0.0005)
    all_runs = int(found_time) * (1 - 0.00027) + 0.00027 * 1_000_000  # with the 27 censored
    assert f"about {all_runs:.0f}, {all_runs / int(papers):.2f} of" in PAGE
    shares = (float(saving), all_runs / int(papers))
    short, long = (f"{share:.2f}".removeprefix("0") for share in shares)
    assert f"after {short} of the time ({long} with the few" in " ".join(HOW_TO.split())
