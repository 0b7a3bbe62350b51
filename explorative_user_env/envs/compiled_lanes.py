"""Many users in step in compiled code: the same rules, on the rows of arrays."""

import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from explorative_user_env.envs.lanes import Lanes, Step, in_lane
from explorative_user_env.envs.user import REWARDS, reward_of
from explorative_user_env.kernels.compiler import compile_loop, errors_of_compiling, once, short
from explorative_user_env.kernels.words import (
    MEAN,
    OWN_BYTES,
    WITNESS,
    addresses_of_all,
    counts_at,
    generator_at,
    memory_of_arm,
    prefetch,
    row_at,
    row_of,
    user_rows,
    with_law,
)
from explorative_user_env.protocol import Array
from explorative_user_env.users import model as rules
from explorative_user_env.users.hidden_state import HiddenState, hidden_state_of
from explorative_user_env.users.instances import Instance, InstanceLaw, draw_means, instances_of
from explorative_user_env.users.model import (
    OWN,
    RewardDraw,
    Rule,
    StateTuple,
    UserState,
    rho,
    user_tuple,
)
from explorative_user_env.users.population import Population
from explorative_user_env.validation import CallableError

#: How many lanes ahead a user's memory is prefetched, so that the step need not wait for it.
AHEAD = 5

#: A place in the last of a PCG64's 32 bytes, which begin 16 behind its address; they are often in
#: the next line of the cache.
IN_GENERATOR = 40


def no_mean(rng: np.random.Generator) -> float:
    """Return 0: the means are there already."""
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
                witness = counts_at(own_of + coming * OWN_BYTES + WITNESS, 1)[0]
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
        return True

    loop: Callable[..., bool] = compile_loop(respond_in_lanes)
    return loop


