"""Which model of the package is for whom."""

import json
from pathlib import Path

import pytest

from explorative_user_env import shipped
from explorative_user_env.protocol import BAI, REGRET
from explorative_user_env.shipped import shipped_for, shipped_models


@pytest.fixture(autouse=True)
def _three_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = {
        "a/noisy/seed-0": {"noise": 0.2, "behaviour": "explorative"},
        "a/noisy/seed-1": {"noise": 0.2, "behaviour": "explorative"},
        "usual": {"noise": 0.0},
    }
    for name, users in made.items():
        (tmp_path / name).mkdir(parents=True)
        told = {"task": "regret", "n_arms": 5, "environment": {}, "users": users}
        (tmp_path / name / "settings.json").write_text(json.dumps(told))
    monkeypatch.setattr(shipped, "MODELS", tmp_path)


def test_models_are_named_by_their_folders() -> None:
    assert list(shipped_models()) == ["a/noisy/seed-0", "a/noisy/seed-1", "usual"]


def test_a_model_of_other_users_is_never_the_usual_one() -> None:
    found = [shipped_for(REGRET, 5), shipped_for(REGRET, 5, behaviour="logistic")]
    assert [model[0] for model in found if model] == ["usual", "usual"]
    noisy = shipped_for(REGRET, 5, noise=0.2)
    assert noisy
    assert noisy[0] == "a/noisy/seed-0"
    assert shipped_for(REGRET, 4) is None
    assert shipped_for(BAI, 5) is None
