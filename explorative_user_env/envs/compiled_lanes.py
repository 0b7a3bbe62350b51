"""Many users in step, one a lane, in compiled code: the same rules, on the rows of arrays."""

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from explorative_user_env.envs.lanes import STEP_KINDS, Lanes, Step, drawn_in, in_lane
from explorative_user_env.envs.user import reward_of
from explorative_user_env.kernels.arrays import StateTuple, user_tuple
from explorative_user_env.kernels.compiler import compile_loop, errors_of_compiling, once, short
from explorative_user_env.kernels.words import (
    MEAN,
    addresses_of_all,
    generator_at,
    memory_of_arm,
    prefetch,
    row_at,
    row_of,
    user_rows,
    with_law,
    witness_at,
)
from explorative_user_env.protocol import Array
from explorative_user_env.users import model as rules
from explorative_user_env.users.behaviours import (
    EXPLORATIVE,
    failed_response,
    law_in_words,
    not_finite,
)
from explorative_user_env.users.hidden_state import HiddenState, hidden_state_of
from explorative_user_env.users.instances import Instance, InstanceLaw, draw_means, instances_of
from explorative_user_env.users.laws import ACCEPTANCE_RATE, GAUSSIAN_LAW, OWN, RewardDraw, Rule
from explorative_user_env.users.model import User, UserState, rho
from explorative_user_env.validation import CallableError

AHEAD = 5
"""How many lanes before its turn a user's memory is asked for; it takes the wait off the step."""

IN_GENERATOR = 40
"""The numbers of a PCG64 are the 32 bytes from 16 behind its address on; this is in the last ones,
which often are in the next line of the cache."""


def no_mean(rng: np.random.Generator) -> float:
    """Return nothing: the means are there already."""
    return 0.0


@once
def compiled_begin(
    mean: Callable[[np.random.Generator], float], own_law: RewardDraw
) -> Callable[..., None]:
    """Return the compiled loop that puts new users in lanes, with means drawn by `mean`."""
    start = rules.start

    def begin(
        numbers: Any,
        rows: Any,
        best_arms: Any,
        best_means: Any,
        streams: Any,
        draws: Any,
        lanes: Any,
        draws_means: bool,
        scale: float,
        gap: float,
        gap_factor: float,
    ) -> None:
        user = with_law(numbers, own_law)
        arms_of, own_of = rows.arms.ctypes.data, rows.own.ctypes.data
        logarithms, inverse_roots = rows.logarithms, rows.inverse_roots
        for lane in lanes:
            state = row_at(arms_of, own_of, user.n_arms, lane, logarithms, inverse_roots)
            rng = generator_at((streams[lane], draws[0], draws[1], draws[2]))
            if draws_means:
                # No named law loses its gap.
                best_arms[lane] = draw_means(state.means, mean, scale, gap, gap_factor, rng)
            best_means[lane] = state.means[best_arms[lane]]
            start(user, state, rng)

    loop: Callable[..., None] = compile_loop(begin)
    return loop


