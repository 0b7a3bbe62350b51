import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from explorative_user_env.agents import BAIR
from explorative_user_env.commands.run import RUN_FILE
from explorative_user_env.commands.suite import suite as command
from explorative_user_env.display import plots as plotting
from explorative_user_env.results.store import Store
from explorative_user_env.studies.suite import VARIETIES, robustness
from explorative_user_env.users.behaviours import as_behaviour
from explorative_user_env.users.population import RELEASED, Population
from explorative_user_env.validation import how_to_get

CELLS = ["--agent", "bair", "--user", "paper", "--user", "omniscient", "--n-instances", "4"]
ROOM = "explorative_user_env.studies.suite"


def test_it_prints_the_table_and_writes_the_files(
    run: Callable[..., int], output: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    assert run("suite", *CELLS, "--n-arms", "2", "--output", str(output)) == 0
    printed = capsys.readouterr().out
    names = ("table.md", "summary.csv", "heat_map.png", RUN_FILE)
    assert printed.splitlines()[-1] == "Files: " + ", ".join(str(output / one) for one in names)
    title = "Robustness, printed: 4 users a cell, K=2, delta=0.1, gap=0.5, at most 20000 steps"
    assert printed.startswith(f"{title}\n")
    assert (output / "table.md").read_text(encoding="utf-8").startswith(f"# {title}\n")
    summary = pd.read_csv(output / "summary.csv")
    assert list(summary["user"]) == ["paper", "omniscient"]
    assert (output / "heat_map.png").read_bytes()[:4] == b"\x89PNG"
    expected = robustness([BAIR(max_steps=20_000)], VARIETIES[::7], n_arms=2, n_instances=4)
    assert list(expected["user"]) == list(summary["user"])
    assert np.allclose(summary["stopping_time"], expected["stopping_time"])


def test_without_matplotlib_it_says_how_to_get_the_picture(
    run: Callable[..., int],
    output: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(plotting, "can_plot", lambda: False)
    assert run("suite", *CELLS, "--n-arms", "2", "--output", str(output)) == 0
    assert f"For heat_map.png: {how_to_get('plot')}" in capsys.readouterr().out
    assert {path.name for path in output.iterdir()} == {
        "made_by.json",
        "table.md",
        "summary.csv",
        RUN_FILE,
    }


def test_every_option_arrives(
    run: Callable[..., int], calls_of: Callable[[str], list[Any]], output: Path
) -> None:
    calls = calls_of(f"{ROOM}.robustness")
    words = (
        "--agent tas --agent bair --user logistic --user alpha=2 --delta 0.05 --n-instances 9 "
        "--baseline-time 70 --max-steps 77 --seed 8 --workers 3 --setting released --n-arms 4 "
        "--alpha 2 --gap 0.3 --noise 0.1 --means normal --rho 0.9 --reward-law bounded "
        "--behaviour forgetful"
    )
    assert run("suite", *words.split(), "--output", str(output)) == 130
    (((agents, users), options),) = calls
    assert [(agent.name, agent.max_steps) for agent in agents] == [("T&S", 77), ("BAIR", 77)]
    assert [user.name for user in users] == ["logistic", "alpha=2"]
    assert callable(options.pop("progress"))
    given: dict[str, Any] = {"setting": RELEASED, "n_arms": 4, "alpha": 2.0, "gap": 0.3}
    given |= {"noise": 0.1, "means": "normal", "rho": 0.9, "reward_law": "bounded"}
    assert isinstance(options.pop("store"), Store)
    assert options == {
        "population": Population(**given, behaviour=as_behaviour("forgetful")),
        "delta": 0.05,
        "n_instances": 9,
        "baseline_time": 70,
        "max_steps": 77,
        "seed": 8,
        "workers": 3,
    }


def test_quick_is_a_hundred_of_every_user(
    run: Callable[..., int], calls_of: Callable[[str], list[Any]], output: Path
) -> None:
    calls = calls_of(f"{ROOM}.robustness")
    words = "--user all --quick --gap 0.3 --setting released --baseline-time 70"
    run("suite", *words.split(), "--output", str(output))
    run("suite", "--user", "all", "--output", str(output))
    for (arguments, options), n_instances in zip(calls, (100, 1000), strict=True):
        assert arguments == (None, VARIETIES)
        assert options["n_instances"] == n_instances
    quick, usual = (options for _, options in calls)
    assert quick["population"] == Population(gap=0.3, setting=RELEASED)
    assert quick["baseline_time"] == 70
    assert usual["population"] == Population()
    cell = {name: usual[name] for name in ("delta", "baseline_time", "max_steps", "seed")}
    assert cell == {"delta": 0.1, "baseline_time": None, "max_steps": 20_000, "seed": 0}


def test_an_unknown_user_is_refused_in_one_line(refused: Callable[..., str]) -> None:
    assert refused("suite", "--user", "me").startswith("--user must be one of paper, rho=1, ")


def test_its_help_names_every_user_there_is() -> None:
    words = inspect.signature(command).parameters["user"].annotation.__metadata__[0].help
    assert all(variety.name in words for variety in VARIETIES)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--gap", "0.3"], "--gap must be left out without --user, got 0.3"),
        (["--delta", "0.3"], "--delta must be left out without --user, got 0.3"),
        (["--user", "all", "--task", "bai-k5"], "--task must be left out beside --user, got"),
    ],
)
def test_the_suites_tasks_have_their_own_users(
    words: list[str], line: str, refused: Callable[..., str]
) -> None:
    assert refused("suite", *words).startswith(line)
