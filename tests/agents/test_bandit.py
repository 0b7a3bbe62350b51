"""`BanditAgent`: policies of other libraries as agents."""

from pathlib import Path

import pytest
from snippets import blocks_of
from toy_agents import Fickle, drive

import explorative_user_env as eu
from explorative_user_env.agents import BanditAgent
from explorative_user_env.check import check_agent

PAGE = Path(__file__).parents[2] / "docs/how_to/use_with_other_libraries.md"


def fickle(**given):
    return BanditAgent(Fickle, Fickle.pull, Fickle.update, **given)


@pytest.mark.slow
def test_a_policy_is_an_agent_that_keeps_the_contract():
    assert not check_agent(fickle, raises=False).failed


def test_each_user_has_a_new_policy_that_gets_arms_seed_and_horizon():
    agent = fickle()
    drive(agent, 3, lambda step, arm: arm == 1, 50, horizon=20)
    first = agent._policy
    assert len(first.seen) == 20  # at the horizon the agent stops
    assert all((arm == 1) == accepted for arm, accepted in first.seen)
    assert agent.answer() == 1
    drive(agent, 4, lambda step, arm: arm == 1, 50, seed=1, horizon=20)
    assert (first.given[::2], agent._policy.given[::2]) == ((3, 20), (4, 20))
    assert first.given[1] != agent._policy.given[1]
    other = fickle(horizon=7)
    drive(other, 3, lambda step, arm: True, 50, horizon=20)
    assert (agent.needs_horizon, other.needs_horizon, len(other._policy.seen)) == (True, False, 7)


def test_a_wrong_argument_and_a_missing_horizon_are_named():
    for name in ("make", "pull", "update"):
        functions = {"make": Fickle, "pull": Fickle.pull, "update": Fickle.update} | {name: 3}
        with pytest.raises(eu.InvalidArgumentError, match=f"^{name} must be callable, got 3"):
            BanditAgent(**functions)
    for name, value in {"name": "", "horizon": 0}.items():
        with pytest.raises(eu.InvalidArgumentError, match=f"^{name} must be"):
            fickle(**{name: value})
    with pytest.raises(eu.InvalidArgumentError, match=r"^horizon must be given"):
        eu.rollout(eu.ExplorativeUserEnv(2), fickle(), seed=0)
    wrong = BanditAgent(Fickle, lambda policy: 5, Fickle.update, horizon=9)
    with pytest.raises(eu.InvalidArgumentError, match=r"^arm chosen by bandit must be .*, got 5"):
        eu.rollout(eu.ExplorativeUserEnv(2), wrong, seed=0)


def test_a_file_of_runs_belongs_to_the_three_functions(tmp_path):
    asked = {"task": "regret", "n_arms": 2, "horizon": 20, "n_instances": 2, "progress": False}
    asked["store"] = tmp_path / "runs.sqlite"
    for _ in range(2):
        eu.evaluate([fickle()], **asked)
    other = BanditAgent(Fickle, Fickle.pull, lambda policy, arm, accepted: None)
    with pytest.raises(eu.InvalidArgumentError, match=r"agents\.bandit\.attributes\.update"):
        eu.evaluate([other], **asked)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # what the libraries do is theirs
@pytest.mark.parametrize("library", ["pymab", "river", "mabwiser", "vowpalwabbit", "SMPyBandits"])
def test_the_lines_on_the_page_learn_from_responses(library):
    pytest.importorskip(library)
    (block,) = (
        each.text
        for each in blocks_of(PAGE.read_text(encoding="utf-8"))
        if each.kind == "python" and f"from {library}" in each.text
    )
    space = {}
    exec(block, space)
    (agent,) = (each for each in space.values() if isinstance(each, BanditAgent))
    asked = {"task": "regret", "n_arms": 4, "horizon": 300, "n_instances": 20, "progress": False}
    first, again = (eu.evaluate([agent, "UNI"], compiled=False, **asked) for _ in range(2))
    assert first.runs.equals(again.runs)
    regret = first.summary().set_index("agent")["regret"]
    assert regret[agent.name] < 0.8 * regret["UNI"]
