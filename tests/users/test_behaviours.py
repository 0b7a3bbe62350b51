"""Users of other kinds: what each of them does, beside slow and plain ones, and their names."""

import math
from dataclasses import replace
from types import SimpleNamespace

import gymnasium as gym
import numpy as np
import pytest
from one_user import hand_made
from other_users import AGREEABLE, KINDS, low_means, random_arms, started
from reference_user import ReferenceUser
from scipy import special

import explorative_user_env as eu
from explorative_user_env.agents import Uniform
from explorative_user_env.seeding import user_generator
from explorative_user_env.users import behaviours as others
from explorative_user_env.users.behaviours import (
    Behaviour,
    acceptance_probability,
    as_behaviour,
    drifting,
    forgetful,
    impatient,
    logistic,
    omniscient,
    varied,
)
from explorative_user_env.users.model import acceptance_rate_rule
from explorative_user_env.users.population import PRINTED, Population
from explorative_user_env.validation import CallableError, InvalidArgumentError


def test_click_noise_comes_on_top():
    # At noise 1 every decision is a coin flip: within 4.5 standard errors of a half.
    for kind in KINDS:
        env = started(0, noise=1.0, behaviour=kind)
        accepted = sum(env.step(arm)[0] for arm in random_arms(1000))
        assert abs(accepted - 500) < 4.5 * math.sqrt(250), kind.name


def test_an_omniscient_user_accepts_what_is_as_good_as_the_best():
    for seed in range(20):
        tolerance = 0.4 * (seed % 2)
        env = started(seed, behaviour=omniscient(tolerance), gap=0.3)
        means = env.hidden_state().instance.means
        good = [mean >= max(means) - tolerance for mean in means]
        arms = random_arms(50)
        assert [env.step(arm)[0] == 1 for arm in arms] == [good[arm] for arm in arms]
        assert sum(good) == 1 if tolerance == 0.0 else sum(good) >= 2


def remembered(window, n_arms):
    """n_i and hat mu_i from the rewards that she remembers."""
    rewards = [[reward for arm, reward in window if arm == each] for each in range(n_arms)]
    return [len(own) for own in rewards], [math.fsum(own) / max(1, len(own)) for own in rewards]


def rejects(window, arm, gamma, ties):
    counts, estimates = remembered(window, 4)
    bar = estimates[arm] + math.sqrt(gamma / counts[arm]) if counts[arm] else math.inf
    lows = [estimates[j] - math.sqrt(gamma / counts[j]) for j in range(4) if j != arm and counts[j]]
    return any(low >= bar if ties else low > bar for low in lows)


@pytest.mark.parametrize("window", [1, 3, 12, 60])
def test_a_forgetful_user_knows_her_last_rewards_only(setting, window):
    n_rejections = n_forgotten = 0
    for seed in range(2):
        law = "gaussian" if seed % 2 else "bounded"
        options = {"setting": setting, "reward_law": law, "alpha": 0.2}
        env = started(seed, behaviour=forgetful(window), **options)
        whole = started(seed, **options)  # she remembers her private draws
        private = setting.private_draws * [*enumerate(whole.hidden_state().estimates)]
        rewards = [*private]
        for arm in random_arms(300, seed=seed):
            hidden = env.hidden_state()
            counts, estimates = remembered(rewards[-window:], 4)
            assert list(hidden.counts) == counts
            assert np.allclose(hidden.estimates, estimates, rtol=0.0, atol=1e-10)
            n_forgotten += 0 in counts and len(rewards) > 20
            expected = not rejects(rewards[-window:], arm, hidden.gamma, setting.rejects_ties)
            answer, reward, *_ = env.step(arm)
            assert (answer == 1) == expected
            if answer:
                rewards.append((arm, float(reward)))
            n_rejections += not answer
        assert env.hidden_state().acceptances == len(rewards) - len(private)
    assert n_rejections > 20 or window == 1
    assert n_forgotten > 30 or window == 60


