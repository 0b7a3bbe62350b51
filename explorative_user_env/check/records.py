"""Checks of objects of the classes `Algorithm`, `Behaviour`, `Schedule` and `RewardLaw`."""

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from explorative_user_env.agents import AlgorithmAgent
from explorative_user_env.check import agents, checks, environments
from explorative_user_env.check.agents import NOISY, SCRIPTED_STEPS, expect_compiled
from explorative_user_env.check.checks import FailedCheckError, Kind, Subject, expect, register
from explorative_user_env.envs.user import ExplorativeUserEnv
from explorative_user_env.protocol import Algorithm
from explorative_user_env.seeding import user_generator
from explorative_user_env.users.model import RewardLaw, Schedule, UserState, as_arrays
from explorative_user_env.users.population import SETTINGS, Population
from explorative_user_env.validation import InvalidArgumentError, is_real

# Algorithms

FEW_ARMS = (2, 5)  # every K that the checks of algorithms run with


class _OnOneState(AlgorithmAgent):
    """An agent that creates its state object once and reuses it in all runs with equal params."""

    needs_horizon = True
    _params: Any = None

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        before, self._rng, self._params = self._params, rng, self.params(n_arms, horizon)
        if self._params != before:
            self._state = self.algorithm.blank(self._params)
        self.algorithm.start(self._params, self._state, rng)


def _on_one_state(subject: Subject) -> Subject:
    return replace(subject, make=lambda: _OnOneState(subject.make(), {}))


def validates_its_options(subject: Subject) -> None:
    """The function `prepare` raises InvalidArgumentError for an option with an invalid value."""
    algorithm: Algorithm = subject.make()
    for option in {*algorithm.defaults} - {"max_steps"}:  # AlgorithmAgent checks max_steps
        try:
            algorithm.prepare({**algorithm.defaults, option: object()}, 5, SCRIPTED_STEPS)
        except InvalidArgumentError:
            continue
        raise FailedCheckError(f"the function prepare must raise an error for {option}=object()")


def has_only_numbers(subject: Subject) -> None:
    """The params are a NamedTuple of numbers; the state is a NamedTuple of lists of numbers."""
    for n_arms in FEW_ARMS:
        agent, again = (_OnOneState(subject.make(), {}) for _ in range(2))
        for each in (agent, again):
            each.reset(n_arms, np.random.default_rng(subject.seed), SCRIPTED_STEPS)
        params: Any = agent._params
        numbers = all(isinstance(each, bool | int | float) for each in params)
        named = hasattr(params, "_fields") and numbers
        expect(named, f"params are {params!r}, must be a NamedTuple of numbers")
        expect(params == again._params, f"params are {params!r} and then {again._params!r}")
        for when in ("initial", "used"):
            seen = f"the {when} state is {agent._state!r}, must be a NamedTuple"
            expect(hasattr(agent._state, "_fields"), seen)
            try:
                as_arrays(agent._state)
            except TypeError as error:
                raise FailedCheckError(f"the {when} state is invalid: {error}") from error
            agents.run_of(agent, agents.Situation(n_arms, subject.seed, horizon=SCRIPTED_STEPS))


def start_resets_the_state(subject: Subject) -> None:
    """After other runs, `start` resets the state to the values of a new state."""
    agents.forgets_other_users(_on_one_state(subject))


def state_is_complete(subject: Subject) -> None:
    """The functions of the algorithm depend on params, state and rng only."""
    agents.repeats_with_the_same_stream(_on_one_state(subject))
    agents.shares_no_state(_on_one_state(subject))
    agents.copies_continue_alike(_on_one_state(subject))


def stops_by_its_horizon(subject: Subject) -> None:
    """If stops_itself is False, the agent stops at the horizon."""
    algorithm: Algorithm = subject.make()
    checks.applies(not algorithm.stops_itself, "it stops by itself")
    for n_arms in FEW_ARMS:
        more = (agents.ACCEPTING, SCRIPTED_STEPS + 1, SCRIPTED_STEPS)
        situation = agents.Situation(n_arms, subject.seed, *more)
        run = agents.run_of(AlgorithmAgent(algorithm, {}), situation)
        seen = f"it {'stopped' if run.stopped else 'had not stopped'} after {len(run.arms)} steps"
        right = run.stopped and len(run.arms) == SCRIPTED_STEPS
        expect(right, f"{seen}, must stop after {SCRIPTED_STEPS}", situation)


def compiled_rules_equal_python(subject: Subject) -> None:
    """The algorithm's functions compile; compiled runs are bit-identical to plain Python."""
    for n_arms in FEW_ARMS:
        agent = AlgorithmAgent(subject.make(), {})
        expect_compiled(Population(n_arms=n_arms, **NOISY), subject.seed, agent)


register(globals(), Kind.ALGORITHM)

# Users

#: Recommendations to each user.
USER_STEPS = 150


