import copy
import dataclasses
import inspect
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from shared import compiled_run

from explorative_user_env import InvalidArgumentError
from explorative_user_env.agents import (
    AGENTS,
    ALGORITHMS,
    BAIR,
    EXP3,
    REFERENCES,
    UCB1,
    AlgorithmAgent,
    FullInformation,
    SuccessiveElimination,
    Thompson,
    TrackAndStop,
    Uniform,
    agent_named,
)
from explorative_user_env.compiled.arrays import as_arrays, user_arrays, user_tuple
from explorative_user_env.compiled.loops import make_run
from explorative_user_env.population import Population
from explorative_user_env.protocol import Agent, name_of
from explorative_user_env.settings import Setting
from explorative_user_env.users.state import blank_state

Drive = Callable[..., list[int]]

NAN = float("nan")
INFINITE = float("inf")


MAKERS = AGENTS | REFERENCES


@pytest.fixture(params=sorted(ALGORITHMS))
def make(request: pytest.FixtureRequest) -> Callable[..., AlgorithmAgent]:
    """What makes an agent, each of the package's in turn; SE is BAIR by another name."""
    return MAKERS[request.param]


def respond(step: int, arm: int) -> bool:
    return (3 * step + arm) % 4 > 0


REFUSED = [
    *((BAIR, "delta", value, "(0, 1)") for value in (0, 1, 1.5, -0.1, NAN, "x", True, [0.1])),
    *((BAIR, "alpha", value, "above 0") for value in (0, -1.0, NAN, INFINITE, "x", True)),
    *((BAIR, "rho_0", value, "above 0") for value in (0, -1.0, NAN, INFINITE, "x", True)),
    *((BAIR, "noise", value, "[0, 1]") for value in (-0.1, 1.1, NAN, "x", True)),
    *((BAIR, "n1", value, "at least 0") for value in (-1, -0.5, NAN, INFINITE, "x", True, [1], 1j)),
    *((BAIR, "m", value, "at least 1") for value in (0, -1, 2.5, NAN, True)),
    (BAIR, "rejections", "some", "all, consecutive"),
    (BAIR, "phase1_counts", "rejections", "acceptances, steps"),
    (BAIR, "first_sweep", "half", "full, skipping"),
    (BAIR, "phase2", "random", "fewest acceptances, round robin"),
    *((TrackAndStop, "delta", value, "(0, 1)") for value in (0, 1, 1.5, NAN, "x", True)),
    (TrackAndStop, "threshold", "log t", "log(t/delta)"),
    (TrackAndStop, "threshold", 0, "log(t/delta)"),
    *((TrackAndStop, "primed", value, "True or False") for value in ("no", 2, NAN)),
    (TrackAndStop, "tied", "most recommended", "least recommended, random"),
    (TrackAndStop, "ties", "last", "first, random"),
    *((Uniform, "horizon", value, "at least 1") for value in (0, -5, 2.5, NAN, "x", True)),
    (Uniform, "order", "backwards", "random, round robin"),
    *((Uniform, "whole_passes", value, "True or False") for value in ("no", 2, NAN)),
    (Uniform, "ties", "last", "first, random"),
    *((EXP3, "horizon", value, "at least 1") for value in (0, -5, 2.5, NAN, "x", True)),
    *((EXP3, "learning_rate", value, "above 0") for value in (0, -1.0, NAN, INFINITE, "x", True)),
    (EXP3, "counts", "rejected", "accepted, recommended"),
    (EXP3, "ties", "last", "first, random"),
    *(
        (make, "horizon", value, "at least 1")
        for make in (UCB1, Thompson, FullInformation)
        for value in (0, -5, 2.5, NAN, "x", True)
    ),
    *((UCB1, "exploration", value, "above 0") for value in (0, -1.0, NAN, INFINITE, "x", True)),
    *((Thompson, "prior", value, "2 finite numbers") for value in (1.0, "ab", [1, NAN], {1, 2})),
    *((Thompson, "prior", value, "at least 0.1") for value in ((0.0, 1.0), (1, -1), [1, 0.09])),
    *((FullInformation, "prior_mean", value, "a finite number") for value in (NAN, INFINITE, "x")),
    *(
        (FullInformation, "prior_variance", value, "above 0")
        for value in (0, -1.0, NAN, INFINITE, "x", True)
    ),
    *((SuccessiveElimination, "delta", value, "(0, 1)") for value in (0, 1, NAN, "x", True)),
    *((SuccessiveElimination, "m", value, "at least 1") for value in (0, -1, 2.5, NAN, True)),
    (SuccessiveElimination, "rejections", "some", "all, consecutive"),
    *(
        (make, "max_steps", value, "at least 1")
        for make in (*AGENTS.values(), *REFERENCES.values())
        for value in (0, -1, 2.5, "x", True)
    ),
]


