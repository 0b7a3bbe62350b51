"""The explorative user: her intervals, her decision, and how she learns (paper, section 2).

Plain scalar functions for one user. Her state is a record of lists, a number that changes being a
list of one; the same functions run on arrays when they are compiled. Nothing here knows of
Gymnasium or of agents.
"""

from math import inf, isfinite, log, sqrt

from explorative_user_env.users.confidence import Rule
from explorative_user_env.users.reward_laws import OWN, Stream, draw_reward
from explorative_user_env.users.state import UNSEEN, User, UserState

__all__ = ["lcb", "learn", "log_confidence", "realize", "rejects", "respond", "rho", "start", "ucb"]

CEILING_SLACK = 0.99
"""A ceiling is found for this share of sqrt(Gamma), so that it outlives a small fall."""


def start(user: User, state: UserState, rng: Stream) -> None:
    """Make `state` a new user's, whose `means` are set; she takes her private draws, if any."""
    clear(user, state)
    for _ in range(user.private_draws):
        for arm in range(user.n_arms):
            learn(state, arm, realize(user, state, arm, rng))


def clear(user: User, state: UserState) -> None:
    """Make `state` that of a user who has seen nothing yet."""
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

    With `rejects_ties` off the comparison is strict, as in the released code. The decision is that
    of a look at every arm, mostly without one: a ceiling on all lcb_j, which only falls as Gamma
    grows, settles most acceptances, and the arm that had the largest lcb most rejections. Rounding
    is monotone, so no decision differs by a bit.
    """
    # The two bounds are written out: each call of a function is a twentieth of a step.
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
    """Decide by the definition, and find a new ceiling that holds while Gamma falls a little."""
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
        ValueError: if a law of one's own draws what is no finite number.
    """
    mean = state.means[arm]
    if user.reward_law != OWN:
        return draw_reward(user.reward_law, mean, rng)
    reward = user.own_law(mean, rng)
    if not isfinite(reward):
        state.reward[0] = reward  # for whoever asks what it was
        raise ValueError("a reward is no finite number")
    return float(1 * reward)  # the compiler's float() takes no truth value


def learn(state: UserState, arm: int, reward: float) -> None:
    """Take a realized reward into n_i and the empirical mean."""
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
        rule: the rule of rho_t (see `confidence.Schedule`).
        arm: the recommended arm, 0..K-1.
        rng: the user's stream.
        wants: what a user of another kind decides before click noise (see
            `users.behaviour`); None is what this one does, who `rejects`.

    Raises:
        ValueError: if rho_t leaves the range declared for it, or a reward is no finite number.
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
    """Return a decision, or with the probability `noise` a coin flip in its place."""
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
        ValueError: if it leaves the range declared for it.
    """
    if state.refreshed[0] == 0:
        return user.rho_at_start
    current = rule(user.rho_parameters, state.acceptances[0], state.refreshed[0], user.n_arms)
    if not user.rho_0 <= current <= user.rho_1:
        raise ValueError("rho_t left the range [rho_0, rho_1] declared for its schedule")
    return current