def _populations(subject: Subject) -> Iterator[Population]:
    """Yield populations with few and many arms, with and without noise."""
    options: dict[str, Any] = {"alpha": 0.1, "behaviour": subject.make(), "gap": 0.3}
    for n_arms, noise, law in ((2, 0.0, "gaussian"), (5, 0.2, "bounded"), (30, 0.0, "bernoulli")):
        yield Population(n_arms=n_arms, noise=noise, reward_law=law, **options)


def _steps(population: Population, seed: int) -> Iterator[tuple[Any, Any, UserState, str]]:
    """Yield the response, the result of `leaves()`, the state and a description of each step."""
    user, behaviour, rule = population.user, population.behaviour, population.schedule.rule
    rng, state = user_generator(seed), behaviour.blank(user)
    state.means[:] = population.instance_law.draw(rng).means
    behaviour.start(user, state, rng)
    arms = np.random.default_rng(seed).integers(population.n_arms, size=USER_STEPS)
    for number, arm in enumerate(arms, 1):
        accepted = behaviour.respond(user, state, rule, int(arm), rng)
        leaves = behaviour.leaves and behaviour.leaves(user, state, accepted, rng)
        yield accepted, leaves, state, f"at step {number}: K = {len(state.means)}, seed {seed}"


def responds_true_or_false(subject: Subject) -> None:
    """The functions `respond` and `leaves` return True or False at every step."""
    for population in _populations(subject):
        for accepted, leaves, _, when in _steps(population, subject.seed):
            for what, value in (("respond", accepted), ("leaves", leaves)):
                right = value is None or isinstance(value, bool | np.bool_)
                expect(right, f"{what} returned {value!r}, must be True or False", when)


def counts_responses(subject: Subject) -> None:
    """The state's n(t) and t count the acceptances and the recommendations."""
    for population in _populations(subject):
        expected = 0
        for number, (accepted, _, state, when) in enumerate(_steps(population, subject.seed), 1):
            expected += accepted
            n, t = state.acceptances[0], state.interactions[0]
            seen = f"n(t) is {n} and t is {t}, must be {expected} and {number}"
            expect((n, t) == (expected, number), seen, when)


def keeps_the_means(subject: Subject) -> None:
    """The user's true means stay constant, unless moves_means is True."""
    checks.applies(not subject.make().moves_means, "its moves_means is True")
    for population in _populations(subject):
        means = [*population.instance_law.draw(user_generator(subject.seed)).means]
        for _, _, state, when in _steps(population, subject.seed):
            expect([*state.means] == means, "means moved, but moves_means is False", when)


def follows_from_the_user_seed(subject: Subject) -> None:
    """The seed alone determines the user; earlier users, the clock and global streams do not."""
    for users in _populations(subject):
        env = replace(subject, make=partial(ExplorativeUserEnv, population=users))
        environments.replays_from_a_seed(env, USER_STEPS)


def user_state_is_complete(subject: Subject) -> None:
    """A deepcopy or pickle of a user continues like the original and does not change it."""
    for users in _populations(subject):
        env = replace(subject, make=partial(ExplorativeUserEnv, population=users))
        environments.continues_as_a_copy(env, USER_STEPS)


def compiled_users_equal_python(subject: Subject) -> None:
    """If the behaviour compiles, compiled users are bit-identical to users in plain Python."""
    for population in _populations(subject):
        expect_compiled(population, subject.seed)


register(globals(), Kind.BEHAVIOUR)

# Schedules

#: The values of t and K at which rho_t is checked.
TIMES, NUMBERS_OF_ARMS = (*range(1, 40), 100, 10_000, 1_000_000), (2, 5, 1000)


