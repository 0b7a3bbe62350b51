"""What a picture of a user says in words."""

from collections.abc import Sequence
from typing import NamedTuple

from explorative_user_env.users.hidden_state import HiddenState, witness_of

CHANCE = "chance, or another kind of user"


class Seen(NamedTuple):
    """What the system has seen of a user: nothing that is secret.

    Attributes:
        accepted: acceptances of each arm.
        rejected: rejections of each arm.
        latest: the last response of each arm, None before any.
        last: the last recommendation and whether it was accepted, None before the first.
        steps: t.
    """

    accepted: Sequence[int]
    rejected: Sequence[int]
    latest: Sequence[bool | None]
    last: tuple[int, bool] | None
    steps: int


class Grounds(NamedTuple):
    """Why the user said what she said.

    Attributes:
        arm: the recommended arm.
        accepted: her response.
        bound: ucb of the arm when she decided.
        witness: the arm that was clearly better, None where none was.
        rival: lcb of that arm then.
    """

    arm: int
    accepted: bool
    bound: float
    witness: int | None
    rival: float


def grounds_of(seen: Seen, decided: HiddenState | None) -> Grounds | None:
    """Return why the user said what she said last, None where nothing tells."""
    if seen.last is None or decided is None:
        return None
    arm, accepted = seen.last
    witness, bound = witness_of(decided, arm), decided.upper_bounds[arm]
    rival = bound if witness is None else decided.lower_bounds[witness]
    return Grounds(arm, accepted, bound, witness, rival)


def rounded(value: float) -> str:
    """Return a number in few letters."""
    size = abs(value)
    return f"{value:.2f}" if size < 99.995 else f"{value:.0f}" if size < 1e6 else f"{value:.2e}"


def brief(number: int) -> str:
    """Return a count in six letters at most."""
    return str(number) if number < 1_000_000 else f"{number / 1e6:.4g}M"


def in_a_word(accepted: bool) -> str:
    """Return what a response is called, which is the role of its colour, too."""
    return "accepted" if accepted else "rejected"


def headline(seen: Seen) -> str:
    """Return what was recommended last, and the response."""
    if seen.last is None:
        return "no recommendation yet"
    arm, accepted = seen.last
    return f"arm {arm}: {in_a_word(accepted)}"


def facts(seen: Seen, hidden: HiddenState | None) -> str:
    """Return how far it has come."""
    if hidden is None:
        said = f"{brief(sum(seen.accepted))} accepted · {brief(sum(seen.rejected))} rejected"
        return f"t = {brief(seen.steps)} · {said}"
    belief = f"Gamma = {rounded(hidden.gamma)} · rho_t = {rounded(hidden.rho)}"
    return f"t = {brief(seen.steps)} · n(t) = {brief(hidden.acceptances)} · {belief}"


def reason(grounds: Grounds) -> str:
    """Return why the user said what she said."""
    if grounds.witness is None:
        if grounds.accepted:
            return "no arm is clearly better"
        return f"no arm stands against it: {CHANCE}"
    if grounds.accepted:
        return f"yet arm {grounds.witness} is clearly better: {CHANCE}"
    bounds = f"lcb {rounded(grounds.rival)} >= ucb {rounded(grounds.bound)}"
    return f"arm {grounds.witness} is clearly better: {bounds}"


def longest_reason(n_arms: int) -> str:
    """Return the longest that `reason` says of K arms."""
    return reason(Grounds(0, True, 0.0, 10 ** len(str(n_arms)), 0.0))


def spoken(seen: Seen, grounds: Grounds | None) -> str:
    """Return what somebody hears who does not see the picture."""
    if seen.last is None:
        return f"A user of {len(seen.accepted)} arms; {headline(seen)}"
    arm, accepted = seen.last
    said = f"She {in_a_word(accepted)} arm {arm} at t = {seen.steps}"
    if grounds is None or (accepted and grounds.witness is None):
        return said
    return f"{said}; {reason(grounds)}"
