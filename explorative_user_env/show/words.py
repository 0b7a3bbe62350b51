"""Write the texts of a user's scene, and read the values of an agent's `explain`."""

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.display.text import in_line
from explorative_user_env.protocol import Against, name_of
from explorative_user_env.users.hidden_state import HiddenState, witness_of
from explorative_user_env.validation import CallableError, InvalidArgumentError, one_line, sequence

CHANCE = "chance, or another behaviour"


class Seen(NamedTuple):
    """A user's responses so far, all of which the system observes."""

    accepted: Sequence[int]  # acceptances of each arm
    rejected: Sequence[int]  # rejections of each arm
    latest: Sequence[bool | None]  # the last response to each arm; None before a response
    # the last recommended arm and whether she accepted the arm; None before a recommendation
    last: tuple[int, bool] | None
    steps: int  # t


class Grounds(NamedTuple):
    """The reason for the user's last response."""

    arm: int  # the recommended arm
    accepted: bool  # her response
    bound: float  # the arm's ucb before the response
    witness: int | None  # an arm that was clearly better; None if no arm was clearly better
    rival: float  # the witness's lcb before the response


def grounds_of(seen: Seen, decided: HiddenState | None) -> Grounds | None:
    """Return the reason for the user's last response; None if it is unknown."""
    if seen.last is None or decided is None:
        return None
    arm, accepted = seen.last
    witness, bound = witness_of(decided, arm), decided.upper_bounds[arm]
    rival = bound if witness is None else decided.lower_bounds[witness]
    return Grounds(arm, accepted, bound, witness, rival)


def rounded(value: float) -> str:
    """Return a number as a short text."""
    size = abs(value)
    return f"{value:.2f}" if size < 99.995 else f"{value:.0f}" if size < 1e6 else f"{value:.2e}"


def number_in_words(value: float) -> str:
    """Return a number as a short text; write 3.00 as 3."""
    return "0" if value == 0.0 else rounded(value).removesuffix(".00")


def brief(number: int) -> str:
    """Return a count as a text of at most six characters."""
    return str(number) if number < 1_000_000 else f"{number / 1e6:.4g}M"


def in_a_word(accepted: bool) -> str:
    """Return the word for a response, which also names the colour of the response."""
    return "accepted" if accepted else "rejected"


def headline(seen: Seen, grounds: Grounds | None) -> str:
    """Return the last recommendation, the response and its reason in one line."""
    if seen.last is None:
        return "no recommendation yet"
    arm, accepted = seen.last
    response = f"Arm {arm}: {in_a_word(accepted)}"
    if grounds is None:
        return response
    better = "no arm" if grounds.witness is None else f"arm {grounds.witness}"
    as_she_does = accepted == (grounds.witness is None)
    link = "though" if not as_she_does else "as" if accepted else "because"
    return f"{response}, {link} {better} is clearly better"


def facts(seen: Seen, hidden: HiddenState | None) -> str:
    """Return one line with t and counts of responses; with `hidden`, also Gamma and rho_t."""
    if hidden is None:
        yes, no = brief(sum(seen.accepted)), brief(sum(seen.rejected))
        return f"t = {brief(seen.steps)} · {yes} accepted · {no} rejected"
    belief = f"Gamma = {rounded(hidden.gamma)} · rho_t = {rounded(hidden.rho)}"
    return f"t = {brief(seen.steps)} · n(t) = {brief(hidden.acceptances)} · {belief}"


def reason(grounds: Grounds) -> str:
    """Return the reason for the user's last response as text."""
    _, accepted, bound, witness, rival = grounds
    if witness is None:
        return "no arm is clearly better" if accepted else f"no arm is clearly better: {CHANCE}"
    if accepted:
        return f"yet arm {witness} is clearly better: {CHANCE}"
    return f"arm {witness} is clearly better: lcb {rounded(rival)} >= ucb {rounded(bound)}"


def numbers_compared(grounds: Grounds) -> str:
    """Return the lcb and ucb that caused a rejection as text; CHANCE if she broke her rule."""
    arm, accepted, bound, witness, rival = grounds
    if accepted != (witness is None):
        return CHANCE
    lower = f"lcb {rounded(rival)} of arm {witness}"
    return "" if witness is None else f"{lower} >= ucb {rounded(bound)} of arm {arm}"


def spoken(seen: Seen, grounds: Grounds | None) -> str:
    """Return a description of the scene for screen readers."""
    if seen.last is None:
        return f"A user of {len(seen.accepted)} arms; {headline(seen, None)}"
    arm, accepted = seen.last
    response = f"She {in_a_word(accepted)} arm {arm} at t = {seen.steps}"
    if grounds is None or (accepted and grounds.witness is None):
        return response
    return f"{response}; {reason(grounds)}"


# An agent's explanation

# A value of `explain`: a number, a word, K numbers, K booleans (such as the remaining arms), or an
# `Against` of a number and its target.
Explained = float | str | tuple[float, ...] | tuple[bool, ...] | Against
LONGEST_WORD = 40  # words and names are cut to this length


def explanation_of(agent: object, n_arms: int) -> dict[str, Explained]:
    """Return the values of `agent.explain()` by name; an agent without `explain` has no values.

    Raises:
        CallableError: if `explain` raises an error, or returns a value that cannot be shown.
    """
    explain = getattr(agent, "explain", None)
    if not callable(explain):
        return {}
    what = f"explain of {name_of(agent)}"
    try:
        values = explain()
        if not isinstance(values, Mapping):
            raise InvalidArgumentError(what, values, "a mapping from names to values")
        return {
            one_line(in_line(str(name)), LONGEST_WORD): _as_shown(f"{what}, {name}", value, n_arms)
            for name, value in values.items()
        }
    except Exception as error:
        raise CallableError.of(what, error, "while it was watched") from error


def _as_shown(name: str, value: Any, n_arms: int) -> Any:
    """Return a value as plain numbers and words; other types raise `InvalidArgumentError`."""
    allowed = f"a number, a word, {n_arms} numbers or an Against of two numbers or {n_arms} each"
    if isinstance(value, Against):
        pair = [_as_shown(name, side, n_arms) for side in value]
        if isinstance(pair[0], str | Against) or type(pair[0]) is not type(pair[1]):
            raise InvalidArgumentError(name, value, allowed)
        return Against(*pair)
    if isinstance(value, str):
        return one_line(in_line(value), LONGEST_WORD)
    if isinstance(value, Real | np.bool_):
        return float(value)
    values = sequence(name, value, allowed)
    if len(values) != n_arms or not all(isinstance(each, Real | np.bool_) for each in values):
        raise InvalidArgumentError(name, value, allowed)
    kind = bool if all(isinstance(each, bool | np.bool_) for each in values) else float
    return tuple(map(kind, values))


def sides(value: Explained) -> tuple[Any, ...]:
    """Return the two sides of an `Against`; return any other value as a tuple of length 1."""
    return tuple(value) if isinstance(value, Against) else (value,)


def is_by_arm(value: Explained) -> bool:
    """Return whether a value has a number for each arm."""
    return isinstance(sides(value)[0], tuple)


def is_flags(value: Explained) -> bool:
    """Return whether a value is a tuple of K booleans."""
    return not isinstance(value, Against | float | str) and isinstance(value[0], bool)
