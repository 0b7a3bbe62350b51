"""Users who may leave: when they do, and what is said where they cannot."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from other_users import random_arms, started

import explorative_user_env as eu
from explorative_user_env import ExplorativeUserEnv, ExplorativeUserVectorEnv
from explorative_user_env.users.behaviours import EXPLORATIVE, Behaviour, impatient
from explorative_user_env.validation import CallableError, InvalidArgumentError

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


def steps_of_a_rejecter(probability: float, patience: int | None) -> list[int]:
    """For how many steps users stay who reject everything."""
    users = replace(impatient(probability, patience), respond=never_wanted)
    env, steps = ExplorativeUserEnv(n_arms=2, behaviour=users), []
    for seed in range(1500):
        env.reset(seed=seed)
        while not env.step(0)[2]:
            pass
        steps.append(env.hidden_state().interactions)
    return steps


def test_who_rejects_everything_stays_for_a_geometric_number_of_steps() -> None:
    steps = np.array(steps_of_a_rejecter(0.1, None))
    error = 5 * np.sqrt(0.9) / 0.1 / np.sqrt(len(steps))
    assert abs(steps.mean() - 10.0) < error  # one failure in two million machines
    assert abs((steps == 1).mean() - 0.1) < 5 * np.sqrt(0.09 / len(steps))
    capped = np.array(steps_of_a_rejecter(0.1, 5))
    assert np.array_equal(capped, np.minimum(steps, 5))  # the same draws, whatever her patience


@pytest.mark.parametrize("patience", [1, 2, 7])
def test_without_chance_she_bears_so_many_rejections_in_a_row_and_no_more(patience: int) -> None:
    assert set(steps_of_a_rejecter(0.0, patience)) == {patience}
    assert set(steps_of_a_rejecter(1.0, patience)) == {1}


@pytest.mark.parametrize(
    ("words", "allowed"),
    [
        ("impatient(probability=1.5)", "probability of behaviour 'impatient' must be a number in"),
        ("impatient(probability=-1)", "probability of behaviour 'impatient' must be a number in"),
        ("impatient(patience=0)", "patience of behaviour 'impatient' must be .*1"),
        ("impatient(patience=2.5)", "patience of behaviour 'impatient' must be"),
    ],
)
def test_what_is_no_patience_is_refused_by_name(words: str, allowed: str) -> None:
    with pytest.raises(InvalidArgumentError, match=allowed):
        ExplorativeUserEnv(behaviour=words)


def leaves_by_one(user: Any, state: Any, accepted: bool, rng: Any) -> Any:
    return 1 if state.interactions[0] == 3 else False


def fails_to_leave(user: Any, state: Any, accepted: bool, rng: Any) -> bool:
    return bool(0 // (state.interactions[0] - 3))


@pytest.mark.parametrize(
    ("leaves", "what"),
    [
        (leaves_by_one, "leaving of behaviour 'own' must be True or False, got 1"),
        (fails_to_leave, "leaves of behaviour 'own' .*ZeroDivisionError"),
    ],
)
def test_a_leaves_of_ones_own_that_fails_is_told_with_step_and_user(leaves: Any, what: str) -> None:
    own = Behaviour("own", leaves=leaves)
    one: Any = ExplorativeUserEnv(n_arms=2, behaviour=own)
    many: Any = ExplorativeUserVectorEnv(2, n_arms=2, behaviour=own)
    for env, arm in ((one, 0), (many, np.zeros(2, int))):
        env.reset(seed=5)
        env.step(arm)
        env.step(arm)
        with pytest.raises(CallableError, match=what) as error:
            env.step(arm)
        assert "at step 3" in str(error.value)
        assert "reset(seed=5)" in str(error.value)
    with pytest.raises(CallableError, match="step 3"):
        eu.evaluate(["SE"], n_arms=2, behaviour=own, n_instances=2, progress=False)
