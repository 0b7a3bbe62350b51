"""An error in a lane says whose it is, and how to meet her alone."""

import pytest
from failing import breaking_rule, breaks_down, leaving_rule, means_of_the_wrong_type
from gymnasium.vector import AutoresetMode
from own_laws import often_nan, raising

import explorative_user_env as eu
from explorative_user_env import ExplorativeUserEnv, ExplorativeUserVectorEnv
from explorative_user_env.validation import CallableError

USERS = [
    ({"reward_law": often_nan}, True, 8),
    ({"rho": eu.Schedule(leaving_rule, 1.0, 2.0)}, True, [20, 3, 11]),
    ({"rho": eu.Schedule(breaking_rule, 1.0, 2.0)}, False, 8),
    ({"behaviour": eu.Behaviour("hers", respond=breaks_down)}, False, None),
]
"""Users who fail, whether in compiled code, and from which seeds."""


def error_of(env, actions):
    def play():
        for action in actions:
            env.step(action)

    with pytest.raises(CallableError) as caught:
        play()
    return str(caught.value)


def told_apart(message):
    told, _, who = message.partition(" of the user in lane ")
    lane, _, rest = who.partition(", ")
    return told, lane, rest


@pytest.mark.slow
@pytest.mark.parametrize(("kwargs", "compiled", "seed"), USERS)
def test_the_line_in_the_error_meets_her_again(kwargs, compiled, seed):
    envs = ExplorativeUserVectorEnv(3, n_arms=3, compiled=compiled, **kwargs)
    envs.reset(seed=seed)
    assert envs.compiled == compiled
    told, lane, rest = told_apart(error_of(envs, [[t % 3] * 3 for t in range(200)]))
    hers = envs.np_random_seed[int(lane)]
    assert rest == f"whom env.reset(seed={hers}) of a single environment meets again)"
    alone = ExplorativeUserEnv(3, **kwargs)
    alone.reset(seed=hers)
    message = error_of(alone, [t % 3 for t in range(200)])
    assert message == f"{told} of the user that env.reset(seed={hers}) meets again)"


@pytest.mark.parametrize("mode", AutoresetMode)
def test_a_later_user_of_a_lane_is_told_by_her_place_on_its_stream(mode, compiled):
    users = {"reward_law": often_nan, "n_arms": 3}
    limit, arms = 4, list[int]()
    envs = ExplorativeUserVectorEnv(2, limit, mode, compiled, **users)
    envs.reset(seed=39)

    def play_on():
        for t in range(300):
            arms.append(t % 3)  # the last is the one that fails
            _, _, _, truncated, _ = envs.step([t % 3] * 2)
            if mode == AutoresetMode.DISABLED and truncated.any():
                envs.reset(options={"reset_mask": truncated})

    with pytest.raises(CallableError) as caught:
        play_on()
    told, lane, rest = told_apart(str(caught.value))
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


def test_a_new_seed_begins_a_stream_and_a_mask_goes_on_with_one():
    rho, arms = eu.Schedule(leaving_rule, 1.0, 2.0), [[t % 3] * 2 for t in range(50)]
    envs, single = ExplorativeUserVectorEnv(2, n_arms=3, rho=rho), ExplorativeUserEnv(3, rho=rho)

    def rest():
        return told_apart(error_of(envs, arms))[2]

    envs.reset(seed=1)
    envs.reset(seed=[9, None])
    assert rest().startswith("whom env.reset(seed=9) of")
    envs.reset()
    assert rest().startswith("number 2 on the stream of seed 9, ")
    envs.reset(seed=[4, 5], options={"means": [0.0, 0.5, 1.0]})
    assert rest() == "whom env.reset(seed=4, options=...) of a single environment meets again)"
    single.reset(seed=4, options={"means": [0.0, 0.5, 1.0]})
    message = error_of(single, [arm for arm, _ in arms])
    assert message.endswith(" 12 of the user that env.reset(seed=4, options=...) meets again)")


@pytest.mark.parametrize(
    ("users", "compiled"),
    [
        ({"means": means_of_the_wrong_type}, False),
        ({"reward_law": often_nan, "setting": "released"}, True),
        ({"reward_law": raising, "setting": "released"}, False),
    ],
)
def test_a_user_who_cannot_start_is_met_again_so_too(users, compiled):
    envs = ExplorativeUserVectorEnv(40, n_arms=3, compiled=compiled, **users)
    with pytest.raises(CallableError) as caught:
        envs.reset(seed=100)
    told, lane, rest = told_apart(str(caught.value))
    seed = 100 + int(lane)
    assert rest == f"whom env.reset(seed={seed}) of a single environment meets again)"
    with pytest.raises(CallableError) as again:
        ExplorativeUserEnv(3, **users).reset(seed=seed)
    assert str(again.value) == f"{told} of the user that env.reset(seed={seed}) meets again)"
