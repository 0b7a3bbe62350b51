"""Users who differ: each has an alpha, a rho, click noise and a gap of her own."""

from explorative_user_env.users import explorative as rules
from explorative_user_env.users.behaviour import Behaviour
from explorative_user_env.users.confidence import Rule
from explorative_user_env.users.laws_of_means import around_one
from explorative_user_env.users.reward_laws import Stream
from explorative_user_env.users.sizes import at_least_one
from explorative_user_env.users.state import RememberingState, User
from explorative_user_env.users.worded import worded
from explorative_user_env.validation import probability

ALPHA_FACTOR, MOST_NOISE, OWN_ALPHA, OWN_RHO, OWN_NOISE = range(5)
"""The places in her memory: the two parameters, then what is hers."""


@worded
def varied(alpha_factor: float = 2.0, noise: float = 0.2, gap_factor: float = 1.5) -> Behaviour:
    """Return the behaviour of users each of whom is the paper's with numbers of her own.

    What is said of all of them is their middle. At her start each user draws

    - her alpha, log-uniform in [alpha / alpha_factor, alpha * alpha_factor];
    - her rho_t, which stays as it is: uniform in [rho_0, rho_1] of the schedule of rho_t, which is
      [1, 2] unless another is given;
    - her own click noise, uniform in [0, noise], on top of everybody's;

    and before these, with her means, her gap: log-uniform in [gap / gap_factor, gap * gap_factor].
    Agents are told of the middle alone.

    Args:
        alpha_factor: at least 1.
        noise: in [0, 1].
        gap_factor: at least 1.
    """
    factor = at_least_one("alpha_factor", alpha_factor)
    return Behaviour(
        "varied",
        start=varied_start,
        respond=varied_respond,
        parameters=(factor, probability("noise", noise)),
        memory=3,
        rho=varied_rho,
        gap_factor=at_least_one("gap_factor", gap_factor),
    )


def varied_start(user: User, state: RememberingState, rng: Stream) -> None:
    """Draw what is hers alone; else as `explorative.start`."""
    memory = state.memory
    memory[OWN_ALPHA] = user.alpha * around_one(memory[ALPHA_FACTOR], rng)
    memory[OWN_RHO] = user.rho_0 + (user.rho_1 - user.rho_0) * rng.random()
    memory[OWN_NOISE] = memory[MOST_NOISE] * rng.random()
    rules.start(user, state, rng)
    widen(user, state)


def varied_respond(user: User, state: RememberingState, rule: Rule, arm: int, rng: Stream) -> bool:
    """Decide with her own noise, respond as `explorative.respond`, and widen by her own rho."""
    wants = rules.with_noise(not rules.rejects(user, state, arm), state.memory[OWN_NOISE], rng)
    accepted = rules.respond(user, state, rule, arm, rng, wants)
    widen(user, state)
    return accepted


def widen(user: User, state: RememberingState) -> None:
    """Give her intervals their width."""
    n = max(state.acceptances[0], user.least_n)
    state.spread[0] = rules.spread_of(state.memory[OWN_ALPHA], state.memory[OWN_RHO], n)


def varied_rho(user: User, state: RememberingState, rule: Rule) -> float:
    """Return her rho_t."""
    return state.memory[OWN_RHO]
