"""What a language model reads of the task and of the user is true of the simulated user."""

import re
from math import exp, log, sqrt

import numpy as np
import pytest
from other_users import AGREEABLE

import explorative_user_env as eu
from explorative_user_env.agents import TextAgent
from explorative_user_env.evaluation import system_text
from explorative_user_env.runs.loop import Members
from explorative_user_env.users import behaviours
from explorative_user_env.users.hidden_state import witness_of

NUMBER = r"(\d+\.?\d*(?:e-\d+)?)"


def numbers_in(text, pattern):
    """The numbers of a sentence; {} stands for a number."""
    found = re.search(re.escape(pattern).replace(r"\{\}", NUMBER), text)
    assert found, f"{pattern!r} is not in\n{text}"
    return [float(each) for each in found.groups()]


def steps_of(seed, n_steps=1500, **users):
    """Yield the environment, the arm and the hidden state before and after each step."""
    env = eu.ExplorativeUserEnv(reward="realized", **users)
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    before = env.hidden_state()
    for _ in range(n_steps):
        arm = int(rng.integers(env.user.n_arms))
        accepted, _, left, _, _ = env.step(arm)
        after = env.hidden_state()
        yield env, arm, bool(accepted), left, before, after
        if left:
            return
        before = after


def assert_the_interval(hidden, alpha):
    """The interval is the one of the text, with the alpha of the text and a rho of the range."""
    for arm, k in enumerate(hidden.counts):
        if k:
            n, mean = max(hidden.acceptances, 1), hidden.estimates[arm]
            width = sqrt(2 * alpha * log(hidden.rho * n) / k)
            ends = (hidden.lower_bounds[arm], hidden.upper_bounds[arm])
            assert ends == pytest.approx((mean - width, mean + width))


RULED = [
    *({}, {"setting": "released"}, {"rho": 1.7, "n_arms": 3}),
    *({"behaviour": "forgetful(window=40)"}, {"behaviour": "forgetful", "n_arms": 3}),
    {"behaviour": "impatient(probability=0)"},
    *({"behaviour": "drifting"}, {"behaviour": "varied(noise=0)", "alpha": 0.5}),
]


@pytest.mark.parametrize("users", RULED, ids=str)
def test_her_rule_is_that_of_the_text(users):
    users = {"alpha": 0.3, **users}
    text, behaviour = system_text(**users), users.get("behaviour", "")
    varied, n_steps = "varied" in behaviour, 300 if "varied" in behaviour else 2000
    pattern = "alpha is between {} and {}, and rho is between {} and {}."
    pattern = pattern if varied else "alpha = {}, and rho is at least {}."
    stated = numbers_in(text, pattern)
    assert "rejects an arm if the interval of another arm lies above the interval of this" in text
    seen, n_rejected, alphas = 0, 0, set()
    for seed in range(6 if varied else 1):
        for env, arm, accepted, _, before, after in steps_of(seed, n_steps, **users):
            assert accepted == (witness_of(before, arm) is None)
            assert accepted or before.counts[arm] > 0
            alpha = env._state.memory[behaviours.ALPHA] if varied else stated[0]
            assert_the_interval(after, alpha)
            assert after.rho >= stated[2 if varied else 1]
            if varied:
                assert stated[0] <= alpha <= stated[1]
                assert after.rho <= stated[3]
            n_rejected += not accepted
            seen += accepted
            alphas.add(alpha)
            if "forgetful" in behaviour:
                (window,) = numbers_in(text, "She remembers her latest {} rewards only.")
                assert sum(after.counts) == min(seen, window)
    assert n_rejected > 20
    assert len(alphas) == (6 if varied else 1)


def test_the_reward_of_an_acceptance_has_the_mean_of_the_arm():
    env = eu.ExplorativeUserEnv(reward="realized", means=[0.3, -0.5], n_arms=2, alpha=50.0)
    env.reset(seed=3)
    rewards = [env.step(0)[1] for _ in range(4000)]
    assert np.mean(rewards) == pytest.approx(0.3, abs=0.07)


