"""BAIR-C beside its rule written down once more, and its conjecture in simulations."""

import math

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

import explorative_user_env as eu
from explorative_user_env import InvalidArgumentError
from explorative_user_env.agents import BAIR, AdaptiveBAIR
from explorative_user_env.evaluation.monitors import eliminates_best
from explorative_user_env.results.intervals import proportion_interval
from explorative_user_env.theory import hard_pair


class Rule:
    """The rule of BAIR-C in sets and vectors, with SciPy's tail of N(0, 1)."""

    def __init__(self, n_arms, delta, alpha, rho_0, rho_prior):
        self.delta, self.alpha, self.rho_0, self.rho_prior = delta, alpha, rho_0, rho_prior
        self.accepted, self.since = np.zeros(n_arms, int), np.zeros(n_arms, int)
        self.dropped, self.waiting, self.due = set(), set(), set()
        self.t = self.mark = 0

    def arm(self):
        arms, n = range(len(self.accepted)), self.accepted.sum()
        if len(self.dropped) == len(self.accepted) - 1:
            return None
        late = {a for a in self.waiting if n >= 1.05 * self.since[a] + 1}
        if self.due | late:
            return min(self.due | late)
        free = [a for a in arms if a not in self.dropped | self.waiting]
        return min(free, key=lambda a: self.accepted[a], default=self.longest_waiting())

    def longest_waiting(self):
        return min(self.waiting, key=lambda a: (self.since[a], a), default=None)

    def p_value(self, arm):
        n, rho = self.accepted.sum(), self.rho_0
        if self.rho_prior is not None and self.t + self.rho_prior[1] > 0:
            rho = 1 + (n + self.rho_prior[0]) / (self.t + self.rho_prior[1])
        gamma = max(0.0, 2 * self.alpha * math.log(max(rho * n, 1e-300)))
        counts = np.maximum(self.accepted, 1)
        kappa = 2 * np.sqrt(counts * counts[arm]) / (counts + counts[arm])
        return np.delete(norm.sf(np.sqrt(gamma * (1 + kappa))), arm).sum()

    def observe(self, arm, accepted):
        asked_again = arm in self.due
        for group in (self.due, self.waiting):
            group.discard(arm)
        if accepted:
            self.accepted[arm] += 1
        else:
            self.since[arm] = self.accepted.sum()
            k = math.floor(math.log2(max(self.accepted[arm], 1)))
            small = self.p_value(arm) <= self.delta / ((k + 1) * (k + 2))
            (self.dropped if small else self.waiting).add(arm)
            if small and not asked_again:
                self.mark = self.accepted.sum()
        self.t += 1
        if self.accepted.sum() >= 2 * max(self.mark, len(self.accepted)):
            self.mark = self.accepted.sum()
            self.due |= self.dropped
            self.dropped = set()


@given(
    st.integers(2, 6),
    st.floats(0.01, 0.5),
    st.floats(0.3, 2),
    st.sampled_from([None, (0.0, 0.0), (5.0, 10.0)]),
    st.integers(0, 2**32),
)
def test_it_follows_the_rule(n_arms, delta, alpha, rho_prior, seed):
    options = {"delta": delta, "alpha": alpha, "rho_0": 1.5, "rho_prior": rho_prior}
    agent, rule = AdaptiveBAIR(**options), Rule(n_arms, **options)
    rng = np.random.default_rng(seed)
    accepts = rng.random(n_arms) ** 0.2
    agent.reset(n_arms, rng)
    for _ in range(300):
        arm = agent.act()
        assert arm == rule.arm()
        if arm is None:
            assert agent.answer() not in rule.dropped
            break
        accepted = bool(rng.random() < accepts[arm])
        agent.observe(arm, accepted)
        rule.observe(arm, accepted)
        assert agent.explain()["F"] == [a not in rule.dropped for a in range(n_arms)]


