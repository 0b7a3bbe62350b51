import importlib
import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


def run(name: str, monkeypatch: pytest.MonkeyPatch, **constants: int) -> None:
    """Run an example as a script would, on fewer users."""
    space = runpy.run_path(str(EXAMPLES / name))
    for constant, value in constants.items():
        monkeypatch.setitem(space["main"].__globals__, constant, value)
    space["main"]()


def test_quickstart(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    run("quickstart.py", monkeypatch, N_INSTANCES=5)
    printed = capsys.readouterr().out
    for word in ("arm 2: accepted", "BAIR answers arm", "T&S", "EXP3"):
        assert word in printed


def test_a_custom_agent_stands_beside_bair(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run("custom_agent.py", monkeypatch, N_INSTANCES=5)
    printed = capsys.readouterr().out
    assert "BAIR" in printed
    assert "mine" in printed


def test_the_bounds_of_the_paper_and_how_often_they_were_broken(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run("theory.py", monkeypatch, N_INSTANCES=5)
    printed = capsys.readouterr().out
    for word in ("phase1_rejections", "total", "lm:Er", "thm:upperbound2", "holds"):
        assert word in printed


def test_ppo_of_stable_baselines3_stands_beside_bair(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("stable_baselines3")
    run("train_ppo.py", monkeypatch, STEPS=512, N_USERS=8, N_STEPS=64, N_INSTANCES=5)
    printed = capsys.readouterr().out
    for agent in ("BAIR", "SE", "UNI", "PPO"):
        assert agent in printed


def test_ppo_in_one_file_stands_beside_bair(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch")
    small = {"HORIZON": 20, "N_USERS": 4, "N_STEPS": 32, "UPDATES": 2, "BATCH": 64}
    run("cleanrl_style.py", monkeypatch, **small, N_INSTANCES=5)
    printed = capsys.readouterr().out
    assert "update 0: regret of the last episodes" in printed
    assert "one-file PPO" in printed


def test_training_speed_prints_the_ratio(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("stable_baselines3")
    run("training_speed.py", monkeypatch, STEPS_OF_AN_UPDATE=4096, ROUNDS=1)
    assert "times as many" in capsys.readouterr().out


def test_the_picture_can_be_drawn_again(tmp_path: Path) -> None:
    draw = runpy.run_path(str(EXAMPLES / "picture.py"))["draw"]
    draw(tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 20_000


def test_speed_prints_every_comparison(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    # By its name: its processes have to find it again.
    monkeypatch.syspath_prepend(EXAMPLES)
    speed = importlib.import_module("speed")
    small: dict[str, object] = {
        "ROUNDS": 1,
        "SINGLE_STEPS": 20,
        "VECTOR_STEPS": 4096,
        "BATCH_STEPS": 1000,
    }
    for constant, value in (small | {"ARMS": (2,), "LONGEST": 1000, "MOST_INSTANCES": 100}).items():
        monkeypatch.setattr(speed, constant, value)
    speed.main()
    printed = capsys.readouterr().out
    for title in ("Single environment", "256 lanes", "4096 lanes", "Compiled batch", "Growth"):
        assert title in printed
    for row in ("K = 5, made", "BAIR, K = 100", "T&S, K = 2", "100 runs of 500 steps"):
        assert row in printed
