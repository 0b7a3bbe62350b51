"""The counts of responses as an observation: the rule for one user and one step, and a table.

`count` is plain Python, and the table of many users compiles it. `wrappers.observations` computes
the same numbers at once from a history.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env import protocol
from explorative_user_env.kernels.compiler import compile_loop, once
from explorative_user_env.protocol import Array, stored_steps
from explorative_user_env.seeding import number_of_users

#: The number of features of each arm: acceptances, rejections, the latest response, and rejections
#: since the last acceptance. A population has three more, about all earlier users.
N_FEATURES = 4

#: Unsorted observations: (features per arm, times, blocks of K numbers before the responses).
_SHAPES = {"counts": (4, 1, 2), "population-counts": (7, 2, 2), "last-step": (1, 2, 1)}


class Scale:
    """Scale counts logarithmically and time linearly to [0, 1].

    Args:
        horizon: the number of steps, at least 1, at which scaled counts and time reach 1.
        n_users: the number of users in an episode; None means one user.

    Attributes:
        episode: the scale of counts over all users, which reaches 1 at `n_users * horizon` steps.
        logarithms: the scaled count of each count in 0..horizon, float32.

    Raises:
        InvalidArgumentError: if `horizon` or `n_users` is below 1.
    """

    def __init__(self, horizon: int, n_users: int | None = None) -> None:
        self.horizon = stored_steps("horizon", horizon)
        counts = np.arange(self.horizon + 1)
        self.logarithms = (np.log1p(counts) / np.log1p(self.horizon)).astype(np.float32)
        self.episode = self
        if n_users is not None:
            steps = self.horizon * number_of_users(n_users, "n_users")
            self.episode = Scale(min(steps, protocol.LONGEST_HORIZON))

    @property
    def observation(self) -> str:
        """The name of the observation of all counts."""
        return "counts" if self.episode is self else "population-counts"

    def count(self, counts: Array) -> Array:
        """Return log(1 + n) / log(1 + horizon)."""
        return np.asarray(self.logarithms[np.minimum(counts, self.horizon)])

    def time(self, steps: Array) -> Array:
        """Return t / horizon."""
        return (np.minimum(steps, self.horizon) / self.horizon).astype(np.float32)


def bounds_of(name: str, n_arms: int) -> tuple[Array, Array] | None:
    """Return the bounds of the observation called `name`; None for the response."""
    name = name.removeprefix("sorted-")
    if name == "response":
        return None
    features, times, before = _SHAPES[name]
    low = np.zeros(features * n_arms + times, np.float32)
    n_responses = 1 if name == "last-step" else n_arms
    low[before * n_arms :][:n_responses] = -1.0
    return low, np.ones_like(low)


class Counts(NamedTuple):
    """The observation of one user and the counts behind it, which `count` changes in place.

    From `row` on, the fields are lists in plain Python (`row` is a memoryview) and arrays in
    compiled code. The functions below take plain tuples, which Python unpacks faster.

    Attributes:
        n_arms: K.
        n_features: the number of features of each arm, 4, or 7 in a population.
        horizon: the horizon of the present user's counts and time.
        logarithms: `Scale.logarithms` of the present user.
        episode: the horizon of the counts and the time of the episode.
        episode_logarithms: `Scale.logarithms` of the episode.
        row: the sorted observation, float32.
        order: the arm of each rank.
        acceptances: the present user's acceptances of each arm.
        rejections: her rejections of each arm.
        since: her rejections of each arm since she last accepted it.
        steps: the number of the present user's responses, and that of earlier users.
        accepted_before: the earlier users' acceptances of each arm.
        rejected_before: the earlier users' rejections of each arm.
    """

    n_arms: Any
    n_features: Any
    horizon: Any
    logarithms: Any
    episode: Any
    episode_logarithms: Any
    row: Any
    order: Any
    acceptances: Any
    rejections: Any
    since: Any
    steps: Any
    accepted_before: Any
    rejected_before: Any


def rise(counts: Any, rank: Any) -> None:
    """Move an arm up until no arm above it has fewer acceptances.

    Ties are broken by the acceptances of earlier users, if observed, then by the arms' numbers.
    """
    n_arms, n_features, row, order = counts[0], counts[1], counts[6], counts[7]
    before = N_FEATURES * n_arms  # the place of the first number about earlier users
    while rank > 0:
        above = rank - 1
        mine, other = row[rank], row[above]
        if mine == other and n_features > N_FEATURES:
            mine, other = row[before + rank], row[before + above]
        if mine < other or (mine == other and order[above] < order[rank]):
            return
        order[above], order[rank] = order[rank], order[above]
        for first in range(above, n_features * n_arms, n_arms):
            upper, lower = row[first], row[first + 1]
            if upper != lower:
                row[first], row[first + 1] = lower, upper
        rank = above


def count(counts: Any, rank: Any, arm: Any, accepted: Any) -> None:
    """Count a response of the present user to an arm, which has this rank."""
    # fmt: off
    (n_arms, n_features, horizon, logarithms, episode, _,
     row, _, acceptances, rejections, since, steps, _, _) = counts
    # fmt: on
    t = steps[0] + 1
    steps[0] = t
    place = n_features * n_arms
    row[place] = t / horizon if t < horizon else 1.0
    if n_features > N_FEATURES:
        t += steps[1]
        row[place + 1] = t / episode if t < episode else 1.0
    if accepted:
        n = acceptances[arm] + 1
        acceptances[arm] = n
        if n == 1 or since[arm] > 0:  # else the latest response was an acceptance as well
            since[arm] = 0
            row[2 * n_arms + rank] = 1.0
            row[3 * n_arms + rank] = 0.0
        scaled = logarithms[n if n < horizon else horizon]
        row[rank] = scaled
        if rank > 0 and scaled >= row[rank - 1]:
            rise(counts, rank)
    else:
        n = rejections[arm] + 1
        rejections[arm] = n
        row[n_arms + rank] = logarithms[n if n < horizon else horizon]
        n = since[arm] + 1
        since[arm] = n
        if n == 1:
            row[2 * n_arms + rank] = -1.0
        row[3 * n_arms + rank] = logarithms[n if n < horizon else horizon]


def begin(counts: Any, same_episode: Any) -> None:
    """Set all counts to 0 for a new user; in the same episode, keep the sums over earlier users."""
    # fmt: off
    (n_arms, n_features, _, _, episode, logarithms,
     row, order, acceptances, rejections, since, steps, before, rejected_before) = counts
    # fmt: on
    steps[1] = steps[1] + steps[0] if same_episode else 0
    steps[0] = 0
    for feature in range(N_FEATURES * n_arms):
        row[feature] = 0.0
    row[n_features * n_arms] = 0.0
    if n_features > N_FEATURES:
        t = steps[1]
        row[n_features * n_arms + 1] = t / episode if t < episode else 1.0
    for arm in range(n_arms):
        if n_features > N_FEATURES:
            yes = before[arm] + acceptances[arm] if same_episode else 0
            no = rejected_before[arm] + rejections[arm] if same_episode else 0
            before[arm], rejected_before[arm] = yes, no
            row[4 * n_arms + arm] = logarithms[yes if yes < episode else episode]
            row[5 * n_arms + arm] = logarithms[no if no < episode else episode]
            row[6 * n_arms + arm] = yes / (yes + no) if yes > 0 else 0.0
        order[arm] = arm
        acceptances[arm] = rejections[arm] = since[arm] = 0
        rise(counts, arm)


def counts_in(table: Any, lane: Any) -> Any:
    """Return the counts of one of many users, in compiled code."""
    n_arms, n_features, horizon, logarithms, episode, of_episode, rows, numbers = table
    of_user, n = numbers[lane], n_arms
    # fmt: off
    return (n_arms, n_features, horizon, logarithms, episode, of_episode, rows[lane],
            of_user[:n], of_user[n : 2 * n], of_user[2 * n : 3 * n], of_user[3 * n : 4 * n],
            of_user[4 * n : 4 * n + 2], of_user[4 * n + 2 : 5 * n + 2], of_user[5 * n + 2 :])
    # fmt: on


@once
def compiled_count() -> Callable[..., None]:
    """Return the compiled loop that counts one response in each of these lanes."""
    counts_of, count_one = counts_in, count

    def count_in_lanes(table: Any, lanes: Any, ranks: Any, responses: Any) -> None:
        for lane in lanes:
            counts, rank = counts_of(table, lane), ranks[lane]
            count_one(counts, rank, counts[7][rank], responses[lane] == 1)

    loop: Callable[..., None] = compile_loop(count_in_lanes)
    return loop


@once
def compiled_begin_counts() -> Callable[..., None]:
    """Return the compiled loop that sets the counts of new users in these lanes."""
    counts_of, begin_one = counts_in, begin

    def begin_in_lanes(table: Any, lanes: Any, same_episode: Any) -> None:
        for lane in lanes:
            begin_one(counts_of(table, lane), same_episode)

    loop: Callable[..., None] = compile_loop(begin_in_lanes)
    return loop


@once
def compiled_arms() -> Callable[..., bool]:
    """Return the compiled loop that translates each lane's rank into an arm."""

    def arms_in_lanes(order: Any, ranks: Any, n_arms: int, n_actions: int, arms: Any) -> bool:
        for lane in range(ranks.size):
            rank = ranks[lane]
            if rank < 0 or rank >= n_actions:
                return False
            first = 0 if rank < n_arms else n_arms
            arms[lane] = first + order[lane, rank - first]
        return True

    loop: Callable[..., bool] = compile_loop(arms_in_lanes)
    return loop


