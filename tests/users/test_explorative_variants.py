"""One user, however she is computed: tables of any length, a look at all arms, compiled code.

Every variant must give the same responses and leave the same state, to the bit.
"""

import math
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared import compiled_run

from explorative_user_env.compiled.arrays import as_arrays, user_arrays, user_tuple
from explorative_user_env.compiled.loops import make_run
from explorative_user_env.population import Population
from explorative_user_env.protocol import Algorithm
from explorative_user_env.settings import SETTINGS, Setting
from explorative_user_env.users import explorative as rules
from explorative_user_env.users.confidence import Schedule, acceptance_rate_rule, constant
from explorative_user_env.users.number_tables import number_tables
from explorative_user_env.users.reward_laws import Stream
from explorative_user_env.users.state import User, UserState, blank_state

Play = Callable[[Sequence[float], np.random.Generator], Generator[int, bool, None]]

TABLES = ("logarithms", "inverse_roots")
SHORT_CUT = ("ceiling", "ceiling_spread", "witness")
"""What only `rejects` keeps, for its short cut."""

LENGTHS = (0, 1, 50, 8192)
N_ARMS = (2, 5, 8, 9, 20)
RHO = (None, 1.0)


def random_play(means: Sequence[float], rng: np.random.Generator) -> Generator[int, bool, None]:
    while True:
        yield int(rng.integers(len(means)))


def best_pair(means: Sequence[float], rng: np.random.Generator) -> Generator[int, bool, None]:
    first, second = np.argsort(means)[-2:].tolist()
    while True:
        yield first
        yield second


def until_rejected(means: Sequence[float], rng: np.random.Generator) -> Generator[int, bool, None]:
    arm = 0
    while True:
        accepted = yield arm
        if not accepted:
            arm = (arm + 1) % len(means)


def round_robin(means: Sequence[float], rng: np.random.Generator) -> Generator[int, bool, None]:
    arm = 0
    while True:
        yield arm
        arm = (arm + 1) % len(means)


PLAYS: tuple[Play, ...] = (random_play, best_pair, until_rejected, round_robin)


