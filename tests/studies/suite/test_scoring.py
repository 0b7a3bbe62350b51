"""Scores and their intervals against a slow computation, user by user."""

from functools import partial
from zlib import crc32

import numpy as np
import pytest
from scipy import stats

from explorative_user_env.studies import suite as room
from explorative_user_env.studies.suite import (
    Replicates,
    SuiteResults,
    mean_losses,
    over_tasks,
    scores_in,
)
from explorative_user_env.studies.suite_tasks import tasks_named

SEED, N_USERS = 5, 11
FEW = 40


@pytest.fixture
def few_replicates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "N_REPLICATES", FEW)


def made_losses() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    means = {"UNI": [9.0], "SE": [4.0], "model": [3.0, 4.0, 8.0]}
    return {
        name: np.stack([rng.normal(mean, 2.0, N_USERS) for mean in own])
        for name, own in means.items()
    }


def stream(name: str) -> np.random.Generator:
    key = (crc32(b"bootstrap"), crc32(name.encode()))
    return np.random.default_rng(np.random.SeedSequence(SEED, spawn_key=key))


def slow_score(losses: dict[str, np.ndarray], users: list[int], trainings: list[int]) -> float:
    """Return the model's score with these users and trainings, any of them several times."""
    totals = dict.fromkeys(losses, 0.0)
    for user in users:
        totals["UNI"] += losses["UNI"][0][user]
        totals["SE"] += losses["SE"][0][user]
        own = [losses["model"][training][user] for training in trainings]
        totals["model"] += sum(own) / len(own)
    return (totals["UNI"] - totals["model"]) / (totals["UNI"] - totals["SE"])


def test_a_score_and_its_interval_are_those_of_a_slow_computation(few_replicates: None) -> None:
    losses, (task,) = made_losses(), tasks_named(["bai-k5"])
    found = scores_in(task, mean_losses(losses, SEED))["model"]
    users = stream("users").integers(N_USERS, size=(FEW, N_USERS)).tolist()
    trainings = stream("model").integers(3, size=(FEW, 3)).tolist()
    slow = [slow_score(losses, *drawn) for drawn in zip(users, trainings, strict=True)]
    assert found.value == pytest.approx(slow_score(losses, [*range(N_USERS)], [0, 1, 2]))
    assert found.drawn == pytest.approx(np.array(slow))
    # Of 40 replicates 2.5% is the first of them, and nothing of the next.
    ordered = sorted(slow)
    ends = (ordered[0] + 0.975 * (ordered[1] - ordered[0]), ordered[-1])
    assert found.interval()[0] == pytest.approx(ends[0])
    assert ordered[-2] < found.interval()[1] < ends[1]


def test_the_anchors_have_exactly_0_and_1_in_every_replicate() -> None:
    (task,) = tasks_named(["bai-k5"])
    found = scores_in(task, mean_losses(made_losses(), SEED))
    assert (found["UNI"].value, found["SE"].value) == (0.0, 1.0)
    assert set(found["UNI"].drawn) == {0.0}
    assert set(found["SE"].drawn) == {1.0}


def test_an_agent_more_changes_nothing_of_another() -> None:
    alone = mean_losses({name: own for name, own in made_losses().items() if name != "SE"}, SEED)
    both = mean_losses(made_losses(), SEED)
    for name, own in alone.items():
        assert np.array_equal(own.drawn, both[name].drawn)


def test_trainings_that_differ_make_an_interval_longer() -> None:
    losses = made_losses()
    one = mean_losses({"model": losses["model"].mean(axis=0)[np.newaxis]}, SEED)["model"]
    three = mean_losses({"model": losses["model"]}, SEED)["model"]
    assert one.value == pytest.approx(three.value)
    assert np.std(three.drawn) > 1.5 * np.std(one.drawn)


def test_tasks_without_a_difference_between_the_anchors_have_no_score() -> None:
    (task,) = tasks_named(["bai-k5"])
    same = np.ones((1, N_USERS))
    found = scores_in(task, mean_losses({"UNI": same, "SE": same}, SEED))
    assert np.isnan(found["SE"].value)


def test_the_interquartile_mean_leaves_out_a_quarter_on_both_sides() -> None:
    values = [5.0, -90.0, 1.0, 2.0, 3.0, 99.0, 4.0, 0.0]
    scores = [Replicates(value, np.array([value, -value])) for value in values]
    found = over_tasks(scores, partial(stats.trim_mean, proportiontocut=0.25))
    assert found.value == np.mean([1.0, 2.0, 3.0, 4.0])
    assert found.drawn.tolist() == [found.value, -found.value]
    assert over_tasks(scores, np.mean).value == np.mean(values)


def test_losses_are_what_agents_rank_by(found: SuiteResults) -> None:
    for task, cell in found.cells.items():
        summary = cell.summary().set_index("agent")
        figure = "regret" if cell.over_horizon else "cost"
        for name, losses in found.losses[task].items():
            assert losses.value == pytest.approx(summary.loc[name, figure])
