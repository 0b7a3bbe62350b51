"""The explorative user: her intervals, her decision, and how she learns (paper, section 2).

Plain scalar functions of one user. Her state is a record of lists; a number that changes is a list
of one. Compiled, the same functions run on arrays.
"""

from dataclasses import dataclass, fields
from math import inf, isfinite, log, sqrt
from numbers import Integral
from typing import Any

from explorative_user_env.protocol import STEP_CAP
from explorative_user_env.users.laws import OWN, RewardLaw, Rule, Stream, draw_reward, number_tables
from explorative_user_env.validation import InvalidArgumentError, integer

__all__ = ["lcb", "learn", "log_confidence", "realize", "rejects", "respond", "rho", "start", "ucb"]

UNSEEN = inf
"""1/sqrt(n_i) of an arm without a reward; test n_i = 0 to recognise such an arm."""

SHORT_TABLES = 2**13
"""The length of the tables: enough for four thousand steps of a user in plain Python."""

MOST_ARMS = STEP_CAP
"""The largest K; a user of ten million arms takes 1.6 GB and seconds to start."""


def number_of_arms(n_arms: Any) -> int:
    """Return K as an int in 2..`MOST_ARMS`."""
    if isinstance(n_arms, Integral) and int(n_arms) > MOST_ARMS:
        allowed = f"at most {MOST_ARMS}, as many as a run has steps"
        raise InvalidArgumentError("n_arms", n_arms, allowed)
    return integer("n_arms", n_arms, 2)


@dataclass(frozen=True, slots=True)
class User:
    """The numbers of a kind of user, which do not change.

    Attributes:
        n_arms: K, in 2..1000000.
        alpha: willingness to explore, above 0; scales Gamma.
        noise: p in [0, 1], the probability that a decision is a coin flip (click noise).
        reward_law: the place of her reward law in `laws.REWARD_LAWS`; 0 is N(mu, 1).
        own_law: the law itself, which draws if `reward_law` is `laws.OWN`.
        least_mean: the least mean of that law, or -inf.
        largest_mean: the largest mean of that law, or inf.
        rejects_ties: whether lcb_j = ucb_i rejects i (>=) or not (>).
        private_draws: rewards of every arm before the first recommendation. They are in n_i and in
            the mean, not in n(t).
        least_n: n(t) counts as at least this much in Gamma, 0 or 1.
        refreshes_on_rejection: whether rho_t follows every response or acceptances only.
        rho_at_start: rho_t before the first response.
        rho_0: the declared least value of rho_t.
        rho_1: the declared largest value of rho_t.
        rho_parameters: numbers for the rule of rho_t.
        counted: whether rho_t = 1 + (n(t) + prior_acceptances)/(t + prior_interactions) with whole
            numbers, so that log(rho_t n(t)) is a sum of logarithms from a table.
        prior_acceptances: a whole number, at most prior_interactions.
        prior_interactions: a whole number.
    """

    n_arms: int
    alpha: float
    noise: float
    reward_law: int
    own_law: RewardLaw
    least_mean: float
    largest_mean: float
    rejects_ties: bool
    private_draws: int
    least_n: int
    refreshes_on_rejection: bool
    rho_at_start: float
    rho_0: float
    rho_1: float
    rho_parameters: tuple[float, ...]
    counted: bool
    prior_acceptances: int
    prior_interactions: int


@dataclass(frozen=True, slots=True)
class UserState:
    """What the user knows and has done; `means` is the truth, which she does not know."""

    means: list[float]  # mu_i
    estimates: list[float]  # hat mu_i
    counts: list[int]  # n_i, private draws included
    scales: list[float]  # 1/sqrt(n_i)
    acceptances: list[int]  # [n(t)]
    interactions: list[int]  # [t]
    refreshed: list[int]  # [the t whose rho_t is in force, 0 before the first]
    spread: list[float]  # [sqrt(Gamma)]
    reward: list[float]  # [the reward realized last, 0 if the last response was a rejection]
    ceiling: list[float]  # [U >= every lcb_j, while sqrt(Gamma) is at least `ceiling_spread`]
    ceiling_spread: list[float]
    witness: list[int]  # [the arm with the largest lcb when U was last found]
    logarithms: list[float]
    inverse_roots: list[float]


@dataclass(frozen=True, slots=True)
class RememberingState(UserState):
    """The state of a user whose behaviour has a memory (see `behaviours.Behaviour`)."""

    memory: list[float]


