"""`ExplorativeUser-v0`: what a step pays and tells, what is hidden, and who leaves."""

import gymnasium as gym
import numpy as np
import pytest
from begun import COUNTERS, LEAVING, MEANS, arms, play, started
from in_step import LANES
from pairs import pairs
from reference_user import ReferenceUser

import explorative_user_env as eu
from explorative_user_env.envs.user import NORMALS_AT_ONCE, REWARDS, DrawnAhead
from explorative_user_env.users import model as rules
from explorative_user_env.users.instances import InstanceLaw
from explorative_user_env.users.model import blank_state
from explorative_user_env.users.population import SETTINGS, Population
from explorative_user_env.wrappers.vector import make_task


def by_hand(reward, arm, accepted, realized):
    return {
        "regret": MEANS[arm] - max(MEANS),
        "utility": MEANS[arm] if accepted else 0.0,
        "realized": realized if accepted else 0.0,
        "accept": float(accepted),
        "none": 0.0,
    }[reward]


@pairs(noise=[0.0, 0.3], reward=REWARDS, setting=sorted(SETTINGS))
def test_a_step_gives_the_reward_asked_for(setting, reward, noise):
    env = gym.make(eu.ENV_ID, n_arms=3, means=MEANS, setting=setting, noise=noise, reward=reward)
    env.reset(seed=3)
    stream = np.random.default_rng(3)
    for _ in range(3 if SETTINGS[setting].private_draws else 0):
        stream.standard_normal()
    responses = set()
    for arm in arms(60):
        response, given, *_ = env.step(arm)
        if noise and stream.random() < noise:
            stream.random()
        realized = MEANS[arm] + stream.standard_normal() if response else 0.0
        assert (type(given), given) == (float, by_hand(reward, arm, response == 1, realized))
        responses.add(response)
    assert responses == {0, 1}
    assert eu.ExplorativeUserEnv().reward == "regret"


def test_what_is_told_and_what_is_hidden_is_of_a_slow_user(setting):
    env = started(setting=setting, alpha=0.7, noise=0.2)
    assert env.reset(seed=4) == (0, dict.fromkeys(COUNTERS, 0) | {"has_response": False})
    slow = ReferenceUser(MEANS, 0.7, 0.2, setting.name == "released", 4)
    for arm in arms(80):
        kept = env.hidden_state()
        response, _, terminated, truncated, info = env.step(arm)
        assert (type(response), response) == (int, slow.respond(arm))
        assert (terminated, truncated) == (False, False)
        counts = {"interactions": slow.t, "acceptances": slow.n, "rejections": slow.t - slow.n}
        assert info == {"has_response": True} | counts
        assert {type(value) for value in info.values()} == {bool, int}
        hidden = env.hidden_state()
        assert hidden != kept
        assert hidden.instance == eu.Instance(tuple(MEANS), 1)
        assert hidden.counts == tuple(slow.counts)
        assert (hidden.acceptances, hidden.interactions) == (slow.n, slow.t)
        assert (hidden.rho, hidden.gamma) == pytest.approx((slow.rho, slow.gamma))
        assert hidden.estimates == pytest.approx(slow.estimates)
        lower, upper = slow.intervals()
        assert hidden.lower_bounds == pytest.approx(lower)
        assert hidden.upper_bounds == pytest.approx(upper)
    assert 0 < slow.n < slow.t


def test_the_means_of_one_episode_can_be_given():
    env, options = eu.ExplorativeUserEnv(n_arms=3, gap=0.25), {"means": (1.0, 5.0, 2)}
    env.reset(seed=0, options=options)
    assert env.hidden_state().instance == eu.Instance((1.0, 5.0, 2.0), 1)
    assert options == {"means": (1.0, 5.0, 2)}
    env.reset(seed=0)
    assert env.hidden_state().instance.gap == pytest.approx(0.25)


def slow_life(user, rule, law, rng, arms):
    state, instance = blank_state(user), law.draw(rng)
    state.means[:] = instance.means
    rules.start(user, state, rng)
    responses = [int(rules.respond(user, state, rule, arm, rng)) for arm in arms]
    return [instance, responses, tuple(state.estimates), state.spread[0] ** 2]