@pytest.mark.parametrize("tolerance", [0, 0.4])
def test_an_omniscient_user_accepts_what_the_text_says(tolerance):
    users = {"behaviour": f"omniscient(tolerance={tolerance})"}
    text, allowed = system_text(**users), 0.0
    if tolerance:
        (allowed,) = numbers_in(text, "is at least the largest mean reward minus {}.")
    else:
        assert "accepts an arm if and only if it is her best arm." in text
    assert "interval" not in text
    for seed in range(20):
        for _, arm, accepted, _, before, _ in steps_of(seed, 20, **users):
            means = before.instance.means
            assert accepted == (means[arm] >= max(means) - allowed)


def test_a_coin_decides_as_often_as_the_text_says():
    users = {"noise": 0.3, "behaviour": "omniscient"}
    (stated,) = numbers_in(system_text(**users), "The probability that the coin decides is {}.")
    flips = [
        accepted == (before.instance.best_arm != arm)
        for _, arm, accepted, _, before, _ in steps_of(1, 20_000, **users)
    ]
    assert np.mean(flips) == pytest.approx(stated / 2, abs=0.01)
    users = {"noise": 0.2, "behaviour": "varied(noise=0.5)"}
    assert numbers_in(system_text(**users), "between users, from {} to {}.") == [0.2, 0.6]
    for seed in range(20):  # her own coin and that of the environment
        env = eu.ExplorativeUserEnv(**users)
        env.reset(seed=seed)
        assert 0.2 <= 1 - 0.8 * (1 - env._state.memory[behaviours.NOISE]) <= 0.6
    assert "coin" not in system_text()


def test_she_leaves_as_often_as_the_text_says():
    users = {"behaviour": "impatient(probability=0.1, patience=4)", "alpha": 0.05}
    text = system_text(**users)
    (stated,) = numbers_in(text, "At each rejection she leaves for good with probability {}.")
    (patience,) = numbers_in(text, "She leaves for good after {} rejections in a row.")
    leaves, in_a_row = [], 0
    for seed in range(1200):
        in_a_row = 0
        for _, _, accepted, left, _, _ in steps_of(seed, 60, **users):
            in_a_row = 0 if accepted else in_a_row + 1
            assert in_a_row <= patience
            assert left or in_a_row < patience
            if not accepted and in_a_row < patience:
                leaves.append(left)
            assert not (accepted and left)
    assert np.mean(leaves) == pytest.approx(stated, abs=0.02)
    assert "she leaves before" in text
    assert "leave" not in system_text()


def test_means_move_as_the_text_says():
    users = {"behaviour": "drifting(sigma=0.02)"}
    text = system_text(**users)
    (stated,) = numbers_in(text, "by a normal step with standard deviation {}.")
    assert "the largest mean reward when you stop" in text
    moves = [
        np.subtract(after.instance.means, before.instance.means)
        for *_, before, after in steps_of(0, 2000, **users)
    ]
    assert np.std(moves) == pytest.approx(stated, rel=0.05)


def test_a_logistic_user_accepts_with_the_probability_of_the_text():
    text, chances, responses = system_text(behaviour="logistic", alpha=0.3), [], []
    (temperature,) = numbers_in(text, "the arm with probability 1 / (1 + exp(-x / {})).")
    for seed in range(4):
        for _, arm, accepted, _, now, _ in steps_of(seed, 2500, behaviour="logistic", alpha=0.3):
            rival = max(bound for other, bound in enumerate(now.lower_bounds) if other != arm)
            x = now.upper_bounds[arm] - rival
            chances.append(1 / (1 + exp(-max(min(x / temperature, 500), -500))))
            responses.append(accepted)
    chances, responses = np.array(chances), np.array(responses)
    for low, high in [(0.0, 0.2), (0.2, 0.8), (0.8, 0.999)]:
        there = (low <= chances) & (chances < high)
        assert there.sum() > 100
        assert responses[there].mean() == pytest.approx(chances[there].mean(), abs=0.05)
    assert responses[chances == 1].all()


def test_every_behaviour_has_its_sentences_and_an_own_one_is_unknown():
    unknown = "You do not know the rule by which she accepts or rejects."
    texts = {name: system_text(behaviour=name) for name in behaviours._BEHAVIOURS}
    assert len(set(texts.values())) == len(texts) >= 7
    assert not any(unknown in text for text in texts.values())
    own = eu.Behaviour("omniscient", respond=AGREEABLE.respond, parameters=(0.0,))
    for behaviour in (own, AGREEABLE):
        text = system_text(behaviour=behaviour)
        assert unknown in text
        assert "best arm is the one" not in text
    moving = eu.Behaviour("own", respond=AGREEABLE.respond, moves_means=True, leaves=never)
    assert "may leave" in system_text(behaviour=moving)
    assert "may change" in system_text(behaviour=moving)