def _values(schedule: Schedule) -> Iterator[tuple[tuple[int, int, int], Any]]:
    """Yield rho_t for many n(t), t and K."""
    for n_arms, t in product(NUMBERS_OF_ARMS, TIMES):
        for n in sorted({0, min(1, t), t // 3, t - 1, t}):
            yield (n, t, n_arms), schedule.rule(schedule.parameters, n, t, n_arms)


def stays_in_its_range(subject: Subject) -> None:
    """rho_t is a number in [rho_0, rho_1] for every n(t), t and K."""
    schedule: Schedule = subject.make()
    for counts, value in _values(schedule):
        allowed = f"a number in [{schedule.rho_0:g}, {schedule.rho_1:g}], its declared range"
        right = is_real(value) and schedule.rho_0 <= value <= schedule.rho_1
        expect(right, f"rho_t is {value!r} at n(t), t, K = {counts}, must be {allowed}")


def depends_only_on_counts(subject: Subject) -> None:
    """rho_t depends only on the parameters, n(t), t and K, not on earlier calls."""
    schedule: Schedule = subject.make()
    with checks.global_streams_unchanged("in rho_t"):
        first = dict(_values(schedule))
    with checks.other_global_state(1):
        for counts, value in reversed(first.items()):
            again = schedule.rule(schedule.parameters, *counts)
            expect(again == value, f"rho_t is {value} at n(t), t, K = {counts}, and then {again}")


def runs_under_every_setting(subject: Subject) -> None:
    """Users with this schedule respond without errors in the settings `printed` and `released`."""
    for setting, n_arms in product(SETTINGS.values(), (2, 20)):
        users = Population(setting=setting, n_arms=n_arms, rho=subject.make(), alpha=0.1)
        list(_steps(users, subject.seed))


def compiled_schedule_equals_python(subject: Subject) -> None:
    """If the schedule compiles, compiled users are bit-identical to users in plain Python."""
    expect_compiled(Population(rho=subject.make(), **NOISY), subject.seed)


register(globals(), Kind.SCHEDULE)

# Laws of rewards

#: Rewards drawn for each mean.
DRAWN_REWARDS = 20_000

#: Means to check if the law allows them; the ends of its range are checked too.
TRIED_MEANS = (-2.0, -0.5, 0.0, 0.3, 0.7, 1.5, 4.0)


def _means(law: RewardLaw) -> list[float]:
    low, high = law.range_of_means
    tried = [low, *TRIED_MEANS, high, (low + high) / 2.0]  # infinite ones are left out below
    return sorted({mean for mean in tried if low <= mean <= high and math.isfinite(mean)})


def _rewards(law: RewardLaw, mean: float, seed: int, n_draws: int = DRAWN_REWARDS) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.fromiter((float(law(mean, rng)) for _ in range(n_draws)), float, n_draws)


def draws_finite_numbers(subject: Subject) -> None:
    """Every reward is a finite number."""
    law: RewardLaw = subject.make()
    for mean in _means(law):
        rng = np.random.default_rng(subject.seed)
        for place in range(1, DRAWN_REWARDS // 10):
            reward = law(mean, rng)
            right = is_real(reward) or isinstance(reward, bool | np.bool_)
            seen = f"draw {place} around mean {mean:g} is {reward!r}, must be a finite number"
            expect(right and math.isfinite(reward), seen, f"seed {subject.seed}")


def has_the_requested_mean(subject: Subject) -> None:
    """The average of many rewards differs from the requested mean by chance only."""
    law: RewardLaw = subject.make()
    means = _means(law)
    # Hoeffding: an error of x or more has probability at most 2 exp(-n x^2 / 2).
    width = math.sqrt(2.0 * math.log(2.0 * len(means) / checks.FALSE_ALARM) / DRAWN_REWARDS)
    for mean in means:
        average = float(_rewards(law, mean, subject.seed).mean())
        seen = f"the average reward is {average:.4g}, must be {mean:g} +- {width:.2g}"
        expect(abs(average - mean) <= width, seen, f"seed {subject.seed}")


def has_variance_at_most_one(subject: Subject) -> None:
    """The variance of rewards is at most 1, as for a sub-Gaussian law with parameter 1."""
    from scipy.optimize import brentq

    law: RewardLaw = subject.make()
    means = _means(law)
    # The square of a 1-sub-Gaussian variable has at most the exponential moments of a squared
    # normal: P(average >= 1 + x) <= exp(-n (x - log(1 + x)) / 2).
    chance = math.log(len(means) / checks.FALSE_ALARM)
    most = 1.0 + brentq(lambda x: DRAWN_REWARDS * (x - math.log1p(x)) / 2.0 - chance, 1e-9, 10.0)
    for mean in means:
        variance = float(((_rewards(law, mean, subject.seed) - mean) ** 2).mean())
        seen = f"the variance around mean {mean:g} is {variance:.4g}, must be at most {most:.3g}"
        expect(variance <= most, seen, f"seed {subject.seed}")


def draws_only_from_its_stream(subject: Subject) -> None:
    """The random stream alone determines the rewards; earlier draws and global streams do not."""
    law: RewardLaw = subject.make()
    for mean in _means(law):
        with checks.global_streams_unchanged(f"mean {mean:g}"):
            wanted = _rewards(law, mean, subject.seed, 200)
        with checks.other_global_state(1):
            same = np.array_equal(_rewards(law, mean, subject.seed, 200), wanted)
        expect(same, f"the same stream gave other rewards of mean {mean:g} in a second call")


def compiled_law_equals_python(subject: Subject) -> None:
    """Compiled users with this law are bit-identical to users in plain Python."""
    law: RewardLaw = subject.make()
    low, high = law.range_of_means
    usual = [mean for mean in (0.05, 0.25, 0.45, 0.85) if low <= mean <= high]
    means = tuple(usual if len(usual) > 1 else _means(law))
    users = Population(n_arms=len(means), means=means, reward_law=law, **NOISY)
    expect_compiled(users, subject.seed)


register(globals(), Kind.REWARD_LAW)
