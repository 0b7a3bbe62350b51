"""What a picture of a user says in words, and what an agent says of itself."""

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from explorative_user_env.display.text import in_line
from explorative_user_env.protocol import Against, name_of
from explorative_user_env.users.hidden_state import HiddenState, witness_of
from explorative_user_env.validation import CallableError, InvalidArgumentError, one_line, sequence

CHANCE = "chance, or another kind of user"


class Seen(NamedTuple):
    """What the system has seen of a user: nothing secret."""

    accepted: Sequence[int]  # acceptances of each arm
    rejected: Sequence[int]  # rejections of each arm
    latest: Sequence[bool | None]  # the last response to each arm, None before any
    # the last recommendation and whether she accepted it, None before the first
    last: tuple[int, bool] | None
    steps: int  # t


class Grounds(NamedTuple):
    """Why the user gave her last response."""

    arm: int  # the recommended arm
    accepted: bool  # her response
    bound: float  # ucb of the arm when she decided
    witness: int | None  # the arm that was clearly better, None if no arm was
    rival: float  # lcb of the witness when she decided


def grounds_of(seen: Seen, decided: HiddenState | None) -> Grounds | None:
    """Return why the user gave her last response, None if that is not known."""
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


def number_in_words(value: float) -> str:
    """Return a number in few letters, a whole number without a fraction."""
    return "0" if value == 0.0 else rounded(value).removesuffix(".00")


def brief(number: int) -> str:
    """Return a count in at most six letters."""
    return str(number) if number < 1_000_000 else f"{number / 1e6:.4g}M"


def in_a_word(accepted: bool) -> str:
    """Return the word for a response, which is also the role of its colour."""
    return "accepted" if accepted else "rejected"


def headline(seen: Seen, grounds: Grounds | None) -> str:
    """Return the last recommendation, the response, and why."""
    if seen.last is None:
        return "no recommendation yet"
    arm, accepted = seen.last
    told = f"Arm {arm}: {in_a_word(accepted)}"
    if grounds is None:
        return told
    better = "no arm" if grounds.witness is None else f"arm {grounds.witness}"
    as_she_does = accepted == (grounds.witness is None)
    link = "though" if not as_she_does else "as" if accepted else "because"
    return f"{told}, {link} {better} is clearly better"


def facts(seen: Seen, hidden: HiddenState | None) -> str:
    """Return t and the other numbers of the moment."""
    if hidden is None:
        yes, no = brief(sum(seen.accepted)), brief(sum(seen.rejected))
        return f"t = {brief(seen.steps)} · {yes} accepted · {no} rejected"
    belief = f"Gamma = {rounded(hidden.gamma)} · rho_t = {rounded(hidden.rho)}"
    return f"t = {brief(seen.steps)} · n(t) = {brief(hidden.acceptances)} · {belief}"


def reason(grounds: Grounds) -> str:
    """Return why the user gave her last response."""
    _, accepted, bound, witness, rival = grounds
    if witness is None:
        return "no arm is clearly better" if accepted else f"no arm stands against it: {CHANCE}"
    if accepted:
        return f"yet arm {witness} is clearly better: {CHANCE}"
    return f"arm {witness} is clearly better: lcb {rounded(rival)} >= ucb {rounded(bound)}"


def numbers_compared(grounds: Grounds) -> str:
    """Return the numbers that decided a rejection, or what else may have decided a response."""
    arm, accepted, bound, witness, rival = grounds
    if accepted != (witness is None):
        return CHANCE
    lower = f"lcb {rounded(rival)} of arm {witness}"
    return "" if witness is None else f"{lower} >= ucb {rounded(bound)} of arm {arm}"


def spoken(seen: Seen, grounds: Grounds | None) -> str:
    """Return the picture in words, for a screen reader."""
    if seen.last is None:
        return f"A user of {len(seen.accepted)} arms; {headline(seen, None)}"
    arm, accepted = seen.last
    said = f"She {in_a_word(accepted)} arm {arm} at t = {seen.steps}"
    if grounds is None or (accepted and grounds.witness is None):
        return said
    return f"{said}; {reason(grounds)}"


# What an agent says of itself

# A number, a word, K numbers, K truth values (which arms are left), or two of the numbers to
# compare.
Explained = float | str | tuple[float, ...] | tuple[bool, ...] | Against
LONGEST_SAID = 40  # words and names are cut to this length


def explanation_of(agent: object, n_arms: int) -> dict[str, Explained]:
    """Return what `agent.explain()` says, by name; nothing for an agent without that method.

    Raises:
        CallableError: if its code fails, or returns what cannot be shown.
    """
    explain = getattr(agent, "explain", None)
    if not callable(explain):
        return {}
    what = f"explain of {name_of(agent)}"
    try:
        said = explain()
        if not isinstance(said, Mapping):
            raise InvalidArgumentError(what, said, "a mapping of what is said by name")
        return {
            one_line(in_line(str(name)), LONGEST_SAID): _as_shown(f"{what}, {name}", value, n_arms)
            for name, value in said.items()
        }
    except Exception as error:
        raise CallableError.of(what, error, "while it was watched") from error


def _as_shown(name: str, value: Any, n_arms: int) -> Any:
    """Return a value as plain numbers and words; `InvalidArgumentError` names one of no kind."""
    allowed = f"a number, a word, {n_arms} numbers or an Against of two numbers or {n_arms} each"
    if isinstance(value, Against):
        pair = [_as_shown(name, side, n_arms) for side in value]
        if isinstance(pair[0], str | Against) or type(pair[0]) is not type(pair[1]):
            raise InvalidArgumentError(name, value, allowed)
        return Against(*pair)
    if isinstance(value, str):
        return one_line(in_line(value), LONGEST_SAID)
    if isinstance(value, Real | np.bool_):
        return float(value)
    values = sequence(name, value, allowed)
    if len(values) != n_arms or not all(isinstance(each, Real | np.bool_) for each in values):
        raise InvalidArgumentError(name, value, allowed)
    kind = bool if all(isinstance(each, bool | np.bool_) for each in values) else float
    return tuple(map(kind, values))


def sides(value: Explained) -> tuple[Any, ...]:
    """Return a value as one or, of an `Against`, two numbers, words or tuples."""
    return tuple(value) if isinstance(value, Against) else (value,)


def is_by_arm(value: Explained) -> bool:
    """Return whether a value is K numbers, or compares K numbers with K."""
    return isinstance(sides(value)[0], tuple)


def is_flags(value: Explained) -> bool:
    """Return whether a value is K truth values."""
    return not isinstance(value, Against | float | str) and isinstance(value[0], bool)
