"""The baselines and references, each against its rule written down once more."""

import itertools
import math
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from toy_agents import drive

from explorative_user_env.agents import EXP3, UCB1, FullInformation, Thompson, TrackAndStop, Uniform
from explorative_user_env.agents import exp3 as rule
from explorative_user_env.agents import full_information as reference


def always(step, arm):
    return True


def never(step, arm):
    return False


# The agent's options, the horizon of the run, and the steps of three arms in turn.
IN_TURN = [
    ({"horizon": 7}, 9, 7),  # its own goes before the run's
    ({}, 10, 10),
    ({"horizon": 1, "whole_passes": True}, None, 3),
    ({"horizon": 6, "whole_passes": True}, None, 6),
    ({"horizon": 7, "whole_passes": True}, None, 9),
    # A pass ends early at the step cap, but not before the horizon.
    ({"horizon": 7, "whole_passes": True, "max_steps": 6}, None, 7),
    ({"horizon": 7, "whole_passes": True, "max_steps": 8}, None, 8),
]


def test_arms_come_in_turn_until_the_horizon_or_the_end_of_its_pass():
    for options, run, steps in IN_TURN:
        agent = Uniform(**options)
        for _ in range(2):  # a new user starts from nothing
            assert drive(agent, 3, always, horizon=run) == [step % 3 for step in range(steps)]
        at_random = Uniform(**options | {"order": "random"})
        assert len(drive(at_random, 3, always, horizon=run)) == options.get("horizon", run)


def test_random_order_is_uniform_and_independent():
    arms = drive(Uniform(horizon=9000, order="random"), 3, always, seed=1)
    successive = Counter(itertools.pairwise(arms))
    for arm in range(3):
        # Five standard deviations: sqrt(9000 * 1/3 * 2/3) = 44.7, sqrt(9000 * 1/9 * 8/9) = 29.8.
        assert abs(arms.count(arm) - 3000) < 224
        for following in range(3):
            assert abs(successive[arm, following] - 1000) < 149


@pytest.mark.slow
def test_the_answer_among_tied_arms_is_a_random_one_or_the_first():
    for make in (Uniform, UCB1, Thompson, EXP3, TrackAndStop, FullInformation):
        agent = make() if make is TrackAndStop else make(horizon=8)
        answers = Counter[int]()
        for seed in range(600):
            drive(agent, 4, never, n_steps=8, seed=seed)
            answers[agent.answer()] += 1
        # 150 each, five standard deviations: sqrt(600 * 1/4 * 3/4) = 10.6.
        assert all(abs(answers[arm] - 150) < 53 for arm in range(4))
    for maker in (Uniform, EXP3, TrackAndStop):
        agent = maker(ties="first")
        for seed in range(9):
            drive(agent, 4, never, n_steps=4, seed=seed, horizon=4)
            assert agent.answer() == 0


def test_the_answer_is_the_arm_accepted_or_recommended_most():
    agents = [make(horizon=20) for make in (Uniform, UCB1, Thompson, EXP3)]
    # Arm 0 has the highest rate, arm 2 the most recommendations, arm 1 the most acceptances.
    for agent in (*agents, EXP3(horizon=20, counts="recommended")):
        agent.reset(3, np.random.default_rng(0))
        for arm, accepted in [(0, True), (1, True), (1, False), (1, True), *[(2, False)] * 5]:
            agent.observe(arm, accepted)
        assert agent.answer() == (2 if agent.options.get("counts") else 1)


def allowed(arms, responses, n_arms, c):
    """UCB1's arms by Figure 1 after this history, told from all of it; several if they tie."""
    t = len(arms)
    if t < n_arms:
        return {t}
    n = np.bincount(arms, minlength=n_arms)
    bounds = np.bincount(arms, responses, n_arms) / n + np.sqrt(c * np.log(t) / n)
    return {*np.flatnonzero(bounds > max(bounds) - 1e-12).tolist()}


