import copy
import math
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from explorative_user_env.population import Population
from explorative_user_env.settings import PRINTED, RELEASED, SETTINGS, Setting
from explorative_user_env.users import explorative as rules
from explorative_user_env.users.confidence import Rule, Schedule
from explorative_user_env.users.state import User, UserState, blank_state

Play = Callable[[int, np.random.Generator], Generator[int, bool, None]]

GOOD, BAD = 0, 1


class ReferenceUser:
    """The user of the paper's section 2, slow and plain: she remembers every reward she had.

    `released` makes her the user of the authors' code. Chance is drawn in the package's order.
    """

    def __init__(
        self,
        means: Sequence[float],
        alpha: float,
        noise: float,
        released: bool,
        seed: int,
        rho: float | None = None,
    ) -> None:
        self.means, self.alpha, self.noise, self.released = means, alpha, noise, released
        self.rng = np.random.default_rng(seed)
        self.rewards: list[list[float]] = [[] for _ in means]
        if released:
            for arm in range(len(means)):
                self._take_reward(arm)
        self.n = self.t = 0
        self.constant_rho = rho
        self.rho = rho if rho is not None else (2.0 if released else 1.0)

    def _take_reward(self, arm: int) -> None:
        self.rewards[arm].append(self.means[arm] + self.rng.standard_normal())

    @property
    def counts(self) -> np.ndarray:
        return np.array([len(rewards) for rewards in self.rewards])

    @property
    def estimates(self) -> np.ndarray:
        return np.array([np.mean(rewards) if rewards else 0.0 for rewards in self.rewards])

    @property
    def gamma(self) -> float:
        n = max(self.n, 1) if self.released else self.n
        return 0.0 if n == 0 else max(0.0, 2 * self.alpha * np.log(self.rho * n))

    def intervals(self) -> tuple[np.ndarray, np.ndarray]:
        radius = np.full(len(self.means), np.inf)
        seen = self.counts > 0
        radius[seen] = np.sqrt(self.gamma / self.counts[seen])
        return self.estimates - radius, self.estimates + radius

    def finds_clearly_better(self, arm: int) -> bool:
        lower, upper = self.intervals()
        if self.released:
            return bool(lower.max() > upper[arm])
        return any(lower[j] >= upper[arm] for j in range(len(lower)) if j != arm)

    def respond(self, arm: int) -> bool:
        accepted = not self.finds_clearly_better(arm)
        if self.noise > 0 and self.rng.random() < self.noise:
            accepted = bool(self.rng.random() < 0.5)
        self.t += 1
        if accepted:
            self._take_reward(arm)
            self.n += 1
        if self.constant_rho is None:
            k = len(self.means)
            if not self.released:
                self.rho = 1 + self.n / self.t
            elif accepted:
                self.rho = 1 + (k + self.n) / (2 * k + self.t)
        return accepted


def random_play(n_arms: int, rng: np.random.Generator) -> Generator[int, bool, None]:
    while True:
        yield int(rng.integers(n_arms))


def round_robin(n_arms: int, rng: np.random.Generator) -> Generator[int, bool, None]:
    arm = 0
    while True:
        yield arm
        arm = (arm + 1) % n_arms


def alternating_pair(n_arms: int, rng: np.random.Generator) -> Generator[int, bool, None]:
    first, second = rng.choice(n_arms, 2, replace=False).tolist()
    while True:
        yield first
        yield second


def stay_until_rejected(n_arms: int, rng: np.random.Generator) -> Generator[int, bool, None]:
    arm = 0
    while True:
        accepted = yield arm
        if not accepted:
            arm = (arm + 1) % n_arms


def insist(n_arms: int, rng: np.random.Generator) -> Generator[int, bool, None]:
    while True:
        arm = int(rng.integers(n_arms))
        for _ in range(25):
            yield arm


PLAYS: tuple[Play, ...] = (
    random_play,
    round_robin,
    alternating_pair,
    stay_until_rejected,
    insist,
)


def converse(play: Generator[int, bool, None], respond: Callable[[int], bool], steps: int) -> None:
    arm = next(play)
    for _ in range(steps):
        arm = play.send(respond(arm))


