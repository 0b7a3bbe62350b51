"""Playing in a terminal and repeating a game, whatever the terminal is."""

import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from processes import PACKAGE
from terminals import in_terminal, shown

from explorative_user_env.play import game as rivals
from explorative_user_env.play.game import Game, heard_in, instance_at_end, moves_as_text

Run = Callable[..., int]
OPTIONS = {"n_arms": 3, "gap": 2.0}
WORDS = ("play", "--terminal", "--n-arms", "3", "--gap", "2", "--seed", "7")


@pytest.fixture(autouse=True)
def _no_model_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rivals, "shipped_for", lambda *asked, **users: None)


def typed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))


def test_a_game_is_played_and_repeated_to_the_bit(
    run: Run, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    typed(monkeypatch, "0x20\n1x20\n2x20\n0x5\n")
    assert run(*WORDS) == 0
    printed = capsys.readouterr().out.splitlines()
    answers = [line for line in printed if line.startswith("Arm ")]
    moves = (0,) * 20 + (1,) * 20 + (2,) * 20 + (0,) * 5
    heard = heard_in(Game(options=OPTIONS, seed=7, moves=moves))
    assert not all(heard.responses)
    assert [": yes" in line for line in answers] == list(heard.responses)
    address = printed[-1].split("'")[1]
    assert address.endswith(f"&moves={moves_as_text(moves)}")
    for form in (address, f"http://127.0.0.1:8421/play?{address}", f"?{address}"):
        typed(monkeypatch, "")
        assert run("play", "--terminal", "--address", form) == 0
        again = capsys.readouterr().out.splitlines()
        assert [line for line in again if line.startswith("Arm ")] == answers


def test_the_truth_is_told_after_an_answer_or_to_who_asks(
    run: Run, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    means = [f"{mean:.2f}" for mean in instance_at_end(Game(options=OPTIONS, seed=7)).means]
    address = "n_arms=3&gap=2&seed=7&moves=0.1.2"

    def tells(address: str, lines: str = "") -> bool:
        typed(monkeypatch, lines)
        assert run("play", "--terminal", "--address", address) == 0
        printed = capsys.readouterr().out
        told = [f"true mean {mean}" in printed for mean in means]
        assert all(told) or not any(told)
        assert ("BAIR" in printed) == ("answer" in address)
        return all(told)

    assert not tells(address)
    assert not tells(f"/mind?{address}&guesses=yny&asked=1")
    assert tells(address, "truth\n")
    assert tells(f"{address}&answer=1")


def test_a_game_is_gone_on_with(
    run: Run, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    typed(monkeypatch, "address\nquit\n")
    assert run("play", "--terminal", "--address", "seed=7&moves=1x4") == 0
    assert "seed=7&moves=1x4" in capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("play", "--address", "nonsense"), "--address must be name=value with & between"),
        (("play", "--address", "seed=7&moves=9"), "moves must be arms in 0..4, got 9"),
        (("play", "--terminal", "--n-arms", "30"), "--n-arms must be an integer in 2..25, got 30"),
        (("play", "--terminal", "--seed", "-1"), "--seed must be an integer in 0.."),
        (("play", "--terminal", "--address", "seed=x"), "--seed must be a whole number, got 'x'"),
        (("play", "--behaviour", "sleepy"), "--behaviour must be a Behaviour or one of "),
        (("play", "--no-browser", "--port", "99999"), "--port must be an integer in 0..65535"),
    ],
)
def test_what_cannot_be_played_is_refused_in_one_line(
    run: Run, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], told: str
) -> None:
    assert run(*words) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    (line,) = captured.err.splitlines()
    assert line.startswith(f"error: {told}")


