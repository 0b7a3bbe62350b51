"""Playing in a terminal and repeating a game, whatever the terminal is."""

import io
import os
import subprocess
import sys

import pytest
from processes import PACKAGE

from explorative_user_env.play import game as games
from explorative_user_env.play.game import Game, instance_at_end, log_of, moves_as_text

OPTIONS = {"n_arms": 3, "gap": 2.0}
WORDS = "play --terminal --n-arms 3 --gap 2 --seed 7"


@pytest.fixture
def typed(run, monkeypatch):
    monkeypatch.setattr(games, "shipped_for", lambda *asked, **users: None)  # loads no model

    def of(lines, *words):
        monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
        ended = run(*words)
        assert ended.code == 0
        return ended.out.splitlines()

    return of


def test_a_game_is_played_repeated_to_the_bit_and_gone_on_with(typed):
    printed = typed("0x20\n1x20\n2x20\n0x5\n", WORDS)
    answers = [line for line in printed if line.startswith("Arm ")]
    moves = (0,) * 20 + (1,) * 20 + (2,) * 20 + (0,) * 5
    log = log_of(Game(options=OPTIONS, seed=7, moves=moves))
    assert not all(log.responses)
    assert [": yes" in line for line in answers] == list(log.responses)
    address = printed[-1].split("'")[1]
    assert address.endswith(f"&moves={moves_as_text(moves)}")
    again = typed("", "play --terminal --address", f"http://127.0.0.1:8421/play?{address}")
    assert [line for line in again if line.startswith("Arm ")] == answers
    again = typed("address\nquit\n", "play --terminal --address seed=7&moves=1x4")
    assert "seed=7&moves=1x4" in again


def test_the_truth_is_told_after_an_answer_or_to_who_asks(typed):
    means = [f"{mean:.2f}" for mean in instance_at_end(Game(options=OPTIONS, seed=7)).means]
    address = "n_arms=3&gap=2&seed=7&moves=0.1.2"

    for asked, lines, tells in (
        (address, "", False),
        (f"/mind?{address}&guesses=yny&asked=1", "", False),
        (address, "truth\n", True),
        (f"{address}&answer=1", "", True),
    ):
        printed = "\n".join(typed(lines, "play --terminal --address", asked))
        assert {f"true mean {mean}" in printed for mean in means} == {tells}
        assert ("BAIR" in printed) == ("answer" in asked)


def test_without_the_extra_the_terminal_plays(run, typed, monkeypatch):
    monkeypatch.setattr("explorative_user_env.validation.find_spec", lambda name: None)
    for name in ("jinja2", "starlette", "uvicorn"):
        monkeypatch.setitem(sys.modules, name, None)
    assert run("play").err.startswith("error: the page needs jinja2 and starlette and uvicorn: ")
    assert "With the same user:" in typed("0\nbest 0\n", WORDS)


def test_the_page_is_served_and_opened_where_the_game_is(run, monkeypatch):
    asked, opened = [], []

    def serve(port, ready):
        asked.append(port)
        ready("http://127.0.0.1:1/")
        raise KeyboardInterrupt

    monkeypatch.setattr("explorative_user_env.play.page.serve", serve)
    monkeypatch.setattr("explorative_user_env.play.page.open_browser", opened.append)
    words = ("play", "play --seed 7 --port 0", "play --no-browser --alpha 2")
    printed = "".join(run(each).out for each in words)
    assert asked == [None, 0, None]
    assert opened == ["http://127.0.0.1:1/", "http://127.0.0.1:1/play?gap=2&seed=7"]
    assert printed.count("The page is closed.") == 3
    assert "http://127.0.0.1:1/play?alpha=2&gap=2&seed=" in printed


@pytest.mark.slow
@pytest.mark.parametrize(
    "redirected", ["| head -1", "| cat", pytest.param("<&- | cat", marks=pytest.mark.exhaustive)]
)
def test_a_shell_without_a_home_sees_no_error(redirected, tmp_path):
    lines = "0x10\\n\\xff\\xfe\\n1x10\\nbest 1\\n"  # what is no text is no command and no end
    # What writes to a closed input may be ended by that; only the command itself is asked for.
    command = f"'{sys.executable}' -m explorative_user_env {WORDS} {redirected}"
    environment = os.environ | {"PYTHONPATH": str(PACKAGE), "PYTHONIOENCODING": "ascii"}
    environment.pop("HOME", None)
    script = ["bash", "-c", f"printf '{lines}' | {command}; exit ${{PIPESTATUS[1]}}"]
    where = {"cwd": tmp_path, "env": environment}
    finished = subprocess.run(script, **where, capture_output=True, check=False)
    assert (finished.returncode, finished.stderr) == (0, b"")
    assert finished.stdout.isascii()
    if redirected == "| cat":
        assert b"her best arm is arm" in finished.stdout
    assert not list(tmp_path.iterdir())
