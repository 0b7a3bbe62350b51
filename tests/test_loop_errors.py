"""Where code that was handed in fails, one line says which, with whom, when and how to meet her."""

import pickle
from functools import partial
from typing import Any

import numpy as np
import pytest
from failing import (
    Failing,
    Inexact,
    breaking_rule,
    breaks_down,
    leaving_rule,
    means_of_the_wrong_type,
    never_begins,
    says_a_share,
    says_nothing,
)
from own_laws import nothing, often_nan, pair, raising

from explorative_user_env import (
    Behaviour,
    ExplorativeUserEnv,
    ExplorativeUserVectorEnv,
    InvalidArgumentError,
    PolicyAgent,
    RewardLaw,
    Schedule,
    rollout,
)
from explorative_user_env.agents import BAIR, Uniform
from explorative_user_env.validation import CallableError

AGAIN = r"with the user of seed 7: rollout\(env, agent, seed=7\) meets her again\)$"


@pytest.mark.parametrize(
    ("fails", "message", "cause"),
    [
        ("reset", r"^reset of mine raised OSError: no model \(at the start, ", OSError),
        ("act", r"^act of mine raised KeyError: 'arm' \(at step 8, ", KeyError),
        ("arm", r"^arm of mine must be an arm in 0\.\.2, got 1\.0 \(at step 8, ", ValueError),
        ("observe", r"^observe of mine raised ZeroDivisionError \(at step 5, ", ZeroDivisionError),
        ("answer", r"^answer of mine raised RuntimeError: two lines \(at the end, ", RuntimeError),
    ],
)
def test_an_agent_that_fails_is_told_by_name(fails: str, message: str, cause: Any) -> None:
    with pytest.raises(CallableError, match=message + AGAIN) as caught:
        rollout(ExplorativeUserEnv(3), Failing(fails), seed=7)
    assert isinstance(caught.value.__cause__, cause)
    assert "\n" not in str(caught.value)


def test_a_policy_that_fails_is_told_by_its_agents_name() -> None:
    agent = PolicyAgent(lambda observation: [][0], name="policy", horizon=9)
    with pytest.raises(CallableError, match=r"^act of policy raised IndexError"):
        rollout(ExplorativeUserEnv(3), agent, seed=7, horizon=9)


def test_arms_may_be_arrays_of_one_in_the_loop_as_in_the_environment() -> None:
    episode = rollout(ExplorativeUserEnv(3), Inexact(), seed=7)
    assert episode.arms == tuple(t % 3 for t in range(30))
    assert {type(arm) for arm in (*episode.arms, episode.answer)} == {int}
    assert episode.answer == 2


def play(env: Any, actions: Any) -> None:
    for action in actions:
        env.step(action)


def user_that(**parts: Any) -> dict[str, Any]:
    return {"behaviour": Behaviour("hers", **parts)}


def with_rule(rule: Any) -> dict[str, Any]:
    return {"rho": Schedule(rule, 1.0, 2.0)}


FAILURES: list[tuple[dict[str, Any], str, int, type[Exception]]] = [
    (
        user_that(respond=says_nothing),
        r"response of behaviour 'hers' must be True or False, got None",
        1,
        InvalidArgumentError,
    ),
    (
        user_that(respond=says_a_share),
        r"response of behaviour 'hers' must be True or False, got 0\.7",
        1,
        InvalidArgumentError,
    ),
    (
        user_that(respond=breaks_down),
        r"respond of behaviour 'hers' raised LookupError: no such arm",
        21,
        LookupError,
    ),
    (
        with_rule(breaking_rule),
        r"rho \(breaking_rule\) raised ZeroDivisionError: (float )?division by zero",
        40,
        ZeroDivisionError,
    ),
    (
        with_rule(leaving_rule),
        r"rho_t must be in \[1, 2\], the range declared for leaving_rule, got 5\.0",
        12,
        ValueError,
    ),
    (with_rule(divmod), r"rho \(divmod\) raised TypeError: divmod expected 2 .*", 1, TypeError),
    (
        with_rule(partial(leaving_rule)),
        r"rho_t must be in \[1, 2\], the range declared for partial, got 5\.0",
        12,
        ValueError,
    ),
    (
        {"reward_law": nothing},
        r"reward of reward_law 'nothing' must be a finite number, got None",
        1,
        TypeError,
    ),
    (
        {"reward_law": pair},
        r"reward of reward_law 'pair' must be a finite number, got array\(\[.*\]\)",
        1,
        TypeError,
    ),
    (
        {"reward_law": often_nan, "alpha": 100.0},
        r"reward of reward_law 'often_nan' must be a finite number, got nan",
        47,
        ValueError,
    ),
    (
        {"reward_law": RewardLaw("hers", raising), "alpha": 100.0},
        r"reward_law 'hers' raised LookupError: no such taste",
        47,
        LookupError,
    ),
    (
        {"reward_law": divmod},
        r"reward_law 'divmod' raised TypeError: unsupported operand .*",
        1,
        TypeError,
    ),
]


