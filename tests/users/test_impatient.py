"""Users who may leave: when they do, and what that costs whoever made them."""

from typing import Any

import numpy as np
import pytest
from other_users import random_arms, started

from explorative_user_env.users.behaviour import EXPLORATIVE
from explorative_user_env.users.impatient import impatient

SEEDS = range(40)


class Slow:
    """The paper's user written anew, who looks at all arms, and leaves (setting "printed")."""

    def __init__(self, seed: int, n_arms: int, alpha: float, q: float, r: float) -> None:
        self.env = started(seed, n_arms=n_arms, alpha=alpha)  # for her means alone
        self.means, self.rng = self.env.instance().means, self.env.np_random
        self.alpha, self.q, self.r = alpha, q, r
        self.rewards: list[list[float]] = [[] for _ in range(n_arms)]
        self.t = self.n = self.in_a_row = 0
        self.rho = 2.0

    def step(self, arm: int) -> tuple[bool, bool]:
        gamma = max(0.0, 2 * self.alpha * np.log(self.rho * self.n)) if self.n else 0.0
        seen = {i: (np.mean(r), np.sqrt(gamma / len(r))) for i, r in enumerate(self.rewards) if r}
        rivals = [mean - width for i, (mean, width) in seen.items() if i != arm]
        accepted = arm not in seen or max(rivals, default=-np.inf) < sum(seen[arm])
        self.t += 1
        if accepted:
            self.n += 1
            self.rewards[arm].append(self.means[arm] + self.rng.standard_normal())
        self.rho = 1 + self.n / self.t
        self.in_a_row = 0 if accepted else self.in_a_row + 1
        by_chance = not accepted and 0 < self.q < 1 and self.rng.random() < self.q
        return accepted, not accepted and (by_chance or self.q == 1 or self.in_a_row >= self.r)


@pytest.mark.parametrize(("q", "r"), [(0.1, None), (0.0, 3), (0.05, 4), (1.0, None), (0.3, 1)])
def test_she_leaves_when_a_user_written_anew_does(q: float, r: int | None) -> None:
    steps = []
    for seed in SEEDS:
        slow = Slow(seed, 4, 0.05, q, np.inf if r is None else r)
        env = started(seed, alpha=0.05, behaviour=impatient(q, r))
        for arm in random_arms(200, seed=seed):
            response, _, left, truncated, info = env.step(arm)
            assert (bool(response), left) == slow.step(arm)
            assert not truncated
            if left:
                break
        steps.append(info["interactions"])
    assert len(set(steps)) > 5


def test_with_no_probability_and_no_end_of_patience_she_is_the_papers_user_to_the_bit() -> None:
    for seed in SEEDS:
        mild, usual = (
            started(seed, noise=0.1, behaviour=each) for each in (impatient(0), EXPLORATIVE)
        )
        for arm in random_arms(100, seed=seed):
            assert mild.step(arm) == usual.step(arm)
        assert mild.hidden_state() == usual.hidden_state()
        mild.reset()
        usual.reset()
        assert mild.np_random.bit_generator.state == usual.np_random.bit_generator.state


def never_wanted(user: Any, state: Any, rule: Any, arm: int, rng: Any) -> bool:
    """Reject everything."""
    state.interactions[0] += 1
    return False
