"""Agents of one's own on the command line."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pytest

from explorative_user_env import InvalidArgumentError
from explorative_user_env.commands.agents import agents_called
from explorative_user_env.evaluation import evaluate
from explorative_user_env.protocol import name_of

MODULE = """
class Mine:
    def __init__(self, answer=1):
        self.arm = answer

    def reset(self, n_arms, rng, horizon=None):
        self.left = 5

    def act(self):
        return 0 if self.left else None

    def observe(self, arm, accepted):
        self.left -= 1

    def answer(self):
        return self.arm


class Other(Mine):
    name = "other"


def made():
    return Other(0)


ready = Other(0)
nothing = 3


class Wanting:
    def __init__(self, answer):
        pass


class Idle:
    pass
"""


@pytest.fixture(autouse=True)
def _working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A folder with a module of one's own, which nobody remembers afterwards."""
    (tmp_path / "own_bandits.py").write_text(MODULE)
    (tmp_path / "own_broken.py").write_text("1 / 0\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield
    for name in ("own_bandits", "own_broken"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    ("place", "name"), [("Mine", "Mine"), ("Other", "other"), ("made", "other"), ("ready", "other")]
)
def test_a_class_a_function_or_an_agent_of_a_module_here_takes_part(place: str, name: str) -> None:
    bair, mine = agents_called(["bair", f"own_bandits:{place}"], None)
    assert (name_of(bair), name_of(mine)) == ("BAIR", name)
    assert mine.answer() == (1 if place in ("Mine", "Other") else 0)


@pytest.mark.slow  # the agents travel to worker processes
def test_it_stands_in_the_table_whatever_workers_were_there_before(
    run: Callable[..., int], output: Path
) -> None:
    evaluate(["UNI"], n_instances=30, baseline_time=50, compiled=False, workers=2)
    words = "--agent bair --agent own_bandits:Mine --n-arms 2 --delta .2 --n-instances 30"
    assert run("bench", *words.split(), "--workers", "2", "--output", str(output)) == 0
    runs = pd.read_csv(output / "runs.csv").query("agent == 'Mine'")
    assert len(runs) == 30
    assert set(runs["answer"]) == {1}
    assert set(runs["interactions"]) == {5}


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("no_such_module:Mine", r"made \(ModuleNotFoundError: No module named 'no_such_module'\)"),
        ("own_bandits:Yours", r"made \(AttributeError: module 'own_bandits' has no attribute "),
        ("own_bandits:", r"made \(AttributeError: "),
        (":Mine", r"made \(ValueError: "),
        ("own_broken:Mine", r"made \(ZeroDivisionError: division by zero\)"),
        ("own_bandits:Wanting", r"made \(TypeError: .*missing 1 required positional argument"),
        ("own_bandits:nothing", r"made \(TypeError: 'int' object is not callable\)"),
        ("own_bandits:Idle", "with the methods reset, act, observe and answer"),
    ],
)
def test_what_is_no_agent_is_refused_with_the_reason(place: str, reason: str) -> None:
    message = rf"^agent must be module:Class .*{reason}.*, got '{place}'$"
    with pytest.raises(InvalidArgumentError, match=message):
        agents_called([place], None)