@pytest.mark.parametrize(("factory", "option", "value", "allowed"), REFUSED)
def test_a_wrong_option_is_named_where_it_is_written(
    factory: Callable[..., AlgorithmAgent], option: str, value: Any, allowed: str
) -> None:
    with pytest.raises(InvalidArgumentError) as refusal:
        factory(**{option: value})
    message = str(refusal.value)
    assert re.match(rf"{option} must be .*{re.escape(allowed)}.*, got ", message)
    assert message.endswith(f"got {value!r}")
    assert "\n" not in message


@pytest.mark.parametrize("value", ["some", "Paper", ""])
def test_a_wrong_word_for_m_is_told_of_the_words_and_of_numbers(value: str) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^m must be .*paper.*released") as refusal:
        BAIR(m=value)  # type: ignore[arg-type]
    assert "integer" in str(refusal.value)


@pytest.mark.parametrize("name", ["", 3, True])
def test_a_name_is_a_word(make: Callable[..., AlgorithmAgent], name: Any) -> None:
    # The name makes the agent's random stream, so that no name would be nobody's.
    with pytest.raises(InvalidArgumentError, match=r"^name must be"):
        make(name=name)


@pytest.mark.parametrize(
    ("option", "value"), [("alpha", 1e-3), ("alpha", 1e-320), ("rho_0", 1e-308)]
)
def test_an_n1_too_large_for_a_float_is_refused(option: str, value: float) -> None:
    with pytest.raises(InvalidArgumentError, match=f"^{option} must be .*got {value!r}"):
        BAIR(**{option: value})  # type: ignore[arg-type]


def test_an_unknown_option_is_refused_and_the_known_are_listed() -> None:
    with pytest.raises(InvalidArgumentError, match=r"'delta'.*'tied'.*got \['delat'\]"):
        AlgorithmAgent(ALGORITHMS["T&S"], {"delat": 0.1})


def test_numpy_numbers_are_as_good_as_python_s() -> None:
    numbers: dict[str, Any] = {"m": np.int64(2), "n1": np.float32(4.0), "max_steps": np.int32(9)}
    agent = BAIR(delta=np.float64(0.2), **numbers)
    assert agent.params(2, None) == BAIR(delta=0.2, m=2, n1=4.0).params(2, None)
    assert agent.max_steps == 9
    assert type(agent.max_steps) is int


def test_an_open_option_has_the_algorithm_s_default() -> None:
    assert BAIR().params(5, None) == BAIR(delta=0.1, alpha=1.0, n1="paper").params(5, None)


def test_what_is_known_fills_open_options_and_only_those() -> None:
    agent = BAIR(delta=0.2).informed(
        {"delta": 0.01, "alpha": 2.0, "n1": None, "max_steps": 50, "other": 1}
    )
    assert agent.options["delta"] == 0.2
    assert agent.options["alpha"] == 2.0
    assert "other" not in agent.options
    assert agent.max_steps == 50
    # (2 * 5 / 0.2)^(1/2), N_1 by its default.
    assert agent.params(5, None).n1 == pytest.approx(50**0.5)


