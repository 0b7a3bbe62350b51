import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from explorative_user_env.agents import BAIR, AlgorithmAgent, Uniform
from explorative_user_env.commands.run import RUN_FILE
from explorative_user_env.display import plots as plotting
from explorative_user_env.files import MADE_BY
from explorative_user_env.results.store import Store
from explorative_user_env.studies import lower_bound
from explorative_user_env.validation import how_to_get

ROOM = "explorative_user_env.studies.lower_bound"
FILES = ["needed.csv", "overlap.csv", "success.csv", "table.md"]


def few(n: int, delta: float) -> list[AlgorithmAgent]:
    return [BAIR(delta=delta, n1=n), Uniform(horizon=n)]


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two agents and two N: every other agent would be compiled first."""
    monkeypatch.setattr(f"{ROOM}.success", partial(lower_bound.success, n_grid=(8, 16), agents=few))
    monkeypatch.setattr(f"{ROOM}.DEFAULT_N0S", (3, 10))


WORDS = ["paper", "lower-bound", "--n-instances", "60", "--delta", "0.2", "--workers", "1"]


@pytest.mark.slow
@pytest.mark.usefixtures("quick")
def test_it_prints_and_writes_tables_and_a_picture(
    run: Callable[..., int], capsys: pytest.CaptureFixture[str], output: Path
) -> None:
    pytest.importorskip("matplotlib")
    assert run(*WORDS, "--output", str(output)) == 0
    printed = capsys.readouterr().out
    assert sorted(path.name for path in output.iterdir()) == sorted(
        ["lower_bound.png", MADE_BY, RUN_FILE, *FILES]
    )
    assert (output / "lower_bound.png").read_bytes().startswith(b"\x89PNG")
    page = (output / "table.md").read_text(encoding="utf-8")
    assert page.startswith("# The lower bound's pair of users\n\n## How often the history is the")
    for text in (page, printed):
        assert "standard bandit" in text
        assert "60 users of each instance" in text
        assert "What the proof takes for granted (N_0 = 1000, δ = 0.2, gap 0.5" in text
    page, _ = page.split("\n## What made this\n")
    notes = re.findall(r"^- (.+)$", page, re.MULTILINE)
    assert len(notes) == 3
    assert all(note in printed for note in notes)
    assert pd.read_csv(output / "overlap.csv")["n0"].tolist() == [3, 10, 1000]
    measured = pd.read_csv(output / "success.csv")
    assert set(measured["agent"]) == {"BAIR", "UNI"}
    assert set(measured["n_runs"]) == {60}
    needed = pd.read_csv(output / "needed.csv")
    assert needed["agent"].tolist() == ["standard bandit", "any agent, at least", "BAIR", "UNI"]
    assert set(needed["delta"]) == {0.2}


@pytest.mark.slow
@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("gap", ["1e-9", "1e-15"])
def test_a_gap_that_nobody_can_see_has_its_tables_and_its_picture(
    run: Callable[..., int], capsys: pytest.CaptureFixture[str], output: Path, gap: str
) -> None:
    pytest.importorskip("matplotlib")
    assert run(*WORDS, "--gap", gap, "--output", str(output)) == 0
    assert "not drawn" not in capsys.readouterr().out
    assert {path.name for path in output.iterdir()} == {
        "lower_bound.png",
        MADE_BY,
        RUN_FILE,
        *FILES,
    }
    needed = pd.read_csv(output / "needed.csv")
    assert needed["interactions"].dtype == float
    assert needed.query("agent == 'standard bandit'")["interactions"].min() > 2.0**53


@pytest.mark.slow
@pytest.mark.usefixtures("quick")
def test_without_matplotlib_everything_else_is_written(
    run: Callable[..., int],
    capsys: pytest.CaptureFixture[str],
    output: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(plotting, "can_plot", lambda: False)
    assert run(*WORDS, "--output", str(output)) == 0
    how = f"For lower_bound.png: {how_to_get('plot')}"
    assert how in capsys.readouterr().out
    assert sorted(path.name for path in output.iterdir()) == sorted([*FILES, MADE_BY, RUN_FILE])


OPTIONS = (
    "--delta 0.3 --delta 0.05 --n-instances 9 --seed 8 --workers 3 --n-arms 4 --alpha 0.5 --gap 0.3"
)


def test_every_option_arrives_at_both_experiments(
    run: Callable[..., int],
    calls_of: Callable[[str], list[Any]],
    output: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(f"{ROOM}.overlap", lambda *arguments, **options: pd.DataFrame())
    calls = calls_of(f"{ROOM}.success")
    assert run("paper lower-bound", *OPTIONS.split(), "--output", str(output)) == 130
    (((pair,), options),) = calls
    assert (pair.delta, pair.alpha, pair.n_arms, pair.epsilon) == (0.05, 0.5, 4, 0.3)
    assert pair.n0 == 1000
    assert callable(options.pop("progress"))
    assert isinstance(options.pop("store"), Store)
    assert options == {"n_instances": 9, "seed": 8, "workers": 3}

    calls = calls_of(f"{ROOM}.overlap")
    assert run("paper lower-bound", *OPTIONS.split(), "--output", str(output)) == 130
    (((n0s,), options),) = calls
    assert n0s == [4, 10, 30, 100, 300, 1000]  # K acceptances at least
    assert callable(options.pop("progress"))
    assert options == {"n_instances": 9, "seed": 8, "n_arms": 4, "alpha": 0.5, "gap": 0.3}


def test_what_is_not_asked_for_is_a_pair_whose_power_can_be_measured(
    run: Callable[..., int], calls_of: Callable[[str], list[Any]], output: Path
) -> None:
    calls = calls_of(f"{ROOM}.overlap")
    run("paper lower-bound", "--output", str(output))
    ((_, options),) = calls
    users = {name: options[name] for name in ("n_arms", "alpha", "gap", "n_instances", "seed")}
    assert users == {"n_arms": 2, "alpha": 0.25, "gap": 0.5, "n_instances": 2000, "seed": 0}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--delta", "0.1", "--delta", "1"], "--delta must be a number in (0, 1), got 1.0"),
        (["--n-arms", "1001"], "--n-arms must be an integer in 2..1000, got 1001"),
        (["--alpha", "0"], "--alpha must be a finite number above 0, got 0.0"),
        (["--gap", "-1"], "--gap must be a finite number above 0, got -1.0"),
        (["--n-instances", "0"], "--n-instances must be an integer of at least 1, got 0"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(
    refused: Callable[..., str], arguments: list[str], message: str
) -> None:
    assert refused("paper lower-bound", *arguments) == message
