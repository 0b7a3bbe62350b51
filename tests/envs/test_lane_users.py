"""An error in a lane says whose it is, and how to meet her alone."""

import pytest
from begun import play
from failing import breaking_rule, breaks_down, leaving_rule, means_of_the_wrong_type
from gymnasium.vector import AutoresetMode
from own_laws import often_nan, raising

import explorative_user_env as eu
from explorative_user_env.validation import CallableError

IN_TURN = [t % 3 for t in range(200)]
LEAVING = eu.Schedule(leaving_rule, 1.0, 2.0)
USERS = [
    ({"reward_law": often_nan}, True, 8),
    ({"rho": LEAVING}, False, [20, 3, 11]),
    ({"rho": eu.Schedule(breaking_rule, 1.0, 2.0)}, False, 8),
    ({"behaviour": eu.Behaviour("hers", respond=breaks_down)}, False, None),
    # These cannot start.
    ({"means": means_of_the_wrong_type}, False, 100),
    ({"reward_law": often_nan, "setting": "released"}, True, 100),
    ({"reward_law": raising, "setting": "released"}, False, 100),
]
"""Users who fail, whether in compiled code, and from which seeds."""


def error_of(play, *args, **kwargs):
    with pytest.raises(CallableError) as caught:
        play(*args, **kwargs)
    return str(caught.value)


def play_anew(env, actions, seed):
    env.reset(seed=seed)
    play(env, actions)


def told_apart(message):
    # "at step 12 of the user ...", or "while drawing the user ..."
    told, who = message.split(" the user in lane ")
    lane, _, rest = who.partition(", ")
    return told, int(lane), rest


@pytest.mark.slow
@pytest.mark.parametrize(("kwargs", "compiled", "seed"), USERS)
def test_the_line_in_the_error_meets_her_again(kwargs, compiled, seed):
    lanes = 40 if seed == 100 else 3
    envs = eu.ExplorativeUserVectorEnv(lanes, n_arms=3, compiled=compiled, **kwargs)
    message = error_of(play_anew, envs, [[arm] * lanes for arm in IN_TURN], seed)
    assert envs.compiled == compiled
    told, lane, rest = told_apart(message)
    hers = 100 + lane if seed == 100 else envs.np_random_seed[lane]
    assert rest == f"the user of env.reset(seed={hers}) in a single environment)"
    message = error_of(play_anew, eu.ExplorativeUserEnv(3, **kwargs), IN_TURN, hers)
    assert message == f"{told} the user of env.reset(seed={hers}))"


@pytest.mark.parametrize("mode", AutoresetMode)
def test_a_later_user_of_a_lane_is_told_by_her_place_on_its_stream(mode, compiled):
    users = {"reward_law": often_nan, "n_arms": 3}
    limit, arms = 4, []
    envs = eu.ExplorativeUserVectorEnv(2, limit, mode, compiled, **users)
    envs.reset(seed=39)

    def play_on():
        for arm in IN_TURN:
            arms.append(arm)  # the last is the one that fails
            _, _, _, truncated, _ = envs.step([arm] * 2)
            if mode == AutoresetMode.DISABLED and truncated.any():
                envs.reset(options={"reset_mask": truncated})

    told, lane, rest = told_apart(error_of(play_on))
    episode = limit + 1 if mode == AutoresetMode.NEXT_STEP else limit
    number = (len(arms) - 1) // episode + 1
    assert number > 1
    assert rest == f"number {number} on the stream of seed {39 + lane})"
    env = eu.ExplorativeUserEnv(**users)
    env.reset(seed=39 + lane)
    for user in range(number - 1):
        play(env, arms[user * episode : user * episode + limit])
        env.reset()
    message = error_of(play, env, arms[(number - 1) * episode :])
    assert message == f"{told} the user, {rest}"


def test_a_new_seed_begins_a_stream_and_options_are_told():
    envs = eu.ExplorativeUserVectorEnv(2, n_arms=3, rho=LEAVING)
    single, options = eu.ExplorativeUserEnv(3, rho=LEAVING), {"means": [0.0, 0.5, 1.0]}
    envs.reset(seed=1)
    for env, seed in ((envs, [4, None]), (single, 4)):
        env.reset(seed=seed, options=options)
    _, _, rest = told_apart(error_of(play, envs, [[arm] * 2 for arm in IN_TURN]))
    assert rest == "the user of env.reset(seed=4, options=...) in a single environment)"
    message = error_of(play, single, IN_TURN)
    assert message.endswith(" 12 of the user of env.reset(seed=4, options=...))")