def new_user(
    setting: Setting,
    means: Sequence[float],
    seed: int = 0,
    alpha: float = 1.0,
    noise: float = 0.0,
    rho: Schedule | str | float | None = None,
) -> tuple[User, UserState, Rule, np.random.Generator]:
    options: dict[str, Any] = {"alpha": alpha, "noise": noise, "rho": rho}
    population = Population(setting=setting, n_arms=len(means), **options)
    user, schedule = population.user, population.schedule
    state, rng = blank_state(user), np.random.default_rng(seed)
    state.means[:] = means
    rules.start(user, state, rng)
    return user, state, schedule.rule, rng


def hand_made(
    setting: Setting, estimates: Sequence[float], counts: Sequence[int], spread: float
) -> tuple[User, UserState]:
    population = Population(setting=setting, n_arms=len(estimates))
    user = population.user
    state = blank_state(user)
    state.estimates[:] = estimates
    state.counts[:] = counts
    state.scales[:] = [1 / math.sqrt(n) if n else math.inf for n in counts]
    state.spread[0] = spread
    return user, state


def bounds(state: UserState) -> tuple[list[float], list[float]]:
    arms = range(len(state.means))
    lower = [rules.lcb(state, arm) for arm in arms]
    return lower, [rules.ucb(state, arm) for arm in arms]


def gamma(state: UserState) -> float:
    return state.spread[0] ** 2


def assert_agrees(user: User, state: UserState, rule: Rule, reference: ReferenceUser) -> None:
    close = partial(np.allclose, rtol=1e-10, atol=1e-10)
    assert state.counts == reference.counts.tolist()
    assert (state.acceptances[0], state.interactions[0]) == (reference.n, reference.t)
    assert close(rules.rho(user, state, rule), reference.rho)
    assert close(gamma(state), reference.gamma)
    logarithm = rules.log_confidence(user, state, rule)
    assert close(max(0.0, 2 * user.alpha * logarithm), reference.gamma)
    assert close(state.estimates, reference.estimates)
    assert close(bounds(state), reference.intervals())


def compare(
    setting: Setting,
    means: Sequence[float],
    alpha: float,
    noise: float,
    seed: int,
    play: Play,
    steps: int,
    rho: float | None = None,
) -> list[bool]:
    user, state, rule, rng = new_user(setting, means, seed, alpha, noise, rho)
    reference = ReferenceUser(means, alpha, noise, setting.name == "released", seed, rho)
    responses: list[bool] = []

    def respond(arm: int) -> bool:
        assert_agrees(user, state, rule, reference)
        responses.append(rules.respond(user, state, rule, arm, rng))
        assert responses[-1] == reference.respond(arm)
        return responses[-1]

    converse(play(len(means), np.random.default_rng(seed + 1)), respond, steps)
    assert_agrees(user, state, rule, reference)
    return responses


@pytest.mark.parametrize("noise", [0.0, 0.3])
@pytest.mark.parametrize("n_arms", [2, 7])
@pytest.mark.parametrize("alpha", [0.3, 1.0, 2.5])
def test_the_user_decides_as_the_text_says(
    setting: Setting, alpha: float, n_arms: int, noise: float
) -> None:
    means = np.linspace(0.0, 2.0 * n_arms, n_arms).tolist()
    responses = compare(setting, means, alpha, noise, n_arms, random_play, 300)
    assert 20 < sum(responses) < 280  # both answers were put to the test


@given(
    setting=st.sampled_from(sorted(SETTINGS)),
    play=st.sampled_from(PLAYS),
    means=st.lists(st.floats(-5, 5), min_size=2, max_size=6),
    alpha=st.floats(0.05, 5.0),
    noise=st.sampled_from([0.0, 0.0, 0.1, 1.0]),
    rho=st.sampled_from([None, None, 0.05, 0.5, 1.0, 3.0]),
    seed=st.integers(0, 2**32),
)
def test_the_user_decides_as_the_text_says_whatever_is_recommended(
    setting: str,
    play: Play,
    means: list[float],
    alpha: float,
    noise: float,
    rho: float | None,
    seed: int,
) -> None:
    compare(SETTINGS[setting], means, alpha, noise, seed, play, 60, rho)


def rejected_by_definition(user: User, state: UserState, arm: int) -> bool:
    lower, upper = bounds(state)
    others = lower[:arm] + lower[arm + 1 :]
    return max(others) >= upper[arm] if user.rejects_ties else max(others) > upper[arm]


