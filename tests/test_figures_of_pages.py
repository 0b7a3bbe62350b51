"""Figures that pages of the examples have measured are what the code finds."""

import re
import runpy
from pathlib import Path

import pytest

import explorative_user_env as eu
from explorative_user_env.display.progress import silent
from explorative_user_env.display.text import with_error
from explorative_user_env.studies.tuning import (
    CONFIRMATION,
    FRONTIER_USERS,
    TunedAgent,
    frontier_of,
    meet,
)
from explorative_user_env.users.population import RELEASED, Population

EXAMPLES = Path(__file__).parents[1] / "examples"
TUNE, INTERVALS, RL = (
    (EXAMPLES / f"{name}.md").read_text(encoding="utf-8") for name in ("tune_n1", "intervals", "rl")
)


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


# tune_n1.md

USERS = Population(setting=RELEASED, n_arms=20)
HOW = {"population": USERS, "delta": 0.005, "max_steps": 1_000_000, "workers": 2, "seed": 0}


@pytest.mark.exhaustive
def test_the_frontier_is_the_pages():
    table = TUNE.split(f"### Frontier, {FRONTIER_USERS} users", 1)[1].split("\n\n", 2)[1]
    rows = [cells(line) for line in table.splitlines() if line.startswith("|")][2:]
    shown = {int(row[0]): row for row in rows}
    for row in frontier_of([0, 2, 20, 8000], HOW, silent).to_dict("records"):
        _, time, success, *_ = shown[row["n1"]]
        half = row["stopping_time_high"] - row["stopping_time"]
        assert time == f"{row['stopping_time']:.0f} ± {half:.0f}"
        assert success.startswith(f"{row['success']:.4f} [{row['success_low']:.4f}")


@pytest.mark.slow
def test_the_confirmation_is_near_the_pages():
    """The 95% interval of the first 3000 of its 100000 users holds the page's success."""
    agents = [TunedAgent(2, {"delta": 0.005})]
    row = meet(agents, HOW, 3000, CONFIRMATION, progress=silent).summary().iloc[0]
    shown = float(re.findall(r"on 100000 fresh users (\d\.\d+)", TUNE)[0])
    assert row["success_low"] < shown < row["success_high"]


# intervals.md

COVERAGE = INTERVALS.split("<!-- coverage -->")[1].split("<!-- /coverage -->")[0].strip()


def coverages(tables):
    """Every exact coverage, by its table, row, column and place in the cell."""
    read, title = {}, ""
    for line in tables.split("### Means (")[0].splitlines():
        title = line if line.startswith("#") else title
        if not line.startswith("|") or "n = 20" in line or "---:" in line:
            continue
        row, *columns = cells(line)
        for column, cell in enumerate(columns):
            for place, number in enumerate(re.findall(r"[01]\.\d{3}", cell)):
                read[title, row, column, place] = float(number)
    return read


@pytest.mark.slow
def test_the_exact_coverages_are_what_the_script_finds(capsys):
    space = runpy.run_path(str(EXAMPLES / "interval_coverage.py"))["main"].__globals__
    space |= {"SIZES": (20, 100), "NAMED_SIZES": ["n = 20", "n = 100"]}
    space["print_exact"]()
    exact, again = coverages(COVERAGE), coverages(capsys.readouterr().out)
    assert len(again) == 7 * 2 * 2 + 7 * 2 + 7
    assert again == pytest.approx({key: exact[key] for key in again}, abs=0.0011)


# rl.md


def row_of(beginning):
    (line,) = (line for line in RL.splitlines() if line.startswith(f"| {beginning} |"))
    return cells(line)


@pytest.mark.slow
def test_the_figures_of_those_who_need_no_training_are_the_pages():
    shared = {"n_instances": 2000, "workers": 2, "progress": False}
    agents = ["bair", "uni", "se"]
    regret = eu.evaluate(agents, task="regret", n_arms=5, **shared).summary().set_index("agent")
    for agent, beginning in {
        "UNI": "uniform",
        "BAIR": "BAIR, then its answer",
        "SE": "successive elimination (BAIR without Phase 1)",
    }.items():
        own = regret.loc[agent]
        assert row_of(beginning)[1] == with_error(own["regret"], own["regret_high"])
    for n_arms in (2, 5):
        bai = eu.evaluate(["bair", "se"], n_arms=n_arms, max_steps=2000, **shared)
        summary = bai.summary().set_index("agent")
        shown = {"BAIR": f"{n_arms} | BAIR, delta = .1", "SE": "2 | successive elimination"}
        for agent, beginning in list(shown.items())[: 2 if n_arms == 2 else 1]:
            own, row = summary.loc[agent], row_of(beginning)[2:]
            shares = [own["success"], own["wrong"], own["censored"]]
            assert [float(cell) for cell in row[:3]] == pytest.approx(shares, abs=0.0005)
            assert row[3] == with_error(own["stopping_time"], own["stopping_time_high"])
