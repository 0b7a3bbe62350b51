"""The tables of the benchmark page are what `bench` prints."""

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from explorative_user_env.commands.agents import agents_called, bench_defaults
from explorative_user_env.display.progress import silent
from explorative_user_env.display.tables import markdown
from explorative_user_env.evaluation.runner import run_cells
from explorative_user_env.results.tables import table_of
from explorative_user_env.studies.paper import compared

pytestmark = pytest.mark.slow

PAGE = (Path(__file__).parents[2] / "docs" / "benchmark.md").read_text(encoding="utf-8")


def table(name: str) -> str:
    """The table of the page between the marks of this name."""
    return PAGE.split(f"<!-- {name} -->", 1)[1].split(f"<!-- /{name} -->", 1)[0].strip()


def test_the_benchmark_table_is_what_bench_prints(bench: pd.DataFrame) -> None:
    assert table("bench") == markdown(table_of(bench)), "copy the table from results/bench/table.md"


@pytest.mark.parametrize("task", ["regret", "bai"])
def test_the_tables_with_models_are_what_bench_prints(task: str) -> None:
    pytest.importorskip("stable_baselines3")
    pytest.importorskip("sb3_contrib")
    line_up = agents_called([f"sb3:{task}-k5"], None)
    usual = bench_defaults(line_up, None, None, None, None)
    options: dict[str, Any] = {"task": usual.task, "setting": usual.setting, "workers": 2}
    options |= {"deltas": usual.deltas, "n_arms": usual.n_arms, "progress": silent}
    results = run_cells(line_up[:-1], n_instances=1000, **options)
    found = markdown(table_of(compared(results, None))).splitlines()
    *shown, own = table(task).splitlines()
    told = f"copy the table that bench --agent sb3:{task}-k5 writes"
    # The rank counts the model as well; its own row, the last, rests on how a processor rounds.
    n_cells = len(shown[0].split("|")) - (2 if task == "bai" else 0)
    assert [row.split("|")[:n_cells] for row in shown] == [
        row.split("|")[:n_cells] for row in found
    ], told

    few = run_cells(line_up[-1:], n_instances=150, **options)[0].summary().iloc[-1]
    figure = {"regret": "regret", "bai": "stopping_time"}[task]
    mean, error = (float(part) for part in re.findall(r"(\d+) ± (\d+)", own)[0])
    assert few[f"{figure}_low"] - error < mean < few[f"{figure}_high"] + error