@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_a_decision_is_that_of_a_look_at_all_intervals_however_long_the_play(
    setting: Setting, noise: float
) -> None:
    n_arms = 12
    means = np.linspace(0.0, 3.0, n_arms).tolist()
    user, state, rule, rng = new_user(setting, means, 9, alpha=0.5, noise=noise)
    decisions: list[bool] = []

    def respond(arm: int) -> bool:
        decisions.append(rules.rejects(user, state, arm))
        assert decisions[-1] == rejected_by_definition(user, state, arm)
        return rules.respond(user, state, rule, arm, rng)

    for play in PLAYS * 3:
        converse(play(n_arms, np.random.default_rng(1)), respond, 300)
    assert set(decisions) == {True, False}


@given(
    play=st.sampled_from(PLAYS),
    means=st.lists(st.floats(-5, 5), min_size=2, max_size=6),
    alpha=st.floats(0.05, 5.0),
    seed=st.integers(0, 2**32),
)
@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_the_arm_of_largest_lcb_is_never_rejected_while_gamma_is_positive(
    name: str, play: Play, means: list[float], alpha: float, seed: int
) -> None:
    user, state, rule, rng = new_user(SETTINGS[name], means, seed, alpha)

    def respond(arm: int) -> bool:
        if gamma(state) > 0.0:
            lower, _ = bounds(state)
            assert not rules.rejects(user, state, lower.index(max(lower)))
        return rules.respond(user, state, rule, arm, rng)

    converse(play(len(means), np.random.default_rng(seed)), respond, 60)


def test_a_clearly_worse_arm_is_rejected_and_the_better_one_accepted(setting: Setting) -> None:
    user, state = hand_made(setting, [3.0, 0.0], [4, 4], spread=2.0)  # intervals of radius 1
    assert rules.rejects(user, state, BAD)
    assert not rules.rejects(user, state, GOOD)


def test_overlapping_intervals_reject_nobody(setting: Setting) -> None:
    user, state = hand_made(setting, [1.9, 0.0], [4, 4], spread=2.0)
    assert not rules.rejects(user, state, BAD)
    assert not rules.rejects(user, state, GOOD)


def test_touching_intervals_reject_in_the_text_and_not_in_the_released_code() -> None:
    for setting, rejected in ((PRINTED, True), (RELEASED, False)):
        user, state = hand_made(setting, [2.0, 0.0], [4, 4], spread=2.0)
        assert rules.rejects(user, state, BAD) is rejected
        assert not rules.rejects(user, state, GOOD)


def test_two_equal_top_arms_reject_each_other_at_gamma_zero_only_if_ties_reject() -> None:
    for setting, rejected in ((PRINTED, True), (RELEASED, False)):
        user, state = hand_made(setting, [1.0, 1.0, 0.0], [2, 3, 1], spread=0.0)
        assert [rules.rejects(user, state, arm) for arm in (0, 1, 1, 0)] == [rejected] * 4
        assert rules.rejects(user, state, 2)


def test_a_single_top_arm_is_accepted_at_gamma_zero(setting: Setting) -> None:
    user, state = hand_made(setting, [1.0, 0.5], [2, 3], spread=0.0)
    assert not rules.rejects(user, state, GOOD)
    assert rules.rejects(user, state, BAD)


@pytest.mark.parametrize("spread", [0.0, 2.0])
def test_an_unseen_arm_has_an_infinite_interval_by_rule(setting: Setting, spread: float) -> None:
    user, state = hand_made(setting, [50.0, 0.0], [10**6, 0], spread)
    assert (rules.lcb(state, 1), rules.ucb(state, 1)) == (-math.inf, math.inf)
    assert not rules.rejects(user, state, 1)
    assert not rules.rejects(user, state, 0)


def test_before_any_acceptance_every_arm_is_unseen_and_gamma_is_zero() -> None:
    user, state, *_ = new_user(PRINTED, [0.0, 1.0, 2.0])
    assert gamma(state) == 0.0
    assert state.counts == [0, 0, 0]
    assert bounds(state) == ([-math.inf] * 3, [math.inf] * 3)
    assert not any(rules.rejects(user, state, arm) for arm in range(3))


def test_gamma_is_zero_and_not_minus_infinity_while_nothing_is_accepted() -> None:
    user, state, rule, rng = new_user(PRINTED, [0.0, 1.0], seed=1, noise=1.0)
    while rules.respond(user, state, rule, 0, rng):  # find a user whose first answer is no
        rules.start(user, state, rng)
    assert (state.acceptances[0], state.interactions[0]) == (0, 1)
    assert gamma(state) == 0.0
    assert rules.rho(user, state, rule) == 1.0


