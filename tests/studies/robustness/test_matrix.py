"""The matrix of agents and users is what evaluations of each cell say."""

from typing import Any

import pandas as pd
import pytest

import explorative_user_env as eu
from explorative_user_env.agents import TrackAndStop
from explorative_user_env.studies import suite as room
from explorative_user_env.studies.suite import VARIETIES, Variety, robustness

SMALL: dict[str, Any] = {"n_instances": 8, "n_arms": 3, "seed": 5, "max_steps": 120}
USERS = tuple(variety for variety in VARIETIES if variety.name in ("paper", "bernoulli"))


@pytest.fixture(scope="module")
def matrix() -> pd.DataFrame:
    return robustness(["BAIR", "UNI"], USERS, setting="printed", **SMALL)


def test_each_cell_is_what_an_evaluation_says_of_it(matrix: pd.DataFrame) -> None:
    for user, own in (("paper", {}), ("bernoulli", {"reward_law": "bernoulli"})):
        options: dict[str, Any] = SMALL | own
        alone = eu.evaluate(["BAIR", "UNI"], gap=0.5, progress=False, **options).summary()
        found = matrix[matrix["user"] == user].drop(columns="user").reset_index(drop=True)
        pd.testing.assert_frame_equal(found, alone)
    assert list(matrix["user"]) == ["paper", "paper", "bernoulli", "bernoulli"]


def test_it_is_the_same_for_any_number_of_workers_and_company(matrix: pd.DataFrame) -> None:
    again = robustness(["BAIR", "UNI"], USERS[::-1], workers=2, **SMALL)
    both = pd.concat([again[2:], again[:2]], ignore_index=True)
    pd.testing.assert_frame_equal(both, matrix)


def test_every_option_arrives_at_each_evaluation() -> None:
    options: dict[str, Any] = {"delta": 0.3, "seed": 6, "baseline_time": 17, "max_steps": 90}
    options |= {"n_instances": 5, "n_arms": 3, "gap": 0.4}
    found = robustness(["UNI", "T&S"], USERS[:1], **options)
    alone = eu.evaluate(["UNI", TrackAndStop(max_steps=90)], progress=False, **options).summary()
    pd.testing.assert_frame_equal(found.drop(columns="user"), alone)
    assert found["horizon"].tolist() == [17, 17]
    assert (found["stopping_time"] <= 90).all()


def test_progress_goes_from_user_to_user() -> None:
    told: list[tuple[str, int, int]] = []
    robustness(["BAIR"], USERS, progress=lambda *news: told.append(news), **SMALL)
    assert {what for what, _, _ in told} == {"paper: BAIR", "bernoulli: BAIR"}
    shares = [done / total for _, done, total in told]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)


def test_the_patient_bair_drops_an_arm_at_m_rejections_in_a_row() -> None:
    # m = 2 log(5 / .1) = 7.8 of an omniscient user: Phase 1's 100 acceptances of her one arm after
    # a rejection of each other one, then 8 rejections of each.
    agents = room.default_agents()
    assert [agent.name for agent in agents] == ["BAIR", "BAIR(m)", "T&S", "UNI", "EXP3"]
    found = robustness(agents[:2], [Variety("o", {"behaviour": "omniscient"})], n_instances=5)
    times = found.set_index("agent")["stopping_time"]
    assert times["BAIR(m)"] - times["BAIR"] == 4 * (8 - 1)


def test_runs_at_the_cap_are_reported_as_censored_and_no_successes() -> None:
    (row,) = robustness(["T&S"], USERS[:1], n_instances=6, max_steps=9).to_dict("records")
    assert (row["censored"], row["success"], row["stopping_time"]) == (1.0, 0.0, 9.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"users": []}, "users must be at least one"),
        ({"users": [VARIETIES[0], VARIETIES[0]]}, "users must be at least one, each of a name"),
        ({"gap": 1.0}, 'gap must be below 1 with means="uniform_with_room", got'),
        ({"gap": -1.0}, "gap must be a finite number above 0"),
        ({"max_steps": 0}, "max_steps must be an integer of at least 1"),
        ({"agents": ["UNI"]}, "baseline_time must be a number, or an agent"),
    ],
)
def test_a_bad_argument_is_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(eu.InvalidArgumentError, match=message):
        robustness(**options)
