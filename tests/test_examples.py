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