def test_private_draws_are_in_n_i_and_in_the_mean_but_not_in_n_t() -> None:
    _, state, *_ = new_user(RELEASED, [5.0, -5.0], seed=3)
    expected = np.array([5.0, -5.0]) + np.random.default_rng(3).standard_normal(2)
    assert state.counts == [1, 1]
    assert state.estimates == pytest.approx(expected.tolist())
    assert (state.acceptances[0], state.interactions[0]) == (0, 0)
    assert gamma(state) == pytest.approx(2 * math.log(2))


def test_a_new_start_forgets_the_last_user(setting: Setting) -> None:
    user, state, rule, rng = new_user(setting, [0.0, 1.0])
    for arm in (0, 1, 1, 0):
        rules.respond(user, state, rule, arm, rng)
    rules.start(user, state, np.random.default_rng(8))
    _, fresh, *_ = new_user(setting, [0.0, 1.0], seed=8)
    assert state == fresh


def play_to_a_rejection(setting: Setting) -> tuple[UserState, UserState, Callable[..., float]]:
    """Return her state before and after, and what gives the rho_t of a state."""
    user, state, rule, rng = new_user(setting, [5.0, -5.0])
    for _ in range(50):
        before = copy.deepcopy(state)
        if not rules.respond(user, state, rule, BAD, rng):
            return before, state, lambda state: rules.rho(user, state, rule)
        rules.respond(user, state, rule, GOOD, rng)
    raise AssertionError("the bad arm was never rejected")


def test_a_rejection_moves_the_intervals_but_no_mean() -> None:
    before, after, rho = play_to_a_rejection(PRINTED)
    n, t = before.acceptances[0], before.interactions[0]
    assert (after.acceptances[0], after.interactions[0]) == (n, t + 1)
    assert (after.estimates, after.counts) == (before.estimates, before.counts)
    assert rho(after) == pytest.approx(1 + n / (t + 1))
    assert rho(after) < rho(before)
    (old_lower, old_upper), (lower, upper) = bounds(before), bounds(after)
    for arm in (GOOD, BAD):
        assert old_lower[arm] < lower[arm] < upper[arm] < old_upper[arm]


def test_a_rejection_moves_only_t_in_the_released_code() -> None:
    before, after, rho = play_to_a_rejection(RELEASED)
    assert after.interactions[0] == before.interactions[0] + 1
    assert after.acceptances == before.acceptances
    assert (after.estimates, after.counts) == (before.estimates, before.counts)
    assert (rho(after), after.spread) == (rho(before), before.spread)
    assert bounds(after) == bounds(before)


def test_a_rejection_brings_no_reward(setting: Setting) -> None:
    _, after, _ = play_to_a_rejection(setting)
    assert after.reward == [0.0]


def acceptance_frequency(setting: Setting, arm: int, noise: float, steps: int) -> float:
    user, state, rule, rng = new_user(setting, [100.0, -100.0], seed=7, noise=noise)
    for each in (GOOD, BAD):  # both are known before the count begins
        while state.counts[each] == 0 or state.acceptances[0] < 2:
            rules.respond(user, state, rule, each, rng)
    assert rules.rejects(user, state, BAD)
    return sum(rules.respond(user, state, rule, arm, rng) for _ in range(steps)) / steps


@pytest.mark.parametrize("noise", [0.0, 0.3, 1.0])
def test_noise_p_accepts_a_bad_arm_with_p_half_and_a_good_one_with_one_minus_p_half(
    setting: Setting, noise: float
) -> None:
    steps = 10_000
    margin = 4.0 * math.sqrt(noise / 2 * (1 - noise / 2) / steps)
    bad = acceptance_frequency(setting, BAD, noise, steps)
    good = acceptance_frequency(setting, GOOD, noise, steps)
    assert noise / 2 - margin <= bad <= noise / 2 + margin
    assert 1 - noise / 2 - margin <= good <= 1 - noise / 2 + margin


