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