def fading(step, arm):
    """Arm 2 is good at first, arm 0 later."""
    return (7 * step + 3 * arm) % 11 > (abs(step - 150) // 30 if arm == 0 else 2 + 2 * arm)


def rare(step, arm):
    return step % (arm + 2) == 0


def test_every_step_of_ucb1_is_that_of_figure_1():
    for n_arms, c, respond in [
        *((2, None, fading), (9, 0.1, fading), (4, 30.0, fading), (4, None, never)),
        *((2, 30.0, never), (9, None, rare), (4, 0.1, rare)),
    ]:
        agent, arms, responses = UCB1(exploration=c), [], []
        agent.reset(n_arms, np.random.default_rng(0), horizon=400)
        for step in range(400):
            arm = agent.act()
            # The published constant is the default.
            assert arm in allowed(arms, responses, n_arms, c or 2.0), f"step {step}"
            arms.append(arm)
            responses.append(respond(step, arm))
            agent.observe(arm, responses[-1])
        assert agent.act() is None
        assert len(set(arms[n_arms:])) == n_arms


def test_arms_of_equal_bounds_are_recommended_equally_often():
    agent = UCB1(horizon=5)
    fifth = Counter(drive(agent, 4, always, seed=seed)[4] for seed in range(1000))
    # 250 each, five standard deviations: sqrt(1000 * 1/4 * 3/4) = 13.7.
    assert all(abs(fifth[arm] - 250) < 69 for arm in range(4))


BELOW_ONE = 1.0 - 2.0**-53


def law_of(params, weights):
    """The probabilities of the next arm."""
    weights = np.array(weights)
    return (1 - params.mixing) * weights / weights.sum() + params.mixing / params.n_arms


def started(n_arms, horizon, factor):
    params = EXP3(learning_rate=factor).params(n_arms, horizon)
    state = rule.blank(params)
    rule.start(params, state, np.random.default_rng(0))
    return params, state


def levels(*values):
    """A stream of given uniforms."""
    return SimpleNamespace(random=iter(values).__next__)


def test_the_run_is_that_of_plain_exponential_weights():
    for n_arms, horizon, factor in ((2, 50, 1.0), (5, 300, 2.0), (9, 5, 1.0), (100, 200, 2.0)):
        params, state = started(n_arms, horizon, factor)
        uniforms = np.random.default_rng(1).random(horizon)
        gamma = math.sqrt(factor * math.log(n_arms) / (n_arms * horizon))
        epsilon = min(1.0, math.sqrt(n_arms * math.log(n_arms) / horizon))
        weights = np.ones(n_arms)
        for step, level in enumerate(uniforms):
            chances = (1 - epsilon) * weights / weights.sum() + epsilon / n_arms
            np.testing.assert_allclose(law_of(params, state.weights), chances, rtol=1e-12)
            arm = int(np.searchsorted(np.cumsum(chances), level, side="right"))
            assert rule.act(params, state, levels(level)) == arm
            accepted = (step + arm) % 3 > 0
            rule.observe(params, state, arm, accepted)
            if accepted:
                weights[arm] *= math.exp(gamma / chances[arm])
        assert rule.act(params, state, levels(0.5)) == -1


def test_the_highest_level_draws_the_last_arm_and_no_other():
    # Sums of rounded probabilities may end below the level, or reach 1 before the last arm.
    for n_arms in range(2, 30):
        (params, state), rng = started(n_arms, 400, 2.0), np.random.default_rng(0)
        for _ in range(60):
            arm = rule.act(params, state, rng)
            rule.observe(params, state, arm, bool(rng.random() < arm / n_arms))
        assert rule.act(params, state, levels(BELOW_ONE)) == n_arms - 1
        assert state.chance[0] == pytest.approx(law_of(params, state.weights)[-1], rel=1e-12)


def test_no_weight_overflows_and_an_arm_far_behind_catches_up():
    params, state = started(2, 100, 4e6)
    for arm in [0] * 10 + [1] * 30:
        rule.act(params, state, levels(0.0 if arm == 0 else BELOW_ONE))
        rule.observe(params, state, arm, True)
        expected = np.exp(state.log_weights - np.logaddexp.reduce(state.log_weights))
        found = law_of(params, state.weights)
        np.testing.assert_allclose(found, law_of(params, expected), rtol=1e-9)
    assert state.log_weights[1] > state.log_weights[0] > math.log(np.finfo(float).max)
    assert np.isfinite(state.weights).all()
    assert state.total[0] == pytest.approx(sum(state.weights), rel=1e-12)


def test_every_step_of_thompson_is_the_argmax_of_draws_from_the_stream_handed_in():
    for prior in (None, np.array([4.0, 0.5])):
        agent = Thompson(prior=prior)
        agent.reset(5, np.random.default_rng(9), horizon=200)
        stream = np.random.default_rng(9)
        a, b = np.outer((1.0, 1.0) if prior is None else prior, np.ones(5))  # uniform by default
        for step in range(200):
            arm = agent.act()
            assert arm == np.argmax(stream.beta(a, b)), f"step {step}"
            response = (3 * step + arm) % 5 < arm
            agent.observe(arm, response)
            a[arm] += response
            b[arm] += not response
        assert agent.act() is None
        assert agent.answer() == np.argmax(a)


def posterior(arms, rewards, n_arms, mean, variance):
    """Means and deviations from all the rewards at once: precisions add up."""
    arms = np.array(arms, int)
    precisions = 1 / variance + np.bincount(arms, minlength=n_arms)
    sums = np.bincount(arms, rewards, n_arms)
    return (mean / variance + sums) / precisions, 1 / np.sqrt(precisions)


def taught(arms, rewards, n_arms, **options):
    """The reference's state when it was told these rewards, between rejections of all arms."""
    params = FullInformation(**options).params(n_arms, 10**6)
    state = reference.blank(params)
    reference.start(params, state, np.random.default_rng(0))
    for arm, reward in zip(arms, rewards, strict=True):
        for other in range(n_arms):
            reference.observe(params, state, other, False)
        reference.observe(params, state, arm, True)
        reference.learn(params, state, arm, reward)
    return params, state


def test_the_posterior_is_that_of_all_rewards_at_once():
    arms = np.random.default_rng(1).integers(0, 4, 60).tolist()
    rewards = (np.random.default_rng(2).standard_normal(60) + np.array(arms)).tolist()
    for mean, variance in ((0.0, 1.0), (2.5, 1.0), (-1.0, 0.04), (7.0, 1e9)):
        for n_seen in (0, 1, 7, 60):  # of five arms the last is never seen
            seen = arms[:n_seen], rewards[:n_seen], 5
            _, state = taught(*seen, prior_mean=mean, prior_variance=variance)
            means, deviations = posterior(*seen, mean, variance)
            np.testing.assert_allclose(state.means, means, rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose(state.deviations, deviations, rtol=1e-9)


def test_every_step_of_the_reference_is_the_argmax_of_draws_from_its_posterior():
    seen = [0, 0, 1, 1, 1, 2], [0.4, 0.9, 1.5, -0.2, 0.6, -0.5], 4
    params, state = taught(*seen)  # the prior is 0 and 1 by default
    rng, stream = np.random.default_rng(3), np.random.default_rng(3)
    means, deviations = posterior(*seen, 0.0, 1.0)
    for _ in range(300):
        expected = np.argmax(means + deviations * stream.standard_normal(4))
        assert reference.act(params, state, rng) == expected


def test_the_answer_has_the_largest_posterior_mean_not_the_largest_mean():
    # One reward of 2 is shrunk to 1, nine of 1.5 to 1.35.
    params, state = taught([0] + [1] * 9 + [2], [2.0] + [1.5] * 9 + [-3.0], 3)
    assert reference.verdict(params, state, np.random.default_rng(0)) == 1
