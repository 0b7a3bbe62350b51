import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from explorative_user_env.commands import options as shared
from explorative_user_env.commands.run import RUN_FILE
from explorative_user_env.evaluation import runner
from explorative_user_env.protocol import name_of
from explorative_user_env.results.store import Store
from explorative_user_env.studies.tuning import Estimate, TunedN1

SMALL = ["--n-instances", "12", "--n-arms", "2", "--delta", "0.2", "--agent", "bair"]
RUN_CELLS = "explorative_user_env.evaluation.runner.run_cells"


def test_it_prints_a_table_writes_files_and_says_where(
    run: Callable[..., int], capsys: pytest.CaptureFixture[str], output: Path
) -> None:
    code = run("bench", *SMALL, "--agent", "uni", "--output", str(output))
    printed = capsys.readouterr().out.splitlines()
    assert code == 0
    shown = [line for line in printed if "BAIR" in line]
    assert shown
    assert max(map(len, shown)) <= 100
    files = [output / name for name in ("table.md", "summary.csv", "runs.csv")]
    assert printed[-1] == "Files: " + ", ".join(map(str, [*files, output / RUN_FILE]))
    assert list(pd.read_csv(files[1])["agent"]) == ["BAIR", "UNI"]
    assert len(pd.read_csv(files[2])) == 24
    page = files[0].read_text(encoding="utf-8")
    assert page.startswith("# released: 12 users a cell, alpha=1, gap=0.5, noise=0\n")
    assert page.count("| BAIR |") == page.count("| UNI |") == 1


def test_published_figures_stand_beside_a_cell_that_has_them(
    run: Callable[..., int], capsys: pytest.CaptureFixture[str], output: Path
) -> None:
    cell = ["--n-instances", "12", "--n-arms", "2", "--delta", "0.1", "--agent", "bair"]
    run("bench", *cell, "--output", str(output))
    line = next(line for line in capsys.readouterr().out.splitlines() if "BAIR" in line)
    assert " 405 " in line
    assert ".999" in line


def test_users_that_are_not_the_papers_have_no_published_figures_beside_them(
    run: Callable[..., int], output: Path
) -> None:
    cell = ["--n-instances", "12", "--n-arms", "2", "--delta", "0.1", "--agent", "bair"]
    assert run("bench", *cell, "--gap", "0.4", "--output", str(output)) == 0
    assert "published_success" not in pd.read_csv(output / "summary.csv")


