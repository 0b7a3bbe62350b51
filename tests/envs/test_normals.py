"""Normals drawn ahead are the numbers, and leave the Generator, that single draws would."""

import numpy as np
import pytest
from pairs import pairs

from explorative_user_env import ExplorativeUserEnv
from explorative_user_env.envs.user import NORMALS_AT_ONCE, DrawnAhead
from explorative_user_env.users import model as rules
from explorative_user_env.users.instances import InstanceLaw
from explorative_user_env.users.model import blank_state
from explorative_user_env.users.population import SETTINGS, Population

KINDS = [np.random.PCG64, np.random.MT19937]  # which keeps its state in an array
COUNTS = [0, 1, NORMALS_AT_ONCE - 1, NORMALS_AT_ONCE, NORMALS_AT_ONCE + 1, 600]


def take(stream, n):
    taken = []
    for _ in range(n):
        if not stream.left:
            stream.draw()
        taken.append(stream.standard_normal())
    return taken


def state_of(rng):
    return repr(rng.bit_generator.state)


@pairs(kind=KINDS, n=COUNTS, drawn=[False, True])
def test_settling_leaves_the_generator_where_single_draws_would(kind, n, drawn):
    ahead, alone = (np.random.Generator(kind(5)) for _ in range(2))
    stream = DrawnAhead(ahead)
    for _ in range(2):
        if drawn:  # a block of which nothing may be used
            stream.draw()
        taken = take(stream, n)
        assert taken == [alone.standard_normal() for _ in range(n)]
        for _ in range(2):  # twice is once
            stream.settle()
            assert stream.left == []
            assert state_of(ahead) == state_of(alone)
        assert ahead.random() == alone.random()  # when settled, all may draw


@pytest.mark.parametrize("n", [1, NORMALS_AT_ONCE, 600])
def test_nothing_is_drawn_twice_if_someone_else_draws(n):
    rng = np.random.default_rng(5)
    stream = DrawnAhead(rng)
    drawn = [*take(stream, n), rng.standard_normal()]
    before = state_of(rng)
    stream.settle()
    assert state_of(rng) == before
    drawn += take(stream, 2 * NORMALS_AT_ONCE)
    assert len(set(drawn)) == len(drawn)


def sequential_life(user, rule, law, rng, arms):
    state, instance = blank_state(user), law.draw(rng)
    state.means[:] = instance.means
    rules.start(user, state, rng)
    responses = [int(rules.respond(user, state, rule, arm, rng)) for arm in arms]
    return [instance, responses, tuple(state.estimates), state.spread[0] ** 2]


@pairs(noise=[0.0, 0.1], means=["normal", "uniform"], setting=sorted(SETTINGS))
def test_an_environment_goes_on_as_with_single_draws(setting, means, noise):
    options = {"setting": setting, "n_arms": 3, "noise": noise, "alpha": 0.1}
    env, population = ExplorativeUserEnv(means=means, **options), Population(**options)
    user, schedule = population.user, population.schedule
    rng, law, heard = np.random.default_rng(17), InstanceLaw(3, means), set()
    for episode, n in enumerate([*COUNTS, 30]):
        env.reset(seed=None if episode else 17)
        arms = np.random.default_rng(n).integers(3, size=n).tolist()
        responses = [env.step(arm)[0] for arm in arms]
        truth = env.hidden_state()
        life = [truth.instance, responses, truth.estimates, truth.gamma]
        assert life == sequential_life(user, schedule.rule, law, rng, arms)
        heard |= set(responses)
    assert heard == {0, 1}
    env.reset()
    law.draw(rng)
    for _ in range(3 * user.private_draws):
        rng.standard_normal()
    assert env.np_random.bit_generator.state == rng.bit_generator.state