@pytest.mark.parametrize(
    ("law", "expected", "reward"),
    [
        ("bounded", [1.25, -0.5, 4.0], 1.25 + math.sqrt(3) / 2),  # 0.75 of the way up
        ("bernoulli", [0.75, 0.5, 0.0], 0.0),  # 1 if 0.75 < mu
    ],
)
def test_a_step_of_the_walk_by_hand_and_its_reflection_at_0_and_1(law, expected, reward):
    users, behaviour = Population(n_arms=3, reward_law=law), drifting(0.5)
    state = behaviour.blank(users.user)
    state.means[:] = [0.75, 0.5, 1.0]
    normals = iter((1.0, -2.0, 6.0))
    rng = SimpleNamespace(standard_normal=lambda: next(normals), random=lambda: 0.75)
    behaviour.start(users.user, state, rng)
    behaviour.respond(users.user, state, users.schedule.rule, 0, rng)
    assert state.means == expected
    assert state.reward[0] == pytest.approx(reward)  # drawn around the mean as it is now


@pytest.mark.parametrize("reward", ["regret", "utility", "realized"])
def test_rewards_of_a_drifting_user_are_by_her_means_of_the_moment(reward):
    env = started(2, reward=reward, behaviour=drifting(0.2))
    first = env.hidden_state().instance
    best_arms, received = {first.best_arm}, [[] for _ in range(4)]
    for arm in random_arms(200):
        answer, value, *_ = env.step(arm)
        instance = env.hidden_state().instance
        mean, best = instance.means[arm], max(instance.means)
        by_hand = {"regret": mean - best, "utility": mean * answer}
        assert value == by_hand.get(reward, value)
        assert instance.best_arm == instance.means.index(best)
        best_arms.add(instance.best_arm)
        if answer:
            received[arm].append(value)
    assert len(best_arms) > 1
    if reward == "realized":
        means = [float(np.mean(rewards)) for rewards in received]
        assert env.hidden_state().estimates == pytest.approx(means, rel=1e-12)
    env.reset(seed=2)
    assert env.hidden_state().instance == first


def test_the_best_arm_of_an_episode_is_that_of_the_answer():
    single = gym.make("ExplorativeUserBAI-v0", n_arms=3, behaviour=drifting(1.0)).unwrapped
    lanes = gym.make_vec("ExplorativeUserBAI-v0", 2, n_arms=3, behaviour=drifting(1.0))
    for seed in range(10):
        single.reset(seed=seed)
        lanes.reset(seed=[seed, seed])
        single.step(0)
        lanes.step([0, 0])
        best = int(np.argmax(single.hidden_state().instance.means))
        assert single.step(3 + best)[-1]["is_success"]
        infos = lanes.step([3 + best, 3 + (best + 1) % 3])[-1]
        assert infos["is_success"].tolist() == [True, False]


@pytest.mark.slow
@pytest.mark.parametrize("compiled", [True, False])
def test_an_answer_is_held_against_the_best_arm_of_that_moment(compiled):
    options = {"behaviour": drifting(0.1), "n_arms": 4}
    agent = Uniform(horizon=60, order="random")
    runs = eu.evaluate([agent], n_instances=12, compiled=compiled, progress=False, **options).runs
    moved = 0
    env = eu.ExplorativeUserEnv(reward="none", **options)
    for row in runs.itertuples():
        env.reset(seed=row.user_seed)
        first = env.hidden_state().instance.best_arm
        eu.rollout(env, agent, seed=row.user_seed)
        best_arm = int(np.argmax(env.hidden_state().instance.means))
        assert row.best_arm == best_arm
        assert row.correct == (row.answer == best_arm)
        moved += first != best_arm
    assert moved > 3


@pytest.mark.parametrize("temperature", [0.1, 0.7])
def test_a_logistic_user_accepts_with_the_probability_of_the_formula(temperature):
    counts, estimates, spread = [4, 9, 25], [0.2, 1.0, 0.7], 1.5
    for arm in range(3):
        up = estimates[arm] + spread / math.sqrt(counts[arm])
        low = max(estimates[j] - spread / math.sqrt(counts[j]) for j in range(3) if j != arm)
        formula = float(special.expit((up - low) / temperature))
        for draw in (formula - 1e-9, formula + 1e-9):
            user, state = hand_made(PRINTED, estimates, counts, spread, logistic(temperature))
            assert acceptance_probability(user, state, arm) == pytest.approx(formula, rel=1e-12)
            rng = SimpleNamespace(random=lambda draw=draw: draw, standard_normal=lambda: 0.0)
            accepted = others.logistic_respond(user, state, acceptance_rate_rule, arm, rng)
            assert accepted == (draw < formula)


