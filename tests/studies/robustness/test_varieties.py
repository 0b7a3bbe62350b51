from dataclasses import replace
from typing import Any

import pytest

import explorative_user_env as eu
from explorative_user_env.studies import suite as room
from explorative_user_env.studies.suite import VARIETIES, Variety
from explorative_user_env.users.population import Population

DIFFERENCES: dict[str, dict[str, Any]] = {
    "paper": {},
    "rho=1": {"rho": "1", "setting": "printed (rho=1)"},
    "alpha=0.8": {"alpha": 0.8},
    "alpha=2": {"alpha": 2.0},
    "noise=0.1": {"noise": 0.1},
    "bernoulli": {
        "reward_law": "bernoulli",
        "means": "uniform_with_room",
        "setting": "printed (means=uniform_with_room)",
    },
    "bounded": {"reward_law": "bounded"},
    "omniscient": {"behaviour": "omniscient"},
    "forgetful": {"behaviour": "forgetful"},
    "drifting": {"behaviour": "drifting"},
    "logistic": {"behaviour": "logistic"},
    "varied": {"behaviour": "varied"},
}


def test_these_are_all_varieties() -> None:
    assert [variety.name for variety in VARIETIES] == list(DIFFERENCES)


@pytest.mark.parametrize("variety", VARIETIES, ids=lambda variety: variety.name)
def test_a_variety_can_be_met_and_differs_from_the_papers_user_in_what_its_name_says(
    variety: Variety,
) -> None:
    users = replace(Population(n_arms=3), **variety.options)
    words, papers = users.words(), Population(n_arms=3).words()
    differences = {name: word for name, word in words.items() if word != papers[name]}
    assert differences == DIFFERENCES[variety.name]
    env = eu.ExplorativeUserEnv(population=users)
    responses = set()
    for seed in range(10):
        env.reset(seed=seed)
        responses |= {int(env.step(step % 3)[0]) for step in range(2000)}
    assert responses == {0, 1}


def test_an_unknown_user_is_refused_with_those_there_are() -> None:
    assert room.varieties_named(None) == VARIETIES
    assert [one.name for one in room.varieties_named(["logistic", "paper", "logistic"])] == [
        "logistic",
        "paper",
    ]
    with pytest.raises(eu.InvalidArgumentError, match=r"user must be one of paper, rho=1, .*'me'"):
        room.varieties_named(["me"])
