from types import SimpleNamespace
from typing import Any

import numpy as np

from explorative_user_env.agents.bair import ELIMINATION, admit_all, drop, sift_down


def candidates(accepted: list[int]) -> Any:
    n_arms = len(accepted)
    state: Any = SimpleNamespace(
        accepted=accepted,
        candidate=[0] * n_arms,
        n_candidates=[0],
        following=[0] * (n_arms + 1),
        preceding=[0] * (n_arms + 1),
        heap=[0] * n_arms,
        rejected=[0] * n_arms,
        part=[0],
        current=[0],
    )
    params: Any = SimpleNamespace(n_arms=n_arms, round_robin=False)
    admit_all(params, state, ELIMINATION)
    return state


def in_order(state: Any) -> list[int]:
    """F as one goes through it, forwards; backwards it must be the same."""
    end = len(state.candidate)
    forwards, backwards = [state.following[end]], [state.preceding[end]]
    while forwards[-1] != end:
        forwards.append(state.following[forwards[-1]])
    while backwards[-1] != end:
        backwards.append(state.preceding[backwards[-1]])
    assert forwards[:-1] == backwards[:-1][::-1]
    return forwards[:-1]


def test_the_arms_left_are_gone_through_in_order() -> None:
    rng = np.random.default_rng(0)
    for n_arms in (1, 2, 3, 20):
        state = candidates([0] * n_arms)
        left = list(range(n_arms))
        while left:
            assert in_order(state) == left
            assert [arm for arm in range(n_arms) if state.candidate[arm]] == left
            assert state.n_candidates == [len(left)]
            arm = left.pop(int(rng.integers(len(left))))
            following = next((other for other in left if other > arm), n_arms)
            drop(state, arm)
            assert state.following[arm] == following
        assert in_order(state) == []


def test_the_top_of_the_heap_is_the_first_arm_with_the_fewest_acceptances() -> None:
    rng = np.random.default_rng(1)
    for n_arms in (2, 3, 7, 40):
        state = candidates(rng.integers(5, size=n_arms).tolist())
        left = set(range(n_arms))
        while len(left) > 1:
            top = state.heap[0]
            assert top == min(left, key=lambda arm: (state.accepted[arm], arm))
            if rng.random() < 0.9:
                state.accepted[top] += 1
            else:
                left.remove(top)
                drop(state, top)
                state.heap[0] = state.heap[state.n_candidates[0]]
            sift_down(state, 0)
