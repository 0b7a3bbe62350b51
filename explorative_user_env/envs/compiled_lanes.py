"""Lanes in compiled code, which apply the rules of the single environment to rows of arrays."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from explorative_user_env.envs.lanes import Lanes, Step
from explorative_user_env.envs.user import REWARDS, reward_of
from explorative_user_env.kernels import compiler
from explorative_user_env.kernels import intrinsics as ops
from explorative_user_env.kernels.compiler import compile_loop, once
from explorative_user_env.kernels.intrinsics import MEAN, generator_at, row_at, row_of, with_law
from explorative_user_env.protocol import Array
from explorative_user_env.users import model as rules
from explorative_user_env.users.hidden_state import HiddenState, hidden_state_of
from explorative_user_env.users.instances import Instance, InstanceLaw, draw_means, instances_of
from explorative_user_env.users.model import RewardDraw, Rule
from explorative_user_env.users.population import Population
from explorative_user_env.validation import CallableError, is_external

#: The loop prefetches the memory of the user this many lanes ahead.
AHEAD = 5

#: The offset of a second prefetch in a PCG64, whose state is bytes 16 to 47 after its address: the
#: end of the state is often in the next cache line.
IN_GENERATOR = 40

MeanDraw = Callable[[np.random.Generator], float]


def no_mean(rng: np.random.Generator) -> float:
    """Return 0 in place of a mean, because the caller has already set the means."""
    return 0.0


@once
def compiled_begin(mean: MeanDraw, custom_law: RewardDraw) -> Callable[..., None]:
    """Return the compiled loop that starts new users in lanes; `mean` draws each mean."""
    start = rules.start

    def begin(arrays: Any, lanes: Any, draws_means: bool, drawing: tuple[float, ...]) -> None:
        numbers, rows, best_arms, best_means, streams, draws = arrays
        user = with_law(numbers, custom_law)
        arms_at, users_at = rows.arms.ctypes.data, rows.users.ctypes.data
        logarithms, inverse_roots = rows.logarithms, rows.inverse_roots
        for lane in lanes:
            state = row_at(arms_at, users_at, user.n_arms, lane, logarithms, inverse_roots)
            rng = generator_at((streams[lane], draws[0], draws[1], draws[2]))
            if draws_means:
                # The drawn means are small, so second best mean + gap never rounds to that mean.
                best_arms[lane] = draw_means(state.means, mean, drawing, rng)
            best_means[lane] = state.means[best_arms[lane]]
            start(user, state, rng)

    loop: Callable[..., None] = compile_loop(begin)
    return loop


@once
def compiled_respond(rule: Rule, custom_law: RewardDraw) -> Callable[..., bool]:
    """Return the compiled loop over lanes for one step."""
    respond, ahead, in_generator = rules.respond, AHEAD, IN_GENERATOR
    memory_of_arm, prefetch, witness_at = ops.memory_of_arm, ops.prefetch, ops.witness_at

    def respond_in_lanes(arrays: Any, lanes: Any, arms: Any, reward: int, step: Any) -> bool:
        numbers, rows, _, best_means, streams, draws = arrays
        responses, rewards, interactions, acceptances, _ = step
        user = with_law(numbers, custom_law)
        n_invalid = 0
        for place in range(arms.size):
            n_invalid += (arms[place] < 0) | (arms[place] >= user.n_arms)
        if n_invalid > 0:
            return False
        arms_at, users_at = rows.arms.ctypes.data, rows.users.ctypes.data
        logarithms, inverse_roots = rows.logarithms, rows.inverse_roots
        for place in range(lanes.size):
            if place + ahead < lanes.size:
                coming = lanes[place + ahead]
                witness = witness_at(users_at, coming)
                prefetch(memory_of_arm(arms_at, user.n_arms, coming, arms[coming]))
                prefetch(memory_of_arm(arms_at, user.n_arms, coming, witness))
                prefetch(streams[coming])
                prefetch(streams[coming] + in_generator)
            lane = lanes[place]
            arm = arms[lane]
            state = row_at(arms_at, users_at, user.n_arms, lane, logarithms, inverse_roots)
            rng = generator_at((streams[lane], draws[0], draws[1], draws[2]))
            accepted = respond(user, state, rule, arm, rng)
            mean, realized = state.means[arm], state.reward[0]
            responses[lane] = accepted
            rewards[lane] = reward_of(reward, mean, best_means[lane], accepted, realized)
            interactions[lane] = state.interactions[0]
            acceptances[lane] = state.acceptances[0]
        return True

    loop: Callable[..., bool] = compile_loop(respond_in_lanes)
    return loop


class CompiledLanes(Lanes):
    """Lanes of explorative users in compiled code; all `rngs` have the same bit generator class."""

    compiled = True
    _loop: Callable[..., bool] | None = None  # compiled at the first step after a reset

    def _make(self, reward: str, horizon: int) -> None:
        n_lanes = len(self._rngs)
        self._user, self._rule = self._population.user, self._population.schedule.rule
        self._law, self._reward = self._user.law.compiled_in, REWARDS.index(reward)
        self._numbers = rules.user_tuple(self._user)
        self._rows = ops.user_rows(self._user, n_lanes)
        self._best_arms, self._best_means = np.zeros(n_lanes, int), np.zeros(n_lanes)
        self._all = np.arange(n_lanes)
        self._streams, self._draws = ops.addresses_of_all(self._rngs)

    @property
    def rngs(self) -> list[np.random.Generator]:
        """The random streams of the lanes, in their present states."""
        return self._rngs

    def reseed(self, lane: int, rng: np.random.Generator) -> None:
        """Give the next user of `lane` a random stream that continues from the state of `rng`."""
        self._rngs[lane].bit_generator.state = rng.bit_generator.state

    def begin(self, lanes: Array, law: InstanceLaw | Sequence[InstanceLaw]) -> None:
        """Draw new users in these lanes, from one law of instances or one law for each lane."""
        if isinstance(law, InstanceLaw) and law.named is not None:
            loop = compiled_begin(law.named.one, self._law)
            self._run(loop, lanes, True, (law.scale, law.gap or 0.0, law.gap_factor))
        else:
            instances = []
            for place, lane in enumerate(lanes.tolist()):
                lane_law = law if isinstance(law, InstanceLaw) else law[place]
                try:
                    instances.append(lane_law.draw(self._rngs[lane]))
                except Exception as error:
                    where = f"while drawing {self._label(lane)}"
                    raise self._population.failure(error, where, lane_law) from error
            self._rows.arms[lanes, :, MEAN // 8] = [instance.means for instance in instances]
            self._best_arms[lanes] = [instance.best_arm for instance in instances]
            self._run(compiled_begin(no_mean, self._law), lanes, False, (1.0, 0.0, 1.0))
        self._loop = None

    def respond(self, lanes: Array | None, arms: Array, step: Step) -> bool:
        """Recommend arm `arms[b]` in lane b, for each b in `lanes`; see `Lanes.respond`."""
        loop = self._loop = self._loop or compiled_respond(self._rule, self._law)
        moved = self._all if lanes is None else lanes
        valid: bool = self._run(loop, moved, arms, self._reward, step)
        return valid

    def _run(self, loop: Callable[..., Any], lanes: Array, *arguments: Any) -> Any:
        """Run a compiled loop; if it fails, raise an error that names the cause and the user."""
        known = (self._numbers, self._rows, self._best_arms, self._best_means)
        try:
            return loop((*known, self._streams, self._draws), lanes, *arguments)
        except Exception as error:
            user = self._user
            for lane in lanes.tolist():
                row = row_of(self._rows, lane)
                t, reward = row.interactions[0], row.reward[0]
                where = f"{f'at step {t} of' if t else 'while drawing'} {self._label(lane)}"
                learned = row.acceptances[0] + user.private_draws * user.n_arms
                if user.reward_law == rules.CUSTOM and row.counts.sum() != learned:
                    wrong = error if np.isfinite(reward) else self._population.not_finite(reward)
                    what = f"reward_law {user.law.name!r}"
                    raise CallableError.of(what, wrong, where) from error
                try:
                    rules.rho(user, row, self._rule)  # raises the error again, in plain Python
                except Exception as other:
                    raise self._population.failure(other, where) from other
            raise

    def instances(self) -> tuple[Instance, ...]:
        """Return the true means and best arm of every user."""
        return instances_of(self._rows.arms[:, :, MEAN // 8], self._best_arms)

    def best_arms(self, lanes: Array) -> Array:
        """Return the best arms of the users in these lanes."""
        return self._best_arms[lanes]

    def hidden_state(self, lane: int) -> HiddenState:
        """Return the hidden state of the user in a lane."""
        row = row_of(self._rows, lane)
        fields = {name: getattr(row, name).tolist() for name in row._fields[:-2]}
        state = rules.UserState(**fields, logarithms=[], inverse_roots=[])
        instance = Instance(tuple(state.means), int(self._best_arms[lane]))
        rho = rules.rho(self._user, state, self._rule)
        return hidden_state_of(self._user, state, instance, rho)

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_rows": (self._rows.arms, self._rows.users), "_loop": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._rows = ops.user_rows(self._user, len(self._rngs))
        self._rows.arms[:], self._rows.users[:] = state["_rows"]
        self._streams, self._draws = ops.addresses_of_all(self._rngs)  # the copies' addresses


def rule_compiles(population: Population, rng: np.random.Generator) -> bool:
    """Return whether the loop of a step compiles, and warn if it does not."""
    errors: tuple[type[Exception], ...] = (*compiler.errors_of_compiling(), ValueError)
    lanes = CompiledLanes(population, "none", [rng])
    try:
        lanes.respond(np.zeros(0, int), np.zeros(1, int), Step.blank(1))
    except CallableError:  # from a function that the caller declared as compilable
        raise
    except errors as error:
        rule, law = population.schedule.rule, population.user.law
        custom = {"the rule of rho_t": rule, f"reward_law {law.name!r}": law.draw}
        parts = [part for part, function in custom.items() if is_external(function)]
        code = " or ".join(parts) or "the loop of a step"
        warnings.warn(f"{code} does not compile: {compiler.short(error)}", stacklevel=5)
        return False
    return True
