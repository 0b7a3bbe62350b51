"""What comes together over runs is what the replayed runs say, and where they end the rows."""

from typing import Any

import numpy as np
import pytest
from toy_agents import scripted

import explorative_user_env as eu
from explorative_user_env.results import plots as courses
from explorative_user_env.results.plots import courses_of, instance_met
from explorative_user_env.results.results import Results
from explorative_user_env.validation import InvalidArgumentError


def n_users(found: Any) -> int:
    return len(next(iter(found.totals.values())))


def own_of(results: Results, agent: str) -> Any:
    return results.runs[results.runs["agent"] == agent]


@pytest.fixture(scope="module")
def plays() -> Results:
    return eu.evaluate(
        ["UCB1", "UNI", "Full-information"],
        task="regret",
        horizon=60,
        n_instances=7,
        n_arms=3,
        progress=False,
    )


@pytest.fixture(scope="module")
def bai() -> Results:
    return eu.evaluate(["BAIR", "T&S"], n_instances=9, n_arms=3, max_steps=400, progress=False)


def test_a_course_ends_with_what_the_rows_have(plays: Results, bai: Results) -> None:
    found = courses_of(plays, "regret")
    assert (n_users(found), found.times[0], found.times[-1]) == (7, 0, 60)
    for agent, totals in found.totals.items():
        own = own_of(plays, agent)
        assert totals[:, 0].tolist() == [0.0] * 7
        assert totals[:, -1].tolist() == pytest.approx(own["regret"].tolist(), rel=1e-9)
        rejected = courses_of(plays, "rejections").totals[agent][:, -1]
        assert rejected.tolist() == (60 - own["acceptances"]).tolist()
    for agent, totals in courses_of(bai, "rejections").totals.items():
        own = own_of(bai, agent)
        whole = ~own["censored"].to_numpy()
        assert whole.any()
        assert totals[whole, -1].tolist() == own["rejections"][whole].tolist()


def test_in_between_it_is_what_a_loop_over_the_steps_finds(bai: Results) -> None:
    found = courses_of(bai, "regret")
    row = own_of(bai, "BAIR").iloc[3]
    env = eu.ExplorativeUserEnv(n_arms=3)
    env.reset(seed=int(row["user_seed"]))
    instance = env.hidden_state().instance
    assert instance_met(bai, int(row["user_seed"])) == instance
    arms = bai.replay(row).arms
    for place in (1, 40, len(found.times) // 2):
        time = int(found.times[place])
        gone = sum(max(instance.means) - instance.means[arm] for arm in arms[:time])
        assert found.totals["BAIR"][3, place] == pytest.approx(gone)


def test_nobody_knows_what_came_after_a_cap(bai: Results) -> None:
    runs = own_of(bai, "T&S").reset_index(drop=True)
    (cut, *_) = np.flatnonzero(runs["censored"])
    capped = eu.evaluate(
        [eu.agents.TrackAndStop(max_steps=100), "BAIR"], n_instances=9, n_arms=3, progress=False
    )
    found = courses_of(capped, "rejections")
    totals = found.totals["T&S"][int(cut)]
    assert np.isfinite(totals[found.times <= 100]).all()
    assert np.isnan(totals[found.times > 100]).all()
    assert np.isfinite(found.totals["BAIR"]).all()


def test_only_as_many_users_are_replayed_as_there_is_time_for(
    bai: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    longest = own_of(bai, "T&S")["interactions"].cumsum()
    monkeypatch.setattr(courses, "STEPS_REPLAYED", int(longest.iloc[4]))
    told: list[tuple[str, int, int]] = []
    found = courses_of(bai, "rejections", lambda *what: told.append(what))
    assert n_users(found) == 5
    both = [("replaying BAIR", done, 10) for done in range(5)]
    both += [("replaying T&S", done, 10) for done in range(5, 10)]
    assert told == [*both, ("replayed", 10, 10)]
    monkeypatch.setattr(courses, "STEPS_REPLAYED", 1)
    assert n_users(courses_of(bai, "rejections")) == 1
    monkeypatch.setattr(courses, "STEPS_REPLAYED", 10**9)
    monkeypatch.setattr(courses, "USERS_REPLAYED", 2)
    assert n_users(courses_of(bai, "rejections")) == 2


def test_an_agent_whose_code_is_not_at_hand_is_left_out(bai: Results) -> None:
    less = Results(
        bai.runs, bai.cell, bai.population, bai.deltas, line_up={"T&S": bai.line_up["T&S"]}
    )
    found = courses_of(less, "rejections")
    assert list(found.totals) == ["T&S"]


def test_users_whose_means_move_have_rejections_but_no_regret() -> None:
    results = eu.evaluate(["BAIR"], behaviour="drifting", n_instances=2, progress=False)
    assert n_users(courses_of(results, "rejections")) == 2
    with pytest.raises(InvalidArgumentError, match="it is of users whose means stay"):
        results.plot("regret")


def test_a_run_without_a_step_has_a_course_too() -> None:
    results = eu.evaluate([scripted([])], n_instances=2, progress=False)
    found = courses_of(results, "rejections")
    assert next(iter(found.totals.values()))[:, -1].tolist() == [0.0, 0.0]
