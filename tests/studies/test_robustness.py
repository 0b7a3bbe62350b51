"""The matrix of agents and kinds of users is what evaluations of each cell say."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import explorative_user_env as eu
from explorative_user_env.display.tables import as_text
from explorative_user_env.studies import suite as room
from explorative_user_env.studies.suite import VARIETIES, robustness
from explorative_user_env.users.population import Population

# All varieties, and in which words each differs from the paper's user.
WITH_ROOM = {"means": "uniform_with_room", "setting": "printed (means=uniform_with_room)"}
KINDS = ("omniscient", "forgetful", "drifting", "logistic", "varied")
DIFFERENCES = {
    "paper": {},
    "rho=1": {"rho": "1", "setting": "printed (rho=1)"},
    "alpha=0.8": {"alpha": 0.8},
    "alpha=2": {"alpha": 2.0},
    "noise=0.1": {"noise": 0.1},
    "bernoulli": {"reward_law": "bernoulli"} | WITH_ROOM,
    "bounded": {"reward_law": "bounded"},
    **{name: {"behaviour": name} for name in KINDS},
}


def test_a_variety_can_be_met_and_differs_from_the_papers_user_in_what_its_name_says():
    assert [variety.name for variety in VARIETIES] == list(DIFFERENCES)
    papers = Population(n_arms=3).words()
    for variety in VARIETIES:
        users = replace(Population(n_arms=3), **variety.options)
        differences = {name: word for name, word in users.words().items() if word != papers[name]}
        assert differences == DIFFERENCES[variety.name]
        env = eu.ExplorativeUserEnv(population=users)
        responses = set()
        for seed in range(10):
            env.reset(seed=seed)
            responses |= {int(env.step(step % 3)[0]) for step in range(300)}
        assert responses == {0, 1}


SMALL = {"n_instances": 8, "n_arms": 3, "seed": 5, "max_steps": 120}
SMALL |= {"delta": 0.3, "gap": 0.4, "baseline_time": 17}

USERS = tuple(variety for variety in VARIETIES if variety.name in ("paper", "bernoulli"))


@pytest.fixture(scope="module")
def matrix():
    return robustness(["BAIR", "UNI"], USERS, **SMALL)


def test_each_cell_is_what_an_evaluation_says_of_it(matrix):
    for user, own in (("paper", {}), ("bernoulli", {"reward_law": "bernoulli"})):
        options = SMALL | own
        alone = eu.evaluate(["BAIR", "UNI"], progress=False, **options).summary()
        found = matrix[matrix["user"] == user].drop(columns="user").reset_index(drop=True)
        pd.testing.assert_frame_equal(found, alone)
    assert list(matrix["user"]) == ["paper", "paper", "bernoulli", "bernoulli"]
    assert (matrix["stopping_time"] <= 120).all()


def test_it_is_the_same_for_any_number_of_workers_and_company(matrix):
    told = []
    again = robustness(
        ["BAIR", "UNI"], USERS[::-1], workers=2, progress=lambda *news: told.append(news), **SMALL
    )
    both = pd.concat([again[2:], again[:2]], ignore_index=True)
    pd.testing.assert_frame_equal(both, matrix)
    shares = [done / total for _, done, total in told]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)


def test_a_bad_argument_is_named():
    for options, message in (
        ({"users": []}, "users must be at least one"),
        ({"users": [VARIETIES[0], VARIETIES[0]]}, "users must be at least one, each of a name"),
        ({"gap": 1.0}, "gap must be below 1 with means"),
        ({"max_steps": 0}, "max_steps must be"),
        ({"agents": ["UNI"]}, "baseline_time must be a number, or an agent"),
    ):
        with pytest.raises(eu.InvalidArgumentError, match=message):
            robustness(**options)
    with pytest.raises(eu.InvalidArgumentError, match="user must be one of paper"):
        room.varieties_named(["me"])


SHOWN = pd.DataFrame(
    {"user": user, "agent": agent, "success": success, "stopping_time": time, "censored": cut}
    for user, success, time, cut in (("paper", 1.0, 550, 0.0), ("odd", 0.5, 9000, 0.25))
    for agent in "ABCDEFG"
)
SHOWN["success_low"] = SHOWN["success"] - 0.1
SHOWN["success_high"] = (SHOWN["success"] + 0.1).clip(upper=1.0)
SHOWN["stopping_time_high"] = SHOWN["stopping_time"] + 7


def test_a_hundred_columns_show_a_few_agents_and_below_them_the_others():
    told = SHOWN.assign(sees_rewards=SHOWN["agent"] == "B")
    first, second = as_text(room.matrix_table(told)).split("user")[1:]
    assert first.split()[:5] == ["A", "B†", *"CDE"]
    assert second.split()[:2] == ["F", "G"]
    assert max(map(len, first.splitlines())) <= 100
    assert first.count("1.00 [.900–1.00]") == first.count("550 ± 7") == 5
    assert second.count("25.0% cut") == 2
    page = room.matrix_page(SHOWN, "Title")
    assert "| odd | .500 [.400–.600]<br>9000 ± 7<br>25.0% cut |" in page


def test_the_heat_map_has_agents_by_users():
    pytest.importorskip("matplotlib")
    axes = room.heat_map(SHOWN)
    assert [label.get_text() for label in axes.get_yticklabels()] == list("ABCDEFG")
    assert [label.get_text() for label in axes.get_xticklabels()] == ["paper", "odd"]
    assert np.array_equal(np.asarray(axes.images[0].get_array()), [[1.0, 0.5]] * 7)
    assert axes.images[0].get_clim() == (0.0, 1.0)  # colours mean the same in every map
    texts = [text.get_text() for text in axes.texts]
    assert texts == ["1.00\nT 550", ".500\nT 9000\n25.0% cut"] * 7