class CompiledLanes(Lanes):
    """The lanes in compiled code.

    Args:
        population: the users, who are explorative.
        reward: the reward, one of `REWARDS`.
        rngs: a stream for each lane, all of the same kind of bit generator.
        who: returns in words the user in a lane.
    """

    compiled = True
    _loop: Callable[..., bool] | None = None  # of a step, from the first after a reset on

    def __init__(
        self,
        population: Population,
        reward: str,
        rngs: Iterable[np.random.Generator],
        who: Callable[[int], str] = in_lane,
    ) -> None:
        self._rngs, self._population, self._who = list(rngs), population, who
        self._user, self._rule = population.user, population.schedule.rule
        self._reward = REWARDS.index(reward)
        self._law = self._user.own_law.compiled_in
        self._numbers = user_tuple(self._user)
        self._rows = user_rows(self._user, len(self._rngs))
        self._best_arms = np.zeros(len(self._rngs), int)
        self._best_means = np.zeros(len(self._rngs))
        self._all = np.arange(len(self._rngs))
        self._streams, self._draws = addresses_of_all(self._rngs)

    @property
    def rngs(self) -> list[np.random.Generator]:
        """The streams, each where its user is."""
        return self._rngs

    def reseed(self, lane: int, rng: np.random.Generator) -> None:
        """Let the next user of `lane` have a stream that goes on where `rng` is."""
        self._rngs[lane].bit_generator.state = rng.bit_generator.state

    def begin(self, lanes: Array, law: InstanceLaw | Sequence[InstanceLaw]) -> None:
        """Put new users in these lanes, with instances of one law or of a law each."""
        if isinstance(law, InstanceLaw) and law.named is not None:
            self._start(lanes, law.named.one, True, law.scale, law.gap or 0.0, law.gap_factor)
            return
        instances = []
        for place, lane in enumerate(lanes.tolist()):
            hers = law if isinstance(law, InstanceLaw) else law[place]
            try:
                instances.append(hers.draw(self._rngs[lane]))
            except Exception as error:
                where = f"at the start of {self._who(lane)}"
                raise self._population.failure(error, where, hers) from error
        self._rows.arms[lanes, :, MEAN // 8] = [instance.means for instance in instances]
        self._best_arms[lanes] = [instance.best_arm for instance in instances]
        self._start(lanes, no_mean, False, 1.0, 0.0, 1.0)

    def _start(
        self, lanes: Array, mean: Callable[[np.random.Generator], float], *drawing: Any
    ) -> None:
        """Let new users start in these lanes, their means drawn by `mean` or there already."""
        loop, self._loop = compiled_begin(mean, self._law), None
        hers = (self._numbers, self._rows, self._best_arms, self._best_means)
        try:
            loop(*hers, self._streams, self._draws, lanes, *drawing)
        except Exception as error:
            self._explain(lanes, error)
            raise

    def respond(self, lanes: Array | None, arms: Array, step: Step) -> bool:
        """Recommend arms[b] in these lanes (None: all) and fill in the step."""
        heard = self._all if lanes is None else lanes
        loop = self._loop = self._loop or compiled_respond(self._rule, self._law)
        hers = (self._numbers, self._rows, self._best_means, self._streams, self._draws)
        try:
            return loop(*hers, heard, arms, self._reward, *step[:-1])
        except Exception as error:
            self._explain(heard, error)
            raise

    def _explain(self, lanes: Array, error: Exception) -> None:
        """Raise the error of the reward or the rho_t that stopped compiled code, lane by lane."""
        user = self._user
        for lane in lanes.tolist():
            row = row_of(self._rows, lane)
            t, reward = row.interactions[0], row.reward[0]
            where = f"{f'at step {t}' if t else 'at the start'} of {self._who(lane)}"
            learned = row.acceptances[0] + user.private_draws * user.n_arms
            if user.reward_law == OWN and row.counts.sum() != learned:
                wrong = error if np.isfinite(reward) else self._population.not_finite(reward)
                what = f"reward_law {user.own_law.name!r}"
                raise CallableError.of(what, wrong, where) from error
            try:
                rho(user, row, self._rule)  # again, in plain Python
            except Exception as other:
                raise self._population.failure(other, where) from other

    def instances(self) -> tuple[Instance, ...]:
        """Return the true means and the best arm of every user."""
        return instances_of(self._rows.arms[:, :, MEAN // 8], self._best_arms)

    def best_arms(self, lanes: Array) -> Array:
        """Return the best arms of the users in these lanes."""
        return self._best_arms[lanes]

    def hidden_state(self, lane: int) -> HiddenState:
        """Return the truth about a user."""
        row = row_of(self._rows, lane)
        fields = {name: getattr(row, name).tolist() for name in StateTuple._fields[:-2]}
        state = UserState(**fields, logarithms=[], inverse_roots=[])
        instance = Instance(tuple(state.means), int(self._best_arms[lane]))
        return hidden_state_of(self._user, state, self._rule, instance)

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_rows": (self._rows.arms, self._rows.own), "_loop": None}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        vars(self).update(kept)
        self._rows = user_rows(self._user, len(self._rngs))
        self._rows.arms[:], self._rows.own[:] = kept["_rows"]
        self._streams, self._draws = addresses_of_all(self._rngs)  # elsewhere in a copy


def rule_compiles(population: Population, rng: np.random.Generator) -> bool:
    """Compile the loop of a step, with no lanes to step in; warn of what does not compile."""
    error = _uncompiled(population, rng)
    if error is None:
        return True
    rho, law = {"rho": population.schedule}, population.user.own_law
    parts: dict[str, dict[str, Any]] = {
        "the loop of users in step": {},
        "the rule of rho_t": rho,
        f"reward_law {law.name!r}": rho | {"reward_law": law},
    }
    kinds = ((part, Population(n_arms=population.n_arms, **each)) for part, each in parts.items())
    part = next(part for part, users in kinds if _uncompiled(users, rng) is not None)
    warnings.warn(f"{part} does not compile: {short(error)}", stacklevel=5)
    return False


def _uncompiled(population: Population, rng: np.random.Generator) -> Exception | None:
    """Return why the loop of a step does not compile, None if it does."""
    lanes = CompiledLanes(population, "none", [rng])
    errors: tuple[type[Exception], ...] = (*errors_of_compiling(), ValueError)
    try:
        lanes.respond(np.zeros(0, int), np.zeros(1, int), Step.blank(1))
    except CallableError:  # of a function that its caller says compiles
        raise
    except errors as error:
        return error
    return None