class Table:
    """The counts of many users and their observations.

    Args:
        n_lanes: number of users.
        n_arms: K.
        scale: the scale of counts and time; with `n_users` also earlier users are observed.
        compiled: whether to count in compiled code, with the same results.

    Attributes:
        rows: the observations, shape (n_lanes, 4 K + 1), or 7 K + 2 in a population, float32.
    """

    def __init__(self, n_lanes: int, n_arms: int, scale: Scale, compiled: bool = False) -> None:
        self.n_arms, self.compiled, self._scale = n_arms, compiled, scale
        self._n_features, times, _ = _SHAPES[scale.observation]
        self.rows = np.zeros((n_lanes, self._n_features * n_arms + times), np.float32)
        if compiled:
            self._numbers: Any = np.zeros((n_lanes, 6 * n_arms + 2), np.int32)  # see `counts_in`
            self._numbers[:, :n_arms] = np.arange(n_arms)
        else:
            self._numbers = [
                [[*range(n_arms)], *([0] * n_arms for _ in range(3)), [0, 0]]
                + [[0] * n_arms for _ in range(2)]
                for _ in range(n_lanes)
            ]
        self._refer()

    def _refer(self) -> None:
        """Set the attributes that refer to the memory of others."""
        scale, episode = self._scale, self._scale.episode
        logarithms: Any = [scale.logarithms, episode.logarithms]
        if not self.compiled:
            logarithms = [memoryview(each) for each in logarithms]
        horizons = (scale.horizon, logarithms[0], episode.horizon, logarithms[1])
        sizes = (self.n_arms, self._n_features, *horizons)
        if self.compiled:
            self._counts: Any = (*sizes, self.rows, self._numbers)
            self._all = np.arange(len(self.rows))
            return
        pairs: Any = zip(self.rows, self._numbers, strict=True)
        self._counts = [tuple(Counts(*sizes, memoryview(row), *each)) for row, each in pairs]
        #: Of the first user: her counts, the arm of each rank, and a function that copies her row.
        self.first = (self._counts[0], self._numbers[0][0], self.rows[0].copy)

    def begin(self, lanes: Array, same_episode: bool) -> None:
        """Set the counts of new users in these lanes; see the function `begin`."""
        if self.compiled:
            compiled_begin_counts()(self._counts, lanes, same_episode)
        else:
            for lane in lanes.tolist():
                begin(self._counts[lane], same_episode)

    def arms_of(self, ranks: Array, n_actions: int) -> Array | None:
        """Return the action on an arm for each lane's action on a rank; None if one is invalid."""
        arms, n_arms = np.empty_like(ranks), self.n_arms
        if self.compiled:
            valid = compiled_arms()(self._numbers, ranks, n_arms, n_actions, arms)
            return arms if valid else None
        chosen = ranks.tolist()
        if min(chosen) < 0 or max(chosen) >= n_actions:
            return None
        for lane, (rank, numbers) in enumerate(zip(chosen, self._numbers, strict=True)):
            first = n_arms if rank >= n_arms else 0
            arms[lane] = first + numbers[0][rank - first]
        return arms

    def record(self, lanes: Array | None, ranks: Array, responses: Array) -> None:
        """Count the responses in these lanes; None means all lanes."""
        if self.compiled:
            moved = self._all if lanes is None else lanes
            compiled_count()(self._counts, moved, ranks, responses)
            return
        chosen, accepted = ranks.tolist(), responses.tolist()
        for lane in range(len(chosen)) if lanes is None else lanes.tolist():
            rank, numbers = chosen[lane], self._numbers[lane]
            count(self._counts[lane], rank, numbers[0][rank], accepted[lane])

    def __getstate__(self) -> dict[str, Any]:
        names = ("n_arms", "compiled", "_scale", "_n_features", "rows", "_numbers")
        return {name: getattr(self, name) for name in names}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._refer()
