"""What the README says is what the code does."""

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from explorative_user_env.commands.agent_names import agents_called, bench_defaults
from explorative_user_env.display.progress import silent
from explorative_user_env.display.tables import markdown
from explorative_user_env.evaluation.grid import run_cells
from explorative_user_env.results.tables import summary_table, table_of
from explorative_user_env.studies.paper.comparison import compared

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def between(text: str, first: str, last: str) -> str:
    return text.split(first, 1)[1].split(last, 1)[0].strip()


def test_the_two_commands_stand_as_they_are_run_in_ci() -> None:
    shell = re.findall(r"```sh\n(.*?)```", README, flags=re.DOTALL)
    assert shell[0].strip() == "pip install . && explorative-user bench"
    assert shell[1].strip() == 'pip install -e ".[test]" && pytest'
    assert shell[1].strip() in (ROOT / ".ci" / "run").read_text()


@pytest.mark.slow
def test_every_python_block_runs(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    assert len(blocks) == 10
    space: dict[str, Any] = {}
    learning = [block for block in blocks if "stable_baselines3" in block]
    for block in blocks:
        if block not in learning:
            exec(compile(block, "README.md", "exec"), space)
    printed = capsys.readouterr().out
    (shown,) = re.findall(r"```text\n(answer: .*?)```", README, flags=re.DOTALL)
    assert printed.startswith(shown)
    assert "replayed: True True" in printed
    for agent in ("T&S", "mine", "cautious"):
        assert re.search(rf"\s{agent}\s+\d", printed), agent

    pytest.importorskip("stable_baselines3", reason="one block needs the extra rl")
    pytest.importorskip("sb3_contrib", reason="one block needs the extra rl")
    from explorative_user_env.rl.policies import one_thread

    (block,) = learning
    with one_thread():  # more are slower for networks as small as this
        exec(compile(block, "README.md", "exec"), space)
    assert re.search(r"\sPPO\s+\d", capsys.readouterr().out)


def test_the_custom_agent_is_the_examples() -> None:
    example = (ROOT / "examples" / "custom_agent.py").read_text()
    name = "class LastOneStanding:"
    assert f"{name}\n    {between(example, name, 'def main')}" in README


def test_the_links_lead_somewhere() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", README)
    files = [target for target in targets if not target.startswith("https://")]
    assert len(files) >= 5
    assert [target for target in files if not (ROOT / target).exists()] == []


@pytest.mark.slow
def test_the_benchmark_table_is_what_bench_prints(bench: pd.DataFrame) -> None:
    shown = between(README, "<!-- bench -->", "<!-- /bench -->")
    assert shown == markdown(summary_table(bench)), "copy the table from results/bench/table.md"


@pytest.mark.slow
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
    *shown, own = between(README, f"<!-- {task} -->", f"<!-- /{task} -->").splitlines()
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