def test_rewards_are_normal_around_the_mean_with_variance_one(setting: Setting) -> None:
    mean, n = 3.0, 10_000
    user, state, rule, rng = new_user(setting, [mean, -50.0], seed=11)
    sums = [state.counts[0] * state.estimates[0]]
    for _ in range(n):
        assert rules.respond(user, state, rule, GOOD, rng)
        sums.append(state.counts[0] * state.estimates[0])
    rewards = np.diff(sums)
    assert abs(rewards.mean() - mean) < 4 / math.sqrt(n)
    assert abs(rewards.var() - 1.0) < 4 * math.sqrt(2 / n)
    assert stats.kstest(rewards - mean, "norm").pvalue > 0.001


def test_the_reward_kept_is_the_one_learned_from(setting: Setting) -> None:
    user, state, rule, rng = new_user(setting, [1.0, 0.0], seed=2)
    first = state.counts[0] * state.estimates[0]
    rewards = []
    for _ in range(20):
        rules.respond(user, state, rule, 0, rng)
        rewards.append(state.reward[0])
    assert state.estimates[0] == pytest.approx((first + sum(rewards)) / state.counts[0])


def drifting_rule(parameters: tuple[float, ...], n: int, t: int, n_arms: int) -> float:
    return parameters[0] + parameters[1] * t


@pytest.mark.parametrize(("first", "drift"), [(2.0, -0.4), (1.0, 0.4)])
def test_rho_that_leaves_its_declared_range_is_an_error(first: float, drift: float) -> None:
    drifting = Schedule(drifting_rule, 1.0, 2.0, (first, drift))
    user, state, rule, rng = new_user(PRINTED, [0.0, 0.0], rho=drifting)
    for t in (1, 2):
        rules.respond(user, state, rule, t - 1, rng)
        assert rules.rho(user, state, rule) == pytest.approx(first + drift * t)
    with pytest.raises(ValueError, match=r"rho_t left the range"):
        rules.respond(user, state, rule, 0, rng)


def test_a_custom_schedule_is_given_n_t_and_k() -> None:
    seen: list[tuple[tuple[float, ...], int, int, int]] = []

    def spy(parameters: tuple[float, ...], n: int, t: int, n_arms: int) -> float:
        seen.append((parameters, n, t, n_arms))
        return 1.5

    user, state, rule, rng = new_user(
        PRINTED, [9.0, 0.0, 0.0], noise=0.5, rho=Schedule(spy, 1.0, 2.0, (3.0, 4.0))
    )
    accepted = [rules.respond(user, state, rule, arm, rng) for arm in (0, 1, 2, 1, 2, 1)]
    n = np.cumsum(accepted).tolist()
    assert seen == [((3.0, 4.0), n[i], i + 1, 3) for i in range(6)]
    assert 0 < n[-1] < 6


def test_a_constant_rho_holds_from_the_start(setting: Setting) -> None:
    user, state, rule, rng = new_user(setting, [1.0, 0.0], alpha=1.0, rho=1.25)
    assert rules.rho(user, state, rule) == 1.25
    for arm in (0, 1, 0, 1):
        rules.respond(user, state, rule, arm, rng)
    assert rules.rho(user, state, rule) == 1.25
    assert gamma(state) == pytest.approx(2 * math.log(1.25 * state.acceptances[0]))


def test_gamma_is_never_negative() -> None:
    user, state, rule, rng = new_user(PRINTED, [1.0, 0.0], rho=0.1)
    rules.respond(user, state, rule, 0, rng)
    assert gamma(state) == 0.0
    assert rules.lcb(state, 0) == rules.ucb(state, 0) == state.estimates[0]


def test_more_willingness_to_explore_widens_the_intervals_by_its_square_root() -> None:
    widths = []
    for alpha in (0.5, 2.0):
        user, state, rule, rng = new_user(PRINTED, [0.0, 0.0], alpha=alpha)
        for arm in (0, 1):
            rules.respond(user, state, rule, arm, rng)
        widths.append(rules.ucb(state, 0) - rules.lcb(state, 0))
    assert widths[1] / widths[0] == pytest.approx(2.0)
    assert widths[0] == pytest.approx(2 * math.sqrt(2 * 0.5 * math.log(4)))


def test_more_than_one_private_draw_can_be_asked_for() -> None:
    _, state, *_ = new_user(replace(PRINTED, private_draws=3), [0.0, 10.0], seed=5)
    draws = np.array([0.0, 10.0]) + np.random.default_rng(5).standard_normal((3, 2))
    assert state.counts == [3, 3]
    assert state.estimates == pytest.approx(draws.mean(axis=0).tolist())