def blank_state(user: User, memory: list[float] | None = None) -> UserState:
    """Return a state of the right size, to be filled by `start`."""
    tables = number_tables(SHORT_TABLES)
    state = UserState(
        means=[0.0] * user.n_arms,
        estimates=[0.0] * user.n_arms,
        counts=[0] * user.n_arms,
        scales=[UNSEEN] * user.n_arms,
        acceptances=[0],
        interactions=[0],
        refreshed=[0],
        spread=[0.0],
        reward=[0.0],
        ceiling=[-inf],
        ceiling_spread=[inf],
        witness=[0],
        logarithms=tables.logarithms,
        inverse_roots=tables.inverse_roots,
    )
    if not memory:
        return state
    known = {each.name: getattr(state, each.name) for each in fields(state)}
    return RememberingState(**known, memory=memory)


CEILING_SLACK = 0.99
"""A ceiling is computed for this share of sqrt(Gamma), so that it holds while Gamma falls a bit."""


def start(user: User, state: UserState, rng: Stream) -> None:
    """Make `state` that of a new user, with `means` set already, and take her private draws."""
    clear(user, state)
    for _ in range(user.private_draws):
        for arm in range(user.n_arms):
            learn(state, arm, realize(user, state, arm, rng))


def clear(user: User, state: UserState) -> None:
    """Make `state` that of a user before any reward."""
    for arm in range(user.n_arms):
        state.estimates[arm] = 0.0
        state.counts[arm] = 0
        state.scales[arm] = UNSEEN
    state.ceiling[0] = -inf
    state.ceiling_spread[0] = inf
    state.witness[0] = 0
    state.acceptances[0] = 0
    state.interactions[0] = 0
    state.refreshed[0] = 0
    state.reward[0] = 0.0
    state.spread[0] = spread_of(user.alpha, user.rho_at_start, user.least_n)


def spread_of(alpha: float, rho_now: float, n: int) -> float:
    """Return sqrt(Gamma), Gamma = max(0, 2 alpha log(rho_t n(t))) (paper, Eq. 1); 0 for no n(t)."""
    return sqrt(max(0.0, 2.0 * alpha * log(rho_now * n))) if n > 0 else 0.0


def lcb(state: UserState, arm: int) -> float:
    """Return lcb_i = hat mu_i - sqrt(Gamma / n_i); -inf for an arm never seen."""
    if state.counts[arm] == 0:
        return -inf
    return state.estimates[arm] - state.spread[0] * state.scales[arm]


def ucb(state: UserState, arm: int) -> float:
    """Return ucb_i = hat mu_i + sqrt(Gamma / n_i); inf for an arm never seen."""
    if state.counts[arm] == 0:
        return inf
    return state.estimates[arm] + state.spread[0] * state.scales[arm]


def rejects(user: User, state: UserState, arm: int) -> bool:
    """Return whether another arm is clearly better: some j != i with lcb_j >= ucb_i.

    With `rejects_ties` off the comparison is strict, as in the released code. Most decisions need
    no look at every arm: a ceiling on all lcb_j, which only falls as Gamma grows, settles most
    acceptances, and the arm that had the largest lcb most rejections. Rounding is monotone, so
    decisions are those of the full comparison, bit for bit.
    """
    # The two bounds are written out: each function call is a twentieth of a step.
    spread = state.spread[0]
    bar = state.estimates[arm] + spread * state.scales[arm] if state.counts[arm] > 0 else inf
    if bar > state.ceiling[0] and spread >= state.ceiling_spread[0]:
        return False
    witness = state.witness[0]
    if witness != arm and state.counts[witness] > 0:
        bound = state.estimates[witness] - spread * state.scales[witness]
        if bound > bar or (bound == bar and user.rejects_ties):
            return True
    return _look_at_all(user, state, arm, bar)


def _look_at_all(user: User, state: UserState, arm: int, bar: float) -> bool:
    """Decide by the definition, and compute a new ceiling."""
    estimates, scales, counts = state.estimates, state.scales, state.counts
    spread = state.spread[0]
    lower_spread = CEILING_SLACK * spread
    ceiling = -inf
    largest = -inf
    strongest_rival = -inf
    for other in range(user.n_arms):
        if counts[other] == 0:
            continue
        bound = estimates[other] - spread * scales[other]
        if bound > largest:
            largest = bound
            state.witness[0] = other
        if other != arm and bound > strongest_rival:
            strongest_rival = bound
        bound = estimates[other] - lower_spread * scales[other]
        if bound > ceiling:
            ceiling = bound
    state.ceiling[0] = ceiling
    state.ceiling_spread[0] = lower_spread
    return strongest_rival > bar or (strongest_rival == bar and user.rejects_ties)