def test_a_step_cap_of_its_own_goes_before_what_is_known() -> None:
    assert TrackAndStop(max_steps=7).informed({"max_steps": 50}).max_steps == 7
    assert TrackAndStop().informed({}).max_steps is None


def test_informing_an_agent_leaves_it_as_it_was() -> None:
    agent = BAIR(name="mine")
    informed = agent.informed({"delta": 0.01})
    assert informed.name == "mine"
    assert agent.options["delta"] is None
    assert agent.params(5, None) == BAIR().params(5, None)


def test_a_dictionary_of_options_is_not_kept() -> None:
    options = {"delta": 0.2}
    agent = AlgorithmAgent(ALGORITHMS["T&S"], options)
    options["delta"] = 0.9
    assert agent.params(5, None).delta == 0.2


def test_what_is_known_is_checked_as_well() -> None:
    with pytest.raises(InvalidArgumentError, match=r"^delta must be .* got 2"):
        BAIR().informed({"delta": 2})


def test_an_agent_without_a_horizon_says_that_it_needs_one() -> None:
    assert Uniform().needs_horizon
    assert EXP3().needs_horizon
    assert not Uniform(horizon=3).needs_horizon
    assert not BAIR().needs_horizon
    assert not TrackAndStop().needs_horizon
    with pytest.raises(InvalidArgumentError, match=r"^horizon must be given"):
        EXP3().reset(3, np.random.default_rng(0))


def test_a_representation_shows_what_was_given() -> None:
    assert repr(BAIR()) == "BAIR()"
    assert repr(BAIR(delta=0.2, m=3, max_steps=10)) == "BAIR(delta=0.2, m=3, max_steps=10)"
    assert repr(Uniform(order="random", name="mine")) == "mine(order='random')"


def test_every_agent_keeps_the_contract(make: Callable[..., AlgorithmAgent]) -> None:
    agent = make()
    assert isinstance(agent, Agent)
    assert MAKERS[name_of(agent)] is make
    agent.reset(3, np.random.default_rng(0), horizon=10)
    arm = agent.act()
    assert type(arm) is int
    agent.observe(arm, True)
    assert type(agent.answer()) is int


def test_the_records_are_those_of_the_agents() -> None:
    made = {name: make().algorithm for name, make in MAKERS.items()}
    assert made.pop("SE") is made["BAIR"]
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


def test_an_agent_that_may_not_see_rewards_cannot_be_told_one() -> None:
    agent = BAIR()
    agent.reset(3, np.random.default_rng(0))
    with pytest.raises(TypeError, match="BAIR sees responses only"):
        agent.learn(0, 1.0)


def test_every_option_of_a_record_is_an_argument(make: Callable[..., AlgorithmAgent]) -> None:
    agent = make()
    arguments = set(inspect.signature(make).parameters) - {"name", "max_steps"}
    assert set(agent.options) == set(agent.known_options) == arguments
    assert set(agent.algorithm.defaults) == arguments


@pytest.mark.parametrize(
    "twin", [copy.deepcopy, lambda agent: pickle.loads(pickle.dumps(agent))], ids=["copy", "pickle"]
)
def test_a_copy_goes_on_as_the_agent_does(
    make: Callable[..., AlgorithmAgent], twin: Callable[[AlgorithmAgent], AlgorithmAgent]
) -> None:
    agent = make(name="mine", max_steps=99)
    agent.reset(4, np.random.default_rng(0), horizon=150)
    for step in range(60):
        arm = agent.act()
        assert arm is not None
        agent.observe(arm, respond(step, arm))
    other = twin(agent)
    assert (other.name, other.max_steps, other.options) == ("mine", 99, agent.options)
    for step in range(60, 150):
        arm = agent.act()
        assert other.act() == arm
        if arm is None:
            break
        for each in (agent, other):
            each.observe(arm, respond(step, arm))
    assert agent.answer() == other.answer()


