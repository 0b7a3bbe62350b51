"""Normals drawn ahead are the numbers, and leave the Generator, that single draws would."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from explorative_user_env import ExplorativeUserEnv
from explorative_user_env.envs.user import NORMALS_AT_ONCE, DrawnAhead
from explorative_user_env.users import model as rules
from explorative_user_env.users.instances import InstanceLaw
from explorative_user_env.users.model import User, blank_state
from explorative_user_env.users.population import Population, Setting

KINDS = [np.random.PCG64, np.random.MT19937, np.random.Philox, np.random.SFC64]
COUNTS = [0, 1, 2, NORMALS_AT_ONCE - 1, NORMALS_AT_ONCE, NORMALS_AT_ONCE + 1, 600]


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__name__)
def kind(request: pytest.FixtureRequest) -> Any:
    """Each kind of bit generator in turn; some keep their state in arrays."""
    return request.param


def generator(kind: Any, seed: int = 5) -> np.random.Generator:
    return np.random.Generator(kind(seed))


def take(stream: DrawnAhead, n: int) -> list[float]:
    """Take numbers as an environment does."""
    taken = []
    for _ in range(n):
        if not stream.left:
            stream.draw()
        taken.append(stream.standard_normal())
    return taken


def one_by_one(rng: np.random.Generator, n: int) -> list[float]:
    return [rng.standard_normal() for _ in range(n)]


def state_of(rng: np.random.Generator) -> str:
    return repr(rng.bit_generator.state)


def test_the_numbers_are_those_of_single_draws(kind: Any) -> None:
    taken = take(DrawnAhead(generator(kind)), 3 * NORMALS_AT_ONCE + 7)
    assert taken == one_by_one(generator(kind), 3 * NORMALS_AT_ONCE + 7)
    assert {type(number) for number in taken} == {float}


@pytest.mark.parametrize("n", COUNTS)
def test_settling_leaves_the_generator_where_single_draws_would(kind: Any, n: int) -> None:
    ahead, alone = generator(kind), generator(kind)
    stream = DrawnAhead(ahead)
    for _ in range(2):
        assert take(stream, n) == one_by_one(alone, n)
        stream.settle()
        assert state_of(ahead) == state_of(alone)
        assert ahead.random() == alone.random()  # when settled, all may draw


def test_a_block_that_is_drawn_and_not_used_is_given_back(kind: Any) -> None:
    rng = generator(kind)
    stream = DrawnAhead(rng)
    stream.draw()
    stream.settle()
    assert stream.left == []
    assert state_of(rng) == state_of(generator(kind))


def test_settling_twice_is_settling_once(kind: Any) -> None:
    rng = generator(kind)
    stream = DrawnAhead(rng)
    take(stream, 10)
    stream.settle()
    before = state_of(rng)
    stream.settle()
    assert state_of(rng) == before


@pytest.mark.parametrize("others", [1, 2, 300])
@pytest.mark.parametrize("n", [1, 100, NORMALS_AT_ONCE - 1, NORMALS_AT_ONCE, NORMALS_AT_ONCE + 1])
def test_nothing_is_drawn_twice_if_someone_else_draws(kind: Any, n: int, others: int) -> None:
    rng = generator(kind)
    stream = DrawnAhead(rng)
    drawn = take(stream, n) + one_by_one(rng, others)
    before = state_of(rng)
    stream.settle()
    assert state_of(rng) == before
    drawn += take(stream, 2 * NORMALS_AT_ONCE)
    assert len(set(drawn)) == len(drawn)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))])
@pytest.mark.parametrize("n", [0, 100, NORMALS_AT_ONCE])
def test_a_copy_goes_on_alike_and_apart(kind: Any, copied: Callable[[Any], Any], n: int) -> None:
    rng = generator(kind)
    stream = DrawnAhead(rng)
    take(stream, n)
    twin = copied(stream)
    ahead = take(twin, 400)
    twin.settle()
    assert take(stream, 400) == ahead
    stream.settle()
    assert state_of(rng) == state_of(twin.rng)
    assert ahead == one_by_one(generator(kind), n + 400)[n:]
    assert twin.random() == stream.random()


# In the environment


def sequential_life(
    user: User, rule: Any, law: InstanceLaw, rng: np.random.Generator, arms: list[int]
) -> list[Any]:
    """A user by hand, whose every number is drawn when it is needed."""
    state, instance = blank_state(user), law.draw(rng)
    state.means[:] = instance.means
    rules.start(user, state, rng)
    responses = [int(rules.respond(user, state, rule, arm, rng)) for arm in arms]
    return [instance, responses, tuple(state.estimates), state.spread[0] ** 2]


@pytest.mark.parametrize("noise", [0.0, 0.1])
@pytest.mark.parametrize("means", ["normal", "uniform"])
def test_an_environment_goes_on_as_with_single_draws(
    setting: Setting, means: str, noise: float
) -> None:
    options: dict[str, Any] = {"setting": setting, "n_arms": 3, "noise": noise, "alpha": 0.1}
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


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))])
@pytest.mark.parametrize("n", [0, 1, 100, 300, 2 * NORMALS_AT_ONCE])
def test_a_copy_of_an_environment_goes_on_alike_and_apart(
    copied: Callable[[Any], Any], n: int
) -> None:
    env = ExplorativeUserEnv(2, means=[1.0, 0.0], rho=0.1, reward="realized", info_level="full")
    env.reset(seed=4)
    for _ in range(n):
        env.step(0)
    twin = copied(env)
    lives = []
    for each in (twin, env):
        life = [each.step(0) for _ in range(300)]
        lives.append([*life, each.reset(), *(each.step(1) for _ in range(10))])
    assert lives[0] == lives[1]
    assert twin.np_random is not env.np_random


@pytest.mark.parametrize("rejected", [{"mean": 1.0}, {"means": [1.0]}, {"means": "normal"}])
def test_a_refused_reset_leaves_the_stream_alone(rejected: dict[str, Any]) -> None:
    env, twin = ExplorativeUserEnv(), ExplorativeUserEnv()
    lives = []
    for each in (env, twin):
        each.reset(seed=1)
        life = [each.step(arm % 5) for arm in range(20)]
        if each is env:
            with pytest.raises(ValueError, match="mean"):
                each.reset(seed=2, options=rejected)
        life += [each.step(arm % 5) for arm in range(300)]
        each.reset()
        lives.append((life, each.hidden_state()))
    assert lives[0] == lives[1]


def test_another_stream_given_by_hand_is_the_one_that_is_drawn_from(kind: Any) -> None:
    env = ExplorativeUserEnv(means=[0.0, 1.0, 2.0, 3.0, 4.0], reward="realized")
    env.reset(seed=1)
    env.step(0)
    env.np_random = generator(kind)
    alone = generator(kind)
    for n in (3, 10):
        env.reset()
        rewards = [env.step(4)[1] for _ in range(n)]
        assert rewards == [4.0 + number for number in one_by_one(alone, n)]