class Coarse:
    """Few different rewards, so that bounds meet to the bit where Gamma is zero."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.random = rng.random
        self._rng = rng

    def standard_normal(self) -> float:
        return float(self._rng.integers(-1, 2))


class Life(NamedTuple):
    """What a user answered, sqrt(Gamma) after each answer, and what she was in the end."""

    responses: list[bool]
    spreads: list[float]
    left: dict[str, list[float]]


def life(
    setting: Setting,
    means: Sequence[float],
    play: Play,
    n_steps: int,
    rho: Schedule | float | None = None,
    noise: float = 0.0,
    seed: int = 0,
    tables: Mapping[str, Any] | None = None,
    stream: Callable[[np.random.Generator], Stream] = lambda rng: rng,
) -> Life:
    options: dict[str, Any] = {"noise": noise, "rho": rho}
    population = Population(setting=setting, n_arms=len(means), **options)
    user, schedule = population.user, population.schedule
    state = replace(blank_state(user), **(tables or {}))
    state.means[:] = means
    rng = stream(np.random.default_rng(seed))
    rules.start(user, state, rng)
    arms = play(means, np.random.default_rng(seed + 1))
    responses: list[bool] = []
    spreads: list[float] = []
    arm = next(arms)
    for _ in range(n_steps):
        responses.append(rules.respond(user, state, schedule.rule, arm, rng))
        spreads.append(state.spread[0])
        arm = arms.send(responses[-1])
    return Life(responses, spreads, left_of(state, TABLES))


def left_of(state: Any, without: Sequence[str]) -> dict[str, list[float]]:
    names = [field.name for field in fields(UserState) if field.name not in without]
    return {name: np.asarray(getattr(state, name)).tolist() for name in names}


def drawn(n_arms: int) -> list[float]:
    means: list[float] = np.random.default_rng(n_arms).standard_normal(n_arms).tolist()
    return means


def equal(n_arms: int) -> list[float]:
    return [0.0] * n_arms


@pytest.mark.parametrize("rho", RHO)
@pytest.mark.parametrize("play", PLAYS)
@pytest.mark.parametrize("means_of", [drawn, equal])
def test_tables_of_any_length_give_the_same_life(
    setting: Setting, means_of: Callable[[int], list[float]], play: Play, rho: float | None
) -> None:
    for n_arms in N_ARMS:
        one, *others = (
            life(setting, means_of(n_arms), play, 600, rho, tables=number_tables(length)._asdict())
            for length in LENGTHS
        )
        assert others == [one] * len(others)


@pytest.mark.parametrize("play", [best_pair, until_rejected])
def test_a_life_goes_on_beyond_the_end_of_its_tables(setting: Setting, play: Play) -> None:
    computed, *looked_up = (
        life(setting, [1.0, 0.5], play, 20_000, tables=number_tables(length)._asdict())
        for length in (0, 8192, 2**16)
    )
    assert max(computed.left["counts"]) > 8192
    assert looked_up == [computed] * 2


def test_what_is_in_the_tables_is_what_is_used(setting: Setting) -> None:
    # Otherwise the tests above would compare lives that look nothing up.
    right = life(setting, [1.0, 0.5], round_robin, 600)
    for name, values in number_tables(8192)._asdict().items():
        wrong = {name: [1.5 * value for value in values]}
        assert life(setting, [1.0, 0.5], round_robin, 600, tables=wrong) != right


def by_definition(user: User, state: UserState, arm: int) -> bool:
    """Some j != i with lcb_j >= ucb_i (or > where the setting is strict), by looking at all."""
    bar = rules.ucb(state, arm)
    bounds = [rules.lcb(state, other) for other in range(user.n_arms) if other != arm]
    return any(bound >= bar if user.rejects_ties else bound > bar for bound in bounds)


def without_short_cut(one: Life) -> Life:
    left = {name: values for name, values in one.left.items() if name not in SHORT_CUT}
    return one._replace(left=left)


def lives_with_and_without_short_cut(
    monkeypatch: pytest.MonkeyPatch, *arguments: Any, **named: Any
) -> tuple[Life, Life]:
    quick = life(*arguments, **named)
    with monkeypatch.context() as patch:
        patch.setattr(rules, "rejects", by_definition)
        plain = life(*arguments, **named)
    assert plain.left["ceiling_spread"] == [math.inf]  # nothing here was decided by the short cut
    return without_short_cut(quick), without_short_cut(plain)


@pytest.mark.parametrize("noise", [0.0, 0.2])
@pytest.mark.parametrize("rho", RHO)
@pytest.mark.parametrize("play", PLAYS)
@pytest.mark.parametrize("means_of", [drawn, equal])
def test_a_user_who_looks_at_all_arms_lives_the_same_life(
    setting: Setting,
    means_of: Callable[[int], list[float]],
    play: Play,
    rho: float | None,
    noise: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # `life` asks about nothing but what is recommended: another question would renew the ceiling.
    for n_arms in N_ARMS:
        quick, plain = lives_with_and_without_short_cut(
            monkeypatch, setting, means_of(n_arms), play, 1200, rho, noise
        )
        assert quick == plain


@pytest.mark.parametrize("rho", [None, 0.05, 1.0])
def test_the_lives_compared_have_both_answers_and_gammas_of_zero(
    setting: Setting, rho: float | None
) -> None:
    responses, spreads, _ = life(setting, drawn(8), random_play, 1200, rho)
    assert 20 < sum(responses) < 1180
    assert (0.0 in spreads) == (rho is not None)
    assert max(spreads) > 1.0


def rising_and_falling(parameters: tuple[float, ...], n: int, t: int, n_arms: int) -> float:
    """A rho_t whose Gamma falls by a little at most steps, and by a lot at some."""
    return 4.0 - 3.0 * ((t % 40) / 40) if t % 200 > 5 else 0.01


@pytest.mark.parametrize("play", PLAYS)
def test_also_while_gamma_rises_and_falls(
    setting: Setting, play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    rho = Schedule(rising_and_falling, 0.01, 4.0)
    for n_arms in N_ARMS:
        quick, plain = lives_with_and_without_short_cut(
            monkeypatch, setting, drawn(n_arms), play, 1200, rho, 0.1
        )
        assert quick == plain


@pytest.mark.parametrize("play", PLAYS)
def test_also_where_bounds_meet(
    setting: Setting, play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n_arms in N_ARMS:
        for seed in range(20):
            quick, plain = lives_with_and_without_short_cut(
                monkeypatch, setting, equal(n_arms), play, 60, 0.001, 0.2, seed, stream=Coarse
            )
            assert quick == plain


def test_the_bounds_of_coarse_rewards_meet_often(setting: Setting) -> None:
    n_meeting = 0
    for seed in range(100):
        moment = life(setting, equal(5), random_play, 20, 0.001, 0.2, seed, stream=Coarse)
        estimates, counts = moment.left["estimates"], moment.left["counts"]
        seen = [mean for mean, count in zip(estimates, counts, strict=True) if count]
        n_meeting += seen.count(max(seen)) > 1
    assert n_meeting > 5


@given(
    name=st.sampled_from(sorted(SETTINGS)),
    means=st.lists(st.sampled_from([0.0, 0.0, 0.1, 1.0, -2.0]), min_size=2, max_size=9),
    play=st.sampled_from(PLAYS),
    rho=st.sampled_from([None, 0.05, 1.0, 3.0]),
    noise=st.sampled_from([0.0, 0.3, 1.0]),
    seed=st.integers(0, 2**32),
)
def test_all_variants_agree_for_anyone(
    name: str, means: list[float], play: Play, rho: float | None, noise: float, seed: int
) -> None:
    arguments = (SETTINGS[name], means, play, 200, rho, noise, seed)
    one = life(*arguments)
    assert all(life(*arguments, number_tables(length)._asdict()) == one for length in LENGTHS)
    with pytest.MonkeyPatch.context() as patch:
        quick, plain = lives_with_and_without_short_cut(patch, *arguments)
    assert quick == plain


def in_history(setting: Setting, n_arms: int, n: int, t: int) -> tuple[User, UserState]:
    population = Population(setting=setting, n_arms=n_arms)
    user = population.user
    state = blank_state(user)
    state.acceptances[0], state.interactions[0], state.refreshed[0] = n, t, t
    return user, state


def assert_logarithm_is_of_rho_n(user: User, state: UserState) -> None:
    rho = rules.rho(user, state, acceptance_rate_rule)
    counted = rules.log_confidence(user, state, acceptance_rate_rule)
    expected = math.log(rho * state.acceptances[0])
    assert user.counted
    assert math.isclose(counted, expected, rel_tol=1e-12, abs_tol=1e-12)
    uncounted = rules.log_confidence(replace(user, counted=False), state, acceptance_rate_rule)
    assert uncounted == expected


@given(t=st.integers(1, 10**7), share=st.floats(0, 1), n_arms=st.integers(2, 1000))
@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_the_logarithm_from_counts_is_that_of_rho_times_n(
    name: str, t: int, share: float, n_arms: int
) -> None:
    n = max(1, int(share * t))
    assert_logarithm_is_of_rho_n(*in_history(SETTINGS[name], n_arms, n, t))


def test_the_logarithm_from_counts_is_right_at_the_edges(setting: Setting) -> None:
    for n, t in ((1, 1), (1, 2), (2, 2), (1, 10**9), (10**9, 10**9), (4095, 4096), (4096, 4096)):
        assert_logarithm_is_of_rho_n(*in_history(setting, 2, n, t))


@pytest.mark.parametrize("play", PLAYS)
@pytest.mark.parametrize("alpha", [0.3, 1.0])
def test_the_intervals_in_play_are_those_of_the_logarithm(
    setting: Setting, play: Play, alpha: float
) -> None:
    means = drawn(5)
    population = Population(setting=setting, n_arms=5, alpha=alpha)
    user, schedule = population.user, population.schedule
    state, rng = blank_state(user), np.random.default_rng(0)
    state.means[:] = means
    rules.start(user, state, rng)
    arms = play(means, np.random.default_rng(1))
    arm = next(arms)
    for _ in range(6000):  # beyond the tables' end
        arm = arms.send(rules.respond(user, state, schedule.rule, arm, rng))
        assert_logarithm_is_of_rho_n(user, state)
        logarithm = rules.log_confidence(user, state, schedule.rule)
        assert state.spread[0] == math.sqrt(2.0 * alpha * logarithm)


# The plays above as an algorithm, so that compiled code can play them.

RANDOM, PAIR, STAY, TURN = range(4)


class PlayParams(NamedTuple):
    n_arms: int
    kind: int


class PlayState(NamedTuple):
    arm: list[int]
    accepted: list[int]


def prepare(options: Mapping[str, Any], n_arms: int, horizon: int | None) -> PlayParams:
    return PlayParams(n_arms, int(options["kind"]))


def blank(params: PlayParams) -> PlayState:
    return PlayState([0], [0] * params.n_arms)


def start(params: PlayParams, state: PlayState, rng: np.random.Generator) -> None:
    state.arm[0] = 0
    for arm in range(params.n_arms):
        state.accepted[arm] = 0


def act(params: PlayParams, state: PlayState, rng: np.random.Generator) -> int:
    if params.kind == RANDOM:
        state.arm[0] = int(rng.random() * params.n_arms)
    return state.arm[0]


def observe(params: PlayParams, state: PlayState, arm: int, accepted: bool) -> None:
    if accepted:
        state.accepted[arm] += 1
    if params.kind == PAIR:
        state.arm[0] = 1 - arm
    elif params.kind == TURN or not accepted:
        state.arm[0] = (arm + 1) % params.n_arms


def verdict(params: PlayParams, state: PlayState, rng: np.random.Generator) -> int:
    return state.arm[0]


ADVERSARY = Algorithm(
    name="adversary",
    prepare=prepare,
    blank=blank,
    start=start,
    act=act,
    observe=observe,
    verdict=verdict,
    defaults={"kind": RANDOM},
    stops_itself=False,
)


class CompiledOrNot(NamedTuple):
    figures: tuple[int, int, int, bool]
    user: dict[str, list[float]]
    accepted: list[int]
    streams: list[Any]


def long_life(
    setting: Setting,
    means: Sequence[float],
    kind: int,
    n_steps: int,
    rho: float | None,
    compiled: bool,
    table_length: int,
) -> CompiledOrNot:
    schedule = None if rho is None else constant(rho)
    population = Population(setting=setting, n_arms=len(means), rho=schedule)
    user, schedule = population.user, population.schedule
    params = PlayParams(len(means), kind)
    rngs = [np.random.default_rng(seed) for seed in (3, 4)]
    tables = number_tables(table_length)._asdict()
    numbers, state = user, replace(blank_state(user), **tables)
    own: Any = blank(params)
    run = make_run(ADVERSARY, schedule.rule)
    if compiled:
        arrays = {name: np.array(values, float) for name, values in tables.items()}
        numbers, state = user_tuple(user), user_arrays(user)._replace(**arrays)
        own = as_arrays(own)
        run = compiled_run(ADVERSARY, schedule.rule)
    state.means[:] = means
    figures = run(numbers, state, rngs[0], params, own, rngs[1], n_steps)
    accepted = np.asarray(own.accepted).tolist()
    states = [rng.bit_generator.state for rng in rngs]
    return CompiledOrNot(figures, left_of(state, TABLES), accepted, states)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("means", "rho", "kind"),
    [
        ([0.5, 0.45, 0.0, -0.3, -1.0], None, PAIR),
        ([0.5, 0.45, 0.0, -0.3, -1.0], None, RANDOM),
        ([0.0] * 9, 1.0, STAY),
    ],
)
def test_a_long_life_is_the_same_compiled_and_plain_with_and_without_short_cut(
    setting: Setting,
    means: list[float],
    kind: int,
    rho: float | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    arguments = (setting, means, kind, 100_000, rho)
    fast = [long_life(*arguments, compiled=True, table_length=length) for length in LENGTHS]
    assert fast == [fast[0]] * len(LENGTHS)
    assert sum(fast[0].figures[:2]) == 100_000
    assert long_life(*arguments, compiled=False, table_length=8192) == fast[0]
    monkeypatch.setattr(rules, "rejects", by_definition)
    plain = long_life(*arguments, compiled=False, table_length=0)
    for name in SHORT_CUT:
        del plain.user[name], fast[0].user[name]
    assert plain == fast[0]