@pairs(
    noise=[0.0, 0.1],
    means=["normal", "uniform"],
    setting=sorted(SETTINGS),
    bits=[np.random.PCG64, np.random.MT19937],  # which keeps its state in an array
)
def test_normals_drawn_ahead_are_those_of_single_draws(setting, means, noise, bits):
    options = {"setting": setting, "n_arms": 3, "noise": noise, "alpha": 0.1}
    env, population = eu.ExplorativeUserEnv(means=means, **options), Population(**options)
    user, schedule = population.user, population.schedule
    env.np_random, rng = (np.random.Generator(bits(17)) for _ in range(2))
    law, heard = InstanceLaw(3, means), set()
    for n in (0, 1, NORMALS_AT_ONCE - 1, NORMALS_AT_ONCE, NORMALS_AT_ONCE + 1, 600, 30):
        env.reset()
        recommended = arms(n, seed=n)
        responses = [step[0] for step in play(env, recommended)]
        truth = env.hidden_state()
        life = [truth.instance, responses, truth.estimates, truth.gamma]
        assert life == slow_life(user, schedule.rule, law, rng, recommended)
        heard |= set(responses)
    assert heard == {0, 1}
    env.reset()
    law.draw(rng)
    for _ in range(3 * user.private_draws):
        rng.standard_normal()
    assert repr(env.np_random.bit_generator.state) == repr(rng.bit_generator.state)


def test_nothing_is_drawn_twice_if_someone_else_draws():
    rng = np.random.default_rng(5)
    stream = DrawnAhead(rng)
    stream.draw()
    rng.standard_normal()
    before = rng.bit_generator.state
    assert stream.settle().bit_generator.state == before


def asked_in_turn(env, seed=None, **options):
    """What each step returns, of which the last ends the episode."""
    env.reset(seed=seed, options=options or None)
    steps = []
    while not steps or not (steps[-1][2] or steps[-1][3]):
        steps.append(env.step(len(steps) % 3))
    return steps


@pytest.mark.parametrize(
    ("name", "steps", "options"),
    [
        (eu.ENV_ID, 1000, {}),
        (eu.ENV_ID, 1000, {"max_episode_steps": 60}),
        (eu.ENV_ID, 60, {"max_episode_steps": 60, "horizon": 60}),
        (eu.COUNTS_ENV_ID, 70, {"max_episode_steps": 70, "horizon": 70}),
    ],
)
def test_leaving_pays_for_all_steps_up_to_the_horizon(name, steps, options):
    env, n_left = gym.make(name, **LEAVING, **options), 0
    for seed in range(12):
        outcomes = asked_in_turn(env, seed)
        rewards, left = [float(reward) for _, reward, *_ in outcomes], outcomes[-1][2]
        means = env.unwrapped.instance().means
        spread = max(means) - min(means)
        assert all(-spread <= reward <= 0.0 for reward in rewards[: len(rewards) - left])
        if left:
            n_left += 1
            own = rewards[-1] + (steps - len(rewards)) * spread
            assert any(own == pytest.approx(mean - max(means), abs=1e-6) for mean in means)
    assert n_left > 5


def test_no_shift_of_her_means_makes_leaving_cheaper_and_no_other_reward_pays_for_it():
    env, costs = eu.ExplorativeUserEnv(horizon=100, **LEAVING), []
    for shift in (-40.0, 0.0, 30.0):
        steps = asked_in_turn(env, 1, means=[shift, shift + 1.0, shift + 3.0])
        costs.append((steps[-1][1], len(steps)))
    assert costs[0] == pytest.approx(costs[1])
    assert costs[2] == pytest.approx(costs[1])
    for reward in {*REWARDS} - {"regret"}:
        _, paid, left, _, _ = asked_in_turn(gym.make(eu.ENV_ID, reward=reward, **LEAVING), 1)[-1]
        assert (paid, left) == (0.0, True)  # she rejects, and leaves


def test_nobody_is_there_to_be_asked_after_she_has_left():
    env = eu.ExplorativeUserEnv(render_mode="svg", **LEAVING)
    asked_in_turn(env, 1)
    assert "she has left" in str(env.render())
    truth = env.hidden_state()  # which can still be asked for
    with pytest.raises(gym.error.ResetNeeded):
        env.step(0)
    assert env.hidden_state() == truth
    env.reset()
    assert "she has left" not in str(env.render())
    env.step(0)


def test_who_leaves_a_task_in_step_is_priced_by_its_horizon():
    envs = make_task("regret", LANES, "sorted-counts", 40, autoreset_mode="SameStep", **LEAVING)
    envs.reset(seed=0)
    means = [each.means for each in envs.unwrapped.instances()]
    left, step = [False], 0
    while not any(left):
        _, rewards, left, _, infos = envs.step(np.full(LANES, step % 3))
        step += 1
    lane = left.tolist().index(True)
    spread = max(means[lane]) - min(means[lane])
    assert infos["final_info"]["interactions"][lane] == step
    assert -(41 - step) * spread <= rewards[lane] <= -(40 - step) * spread