def test_without_the_extra_the_page_says_what_it_needs_and_the_terminal_plays(
    run: Run, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("explorative_user_env.validation.find_spec", lambda name: None)
    for name in ("jinja2", "starlette", "uvicorn"):
        monkeypatch.setitem(sys.modules, name, None)
    assert run("play") == 2
    line = capsys.readouterr().err
    assert line.startswith("error: the page needs jinja2 and starlette and uvicorn: pip install ")
    assert line.count("\n") == 1
    typed(monkeypatch, "0\nbest 0\n")
    assert run(*WORDS) == 0
    assert "With the very same user:" in capsys.readouterr().out


@pytest.mark.parametrize(
    "options", [{"port": None}, {"port": 0}], ids=["usual port", "a free port"]
)
def test_the_page_is_served_and_opened_where_the_game_is(
    run: Run,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    options: dict[str, int | None],
) -> None:
    room = "explorative_user_env.play.page"
    asked: list[int | None] = []
    opened: list[str] = []

    def serve(port: int | None, ready: Callable[[str], None]) -> None:
        asked.append(port)
        ready("http://127.0.0.1:1/")
        raise KeyboardInterrupt

    monkeypatch.setattr(f"{room}.serve", serve)
    monkeypatch.setattr(f"{room}.open_browser", opened.append)
    words = [] if options["port"] is None else ["--port", str(options["port"])]
    assert run("play", *words) == 0
    assert run("play", *words, "--seed", "7") == 0
    assert run("play", *words, "--no-browser", "--alpha", "2") == 0
    assert asked == [options["port"]] * 3
    assert opened == ["http://127.0.0.1:1/", "http://127.0.0.1:1/play?gap=2&seed=7"]
    printed = capsys.readouterr().out
    assert printed.count("The page is closed.") == 3
    assert "http://127.0.0.1:1/play?alpha=2&gap=2&seed=" in printed


LINE = "-m explorative_user_env play --terminal --n-arms 3 --gap 2 --seed 7"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("redirected", "variables"),
    [
        ("| head -1", {}),
        (">&-", {}),
        (">&- 2>&-", {}),
        ("| cat", {"PYTHONIOENCODING": "ascii", "TERM": "dumb", "COLUMNS": "60"}),
        ("<&- | cat", {}),
    ],
)
def test_a_shell_sees_no_error(redirected: str, variables: dict[str, str], tmp_path: Path) -> None:
    lines = "0x10\\n1x10\\nbest 1\\n"
    # What writes to a closed input may be ended by that; only the command itself is asked for.
    line = f"printf '{lines}' | '{sys.executable}' {LINE} {redirected}; exit ${{PIPESTATUS[1]}}"
    kept = {name: value for name, value in os.environ.items() if name != "HOME"}
    finished = subprocess.run(
        ["bash", "-c", line],
        cwd=tmp_path,
        env=kept | {"PYTHONPATH": str(PACKAGE), **variables},
        capture_output=True,
        check=False,
    )
    assert (finished.returncode, finished.stderr) == (0, b"")
    assert finished.stdout.isascii()
    if redirected == "| cat":
        assert b"her best arm is arm" in finished.stdout
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_what_is_no_text_is_no_command_and_no_end(tmp_path: Path) -> None:
    finished = subprocess.run(
        [sys.executable, *LINE.split()],
        input=b"0\n\xff\xfe\n1\n",
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(PACKAGE), "PYTHONIOENCODING": "utf-8:strict"},
        capture_output=True,
        check=False,
    )
    assert (finished.returncode, finished.stderr) == (0, b"")
    assert finished.stdout.endswith(b"seed=7&moves=0.1'\n")


@pytest.mark.slow
@pytest.mark.parametrize("width", [60, 80])
def test_no_line_is_too_long_for_a_terminal(width: int, tmp_path: Path) -> None:
    words = ["-m", "explorative_user_env", "play", "--terminal", "--address"]
    words.append("n_arms=3&gap=2&seed=7&moves=0x3.1&answer=1")
    code, sent = in_terminal(width, *words, folder=tmp_path)
    lines = shown(sent)
    assert code == 0
    assert max(map(len, lines)) <= width
    assert any("her best arm is" in line for line in lines)