def test_infinite_intervals_and_large_ratios_are_no_trouble():
    told = hand_made(PRINTED, [0.0, 0.0, 1e3], [0, 5, 5], 1.0, logistic(1e-6))
    assert [acceptance_probability(*told, arm) for arm in range(3)] == [1.0, 0.0, 1.0]
    told = hand_made(PRINTED, [-1e300, 0.0, 0.0], [5, 0, 0], 1.0, logistic(1e-300))
    assert acceptance_probability(*told, 0) == 1.0  # no rival is known


@pytest.mark.parametrize(("q", "r"), [(0.1, None), (0.0, 3), (0.05, 4), (1.0, None), (0.3, 1)])
def test_she_decides_and_leaves_as_a_user_written_anew(q, r):
    steps = set()
    for seed in range(20):
        twin = started(seed, alpha=0.05)  # for her means and stream alone
        slow = ReferenceUser(twin.instance().means, 0.05, 0.0, False, twin.np_random)
        env = started(seed, alpha=0.05, behaviour=impatient(q, r))
        in_a_row = 0
        for arm in random_arms(200, seed=seed):
            accepted = slow.respond(arm)
            in_a_row = 0 if accepted else in_a_row + 1
            by_chance = not accepted and (q == 1 or (q > 0 and slow.rng.random() < q))
            leaves = by_chance or in_a_row == r
            response, _, left, truncated, info = env.step(arm)
            assert (bool(response), left, truncated) == (accepted, leaves, False)
            if left:
                break
        steps.add(info["interactions"])
    assert len(steps) > 5


def leaves_by_one(user, state, accepted, rng):
    return 1 if state.interactions[0] == 3 else False


