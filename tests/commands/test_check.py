"""The command that checks what is somebody's own."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from processes import PACKAGE, python
from specimens import SPECIMENS
from specimens.agents import Honest
from terminals import in_terminal, shown

from explorative_user_env import ENV_ID
from explorative_user_env.check import Kind, checks_of

TESTS = Path(__file__).parents[1]

MODULE = """
from specimens.agents import *
from specimens.environments import ShiftsItsLanes
from specimens.users import LAWS, overflowing_law
from gymnasium import register

wide = LAWS["has_variance_at_most_one"]
made = Honest
ready = Honest()
nothing = 3
register("Mine-v0", "explorative_user_env:ExplorativeUserEnv", max_episode_steps=9)


class Wanting:
    def __init__(self, needed):
        pass
"""


@pytest.fixture(autouse=True)
def _working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A folder with a module of one's own, which nobody remembers afterwards."""
    import gymnasium as gym

    (tmp_path / "own_checked.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield
    sys.modules.pop("own_checked", None)
    gym.registry.pop("Mine-v0", None)


Run = Callable[..., int]

NAMED = {
    "a leaky agent": ("ReadsTheBestArm", "guesses_when_it_cannot_know"),
    "one that asks the collector": ("AsksTheCollector", "depends_on_responses_alone"),
    "one that keeps the user": ("KeepsTheUser", "holds_no_secret"),
    "one that ignores its seed": ("IgnoresItsSeed", "repeats_with_the_same_stream"),
    "one that seeds itself": ("SeedsItself", "draws_from_no_other_stream"),
    "an off-by-one vector env": ("ShiftsItsLanes", "lanes_are_single_environments"),
    "a biased-tie agent": ("PrefersLowNumbers", "breaks_ties_by_chance"),
    "one that keeps state between users": ("KeepsUsers", "forgets_users_it_has_met"),
    "one out of range": ("OutOfRange", "recommends_arms"),
}


@pytest.mark.parametrize("which", NAMED)
def test_each_fault_is_caught_under_its_name(
    run: Run, capsys: pytest.CaptureFixture[str], which: str
) -> None:
    target, name = NAMED[which]
    assert run("check", f"own_checked:{target}", "--only", name) == 1
    captured = capsys.readouterr()
    (row,) = [line for line in captured.out.splitlines() if line.split()[:1] == [name]]
    assert row.split()[1] == "failed"
    assert len(row.split()) > 4
    assert captured.err == ""


@pytest.mark.slow
def test_all_checks_of_an_agent_stand_in_a_table(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("check", "own_checked:OutOfRange") == 1
    printed = capsys.readouterr().out
    for check in checks_of("agent"):
        assert f"  {check.name} " in printed
    assert "act returned 5, must be an integer in 0..4 or None (at step 7:" in " ".join(
        printed.split()
    )


@pytest.mark.slow
def test_an_honest_agent_passes(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("check", "own_checked:Honest") == 0
    assert "23 checks: 20 passed, 3 not asked" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("target", "kinds"),
    [
        ("own_checked:made", ["Honest (agent)"]),
        ("own_checked:ready", ["Honest (agent)"]),
        ("uni", ["UNI (agent)"]),
        (ENV_ID, [f"{ENV_ID} (environment)", f"{ENV_ID} (vector environment)"]),
        ("own_checked:Mine-v0", ["Mine-v0 (environment)"]),
        ("own_checked:wide", ["wide (reward law)"]),
        ("bair-tuned:200", ["BAIR-tuned (agent)"]),
    ],
)
def test_a_target_is_told_by_its_kind(
    run: Run, capsys: pytest.CaptureFixture[str], target: str, kinds: list[str]
) -> None:
    assert run("check", target, "--explain") == 0
    printed = capsys.readouterr().out
    assert [line for line in printed.splitlines() if line.endswith(")")] == kinds


def test_what_each_check_asks_is_said_without_running_it(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("check", "own_checked:OutOfRange", "--explain") == 0
    printed = capsys.readouterr().out
    for check in checks_of("agent"):
        assert f"{check.name}: {check.asks}" in printed


def test_a_known_fault_is_expected_and_no_failure(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "has_variance_at_most_one"
    words = ("check", "own_checked:wide", "--only", name)
    assert run(*words) == 1
    capsys.readouterr()
    assert run(*words, "--expect", f"{name}=wide on purpose") == 0
    printed = capsys.readouterr().out
    assert "wide on purpose" in printed
    assert "1 check: 1 expected" in printed
    assert run("check", "own_checked:made", "--only", "recommends_arms", "--seed", "5") == 0
    assert run("check", "uni", "--only", "recommends_arms", "--expect", "recommends_arms=x") == 1
    assert "it passed, though expected to fail: x" in capsys.readouterr().out


def test_a_kind_is_asked_for_where_the_target_does_not_tell(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("check", "own_checked:overflowing_law", "--explain")
    assert run(*words, "--kind", "reward law") == 0
    assert "overflowing_law (reward law)" in capsys.readouterr().out
    assert run(*words) == 2
    assert run("check", ENV_ID, "--kind", "vector environment", "--explain") == 0
    assert "(environment)" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nobody",), "target must be module:name, sb3:DIR, an environment's id or one of bair, "),
        (("no_such:Mine",), "target must be module:name that can be imported (ModuleNotFoundError"),
        (("own_checked:Yours",), "target must be module:name that can be imported (AttributeErr"),
        (("own_checked:nothing",), "target must be an agent, an environment, a Behaviour, "),
        (("own_checked:Wanting",), "target must be an agent, an environment, a Behaviour, "),
        (("uni", "--only", "is_nice"), "--only must be one of begins_with_a_horizon"),
        (("uni", "--expect", "is_nice=no"), "--expect must be one of begins_with_a_horizon"),
        (("uni", "--expect", "recommends_arms"), "--expect must be NAME=REASON, as "),
        (("uni", "--kind", "planet"), "--kind must be one of agent, algorithm, "),
        (("uni", "--kind", "schedule"), "--kind must be another one, as uni is none, got 'sched"),
        (("uni", "--seed", "-1"), "--seed must be an integer of at least 0, got -1"),
    ],
)
def test_what_cannot_be_checked_is_refused_in_one_line(
    run: Run, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str
) -> None:
    assert run("check", *words) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    (line,) = captured.err.splitlines()
    assert line.startswith(f"error: {message}")


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "terminal"), [(60, "xterm"), (80, "dumb")])
def test_the_table_is_as_wide_as_the_terminal(tmp_path: Path, columns: int, terminal: str) -> None:
    name = "meets_any_user"
    code, sent = in_terminal(
        columns,
        *("-m", "explorative_user_env", "check", "own_checked:OutOfRange", "--only", name),
        folder=tmp_path,
        variables={"PYTHONPATH": f"{PACKAGE}:{TESTS}", "TERM": terminal},
    )
    assert code == 1
    lines = shown(sent)
    assert max(map(len, lines)) <= columns
    assert "act returned 5, must be an integer in 0..4 or None" in " ".join(" ".join(lines).split())


@pytest.mark.slow
def test_it_runs_from_a_shell_in_a_pipe(tmp_path: Path) -> None:
    wrong = "import numpy as np\nfrom explorative_user_env.agents import Uniform\n"
    wrong += "def mine():\n    return Uniform(ties='first', horizon=20)\n"
    (tmp_path / "piped.py").write_text(wrong)
    words = ("-m", "explorative_user_env", "check", "piped:mine", "--only")
    finished = python(*words, "breaks_ties_by_chance", folder=tmp_path)
    assert finished.returncode == 1
    assert "  breaks_ties_by_chance   failed " in finished.stdout
    assert finished.stderr == ""


def test_the_specimens_of_the_table_are_those_of_the_checks() -> None:
    kinds = {"lanes_are_single_environments": Kind.VECTOR}
    for target, name in NAMED.values():
        wrong = SPECIMENS[kinds.get(name, Kind.AGENT), name]
        assert target in [each.__name__ for each in wrong]
    assert Honest.__name__ == "Honest"