def test_the_same_stream_gives_the_same_run(
    make: Callable[..., AlgorithmAgent], drive: Drive
) -> None:
    agent = make()
    arms = drive(agent, 4, respond, 200, seed=5, horizon=200)
    assert drive(agent, 4, respond, 200, seed=5, horizon=200) == arms
    assert drive(make(), 4, respond, 200, seed=5, horizon=200) == arms


def test_two_agents_share_no_memory(make: Callable[..., AlgorithmAgent], drive: Drive) -> None:
    agent, other = make(), make()
    agent.reset(4, np.random.default_rng(5), 200)
    arms = []
    for step in range(200):
        arm = agent.act()
        if arm is None:
            break
        agent.observe(arm, respond(step, arm))
        arms.append(arm)
        if step == 50:
            drive(other, 4, lambda step, arm: arm == 3, 100, seed=1, horizon=200)
    assert arms == drive(make(), 4, respond, 200, seed=5, horizon=200)


def test_a_record_is_not_changed_by_its_agents(make: Callable[..., AlgorithmAgent]) -> None:
    record = make().algorithm
    before = dict(record.defaults)
    make(max_steps=3).informed(dict.fromkeys(before))
    assert record.defaults == before
    with pytest.raises(dataclasses.FrozenInstanceError):
        record.name = "other"  # type: ignore[misc]


def run_of(
    agent: AlgorithmAgent, setting: Setting, n_arms: int, seed: int, compiled: bool
) -> list[Any]:
    """All that is left after a run with a user of random means, as plain numbers."""
    population = Population(setting=setting, n_arms=n_arms, noise=0.1)
    user, schedule = population.user, population.schedule
    params = agent.params(n_arms, 350)
    streams = [np.random.default_rng(seed), np.random.default_rng(seed + 100)]
    numbers: Any = user
    user_state: Any = blank_state(user)
    state: Any = agent.algorithm.blank(params)
    run = make_run(agent.algorithm, schedule.rule)
    if compiled:
        numbers, user_state, state = user_tuple(user), user_arrays(user), as_arrays(state)
        run = compiled_run(agent.algorithm, schedule.rule)
    user_state.means[:] = streams[0].standard_normal(n_arms)
    figures = run(numbers, user_state, streams[0], params, state, streams[1], 400)
    return [
        figures,
        [np.asarray(values).tolist() for values in state],
        [stream.bit_generator.state for stream in streams],
    ]


@pytest.mark.parametrize("n_arms", [2, 5, 20])
@pytest.mark.parametrize(
    "agent",
    [
        *(make() for make in REFERENCES.values()),
        UCB1(exploration=0.3, name="UCB1, bold"),
        Thompson(prior=(0.5, 0.1), name="Thompson, sharp"),
        Thompson(prior=(30.5, 2.0), name="Thompson, hopeful"),
        FullInformation(prior_mean=0.7, prior_variance=3.0, name="Full-information, vague"),
    ],
    ids=name_of,
)
def test_compiled_runs_of_the_references_are_the_readable_ones_to_the_last_bit(
    agent: AlgorithmAgent, setting: Setting, n_arms: int
) -> None:
    for seed in (1, 2, 3):
        compiled = run_of(agent, setting, n_arms, seed, compiled=True)
        assert compiled == run_of(agent, setting, n_arms, seed, compiled=False)


@pytest.mark.parametrize("name", ["UCB1", "Thompson", "Full-information"])
def test_a_used_state_starts_as_a_blank_one_does(name: str, drive: Drive) -> None:
    agent = MAKERS[name]()
    drive(agent, 3, respond, 50, horizon=100)
    rule, params, used = agent.algorithm, agent._params, agent._state
    if agent.sees_rewards:
        agent.learn(1, 0.5)
    fresh = rule.blank(params)
    assert used != fresh
    for state in (used, fresh):
        rule.start(params, state, np.random.default_rng(0))
    assert used == fresh