@pytest.mark.parametrize(("users", "message", "step", "cause"), FAILURES)
def test_a_user_who_fails_is_told_with_what_meets_her_again(
    users: dict[str, Any], message: str, step: int, cause: Any
) -> None:
    env = ExplorativeUserEnv(3, **users)
    env.reset(seed=7)
    her = r"the user that env\.reset\(seed=7\) meets again"
    with pytest.raises(CallableError, match=rf"^{message} \(at step {step} of {her}\)$") as caught:
        play(env, [t % 3 for t in range(50)])
    assert isinstance(caught.value.__cause__, cause)
    envs = ExplorativeUserVectorEnv(2, n_arms=3, compiled=False, **users)
    envs.reset(seed=[7, 7])
    with pytest.raises(CallableError, match=rf"^{message} \(at step {step} of the user in lane 0"):
        play(envs, [[t % 3, 1] for t in range(50)])
    with pytest.raises(CallableError, match=rf"^{message} \(at step {step}, {AGAIN}") as caught:
        rollout(env, Uniform(horizon=50), seed=7)
    assert isinstance(caught.value.__cause__, cause)
    assert not isinstance(caught.value.__cause__, CallableError)


STARTS: list[tuple[dict[str, Any], str]] = [
    (user_that(start=never_begins), "start of behaviour 'hers' raised LookupError: no taste"),
    (
        {"means": means_of_the_wrong_type},
        r"means \(means_of_the_wrong_type\) raised TypeError: means of this kind there are not",
    ),
    (
        {"reward_law": nothing, "setting": "released"},
        r"reward of reward_law 'nothing' must be a finite number, got None",
    ),
    (
        {"reward_law": RewardLaw("hers", divmod), "setting": "released"},
        "reward_law 'hers' raised TypeError: unsupported operand .*",
    ),
    ({"means": lambda n_arms, rng: [1.0]}, r"means must be 3 finite numbers.* got \[1\.0\]"),
]


@pytest.mark.parametrize(("users", "message"), STARTS)
def test_a_user_who_cannot_start_is_told(users: dict[str, Any], message: str) -> None:
    env = ExplorativeUserEnv(3, **users)
    again = r" \(at the start of the user that env\.reset\(seed=8\) meets again\)$"
    with pytest.raises(CallableError, match=f"^{message}{again}"):
        env.reset(seed=8)
    envs = ExplorativeUserVectorEnv(2, n_arms=3, **users)
    with pytest.raises(CallableError, match=rf"^{message} \(at the start of the user in lane"):
        envs.reset(seed=8)
    with pytest.raises(CallableError, match=rf"^{message} \(at the start, with the user of seed 8"):
        rollout(env, BAIR(), seed=8)


def test_what_is_asked_for_wrongly_is_no_failure_of_code() -> None:
    with pytest.raises(InvalidArgumentError, match="gap must be large enough") as caught:
        ExplorativeUserEnv(3, gap=1e-30).reset(seed=0)
    assert type(caught.value) is InvalidArgumentError
    with pytest.raises(InvalidArgumentError, match="horizon") as caught:
        rollout(ExplorativeUserEnv(3), Uniform(), seed=0)
    assert type(caught.value) is InvalidArgumentError


def test_answers_that_numpy_gives_are_responses() -> None:
    def respond(user: Any, state: Any, rule: Any, arm: int, rng: Any) -> Any:
        return np.bool_(arm == 1)

    env = ExplorativeUserEnv(3, behaviour=Behaviour("numpy", respond=respond))
    env.reset(seed=0)
    observations = [env.step(arm)[0] for arm in (0, 1, 2)]
    assert observations == [0, 1, 0]


def test_an_error_of_a_callable_travels_whole() -> None:
    with pytest.raises(CallableError) as caught:
        rollout(ExplorativeUserEnv(3), Failing("act"), seed=7)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (type(copy), str(copy), copy.told) == (
        CallableError,
        str(caught.value),
        "act of mine raised KeyError: 'arm'",
    )