def test_the_same_seed_gives_the_same_files_for_any_number_of_workers(
    run: Callable[..., int], tmp_path: Path
) -> None:
    for workers in ("1", "2"):
        run("bench", *SMALL, "--workers", workers, "--output", str(tmp_path / workers))
    for name in ("table.md", "summary.csv", "runs.csv"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()


def test_every_option_arrives(
    run: Callable[..., int], calls_of: Callable[[str], list[Any]], output: Path
) -> None:
    calls = calls_of(RUN_CELLS)
    asked = (
        "--agent uni --agent bair --task bai --setting printed --delta 0.2 --delta 0.3 "
        "--n-arms 3 --n-arms 4 --baseline-time 70 --step-cost 0.01 --n-instances 9 --seed 8 "
        "--until-width 0.2 --workers 3 --max-steps 77 --alpha 2 --gap 0.3 --noise 0.1 "
        "--means normal --rho 0.9 --reward-law bounded --behaviour forgetful"
    )
    assert run("bench", *asked.split(), "--output", str(output)) == 130
    ((arguments, options),) = calls
    line_up, deltas, n_arms = arguments
    assert [name_of(agent) for agent in line_up] == ["UNI", "BAIR"]
    assert [agent.max_steps for agent in line_up] == [77, 77]
    assert (list(deltas), list(n_arms)) == ([0.2, 0.3], [3, 4])
    assert callable(options.pop("progress"))
    assert isinstance(options.pop("store"), Store)
    assert options == {
        "task": "bai",
        "setting": "printed",
        "baseline_time": 70,
        "horizon": None,
        "n_users": None,
        "deviation": None,
        "step_cost": 0.01,
        "n_instances": 9,
        "until_width": 0.2,
        "seed": 8,
        "workers": 3,
        "max_steps": 77,
        "alpha": 2.0,
        "gap": 0.3,
        "noise": 0.1,
        "means": "normal",
        "rho": 0.9,
        "reward_law": "bounded",
        "behaviour": "forgetful",
    }


def test_what_is_not_asked_for_is_the_papers_on_all_cores(
    run: Callable[..., int],
    calls_of: Callable[[str], list[Any]],
    output: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls = calls_of(RUN_CELLS)
    monkeypatch.setattr(shared, "cores", lambda: 7)
    run("bench", "--output", str(output))
    run("bench", "--all", "--output", str(output))
    (one, _), (arguments, options) = calls
    line_up, deltas, n_arms = arguments
    assert [name_of(agent) for agent in line_up] == ["BAIR", "T&S", "UNI", "EXP3"]
    assert one[1:] == ((0.1,), (5,))
    assert (deltas, n_arms) == ((0.1, 0.01), (2, 5, 20))
    assert (options["n_instances"], options["seed"], options["workers"]) == (1000, 0, 7)
    assert options["setting"] == "released"
    assert options["max_steps"] is None  # each agent's own
    assert options["step_cost"] is None


def test_a_horizon_is_for_the_task_regret(
    run: Callable[..., int], calls_of: Callable[[str], list[Any]], output: Path
) -> None:
    calls = calls_of(RUN_CELLS)
    run("bench", "--task", "regret", "--horizon", "33", "--output", str(output))
    ((_, options),) = calls
    assert (options["task"], options["horizon"]) == ("regret", 33)


def test_the_table_of_regret_is_written_as_well(run: Callable[..., int], output: Path) -> None:
    words = "--task regret --horizon 30 --agent uni --n-arms 2 --n-instances 5"
    assert run("bench", *words.split(), "--output", str(output)) == 0
    (row,) = pd.read_csv(output / "summary.csv").to_dict("records")
    assert (row["task"], row["horizon"], row["agent"]) == ("regret", 30, "UNI")
    assert "| 2 | 30 | UNI |" in (output / "table.md").read_text(encoding="utf-8")


def test_it_warns_where_a_tuned_n1_meets_other_users(
    run: Callable[..., int], capsys: pytest.CaptureFixture[str], tmp_path: Path, output: Path
) -> None:
    cell = {"setting": "released", "n_arms": 3, "delta": 0.2, "alpha": 1.0, "gap": 0.4}
    cell |= {"noise": 0.0, "means": "uniform", "rho": None}
    figures: dict[str, Any] = dict.fromkeys(
        ("success", "stopping_time", "paper_stopping_time"), Estimate(1.0, 1.0, 1.0)
    )
    numbers: dict[str, Any] = {"n_fresh": 1, "censored": 0.0, "error": 0.05, "n_runs": 1}
    numbers |= {"n_instances": 1, "seed": 0, "n1": 7, "interval": (5, 7), "paper_n1": 9}
    TunedN1(cell=cell, **figures, **numbers).save(tmp_path / "tuned.json")
    few = ["bench", "--agent", "bair", "--agent", f"bair-tuned:{tmp_path}", "--n-instances", "4"]
    assert run(*few, "--gap", "0.4", "--output", str(output)) == 0
    assert "promises" not in capsys.readouterr().out
    assert run(*few, "--gap", "0.5", "--output", str(output), "--overwrite") == 0
    warning = "BAIR-tuned: N_1 was tuned for gap=0.4; it promises nothing else."
    assert warning in capsys.readouterr().out
    assert f"- {warning}\n" in (output / "table.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "n_instances"), [("", 1000), ("--quick", 100), ("--quick --n-instances 7", 7)]
)
def test_quick_is_a_hundred_users_where_no_number_is_given(
    run: Callable[..., int],
    calls_of: Callable[[str], list[Any]],
    output: Path,
    words: str,
    n_instances: int,
) -> None:
    calls = calls_of(RUN_CELLS)
    run("bench", *words.split(), "--output", str(output))
    assert calls[0].options["n_instances"] == n_instances


@pytest.mark.parametrize(("told", "time"), [("70", 70), ("T&S", "T&S"), ("1.5", "1.5")])
def test_the_time_of_the_baselines_is_a_number_or_an_agent(
    run: Callable[..., int],
    calls_of: Callable[[str], list[Any]],
    output: Path,
    told: str,
    time: int | str,
) -> None:
    calls = calls_of(RUN_CELLS)
    run("bench", "--baseline-time", told, "--output", str(output))
    assert calls[0].options["baseline_time"] == time


def test_the_time_that_uni_asks_for_can_be_given(
    refused: Callable[..., str], run: Callable[..., int], output: Path
) -> None:
    few = ["--agent", "uni", "--n-arms", "2", "--n-instances", "4", "--setting", "printed"]
    (asked_for,) = re.findall(r"--[a-z-]+", refused("bench", *few))
    assert run("bench", *few, asked_for, "30", "--output", str(output)) == 0
    assert set(pd.read_csv(output / "runs.csv")["stopping_time"]) == {30}


def test_users_are_added_until_success_is_known(
    run: Callable[..., int], capsys: pytest.CaptureFixture[str], output: Path
) -> None:
    cell = [word for word in SMALL if word not in ("--n-instances", "12")]
    assert run("bench", *cell, "--until-width", "0.02", "--output", str(output)) == 0
    row = pd.read_csv(output / "summary.csv").iloc[0]
    assert row["success_high"] - row["success_low"] <= 0.02
    printed = capsys.readouterr().out
    assert f"known to within 0.02 with {row['n_runs']} users" in printed
    assert "up to 1000000 users a cell" in " ".join(printed.split())


def test_the_users_asked_for_are_the_most_that_are_added(
    run: Callable[..., int], capsys: pytest.CaptureFixture[str], output: Path
) -> None:
    assert run("bench", *SMALL, "--until-width", "0.02", "--output", str(output)) == 0
    assert "not 0.02, with 12 users, the most" in capsys.readouterr().out
    assert run("bench", *SMALL, "--until-width", "2", "--output", str(output / "other")) == 2
    assert "--until-width must be a number in (0, 1), got 2.0" in capsys.readouterr().err


def test_one_sentence_says_what_came_of_it(
    run: Callable[..., int], capsys: pytest.CaptureFixture[str], output: Path
) -> None:
    assert run("bench", *SMALL, "--agent", "uni", "--output", str(output)) == 0
    said = capsys.readouterr().out
    found = re.search(
        r"^BAIR named the best arm of all 12 users; UNI, in the same time, of (\d+)\.$", said, re.M
    )
    assert found is not None
    row = pd.read_csv(output / "summary.csv").iloc[1]
    assert int(found[1]) == round(row["success"] * row["n_runs"])


def test_a_second_other_run_has_a_folder_of_its_own_where_none_is_asked_for(
    run: Callable[..., int],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    for seed, place in (("1", "bench"), ("2", "bench-2"), ("1", "bench"), ("3", "bench-3")):
        assert run("bench", *SMALL, "--seed", seed) == 0
        assert f"Files: results/{place}/table.md" in capsys.readouterr().out


def test_a_folder_that_was_moved_meanwhile_is_told(
    run: Callable[..., int],
    capsys: pytest.CaptureFixture[str],
    output: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    usual = runner.run_cells

    def moving(*arguments: Any, **options: Any) -> Any:
        output.rename(output.with_name("moved"))
        return usual(*arguments, **options)

    monkeypatch.setattr(runner, "run_cells", moving)
    assert run("bench", *SMALL, "--output", str(output)) == 0
    files, moved = capsys.readouterr().out.splitlines()[-2:]
    assert all(Path(file).exists() for file in files.removeprefix("Files: ").split(", "))
    assert moved == f"{output / RUN_FILE} is not there: its folder was moved meanwhile"