def compared(agents, n_users, **users):
    """Return each agent's mean stopping time, and the share of users without the right answer."""
    runs = eu.evaluate(agents, n_instances=n_users, seed=28, progress=False, **users).runs
    times = runs.groupby("agent")["stopping_time"].mean()
    return times, 1.0 - runs[runs["agent"] == "BAIR-C"]["correct"].mean()


@pytest.mark.parametrize("n_arms", [2, 5, 20])
def test_it_is_as_fast_as_a_tuned_bair_without_an_N_1(n_arms):  # noqa: N802
    agents = [AdaptiveBAIR(), BAIR(n1=3 * n_arms)]
    times, wrong = compared(agents, 2000, setting="released", n_arms=n_arms, delta=0.1)
    assert times["BAIR-C"] < 1.05 * times["BAIR"]
    assert wrong <= 0.01


def test_it_needs_a_quarter_of_the_steps_of_bair_for_many_arms_and_a_small_delta():
    times, wrong = compared([AdaptiveBAIR(), BAIR()], 100, n_arms=20, delta=0.01)
    assert times["BAIR-C"] < 0.3 * times["BAIR"]
    assert wrong == 0.0


def equal_rivals(n_arms, rng):
    """Return means of which one is larger and the others are equal."""
    return np.where(np.arange(n_arms) == rng.integers(n_arms), 0.5, 0.0)


def two_points(n_arms, rng):
    """Return means 0 and 1 in random order, apart from a small number that breaks ties."""
    return rng.integers(2, size=n_arms) + 1e-9 * rng.random(n_arms)


@pytest.mark.parametrize("n_users", [500, pytest.param(10_000, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("means", ["normal", "uniform", two_points, equal_rivals])
def test_a_wrong_answer_has_at_most_probability_delta(means, n_users):
    runs = eu.evaluate(
        [AdaptiveBAIR()], n_arms=2, alpha=0.8, means=means, n_instances=n_users, progress=False
    ).runs
    assert not runs["censored"].any()
    assert proportion_interval(int((~runs["correct"]).sum()), n_users)[1] < 0.1


def test_it_succeeds_on_both_instances_of_the_lower_bound():
    pair = hard_pair(0.1, alpha=0.5)
    for instance in (pair.nu, pair.nu_prime):
        runs = eu.evaluate(
            [AdaptiveBAIR()],
            n_arms=2,
            alpha=0.5,
            means=instance.means,
            n_instances=300,
            progress=False,
        ).runs
        assert proportion_interval(int((~runs["correct"]).sum()), len(runs))[1] < 0.1


def test_it_ends_although_a_wrongly_eliminated_best_arm_leaves_equal_rivals():
    runs = eu.evaluate(
        [AdaptiveBAIR()],
        n_arms=5,
        means=equal_rivals,
        n_instances=300,
        max_steps=100_000,
        progress=False,
    ).runs
    assert not runs["censored"].any()
    assert runs["correct"].all()


def test_it_eliminates_an_arm_that_was_never_accepted():
    """A bad private draw makes a user reject an arm from the start (setting "released")."""
    agent = AdaptiveBAIR(rho_prior=(2.0, 4.0))
    agent.reset(2, np.random.default_rng(0))
    for _ in range(1000):
        arm = agent.act()
        if arm is None:
            break
        agent.observe(arm, arm == 1)
    assert agent.act() is None
    assert agent.answer() == 1


def test_the_monitor_counts_runs_that_eliminate_the_best_arm():
    env = gym.make(eu.ENV_ID, n_arms=2, alpha=0.2, max_episode_steps=-1)
    agent = AdaptiveBAIR(delta=0.5, max_steps=2000)
    lost = [eliminates_best(env, agent, seed) for seed in range(100)]
    assert 0 < sum(lost) < 50
    with pytest.raises(InvalidArgumentError, match="agent must be an AdaptiveBAIR"):
        eliminates_best(env, BAIR(), 0)