def fails_to_leave(user, state, accepted, rng):
    return bool(0 // (state.interactions[0] - 3))


@pytest.mark.slow
def test_a_leaves_of_ones_own_that_fails_is_told_with_step_and_user():
    for leaves, what in (
        (leaves_by_one, "leaving of behaviour 'own' must be True or False, got 1"),
        (fails_to_leave, "leaves of behaviour 'own' .*ZeroDivisionError"),
    ):
        facts = {"n_arms": 2, "behaviour": Behaviour("own", leaves=leaves)}
        one = eu.ExplorativeUserEnv(**facts)
        many = eu.ExplorativeUserVectorEnv(2, **facts)
        for env, arm in ((one, 0), (many, np.zeros(2, int))):
            env.reset(seed=5)
            env.step(arm)
            env.step(arm)
            with pytest.raises(CallableError, match=f"{what}.*at step 3 .*reset.seed=5"):
                env.step(arm)
        with pytest.raises(CallableError, match="step 3"):
            eu.evaluate(["SE"], n_instances=2, progress=False, **facts)


def reference_of(seed, setting, alpha):
    """The user of the word "varied", written anew; K = 4, gap = 0.4."""
    rng = user_generator(seed)
    means = 0.6 * rng.random(4)
    best, second = np.argmax(means), np.sort(means)[-2]
    means[best] = second + 0.4 * 1.5 ** (2 * rng.random() - 1)
    own_alpha = alpha * 2.0 ** (2 * rng.random() - 1)
    rho, noise = 1.0 + rng.random(), 0.2 * rng.random()
    return ReferenceUser(means.tolist(), own_alpha, noise, setting.name == "released", rng, rho)


@pytest.mark.parametrize("seed", range(2))
def test_each_user_is_the_paper_s_with_numbers_of_her_own(setting, seed):
    options = {"means": low_means, "gap": 0.4, "alpha": 0.3}
    env = started(seed, setting=setting, behaviour="varied", **options)
    reference = reference_of(seed, setting, alpha=0.3)
    responses = []
    for arm in random_arms(300, seed=seed):
        truth = env.hidden_state()
        assert truth.instance.means == pytest.approx(reference.means, rel=1e-12)
        assert truth.rho == pytest.approx(reference.rho, rel=1e-12)
        assert truth.gamma == pytest.approx(reference.gamma, rel=1e-9)
        assert truth.counts == tuple(reference.counts)
        lower, upper = reference.intervals()
        assert truth.lower_bounds == pytest.approx(lower.tolist(), rel=1e-9, abs=1e-9)
        assert truth.upper_bounds == pytest.approx(upper.tolist(), rel=1e-9, abs=1e-9)
        responses.append(env.step(arm)[0])
        assert responses[-1] == reference.respond(arm)
    assert 20 < sum(responses) < 280


def test_who_has_no_gap_or_rho_of_her_own_draws_nothing_more():
    everyone = [started(seed, rho=1.25, behaviour="varied").hidden_state() for seed in range(9)]
    assert {user.rho for user in everyone} == {1.25}
    law = Population(n_arms=2, means=[0.0, 0.3], behaviour="varied").instance_law
    assert law.draw(user_generator(0)).means == (0.0, 0.3)


def test_a_behaviour_is_called_by_the_words_that_ask_for_it():
    rows = [
        (drifting(0.01), ["drifting(sigma=0.01)", " drifting ( sigma = 0.010 ) "]),
        (drifting(0.005), ["drifting", "drifting(sigma=5e-3)", "drifting()"]),
        (omniscient(np.float64(1.0)), ["omniscient(tolerance=1)"]),
        (logistic(0.1 + 0.2), ["logistic(temperature=0.30000000000000004)"]),
        (forgetful(window=None), ["forgetful", "forgetful(window=None)"]),
        (impatient(0.1, 3), ["impatient(probability=0.1, patience=3)"]),
        (varied(gap_factor=2), ["varied(gap_factor=2)"]),
    ]
    for behaviour, words in rows:
        assert behaviour.name == words[0]
        assert [as_behaviour(each) for each in words] == [behaviour] * len(words)
    assert forgetful().memory_of(7) == forgetful(50 * 7).memory_of(7)


def test_what_asks_for_nobody_is_told_what_is_wrong(subtests):
    rows = [
        ("drifting(sigma=-1)", "sigma of behaviour 'drifting' must be a finite .*, got -1$"),
        ("forgetful(window=2.5)", "window of behaviour 'forgetful' must be an integer .* 2"),
        ("omniscient(tolerance=-1)", "tolerance of behaviour 'omniscient' must be"),
        ("logistic(temperature=0)", "temperature of behaviour 'logistic' must be"),
        ("impatient(probability=1.5)", "probability of behaviour 'impatient' must be a number"),
        ("impatient(patience=0)", "patience of behaviour 'impatient' must be .*1"),
        ("varied(alpha_factor=0.5)", "alpha_factor of behaviour 'varied' must be a number of 1"),
        ("logistic(temperature=hot)", "behaviour must be "),
        ("drifting(speed=1)", r"behaviour must be .*drifting\(sigma=\.\.\.\)"),
        ("amnesic", "behaviour must be a Behaviour or one of .*drifting, exp"),
        (None, "behaviour must be "),
    ]
    for behaviour, message in rows:
        refused = pytest.raises(InvalidArgumentError, match=f"^{message}")
        with subtests.test(behaviour), refused:
            as_behaviour(behaviour)


def test_a_behaviour_of_one_s_own_can_be_registered_and_has_a_memory_of_its_own(monkeypatch):
    monkeypatch.setattr(others, "_BEHAVIOURS", dict(others._BEHAVIOURS))
    eu.register_behaviour("agreeable", AGREEABLE)
    with pytest.raises(
        InvalidArgumentError, match="name must be a name that no other behaviour has"
    ):
        eu.register_behaviour("agreeable", replace(AGREEABLE, parameters=(8.0,)))
    assert as_behaviour("agreeable") is AGREEABLE
    env = started(behaviour="agreeable")
    for seed in (1, 2):
        env.reset(seed=seed)
        assert [env.step(0)[0] for _ in range(9)] == [1] * 7 + [0] * 2
