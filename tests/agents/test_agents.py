import pytest

from explorative_user_env import InvalidArgumentError
from explorative_user_env.agents import AGENTS, ALGORITHMS, CARRIERS, REFERENCES, agent_named
from explorative_user_env.protocol import name_of

MAKERS = AGENTS | REFERENCES | CARRIERS


def test_the_records_are_those_of_the_agents() -> None:
    made = {name: make().algorithm for name, make in MAKERS.items()}
    assert made.pop("SE") is made["BAIR"]
    assert made.pop("SE-ordered") is made["SE-transfer"]
    assert made == ALGORITHMS


def test_the_paper_s_tables_keep_their_line_up() -> None:
    assert [*AGENTS] == ["BAIR", "T&S", "UNI", "EXP3"]


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        *((name, name) for name in MAKERS),
        *((name.lower(), name) for name in MAKERS),
        *((name.upper(), name) for name in MAKERS),
        ("tas", "T&S"),
        ("Track-and-Stop", "T&S"),
        ("uniform", "UNI"),
        ("successive-elimination", "SE"),
    ],
)
def test_an_agent_is_found_by_its_name_in_any_case(spelling: str, name: str) -> None:
    agent = agent_named(spelling, max_steps=7)
    assert name_of(agent) == name
    assert agent.algorithm is MAKERS[name]().algorithm
    assert agent.max_steps == 7


def test_an_unknown_name_is_answered_with_every_name_that_would_do() -> None:
    with pytest.raises(InvalidArgumentError, match=r"^agent must be one of .* got 'greedy'") as no:
        agent_named("greedy")
    names = str(no.value).removeprefix("agent must be one of ").split(", ")[:-1]
    assert {name_of(agent_named(name)) for name in names} == {*MAKERS}


def test_only_the_reference_of_full_information_sees_rewards() -> None:
    assert {name for name, make in MAKERS.items() if make().sees_rewards} == {"Full-information"}
