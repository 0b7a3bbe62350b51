"""BAIR's candidates F: gone through in order, or by the fewest acceptances, at a cost flat in K."""

from typing import Protocol


class Candidates(Protocol):
    """What of BAIR's state these functions use."""

    @property
    def accepted(self) -> list[int]:
        """n_i."""

    @property
    def candidate(self) -> list[int]:
        """1 for an arm in F."""

    @property
    def n_candidates(self) -> list[int]:
        """[|F|]."""

    @property
    def following(self) -> list[int]:
        """The arm of F after each, K after the last; of K, the first."""

    @property
    def preceding(self) -> list[int]:
        """The same backwards."""

    @property
    def heap(self) -> list[int]:
        """F, the arm with the fewest acceptances on top."""


def admit_all(state: Candidates, n_arms: int) -> None:
    """F = [K]."""
    for arm in range(n_arms):
        state.candidate[arm] = 1
        state.following[arm] = arm + 1
        state.preceding[arm] = arm - 1 if arm > 0 else n_arms
    state.following[n_arms] = 0
    state.preceding[n_arms] = n_arms - 1
    state.n_candidates[0] = n_arms


def drop(state: Candidates, arm: int) -> None:
    """Take `arm` out of F; which arm follows it can still be asked."""
    before, after = state.preceding[arm], state.following[arm]
    state.following[before] = after
    state.preceding[after] = before
    state.candidate[arm] = 0
    state.n_candidates[0] -= 1


def make_heap(state: Candidates) -> None:
    """Put all arms, which must be in F, on the heap."""
    size = state.n_candidates[0]
    for arm in range(size):
        state.heap[arm] = arm
    for place in range(size // 2 - 1, -1, -1):
        sift_down(state, place)


def sift_down(state: Candidates, place: int) -> None:
    """Let the arm at this place of the heap sink below those with fewer acceptances."""
    size = state.n_candidates[0]
    arm = state.heap[place]
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and comes_first(state, state.heap[child + 1], state.heap[child]):
            child += 1
        if comes_first(state, arm, state.heap[child]):
            break
        state.heap[place] = state.heap[child]
        place = child
    state.heap[place] = arm


def comes_first(state: Candidates, one: int, other: int) -> bool:
    """Whether `one` has fewer acceptances; of two with as many, the first arm comes first."""
    if state.accepted[one] == state.accepted[other]:
        return one < other
    return state.accepted[one] < state.accepted[other]