def never(user, state, accepted, rng):
    return False


class Mixed:
    """Answers by the name of the run: some stop right, some stop wrong, some never."""

    def __call__(self, question):
        number = int(question.run[:8], 16) % 3
        stops = question.step >= 5 and number > 0
        return f"stop: {number}" if stops else f"arm {question.step % 3}"


def test_the_cost_of_a_run_is_that_of_the_text():
    users = {"n_arms": 3, "behaviour": "impatient(probability=0.3)", "alpha": 0.3}
    cell = {"max_steps": 9, "step_cost": 0.02, "delta": 0.05}
    text = system_text(**cell, **users)
    (cost,) = numbers_in(text, "cost of a run is {} for each recommendation, and 1 more if")
    (cap,) = numbers_in(text, "or you make {} recommendations without a stop.")
    assert numbers_in(text, "may be wrong with probability {} at most.") == [cell["delta"]]
    results = eu.evaluate([TextAgent(Mixed())], n_instances=60, progress=False, **cell, **users)
    runs = results.runs
    fails = (runs["answer"] != runs["best_arm"]) | runs["left"] | (runs["interactions"] == cap)
    costs = cost * runs["interactions"] + fails
    assert results.summary()["cost"][0] == pytest.approx(costs.mean())
    assert runs["left"].any()
    assert (runs["interactions"] == cap).any()
    assert 0 < fails.mean() < 1
    agent = results.line_up["text"]
    assert agent.facts.system(3, None) == text  # the very text of the evaluation


def test_users_of_an_episode_share_a_popularity_as_the_text_says():
    text, population, others = system_text("population"), eu.Population(), 0
    assert "a user's mean reward is the popularity plus a deviation of her own" in text
    assert "The best arms of two users may differ." in text
    deviations = []
    for seed in range(100):
        law, rng = Members(2).laws(population)(seed), np.random.default_rng(seed)
        users = [law.draw(rng) for _ in range(2)]
        others += users[0].best_arm != users[1].best_arm
        for each in users:  # the best arm keeps the gap
            own = np.delete(np.subtract(each.means, law.popularity), each.best_arm)
            deviations.append(own.mean())
    assert np.mean(deviations) == pytest.approx(0, abs=0.15)
    assert np.std(deviations) > 0.05
    assert 0 < others < 60


@pytest.mark.parametrize("task", ["regret", "population"])
def test_the_cost_of_recommendations_is_that_of_the_text(task):
    alone = task == "regret"
    users = {"n_arms": 3, "behaviour": "impatient(probability=0.3)" if alone else "explorative"}
    users |= {"alpha": 0.3}
    cell = {"task": task, "horizon": 12} | ({} if alone else {"n_users": 3})
    text, asked = system_text(**cell, **users), []

    def respond(question):
        asked.append(question)
        return Mixed()(question)

    results = eu.evaluate([TextAgent(respond)], n_instances=20, progress=False, **cell, **users)
    assert {question.system for question in asked} == {text}
    pattern = "You make {} recommendations" + ("." if alone else " with each user.")
    (steps,) = numbers_in(text, pattern)
    n_users = 1 if alone else numbers_in(text, "You meet {} users, one after another.")[0]
    assert "of the user's best arm minus the mean reward of the recommended arm" in text
    for row, run in results.runs.iterrows():
        episode = results.replay(row)
        missing = int(steps * n_users) - len(episode.arms)
        cost = -sum(episode.rewards)
        if missing:
            assert "she leaves, each step that is left costs as much as her worst arm." in text
            env = eu.ExplorativeUserEnv(**users)
            env.reset(seed=int(run["user_seed"]))
            means = env.instance().means
            cost = sum(max(means) - means[arm] for arm in episode.arms)
            cost += missing * (max(means) - min(means))
        assert run["regret"] == pytest.approx(cost)
    if alone:
        assert results.runs["left"].any()
    else:
        assert max(question.user.count("This is user 3 of 3.") for question in asked) == 1
        third = [q for q in asked if "This is user 3 of 3." in q.user and q.step == 1]
        assert all("Earlier users, arm 1: " in question.user for question in third)