@once
def compiled_respond(rule: Rule, own_law: RewardDraw) -> Callable[..., bool]:
    """Return the compiled loop of one step in many lanes."""
    respond, ahead, in_generator = rules.respond, AHEAD, IN_GENERATOR

    def respond_in_lanes(
        numbers: Any,
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
        user = with_law(numbers, own_law)
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
                prefetch(streams[coming] + in_generator)
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

    loop: Callable[..., bool] = compile_loop(respond_in_lanes)
    return loop


class CompiledLanes(Lanes):
    """The lanes in compiled code.

    Args:
        user: the numbers of every user.
        rule: the rule of rho_t.
        reward: which reward, its place in `rewards.REWARDS`.
        rngs: a stream for each lane, all of the same kind of bit generator.
        who: tells in words whom a failure in a lane is about.
    """

    compiled = True

    def __init__(
        self,
        user: User,
        rule: Rule,
        reward: int,
        rngs: Iterable[np.random.Generator],
        who: Callable[[int], str] = in_lane,
    ) -> None:
        self.rngs = list(rngs)
        self._user, self._rule, self._reward, self._who = user, rule, reward, who
        self._law = user.own_law.compiled_in
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
        if law.named is None:
            instances = drawn_in(lanes, law, self.rngs, self._user, EXPLORATIVE, self._who)
            self.begin_with(lanes, instances, law)
        else:
            self._start(lanes, law.named.one, True, law)

    def begin_with(self, lanes: Array, instances: Sequence[Instance], law: InstanceLaw) -> None:
        """Put new users with these instances in these lanes."""
        self._rows.arms[lanes, :, MEAN // 8] = [instance.means for instance in instances]
        self._best_arms[lanes] = [instance.best_arm for instance in instances]
        self._start(lanes, no_mean, False, law)

    def _start(
        self,
        lanes: Array,
        mean: Callable[[np.random.Generator], float],
        draws_means: bool,
        law: InstanceLaw,
    ) -> None:
        """Let new users start in these lanes, their means drawn by `mean` or there already."""
        loop = compiled_begin(mean, self._law)
        hers = (self._numbers, self._rows, self._best_arms, self._best_means)
        theirs = (self._streams, self._draws, lanes)
        try:
            loop(*hers, *theirs, draws_means, law.scale, law.gap or 0.0, law.gap_factor)
        except Exception as error:
            self._tell_of_law(lanes, error)
            raise

    def respond(self, lanes: Array | None, arms: Array, step: Step) -> bool:
        """Recommend arms[b] in these lanes (None: all) and fill in what comes of it."""
        heard = self._all if lanes is None else lanes
        respond = compiled_respond(self._rule, self._law)
        hers = (self._numbers, self._rows, self._best_means, self._streams, self._draws)
        try:
            return respond(*hers, heard, arms, self._reward, *step[: len(STEP_KINDS)])
        except Exception as error:
            self._tell_of_law(heard, error)
            self._tell_of_rho(heard)
            raise

    def _tell_of_law(self, lanes: Array, error: Exception) -> None:
        """Raise what is wrong with a reward, if its law is none of the package's."""
        if self._user.reward_law != OWN:
            return
        for lane in lanes.tolist():
            row = row_of(self._rows, lane)
            drawn = row.acceptances[0] + self._user.private_draws * self._user.n_arms
            if row.counts.sum() == drawn:
                continue  # she has learned from all of them
            t, reward = row.interactions[0], row.reward[0]
            when = f"at step {t} of" if t else "at the start of"
            wrong = error if np.isfinite(reward) else not_finite(self._user, reward)
            where = f"{when} {self._who(lane)}"
            raise CallableError.of(law_in_words(self._user), wrong, where) from error

    def _tell_of_rho(self, lanes: Array) -> None:
        """Ask for rho_t again in plain Python, lane by lane, and raise what is wrong with it."""
        for lane in lanes.tolist():
            row = row_of(self._rows, lane)
            try:
                rho(self._user, row, self._rule)
            except Exception as error:
                where = f"at step {row.interactions[0]} of {self._who(lane)}"
                raise failed_response(error, self._user, self._rule, EXPLORATIVE, where) from error

    def best_arms(self, lanes: Array) -> Array:
        """Return the best arms of the users in these lanes."""
        return self._best_arms[lanes]

    def instances(self) -> tuple[Instance, ...]:
        """Return the true means and the best arm of every user."""
        return instances_of(self._rows.arms[:, :, MEAN // 8], self._best_arms)

    def hidden_state(self, lane: int) -> HiddenState:
        """Return the truth about a user."""
        row = row_of(self._rows, lane)
        fields = {name: getattr(row, name).tolist() for name in StateTuple._fields[:-2]}
        state = UserState(**fields, logarithms=[], inverse_roots=[])
        instance = Instance(tuple(state.means), int(self._best_arms[lane]))
        return hidden_state_of(self._user, state, self._rule, instance)

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_rows": (self._rows.arms, self._rows.own)}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        """Lay out the memory of a copy, whose streams are elsewhere."""
        vars(self).update(kept)
        self._rows = user_rows(self._user, len(self.rngs))
        self._rows.arms[:], self._rows.own[:] = kept["_rows"]
        self._streams, self._draws = addresses_of_all(self.rngs)


def rule_compiles(user: User, rule: Rule, rng: np.random.Generator) -> bool:
    """Compile the loops of a step, with no lanes to step in; warn of what does not compile.

    That is `rule`, or the user's reward law; or nothing does, as where numba is told so.
    """
    error = _uncompiled(user, rule, rng)
    if error is None:
        return True
    usual = replace(user, reward_law=GAUSSIAN_LAW.place, own_law=GAUSSIAN_LAW)
    whose = "the rule of rho_t"
    if _uncompiled(usual, ACCEPTANCE_RATE.rule, rng) is not None:
        whose = "the loop of users in step"
    elif user.reward_law == OWN and _uncompiled(usual, rule, rng) is None:
        whose = law_in_words(user)
    warnings.warn(f"{whose} does not compile: {short(error)}", stacklevel=5)
    return False


def _uncompiled(user: User, rule: Rule, rng: np.random.Generator) -> Exception | None:
    """Return why the loops of a step do not compile, None if they do."""
    nothing = np.zeros(0, int)
    lanes = CompiledLanes(user, rule, 0, [rng])
    errors: tuple[type[Exception], ...] = (*errors_of_compiling(), ValueError)
    try:
        lanes.respond(nothing, np.zeros(1, int), Step.blank(1))
    except CallableError:  # of who was told that it compiles
        raise
    except errors as error:
        return error
    return None
