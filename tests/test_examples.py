import importlib
import re
import runpy
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import gymnasium as gym
import pytest

import explorative_user_env as eu
from explorative_user_env.agents import BAIR

EXAMPLES = Path(__file__).parents[1] / "examples"
RUN_HERE = {  # or, the learnt ones, in test_learning_that_pays
    "cleanrl_style.py",
    "custom_agent.py",
    "interval_coverage.py",
    "learning_that_pays.py",
    "learnt_index.py",
    "leaderboard.py",
    "pictures.py",
    "quickstart.py",
    "scale_out.py",
    "speed.py",
    "text_agent.py",
    "theory.py",
    "train_index.py",
    "train_ppo.py",
    "training_speed.py",
    "tuned_by_hand.py",
}


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """What runs an example as a script would, on fewer users, and returns what it prints."""

    def of(name: str, **constants: int) -> str:
        space = runpy.run_path(str(EXAMPLES / name))
        for constant, value in constants.items():
            assert constant in space, f"{name} has no {constant} any more"
            monkeypatch.setitem(space["main"].__globals__, constant, value)
        space["main"]()
        return capsys.readouterr().out

    return of


def row_of(agent: str, printed: str) -> str:
    """The one row of a printed table that is about this agent."""
    (row,) = (line for line in printed.splitlines() if re.search(rf"(^|\s){agent}\s+\d", line))
    return row


def test_every_example_is_run_here() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == RUN_HERE


def test_quickstart(run: Callable[..., str]) -> None:
    printed = run("quickstart.py", N_INSTANCES=5)
    assert "arm 2: accepted" in printed
    bair = eu.rollout(gym.make("ExplorativeUser-v0", n_arms=5), BAIR(delta=0.1), seed=7)
    assert f"BAIR answers arm {bair.answer} after {bair.stopping_time} recommend" in printed
    for agent in ("BAIR", "T&S", "UNI", "EXP3"):
        assert row_of(agent, printed)


def test_a_custom_agent_stands_beside_bair(run: Callable[..., str]) -> None:
    printed = run("custom_agent.py", N_INSTANCES=5)
    assert row_of("BAIR", printed)
    assert row_of("mine", printed)


def test_an_agent_that_answers_in_words_stands_beside_bair(run: Callable[..., str]) -> None:
    printed = run("text_agent.py", N_INSTANCES=3)
    assert printed.startswith("You recommend one arm at a time")
    for agent in ("BAIR", "UNI", "words"):
        assert row_of(agent, printed)
    assert "answers that could not be read: 0" in printed


def test_the_bounds_of_the_paper_and_how_often_they_were_broken(run: Callable[..., str]) -> None:
    printed = run("theory.py", N_INSTANCES=5)
    for word in ("phase1_rejections", "total", "lm:Er", "thm:upperbound2"):
        assert word in printed
    verdicts = re.findall(r"broken .*: (.+) \((\d) of 5 runs\)$", printed, re.MULTILINE)
    assert len(verdicts) == 9
    # Phase 1's rounds never happen to users of the text's setting: nothing there can be broken.
    assert [each for each in verdicts if each[0] != "holds"] == [("never met", "0")] * 2


@pytest.mark.slow
@pytest.mark.usefixtures("one_thread")
def test_ppo_of_stable_baselines3_stands_beside_bair(run: Callable[..., str]) -> None:
    pytest.importorskip("stable_baselines3")
    pytest.importorskip("sb3_contrib")
    printed = run("train_ppo.py", STEPS=512, N_USERS=8, N_STEPS=64, N_INSTANCES=5)
    for agent in ("BAIR", "SE", "UNI", "PPO"):
        assert row_of(agent, printed)


@pytest.mark.usefixtures("one_thread")
def test_ppo_in_one_file_stands_beside_bair(run: Callable[..., str]) -> None:
    small = {"HORIZON": 20, "N_USERS": 4, "N_STEPS": 32, "UPDATES": 2, "BATCH": 64}
    printed = run("cleanrl_style.py", **small, N_INSTANCES=5)
    # 128 steps of users whose episodes are 20 steps long: some have ended.
    told = [line for line in printed.splitlines() if line.startswith("update ")]
    assert [re.sub(r"\d+$", "R", line) for line in told] == [
        f"update {n} of 2: regret of the last episodes R" for n in (1, 2)
    ]
    assert row_of("one-file PPO", printed)


@pytest.mark.slow
@pytest.mark.usefixtures("one_thread")
def test_training_speed_prints_the_ratio(run: Callable[..., str]) -> None:
    pytest.importorskip("stable_baselines3")
    pytest.importorskip("sb3_contrib")
    printed = run("training_speed.py", STEPS_OF_AN_UPDATE=4096, ROUNDS=1)
    (few,) = re.findall(r"^8 DummyVecEnvs +(\d+) steps a second$", printed, flags=re.MULTILINE)
    ((many, ratio),) = re.findall(r"\(256\) +(\d+) steps a second, (\S+) times as many", printed)
    assert float(ratio) == pytest.approx(int(many) / int(few), abs=0.06, rel=0.01)


