"""Many users in step, one a lane, in compiled code: the same rules, on the rows of arrays."""

import functools
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from explorative_user_env.compiled.arrays import StateTuple, user_tuple
from explorative_user_env.compiled.compiler import compile_loop, short
from explorative_user_env.compiled.intrinsics import addresses_of_all, generator_at, prefetch
from explorative_user_env.compiled.layout import (
    memory_of_arm,
    row_at,
    row_of,
    user_rows,
    witness_at,
)
from explorative_user_env.envs.lanes import Step
from explorative_user_env.envs.rewards import reward_of
from explorative_user_env.protocol import Array
from explorative_user_env.users import explorative as rules
from explorative_user_env.users.confidence import Rule
from explorative_user_env.users.hidden_state import HiddenState, reveal
from explorative_user_env.users.instances import LOST, Instance, InstanceLaw, lost_gap, move_best

AHEAD = 5
"""How many lanes before its turn a user's memory is asked for; it takes the wait off the step."""


class CompiledLanes:
    """The lanes in compiled code.

    Args:
        user: the numbers of every user.
        rule: the rule of rho_t.
        reward: which reward, its place in `rewards.REWARDS`.
        rngs: a stream for each lane, all of the same kind of bit generator.
    """

    def __init__(
        self, user: rules.User, rule: Rule, reward: int, rngs: Iterable[np.random.Generator]
    ) -> None:
        self.rngs = list(rngs)
        self._user, self._rule, self._reward = user, rule, reward
        self._numbers = user_tuple(user)
        self._rows = user_rows(user, len(self.rngs))
        self._best_arms = np.zeros(len(self.rngs), int)
        self._best_means = np.zeros(len(self.rngs))
        self._all = np.arange(len(self.rngs))
        self._streams, self._draws = addresses_of_all(self.rngs)

    def reseed(self, lane: int, rng: np.random.Generator) -> None:
        """Let the stream of `lane` go on where `rng` is."""
        self.rngs[lane].bit_generator.state = rng.bit_generator.state

    def begin(self, lanes: Array, law: InstanceLaw) -> None:
        """Put new users with new instances in these lanes."""
        named = law.named if law.within is None else None  # compiled code does not look at means
        if named is None:
            instances = [law.draw(self.rngs[lane]) for lane in lanes.tolist()]
            for lane, instance in zip(lanes.tolist(), instances, strict=True):
                row_of(self._rows, lane).means[:] = instance.means
                self._best_arms[lane] = instance.best_arm
        loop = compiled_begin(named.one if named else no_mean)
        lost = loop(
            self._numbers,
            self._rows,
            self._best_arms,
            self._best_means,
            self._streams,
            self._draws,
            lanes,
            named is not None,
            law.gap or 0.0,
        )
        if lost != LOST:
            raise lost_gap(law.gap, row_of(self._rows, lost).means.tolist())

    def respond(self, lanes: Array | None, arms: Array, step: Step) -> bool:
        """Recommend arms[b] in these lanes (None: all) and fill in what comes of it."""
        return compiled_respond(self._rule)(
            self._numbers,
            self._rows,
            self._best_means,
            self._streams,
            self._draws,
            self._all if lanes is None else lanes,
            arms,
            self._reward,
            *step,
        )

    def best_arms(self, lanes: Array) -> Array:
        """Return the best arms of the users in these lanes."""
        return self._best_arms[lanes]

    def hidden_state(self, lane: int) -> HiddenState:
        """Return the truth about a user."""
        row = row_of(self._rows, lane)
        fields = {name: getattr(row, name).tolist() for name in StateTuple._fields[:-2]}
        state = rules.UserState(**fields, logarithms=[], inverse_roots=[])
        instance = Instance(tuple(state.means), int(self._best_arms[lane]))
        return reveal(self._user, state, self._rule, instance)

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_rows": (self._rows.arms, self._rows.own)}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        """Lay out the memory of a copy, whose streams are elsewhere."""
        vars(self).update(kept)
        self._rows = user_rows(self._user, len(self.rngs))
        self._rows.arms[:], self._rows.own[:] = kept["_rows"]
        self._streams, self._draws = addresses_of_all(self.rngs)


def compiles(user: rules.User, rule: Rule, rng: np.random.Generator) -> bool:
    """Compile the loops of a step, with no lanes to step in; warn if `rule` does not compile."""
    from numba.core.errors import NumbaError

    nothing = np.zeros(0, int)
    lanes = CompiledLanes(user, rule, 0, [rng])
    try:
        lanes.respond(nothing, np.zeros(1, int), Step.blank(1))
    except (NumbaError, TypeError, ValueError) as error:
        warnings.warn(f"the rule of rho_t does not compile: {short(error)}", stacklevel=5)
        return False
    return True


def no_mean(rng: np.random.Generator) -> float:
    """Return nothing: the means are there already."""
    return 0.0


@functools.cache
def compiled_begin(mean: Callable[[np.random.Generator], float]) -> Callable[..., int]:
    """Return the compiled loop that puts new users in lanes, with means drawn by `mean`."""
    start, lost = rules.start, LOST

    def begin(
        user: Any,
        rows: Any,
        best_arms: Any,
        best_means: Any,
        streams: Any,
        draws: Any,
        lanes: Any,
        draws_means: bool,
        gap: float,
    ) -> int:
        arms_of, own_of = rows.arms.ctypes.data, rows.own.ctypes.data
        logarithms, inverse_roots = rows.logarithms, rows.inverse_roots
        for lane in lanes:
            state = row_at(arms_of, own_of, user.n_arms, lane, logarithms, inverse_roots)
            rng = generator_at((streams[lane], draws[0], draws[1], draws[2]))
            if draws_means:
                for arm in range(user.n_arms):
                    state.means[arm] = mean(rng)
                best_arms[lane] = move_best(state.means, gap, rng)
                if best_arms[lane] == lost:
                    return int(lane)
            best_means[lane] = state.means[best_arms[lane]]
            start(user, state, rng)
        return lost

    names = {
        "row_at": row_at,
        "generator_at": generator_at,
        "mean": mean,
        "move_best": move_best,
        "start": start,
        "lost": lost,
    }
    loop: Callable[..., int] = compile_loop(begin, names)
    return loop


@functools.cache
def compiled_respond(rule: Rule) -> Callable[..., bool]:
    """Return the compiled loop of one step in many lanes."""
    respond, ahead = rules.respond, AHEAD

    def respond_in_lanes(
        user: Any,
        rows: Any,
        best_means: Any,
        streams: Any,
        draws: Any,
        lanes: Any,
        arms: Any,
        reward: int,
        responses: Any,
        rewards: Any,
        interactions: Any,
        acceptances: Any,
        rejections: Any,
    ) -> bool:
        n_strangers = 0
        for place in range(arms.size):
            n_strangers += (arms[place] < 0) | (arms[place] >= user.n_arms)
        if n_strangers > 0:
            return False
        arms_of, own_of = rows.arms.ctypes.data, rows.own.ctypes.data
        logarithms, inverse_roots = rows.logarithms, rows.inverse_roots
        for place in range(lanes.size):
            if place + ahead < lanes.size:
                coming = lanes[place + ahead]
                witness = witness_at(own_of, coming)
                prefetch(memory_of_arm(arms_of, user.n_arms, coming, arms[coming]))
                prefetch(memory_of_arm(arms_of, user.n_arms, coming, witness))
                prefetch(streams[coming])
                prefetch(streams[coming] + 40)
            lane = lanes[place]
            arm = arms[lane]
            state = row_at(arms_of, own_of, user.n_arms, lane, logarithms, inverse_roots)
            rng = generator_at((streams[lane], draws[0], draws[1], draws[2]))
            accepted = respond(user, state, rule, arm, rng)
            responses[lane] = accepted
            rewards[lane] = reward_of(
                reward, state.means[arm], best_means[lane], accepted, state.reward[0]
            )
            interactions[lane] = state.interactions[0]
            acceptances[lane] = state.acceptances[0]
            rejections[lane] = state.interactions[0] - state.acceptances[0]
        return True

    names = {
        "row_at": row_at,
        "witness_at": witness_at,
        "memory_of_arm": memory_of_arm,
        "generator_at": generator_at,
        "prefetch": prefetch,
        "respond": respond,
        "rule": rule,
        "reward_of": reward_of,
        "ahead": ahead,
    }
    loop: Callable[..., bool] = compile_loop(respond_in_lanes, names)
    return loop
