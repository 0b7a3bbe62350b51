"""A look at a model while it is trained: what is told, and whom it meets."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

pytest.importorskip("torch", reason="needs the extra rl")
pytest.importorskip("stable_baselines3", reason="needs the extra rl")
pytest.importorskip("sb3_contrib", reason="needs the extra rl")

from sb3_trainings import SHORT

import explorative_user_env as eu
from explorative_user_env.rl import SB3Agent, make_sb3_vec_env, train, training
from explorative_user_env.rl import training as callback
from explorative_user_env.rl.models import RECIPES
from explorative_user_env.rl.training import EVALUATION_SEED
from explorative_user_env.users.population import Population


@pytest.mark.slow
def test_progress_is_told_to_the_end(
    trained: tuple[SB3Agent, Path], told: list[tuple[str, int, int]]
) -> None:
    done = [each for _, each, _ in told]
    assert done == sorted(done)
    assert done[-1] == 3000
    assert {total for *_, total in told} == {3000}
    assert told[0][0] == "training"
    assert told[-1][0].startswith("regret ")


@pytest.mark.slow
def test_the_last_evaluation_is_that_of_the_model(trained: tuple[SB3Agent, Path]) -> None:
    agent, folder = trained
    results = eu.evaluate(
        [agent],
        task="regret",
        n_arms=3,
        n_instances=5,
        seed=EVALUATION_SEED,
        gap=0.7,
        setting="released",
        horizon=30,
        progress=False,
    )
    regret = pd.read_csv(folder / "training.csv")["regret"].iloc[-1]
    assert results.summary()["regret"].iloc[0] == pytest.approx(regret)


@pytest.mark.parametrize(
    ("task", "options"),
    [
        ("regret", {"reward_law": "bounded", "rho": 1.0}),
        ("regret", {"behaviour": "omniscient", "noise": 0.1}),
        ("bai", {"behaviour": "drifting", "step_cost": 0.01}),
    ],
)
def test_it_is_evaluated_on_users_like_those_it_learns_from(
    monkeypatch: pytest.MonkeyPatch, task: str, options: dict[str, Any]
) -> None:
    met: list[dict[str, Any]] = []
    learned_from: list[Population] = []

    def making(*arguments: Any, **given: Any) -> Any:
        learned_from.append(given["population"])
        return make_sb3_vec_env(*arguments, **given)

    def evaluating(*arguments: Any, **given: Any) -> Any:
        met.append(given)
        return eu.evaluate(*arguments, **given)

    monkeypatch.setattr(training, "make_sb3_vec_env", making)
    monkeypatch.setattr(callback, "evaluate", evaluating)
    algo = "maskable-ppo" if task == "bai" else "ppo"
    train(algo, task=task, n_arms=3, horizon=8, **SHORT, **options)
    users = {name: value for name, value in options.items() if name != "step_cost"}
    assert learned_from == [Population(n_arms=3, **users)]
    assert met
    assert all(given["n_instances"] == SHORT["evaluation_users"] for given in met)
    assert all(given["population"] == learned_from[0] for given in met)
    assert all(given.get("step_cost") == options.get("step_cost") for given in met)


@pytest.mark.slow
@pytest.mark.parametrize(("steps", "points"), [(160, 10), (100, 7)])
def test_a_model_is_looked_at_ten_times_or_after_every_rollout(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, steps: int, points: int
) -> None:
    """A rollout is of 16 steps; the last of 100 ends at 112."""
    ppo = RECIPES["ppo"]
    short = replace(ppo, options={**ppo.options, "n_steps": 8, "batch_size": 16})
    monkeypatch.setattr(training, "recipe_for", lambda algo, task: short)
    train(steps=steps, n_envs=2, n_arms=2, horizon=4, evaluation_users=1, output=tmp_path)
    looked_at = pd.read_csv(tmp_path / "training.csv")["steps"].tolist()
    assert looked_at == [16 * point for point in range(1, points + 1)]
    monkeypatch.setattr(callback, "EVALUATIONS", 2)
    train(steps=steps, n_envs=2, n_arms=2, horizon=4, evaluation_users=1, output=tmp_path)
    assert len(pd.read_csv(tmp_path / "training.csv")) == 2
