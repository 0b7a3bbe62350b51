from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("stable_baselines3", reason="needs the extra rl")
pytest.importorskip("sb3_contrib", reason="needs the extra rl")

from explorative_user_env import InvalidArgumentError
from explorative_user_env.results.store import Store

TRAIN = "explorative_user_env.rl.train"


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The folder of a model is made before the training."""
    monkeypatch.chdir(tmp_path)


def test_every_option_arrives(
    run: Callable[..., int], calls_of: Callable[[str], list[Any]]
) -> None:
    calls = calls_of(TRAIN)
    words = (
        "--algo maskable-ppo --task bai --steps 77 --seed 8 --horizon 33 --observation counts "
        "--tensorboard logs --output model --setting released --n-arms 4 --alpha 2 --gap 0.3 "
        "--noise 0.1 --means normal --rho 0.9 --reward-law bounded --behaviour forgetful"
    )
    assert run("train", *words.split()) == 130
    ((arguments, options),) = calls
    assert arguments == ()
    assert callable(options.pop("progress"))
    assert options.pop("output").path == Path("model")
    assert isinstance(options.pop("store"), Store)
    assert options == {
        "algo": "maskable-ppo",
        "task": "bai",
        "steps": 77,
        "seed": 8,
        "horizon": 33,
        "observation": "counts",
        "tensorboard": Path("logs"),
        "setting": "released",
        "n_arms": 4,
        "alpha": 2.0,
        "gap": 0.3,
        "noise": 0.1,
        "means": "normal",
        "rho": 0.9,
        "reward_law": "bounded",
        "behaviour": "forgetful",
    }


def test_what_is_not_asked_for_is_ppo_on_the_papers_users(
    run: Callable[..., int], calls_of: Callable[[str], list[Any]]
) -> None:
    calls = calls_of(TRAIN)
    run("train", "--seed", "3")
    ((_, options),) = calls
    assert options["algo"] == "ppo"
    assert (options["task"], options["steps"], options["n_arms"]) == ("regret", 2_500_000, 5)
    assert options["output"].path == Path("models") / "regret-ppo-k5-seed3"
    assert not {"horizon", "observation", "tensorboard"} & set(options)


def test_who_come_one_after_another_are_told_of_if_they_are_asked_for(
    run: Callable[..., int], calls_of: Callable[[str], list[Any]]
) -> None:
    calls = calls_of(TRAIN)
    run("train", "--task", "population", "--n-users", "3", "--deviation", "0.2", "--seed", "3")
    run("train", "--task", "population", "--seed", "4")
    (_, options), (_, usual) = calls
    assert (options["task"], options["n_users"], options["deviation"]) == ("population", 3, 0.2)
    assert not {"n_users", "deviation"} & set(usual)


def test_it_says_where_the_model_is_and_how_to_compare_it(
    run: Callable[..., int],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    output: Path,
) -> None:
    monkeypatch.setattr(TRAIN, lambda *arguments, **options: None)
    assert run("train", "--output", str(output)) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"Model: {output}",
        f"explorative-user bench --agent sb3:{output}",
    ]


def test_what_is_refused_is_one_line_and_exit_code_2(
    run: Callable[..., int], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*arguments: Any, **options: Any) -> None:
        raise InvalidArgumentError("steps", 0, "an integer of at least 1")

    monkeypatch.setattr(TRAIN, refused)
    assert run("train", "--steps", "0") == 2
    assert capsys.readouterr().err == "error: --steps must be an integer of at least 1, got 0\n"
