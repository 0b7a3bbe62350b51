"""A training that was broken off comes to the very model of one that was not."""

import base64
import json
import pickle
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from planted import Planted
from sb3_trainings import TINY, same, weights

from explorative_user_env.results.store import Store
from explorative_user_env.rl import train
from explorative_user_env.rl.models import PROGRESS_FILE
from explorative_user_env.rl.training import CHECKPOINTS
from explorative_user_env.validation import InvalidArgumentError

ASKED = {"command": "train", "options": {"algo": "any"}}

TRAININGS: dict[str, dict[str, Any]] = {
    "ppo": {**TINY, "steps": 6000},
    "recurrent-ppo": TINY,
    "maskable-ppo": {**TINY, "task": "bai", "n_envs": 8},
    "dqn": {**TINY, "steps": 22_000, "n_envs": 16},
}


def interrupted_at(steps: float) -> Any:
    def tell(what: str, done: int, total: int) -> None:
        if done >= steps:
            raise KeyboardInterrupt

    return tell


@pytest.mark.slow
@pytest.mark.parametrize("algo", TRAININGS)
def test_it_comes_to_the_same_weights_and_no_code_in_a_checkpoint_is_run(
    algo: str, tmp_path: Path
) -> None:
    options = TRAININGS[algo]
    undisturbed = train(algo, output=tmp_path / "whole", **options)
    path, ran = tmp_path / "run.sqlite", tmp_path / "ran"
    for share in (0.6, 0.97):
        with pytest.raises(KeyboardInterrupt), Store(path, ASKED) as store:
            train(algo, store=store, progress=interrupted_at(share * options["steps"]), **options)
        with closing(sqlite3.connect(path)) as db:
            kept = db.execute("SELECT * FROM kept").fetchall()
        assert 1 <= len(kept) <= CHECKPOINTS
    other = shutil.copy(path, tmp_path / "other.sqlite")
    planted = base64.b64encode(pickle.dumps(Planted(ran), protocol=2)).decode()
    with closing(sqlite3.connect(other)) as db:
        for key, position, text in kept:
            piece = json.dumps({**json.loads(text), "state": planted})
            where = "WHERE key = ? AND position = ?"
            db.execute(f"UPDATE kept SET value = ? {where}", (piece, key, position))
        db.commit()
    with Store(other, ASKED) as store, pytest.raises(InvalidArgumentError, match="checkpoint"):
        train(algo, store=store, **options)
    assert not ran.exists()
    with Store(path, ASKED) as store:
        gone_on = train(algo, store=store, output=tmp_path / "out", **options)
    assert same(weights(undisturbed), weights(gone_on))
    found = [pd.read_csv(tmp_path / name / PROGRESS_FILE) for name in ("whole", "out")]
    pd.testing.assert_frame_equal(*found, check_exact=True)