def realize(user: User, state: UserState, arm: int, rng: Stream) -> float:
    """Return a reward of `arm`, drawn around its mean.

    Raises:
        ValueError: if a law of the caller draws anything but a finite number.
    """
    mean = state.means[arm]
    if user.reward_law != OWN:
        return draw_reward(user.reward_law, mean, rng)
    reward = user.own_law(mean, rng)
    if not isfinite(reward):
        state.reward[0] = reward  # for the message
        raise ValueError("a reward is no finite number")
    return float(1 * reward)  # the compiler's float() takes no truth value


def learn(state: UserState, arm: int, reward: float) -> None:
    """Add a realized reward to n_i and the empirical mean."""
    n = state.counts[arm] + 1
    roots = state.inverse_roots
    scale = roots[n] if n < len(roots) else 1.0 / sqrt(n)
    estimate = state.estimates[arm]
    estimate += (reward - estimate) / n
    state.counts[arm] = n
    state.estimates[arm] = estimate
    state.scales[arm] = scale
    spread = state.ceiling_spread[0]
    if spread < inf:
        bound = estimate - spread * scale
        if bound > state.ceiling[0]:
            state.ceiling[0] = bound


def respond(
    user: User, state: UserState, rule: Rule, arm: int, rng: Stream, wants: bool | None = None
) -> bool:
    """Decide on a recommendation of `arm`, learn from it if accepted, and return the decision.

    Args:
        user: the numbers of this user.
        state: changed in place.
        rule: the rule of rho_t (see `laws.Schedule`).
        arm: the recommended arm, 0..K-1.
        rng: the stream of this user.
        wants: the decision of another behaviour, before click noise; None is that of `rejects`.

    Raises:
        ValueError: if rho_t leaves its declared range, or a reward is not finite.
    """
    accepted = not rejects(user, state, arm) if wants is None else wants
    if user.noise > 0.0:
        accepted = with_noise(accepted, user.noise, rng)
    t = state.interactions[0] + 1
    state.interactions[0] = t
    n = state.acceptances[0]
    if accepted:
        n += 1
        state.acceptances[0] = n
        reward = state.means[arm]
        # The package's laws are written out as well: see `rejects`.
        if user.reward_law == OWN:
            reward = realize(user, state, arm, rng)
        elif user.reward_law:
            reward = draw_reward(user.reward_law, reward, rng)
        else:
            reward += rng.standard_normal()
        state.reward[0] = reward
        learn(state, arm, reward)
    else:
        state.reward[0] = 0.0
        if not user.refreshes_on_rejection:
            return False

    # Gamma = max(0, 2 alpha log(rho_t n(t))), paper, Eq. 1; mostly from the table.
    state.refreshed[0] = t
    logarithms = state.logarithms
    seen = t + user.prior_interactions
    both = seen + n + user.prior_acceptances
    if user.counted and n > 0 and both < len(logarithms):
        logarithm = logarithms[n] + (logarithms[both] - logarithms[seen])
    else:
        logarithm = log_confidence(user, state, rule)
    state.spread[0] = sqrt(2.0 * user.alpha * logarithm) if logarithm > 0.0 else 0.0
    return accepted


def with_noise(accepted: bool, noise: float, rng: Stream) -> bool:
    """Return the decision, or a coin flip with probability `noise`."""
    return rng.random() < 0.5 if rng.random() < noise else accepted


def log_confidence(user: User, state: UserState, rule: Rule) -> float:
    """Return log(rho_t n(t)) for the rho_t in force, 0 while n(t) = 0."""
    n = max(state.acceptances[0], user.least_n)
    if user.counted and state.acceptances[0] > 0:
        # rho_t n = n (seen + accepted) / seen: whole numbers, whose logarithms can be in a table.
        seen = state.refreshed[0] + user.prior_interactions
        return log(n) + (log(seen + n + user.prior_acceptances) - log(seen))
    current = rho(user, state, rule)
    return log(current * n) if n > 0 else 0.0


def rho(user: User, state: UserState, rule: Rule) -> float:
    """Return the rho_t in force.

    Raises:
        ValueError: if it leaves its declared range.
    """
    if state.refreshed[0] == 0:
        return user.rho_at_start
    current = rule(user.rho_parameters, state.acceptances[0], state.refreshed[0], user.n_arms)
    if not user.rho_0 <= current <= user.rho_1:
        raise ValueError("rho_t left the range [rho_0, rho_1] declared for its schedule")
    return current
