"""An error in a lane says whose it is, and how to meet her alone."""

from typing import Any

import pytest
from failing import breaking_rule, breaks_down, leaving_rule, means_of_the_wrong_type
from gymnasium.vector import AutoresetMode
from own_laws import often_nan, raising

import explorative_user_env as eu
from explorative_user_env import ExplorativeUserEnv, ExplorativeUserVectorEnv
from explorative_user_env.envs.bai import ExplorativeUserBAIVectorEnv
from explorative_user_env.validation import CallableError

KINDS: list[tuple[dict[str, Any], bool]] = [
    ({"reward_law": often_nan}, True),
    ({"reward_law": often_nan}, False),
    ({"reward_law": raising}, True),
    ({"reward_law": raising}, False),
    ({"rho": eu.Schedule(leaving_rule, 1.0, 2.0)}, True),
    ({"rho": eu.Schedule(breaking_rule, 1.0, 2.0)}, False),
    ({"behaviour": eu.Behaviour("hers", respond=breaks_down)}, False),
]
"""Users who fail, and whether in compiled code."""


def play(env: Any, actions: Any) -> None:
    for action in actions:
        env.step(action)


def error_of(env: Any, actions: Any) -> str:
    with pytest.raises(CallableError) as caught:
        play(env, actions)
    return str(caught.value)


def alone(seed: int, **users: Any) -> tuple[str, str]:
    """What a single environment tells of the same user: what is wrong and at which step; who."""
    env = ExplorativeUserEnv(3, **users)
    env.reset(seed=seed)
    told, _, who = error_of(env, [t % 3 for t in range(200)]).partition(" of the user ")
    return told, who


def told_apart(message: str) -> tuple[str, str, str]:
    """What is wrong and at which step; the lane; the rest."""
    told, _, who = message.partition(" of the user in lane ")
    lane, _, rest = who.partition(", ")
    return told, lane, rest


@pytest.mark.parametrize(("users", "compiled"), KINDS)
@pytest.mark.parametrize("seed", [8, [20, 3, 11], None])
def test_the_line_in_the_error_meets_her_again(
    users: dict[str, Any], compiled: bool, seed: Any
) -> None:
    envs = ExplorativeUserVectorEnv(3, n_arms=3, compiled=compiled, **users)
    envs.reset(seed=seed)
    assert envs.compiled == compiled
    told, lane, rest = told_apart(error_of(envs, [[t % 3] * 3 for t in range(200)]))
    hers = envs.np_random_seed[int(lane)]
    assert rest == f"whom env.reset(seed={hers}) of a single environment meets again)"
    assert alone(hers, **users) == (told, f"that env.reset(seed={hers}) meets again)")


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("mode", AutoresetMode)
def test_a_later_user_of_a_lane_is_told_by_her_place_on_its_stream(
    mode: AutoresetMode, compiled: bool
) -> None:
    """The users before her are played as in the lane, and she fails alone as she does there."""
    users: dict[str, Any] = {"reward_law": often_nan, "n_arms": 3}
    limit = 4
    envs = ExplorativeUserVectorEnv(
        2, max_episode_steps=limit, autoreset_mode=mode, compiled=compiled, **users
    )
    envs.reset(seed=39)

    def play_on() -> None:
        for t in range(300):
            _, _, _, truncated, _ = envs.step([t % 3] * 2)
            arms.append(t % 3)
            if mode == AutoresetMode.DISABLED and truncated.any():
                envs.reset(options={"reset_mask": truncated})

    arms: list[int] = []
    with pytest.raises(CallableError) as caught:
        play_on()
    told, lane, rest = told_apart(str(caught.value))
    arms.append(len(arms) % 3)  # the one that failed
    episode = limit + 1 if mode == AutoresetMode.NEXT_STEP else limit
    number = (len(arms) - 1) // episode + 1
    assert number > 1
    hers = 39 + int(lane)
    place = f"number {number} on the stream of seed {hers}"
    assert rest == f"{place}, which goes on where the one before left it)"

    env = ExplorativeUserEnv(**users)
    env.reset(seed=hers)
    for user in range(number - 1):
        for arm in arms[user * episode : user * episode + limit]:
            env.step(arm)
        env.reset()
    message = error_of(env, arms[(number - 1) * episode :])
    assert message == f"{told} of the user, {rest}"


def test_a_new_seed_begins_a_stream_and_a_mask_goes_on_with_one() -> None:
    envs = ExplorativeUserVectorEnv(2, n_arms=3, rho=eu.Schedule(leaving_rule, 1.0, 2.0))
    arms = [[t % 3] * 2 for t in range(50)]

    def rest() -> str:
        return told_apart(error_of(envs, arms))[2]

    envs.reset(seed=1)
    envs.reset(seed=[9, None])
    assert rest().startswith("whom env.reset(seed=9) of")
    envs.reset()
    assert rest().startswith("number 2 on the stream of seed 9, ")
    envs.reset(seed=[4, 5], options={"means": [0.0, 0.5, 1.0]})
    assert rest() == "whom env.reset(seed=4, options=...) of a single environment meets again)"
    single = ExplorativeUserEnv(3, rho=eu.Schedule(leaving_rule, 1.0, 2.0))
    single.reset(seed=4, options={"means": [0.0, 0.5, 1.0]})
    message = error_of(single, [arm for arm, _ in arms])
    assert message.endswith(" 12 of the user that env.reset(seed=4, options=...) meets again)")


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(
    "users",
    [
        {"means": means_of_the_wrong_type},
        {"reward_law": often_nan, "setting": "released"},
        {"reward_law": raising, "setting": "released"},
    ],
)
def test_so_is_a_user_who_cannot_start(users: dict[str, Any], compiled: bool) -> None:
    """At a reset, and later in place of a user who has gone."""
    for env in (ExplorativeUserVectorEnv, ExplorativeUserBAIVectorEnv):
        envs = env(40, n_arms=3, compiled=compiled, **users)
        with pytest.raises(CallableError) as caught:
            envs.reset(seed=100)
        told, _, who = str(caught.value).partition(" of the user in lane ")
        lane, _, rest = who.partition(", ")
        seed = 100 + int(lane)
        assert rest == f"whom env.reset(seed={seed}) of a single environment meets again)"
        with pytest.raises(CallableError) as again:
            ExplorativeUserEnv(3, **users).reset(seed=seed)
        assert str(again.value) == f"{told} of the user that env.reset(seed={seed}) meets again)"


@pytest.mark.parametrize("compiled", [True, False])
def test_who_comes_after_an_answer_is_a_later_user(compiled: bool) -> None:
    envs = ExplorativeUserBAIVectorEnv(2, n_arms=3, compiled=compiled, reward_law=often_nan)
    envs.reset(seed=39)
    answering = [[3 if t % 6 == 4 else t % 3] * 2 for t in range(100)]
    _, lane, rest = told_apart(error_of(envs, answering))
    place = "number 4 on the stream of seed 40, which goes on where the one before left it)"
    assert (lane, rest) == ("1", place)
