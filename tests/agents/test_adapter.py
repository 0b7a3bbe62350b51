"""What every agent of the package keeps to, its options, its name and its ties."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from toy_agents import drive

from explorative_user_env import InvalidArgumentError, agents
from explorative_user_env.agents import ALGORITHMS, BAIR, CARRIERS, AlgorithmAgent, agent_named
from explorative_user_env.agents.adapter import largest
from explorative_user_env.protocol import name_of

MAKERS = agents.AGENTS | agents.REFERENCES | CARRIERS
OVER_A_HORIZON = ["UNI", "EXP3", "UCB1", "Thompson", "Full-information"]

for_every_agent = pytest.mark.parametrize("name", ALGORITHMS)  # SE is BAIR by another name


def respond(step, arm):
    return step < 80 or (3 * step + arm) % 4 > 0  # plain elimination is soon over with rejections


@for_every_agent
def test_the_stream_gives_one_run_to_copies_and_whatever_others_do(name):
    make = MAKERS[name]
    assert make().needs_horizon == (name in OVER_A_HORIZON)
    agent, stranger = make(name="mine", max_steps=99), make()
    agent.reset(4, np.random.default_rng(5), horizon=150)
    twins = [agent]
    arms = []
    while len(arms) < 150 and (arm := agent.act()) is not None:
        assert {twin.act() for twin in twins[1:]} <= {arm}
        for twin in twins:
            twin.observe(arm, respond(len(arms), arm))
        arms.append(arm)
        if len(arms) == 60:
            twins += [copy.deepcopy(agent), pickle.loads(pickle.dumps(agent))]
            drive(stranger, 4, lambda step, arm: arm == 3, 100, seed=1, horizon=200)
    assert len(arms) > 80
    assert len({twin.answer() for twin in twins}) == 1
    for twin in twins:
        assert (twin.name, twin.max_steps, twin.options) == ("mine", 99, agent.options)
    for each in (agent, stranger, make()):
        assert drive(each, 4, respond, 150, seed=5, horizon=150) == arms


# What `act`, a verdict or a part of a run fills in before anyone looks at it.
SCRATCH = {"scores": [], "heap": [], "chance": []}


@for_every_agent
def test_a_used_state_starts_as_a_blank_one_does(name):
    # A compiled loop has one state for all users; `reset` makes a new one, so it would not tell.
    for n_steps in (2, 50, 120):
        agent = MAKERS[name]()
        drive(agent, 3, respond, n_steps, horizon=200)
        rule, params, used = agent.algorithm, agent._params, agent._state
        if agent.sees_rewards:
            agent.learn(1, 0.5)
        fresh = rule.blank(params)
        assert used != fresh
        for state in (used, fresh):
            rule.start(params, state, np.random.default_rng(0))
        kept = {name: values for name, values in SCRATCH.items() if name in used._fields}
        assert used._replace(**kept) == fresh._replace(**kept)


def test_an_agent_is_found_by_its_name_in_any_case():
    spellings = {"tas": "T&S", "Track-and-Stop": "T&S", "successive-elimination": "SE"}
    for name in MAKERS:
        spellings |= {name: name, name.lower(): name, name.upper(): name}
    for spelling, name in spellings.items():
        agent = agent_named(spelling, max_steps=7)
        assert (name_of(agent), agent.max_steps) == (name, 7)
        assert agent.algorithm is MAKERS[name]().algorithm
    with pytest.raises(InvalidArgumentError, match=r"^agent must be one of .* got 'greedy'") as no:
        agent_named("greedy")
    names = str(no.value).removeprefix("agent must be one of ").split(", ")[:-1]
    assert {name_of(agent_named(name)) for name in names} == {*MAKERS}


NAN, INFINITE = float("nan"), float("inf")

REFUSED = [
    ("BAIR", "delta", [0, 1, NAN, "x", True]),
    ("BAIR", "alpha", [0, INFINITE, 1e-3, 1e-320]),  # of the last two N_1 is no float
    ("BAIR", "rho_0", [0, NAN, 1e-308]),
    ("BAIR", "noise", [-0.1, 1.1]),
    ("BAIR", "n1", [-0.5, NAN, "x", [1]]),
    ("BAIR", "m", [0, 2.5, True, "some", "Paper"]),
    *(("BAIR", name, ["some"]) for name in ("rejections", "phase1_counts")),
    *(("BAIR", name, ["some"]) for name in ("first_sweep", "phase2")),
    *(("SE", name, [0]) for name in ("delta", "m")),
    ("T&S", "delta", [1.5]),
    ("T&S", "threshold", ["log t", 0]),
    ("T&S", "primed", ["no", 2]),
    ("T&S", "tied", ["most recommended"]),
    *((name, "ties", ["last"]) for name in ("T&S", "UNI", "EXP3")),
    *((name, "horizon", [0, 2.5]) for name in OVER_A_HORIZON),
    ("UNI", "order", ["backwards"]),
    ("UNI", "whole_passes", ["no"]),
    ("EXP3", "learning_rate", [0, INFINITE]),
    ("EXP3", "counts", ["rejected"]),
    ("UCB1", "exploration", [0, NAN]),
    ("Thompson", "prior", [1.0, "ab", [1, NAN], {1, 2}, (0.0, 1.0), [1, 0.09]]),
    ("Full-information", "prior_mean", [NAN, "x"]),
    ("Full-information", "prior_variance", [0, INFINITE]),
    *((name, "alpha", [0]) for name in CARRIERS),
    ("SE-transfer", "carries", ["some"]),
    ("SE-transfer", "caution", [-1]),
    *((name, "max_steps", [0, 2.5]) for name in MAKERS),
    *((name, "name", ["", 3]) for name in MAKERS),
]


def test_a_wrong_option_is_named_where_it_is_written():
    for name, option, values in REFUSED:
        for value in values:
            with pytest.raises(InvalidArgumentError, match=f"^{option} must be"):
                MAKERS[name](**{option: value})
    for options in ({"delat": 0.1}, {"max_steps": 5}):  # the step cap is the agent's
        with pytest.raises(InvalidArgumentError, match=r"^options must be among .*'tied'"):
            AlgorithmAgent(ALGORITHMS["T&S"], options)
    with pytest.raises(InvalidArgumentError, match=r"^delta must be .* got 2"):
        BAIR().informed({"delta": 2})
    with pytest.raises(InvalidArgumentError, match=r"^horizon must be given"):
        agents.EXP3().reset(3, np.random.default_rng(0))
    with pytest.raises(TypeError, match="learns from responses only"):
        BAIR().learn(0, 1.0)


def test_what_is_known_fills_open_options_and_only_those():
    before = BAIR(name="mine", delta=0.2)
    agent = before.informed({"delta": 0.01, "alpha": 2.0, "n1": None, "max_steps": 50, "other": 1})
    assert (agent.name, agent.max_steps) == ("mine", 50)
    assert agent.params(5, None) == BAIR(delta=0.2, alpha=2.0).params(5, None)
    assert before.options["alpha"] is before.max_steps is None
    assert before.params(5, None) == BAIR(delta=0.2, alpha=1.0, n1="paper").params(5, None)
    # The agent's own step cap, what is known, a cap for all agents, and what holds of these.
    for own, facts, everyone, cap in [
        *((7, {}, None, 7), (7, {"max_steps": 50}, None, 7), (None, {}, None, None)),
        *((7, {"max_steps": 50}, 6, 6), (7, {}, 8, 7), (None, {"max_steps": 50}, 80, 80)),
    ]:
        assert BAIR(max_steps=own).informed(facts, everyone).max_steps == cap
    options = {"delta": 0.2}
    agent = AlgorithmAgent(ALGORITHMS["T&S"], options)
    options["delta"] = 0.9
    assert agent.params(5, None).delta == 0.2


@given(counts=st.lists(st.integers(-1, 4), min_size=1, max_size=8), seed=st.integers(0, 1000))
@example(counts=[1, 1, 2], seed=0)
def test_the_largest_is_found_and_the_stream_drawn_from_only_for_a_tie(counts, seed):
    rng, untouched = np.random.default_rng(seed), np.random.default_rng(seed)
    assert largest(counts, rng, True) == counts.index(max(counts))
    assert rng.bit_generator.state == untouched.bit_generator.state
    assert counts[largest(counts, rng)] == max(counts)
    if counts.count(max(counts)) > 1:
        untouched.random()
    assert rng.bit_generator.state == untouched.bit_generator.state