@pytest.mark.slow
def test_scale_out_prints_rates_and_ratios(run: Callable[..., str]) -> None:
    few = {"ROUNDS": 2, "FAST_USERS": 30, "SLOW_USERS": 20, "COUNTED": 1000, "KEPT_USERS": 2000}
    printed = run("scale_out.py", **few)
    row = r"^\| .* \| [\d,]+ (\| \d+\.\d\d \[\d+\.\d\d, \d+\.\d\d\] ){3}\|$"
    assert len(re.findall(row, printed, flags=re.MULTILINE)) == 4
    (taken,) = re.findall(r"A kept run takes (\d+) bytes", printed)
    assert 20 < int(taken) < 60


@pytest.fixture
def speed(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The example as a module, as its processes have to find it again, with small constants."""
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.syspath_prepend(EXAMPLES)
    module = importlib.import_module("speed")
    small: dict[str, Any] = {"ROUNDS": 1, "SINGLE_STEPS": 20, "VECTOR_STEPS": 4096}
    small |= {"BATCH_STEPS": 1000, "ARMS": (2,), "LONGEST": 1000, "MOST_INSTANCES": 100}
    small |= {"SHORT_RUNS": 100, "FRAMES": 3}
    for constant, value in small.items():
        monkeypatch.setattr(module, constant, value)
    return module


@pytest.mark.slow
def test_speed_prints_every_comparison(
    speed: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # In this process: another for each row would start Python as often.
    monkeypatch.setattr(speed, "ProcessPoolExecutor", lambda n, context: ThreadPoolExecutor(n))
    speed.main()
    printed = capsys.readouterr().out
    titles = ("Single environment", "256 lanes", "4096 lanes", "Compiled batch", "Growth")
    for title in (*titles, "Runs of 500 steps", "Pictures"):
        assert title in printed
    for row in (
        "K = 5, made",
        "BAIR, K = 100",
        "T&S, K = 2",
        "100 runs of 500 steps",
        "regret, 2 workers",
        "rgb_array, K = 5",
    ):
        assert re.search(rf"{row}.*\d", printed), row
    # What is compared with itself is as fast as itself.
    references = re.findall(r"CartPole-v1.*\D(\d+\.\d)\W*$", printed, flags=re.MULTILINE)
    assert references == ["1.0"] * len(references)
    assert len(references) == 2 + 3 + 1 + 1


@pytest.mark.slow
def test_growth_is_measured_in_a_process_of_its_own(
    speed: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(speed, "ARMS", ())
    monkeypatch.setattr(speed, "LONGEST", 1)
    names, seconds, *_, peak = (list(column.cells) for column in speed.growth().columns)
    assert names == ["100 runs of 500 steps, K = 5"]
    assert float(str(seconds[0])) >= 0.0
    assert peak == ["?"] or int(str(peak[0]).replace(",", "")) > 20


def test_the_wrappers_that_the_zoo_is_told_of_make_an_observation() -> None:
    told = (EXAMPLES / "rl_zoo3.yml").read_text(encoding="utf-8")
    env: Any = gym.make(re.findall(r"^(\S+):$", told, flags=re.MULTILINE)[0])
    wrappers = re.findall(r"^    - (\S+)\.(\w+)$", told, flags=re.MULTILINE)
    assert len(wrappers) == 2
    for module, name in wrappers:
        env = getattr(importlib.import_module(module), name)(env)
    observation, _ = env.reset(seed=0)
    assert env.observation_space.contains(observation)
    page = EXAMPLES.parent / "docs" / "how_to" / "use_another_rl_library.md"
    (zoo,) = re.findall(r"rl_zoo3\.train .*", page.read_text("utf-8"))
    assert "--env ExplorativeUser-v0" in zoo
    assert "--conf-file examples/rl_zoo3.yml" in zoo


def test_the_pictures_of_the_documents_can_be_drawn_again(tmp_path: Path) -> None:
    space = runpy.run_path(str(EXAMPLES / "pictures.py"))
    space["main"](tmp_path)
    for name, words in (("rejection", "is clearly better"), ("run", "BAIR names arm")):
        drawn, committed = (
            (folder / f"{name}.svg").read_text(encoding="utf-8")
            for folder in (tmp_path, EXAMPLES / "pictures")
        )
        assert words in drawn
        # The last tenth of a pixel is the processor's.
        letters = [re.sub(r"[\d.]+", "", text) for text in (drawn, committed)]
        assert letters[0] == letters[1]
        numbers = [
            [float(number) for number in re.findall(r"[ \",](\d+(?:\.\d)?)[ \",]", text)]
            for text in (drawn, committed)
        ]
        assert numbers[0] == pytest.approx(numbers[1], abs=0.11)
        assert len(committed) < 60_000
