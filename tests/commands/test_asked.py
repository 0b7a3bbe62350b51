"""Every command's folder says what made it, and is not written over by another run."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from explorative_user_env.files import MADE_BY
from explorative_user_env.results.records import versions_of
from explorative_user_env.studies import lower_bound as comparison
from explorative_user_env.studies import tuning as trials

Run = Callable[..., int]

FEW = "--n-instances 4"
COMMANDS = {
    "bench": f"bench {FEW} --n-arms 2 --delta .2 --agent bair",
    "reproduce": f"paper tables table2 {FEW} --quick --agent bair --setting printed",
    "robustness": f"suite {FEW} --n-arms 2 --agent bair --user paper",
    "tune-n1": "paper tune-n1 --n-arms 2 --delta .3 --error .3 --n-instances 200 --confirm 0",
    "lower-bound": f"paper lower-bound {FEW} --delta .2",
}
AGENTS = {name: {"BAIR"} for name in ("bench", "reproduce", "robustness")} | {
    "lower-bound": {"BAIR", "T&S", "UNI", "EXP3", "Full-information"}
}


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "FRONTIER_USERS", 20)
    success: Any = comparison.success
    monkeypatch.setattr(success, "__defaults__", ((4, 8),))


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_the_folder_of_a_command_says_what_made_it(run: Run, output: Path, command: str) -> None:
    assert run(*COMMANDS[command].split(), "--seed", "5", "--output", str(output)) == 0
    made_by = json.loads((output / MADE_BY).read_text(encoding="utf-8"))
    assert COMMANDS[command].startswith(made_by["command"].split(" --")[0])
    assert made_by["options"]["seed"] == 5
    assert not {"output", "overwrite", "workers", "users"} & set(made_by["options"])
    assert made_by["versions"] == versions_of()
    assert {"means", "rho", "max_steps", "seed"} <= set(made_by["cells"][0])
    assert set(made_by["settings"]) == {cell["setting"] for cell in made_by["cells"]}
    agents = {name for cell in made_by["cells"] for name in cell["agents"]}
    assert agents == AGENTS.get(command, agents)
    assert agents
    if command != "reproduce":  # which writes a report
        page = (output / "table.md").read_text(encoding="utf-8")
        closing = page.split("## What made this")[1]
        assert f"- `explorative-user {made_by['command']}`: " in closing
        assert "seed=5" in closing
        assert f"numpy {made_by['versions']['numpy']}" in closing


@pytest.fixture
def bench(run: Run, output: Path) -> Callable[..., int]:
    small = "bench --n-instances 4 --n-arms 2 --delta .2 --agent bair"
    return lambda *more: run(*small.split(), "--output", str(output), *more)


def test_the_same_run_again_may_write_over_its_files(bench: Run) -> None:
    assert bench("--workers", "1") == 0
    assert bench("--workers", "2") == 0


def test_another_run_is_refused_in_one_line_before_it_runs(
    bench: Run,
    calls_of: Callable[[str], list[Any]],
    output: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert bench() == 0
    before = {path: path.read_bytes() for path in output.iterdir()}
    calls = calls_of("explorative_user_env.evaluation.runner.run_cells")
    capsys.readouterr()
    assert bench("--seed", "1") == 2
    assert calls == []
    assert capsys.readouterr().err == (
        f"error: --output must be another folder, as it has a run with seed=0; --overwrite writes "
        f"over that, got {str(output)!r}\n"
    )
    assert {path: path.read_bytes() for path in output.iterdir()} == before


def test_another_run_writes_over_files_where_that_is_asked_for(bench: Run, output: Path) -> None:
    assert bench() == 0
    assert bench("--seed", "1", "--overwrite") == 0
    assert json.loads((output / MADE_BY).read_text())["options"]["seed"] == 1


def test_a_model_is_not_trained_over_another(
    run: Run, output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("sb3_contrib", reason="needs the extra rl")
    trained = []

    def train(*arguments: Any, output: Any, **options: Any) -> None:
        trained.append(options["seed"])
        output.write({})

    monkeypatch.setattr("explorative_user_env.rl.train", train)
    codes = [run("train", "--seed", seed, "--output", str(output)) for seed in ("1", "2", "1")]
    assert codes == [0, 2, 0]
    assert trained == [1, 1]
