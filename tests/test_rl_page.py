"""What examples/rl.md says of agents that need no training is what the code finds.

The same 2000 users as on the page, so the figures are the very ones. Those of trained models rest
on hours of training; what can be had of the shipped ones is in docs/test_benchmark.py.
"""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import explorative_user_env as eu
from explorative_user_env.display.text import with_error

pytestmark = pytest.mark.slow

PAGE = (Path(__file__).parents[1] / "examples" / "rl.md").read_text(encoding="utf-8")


def row_of(beginning: str) -> list[str]:
    """Return the cells of the row of the page that begins so."""
    (line,) = (line for line in PAGE.splitlines() if line.startswith(f"| {beginning} |"))
    return [cell.strip() for cell in line.strip("|").split("|")]


def summary(agents: list[str], **options: Any) -> pd.DataFrame:
    results = eu.evaluate(agents, n_instances=2000, workers=2, progress=False, **options)
    return results.summary().set_index("agent")


def test_the_regret_of_those_who_need_no_training() -> None:
    found = summary(["bair", "uni", "se"], task="regret", n_arms=5)
    shown = {
        "UNI": "uniform",
        "BAIR": "BAIR, then its answer",
        "SE": "successive elimination (BAIR without Phase 1)",
    }
    for agent, beginning in shown.items():
        own = found.loc[agent]
        assert row_of(beginning)[1] == with_error(own["regret"], own["regret_high"])


@pytest.mark.parametrize("n_arms", [2, 5])
def test_best_arm_identification_without_training(n_arms: int) -> None:
    found = summary(["bair", "se"], n_arms=n_arms, max_steps=2000)
    rows = {"BAIR": f"{n_arms} | BAIR, delta = .1"}
    if n_arms == 2:
        rows["SE"] = "2 | successive elimination"
    for agent, beginning in rows.items():
        own = found.loc[agent]
        shares = [own["success"], own["wrong"], own["censored"]]
        shown = row_of(beginning)[2:]
        assert [float(cell) for cell in shown[:3]] == pytest.approx(shares, abs=0.0005)
        assert shown[3] == with_error(own["stopping_time"], own["stopping_time_high"])


def test_a_horizon_of_1000_would_end_one_in_twenty_of_bairs_runs() -> None:
    found = eu.evaluate(["bair"], n_arms=5, n_instances=2000, progress=False)
    share = float((found.runs["interactions"] > 1000).mean())
    assert share == pytest.approx(0.05, abs=0.01)
