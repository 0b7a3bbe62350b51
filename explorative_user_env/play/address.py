"""A game as the query of an address, and back: whatever is not exactly one is refused by name."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any
from urllib.parse import parse_qsl, urlencode

from explorative_user_env.play.game import MOST_MOVES, Game
from explorative_user_env.population import OPTIONS
from explorative_user_env.validation import InvalidArgumentError

LONGEST_QUERY = 20_000
"""Letters at most: a move takes five, as 24x3 does with the point after it."""

Pairs = Mapping[str, str]
"""What stands in a query, by name."""

_WHOLE = re.compile(r"[0-9]{1,40}")
_NUMBER = re.compile(r"-?[0-9]{1,24}(\.[0-9]{1,24})?(e[-+]?[0-9]{1,3})?", re.IGNORECASE)
_RUN = re.compile(r"([0-9]{1,3})(?:x([1-9][0-9]{0,5}))?")


def whole_number(name: str, text: str) -> int:
    """Return the whole number that is written; digits and nothing else."""
    if not _WHOLE.fullmatch(text):
        raise InvalidArgumentError(name, text, "a whole number")
    return int(text)


def _number(name: str, text: str) -> float:
    if not _NUMBER.fullmatch(text):
        raise InvalidArgumentError(name, text, "a number, as 0.5")
    return float(text)


def _word(name: str, text: str) -> str:
    return text


def _number_or_word(name: str, text: str) -> float | str:
    return _number(name, text) if text[:1] in "-0123456789" else text


_READERS: Mapping[Any, Callable[[str, str], Any]] = {
    int: whole_number,
    float: _number,
    str: _word,
}
"""By the kind of an option."""


def option_in(name: str, text: str) -> Any:
    """Return the value of an option of the users as it stands in an address.

    Raises:
        InvalidArgumentError: if there is no such option, or it is not written like one.
    """
    kinds = {each.name: each.metadata["kind"] for each in OPTIONS}
    if name not in kinds:
        allowed = f"name=value with names of {', '.join([*kinds, *_GAMES_OWN])}"
        raise InvalidArgumentError("address", name, allowed)
    return _READERS.get(kinds[name], _number_or_word)(name, text)


def moves_in(name: str, text: str) -> tuple[int, ...]:
    """Return the arms that are written, as 2.0x3 is for 2, 0, 0, 0.

    Raises:
        InvalidArgumentError: if something else is, or too many are.
    """
    moves: list[int] = []
    for part in text.split(".") if text else ():
        run = _RUN.fullmatch(part)
        if run is None:
            raise InvalidArgumentError(name, part, "arms with points between, as 2.0x3.1")
        times = int(run[2] or 1)
        if len(moves) + times > MOST_MOVES:
            raise InvalidArgumentError(name, part, f"at most {MOST_MOVES} recommendations in all")
        moves += [int(run[1])] * times
    return tuple(moves)


def moves_as_text(moves: Iterable[int]) -> str:
    """Return arms as they are written in an address."""
    runs = [(arm, len([*same])) for arm, same in groupby(moves)]
    return ".".join(f"{arm}x{times}" if times > 1 else str(arm) for arm, times in runs)


_GAMES_OWN: Mapping[str, Callable[[str, str], Any]] = {
    "seed": whole_number,
    "moves": moves_in,
    "answer": whole_number,
}
"""What stands in an address beside the options of the users, and what reads it."""


def new_pairs(options: Mapping[str, Any]) -> dict[str, str]:
    """Return what the address of a new game says with users like these, seed left open."""
    return {name: as_written(value) for name, value in options.items()}


def pairs_of(game: Game) -> dict[str, str]:
    """Return a game as what its address says, by name; what is as usual is not said."""
    said = new_pairs(game.options)
    said["seed"] = str(game.seed)
    if game.moves:
        said["moves"] = moves_as_text(game.moves)
    if game.answer is not None:
        said["answer"] = str(game.answer)
    return said


def as_written(value: Any) -> str:
    """Return a word or a number as it is written, in as few letters as give it back."""
    short = f"{value:g}" if isinstance(value, float) else str(value)
    return str(value) if isinstance(value, float) and float(short) != value else short


def query_of(pairs: Pairs) -> str:
    """Return what an address says as its query."""
    return urlencode(pairs)


def not_too_long(query: str) -> str:
    """Return a query that is as long as one may be.

    Raises:
        InvalidArgumentError: if it is longer.
    """
    if len(query) > LONGEST_QUERY:
        raise InvalidArgumentError("address", query[:20], f"at most {LONGEST_QUERY} letters long")
    return query


def pairs_in(query: str, more: Sequence[str] = ()) -> tuple[dict[str, str], dict[str, str]]:
    """Return what a query says, by name: of a game, and of the names in `more`.

    Raises:
        InvalidArgumentError: if it is too long, is none, or says something twice.
    """
    not_too_long(query)
    try:
        found = parse_qsl(query, keep_blank_values=True, strict_parsing=True, errors="strict")
    except ValueError as error:
        allowed = "name=value with & between, as seed=7&moves=0.1x3"
        raise InvalidArgumentError("address", query, allowed) from error
    said: dict[str, str] = {}
    for name, value in found:
        if name in said:
            raise InvalidArgumentError(name, value, "said once in an address")
        said[name] = value
    besides = {name: said.pop(name) for name in more if name in said}
    return said, besides


def game_of(pairs: Pairs) -> Game:
    """Return the game that an address says.

    Raises:
        InvalidArgumentError: naming what is unknown, is not written as it should, or is out of
            range.
    """
    own: dict[str, Any] = {"options": {}}
    for name, text in pairs.items():
        if name in _GAMES_OWN:
            own[name] = _GAMES_OWN[name](name, text)
        else:
            own["options"][name] = option_in(name, text)
    if "seed" not in own:
        raise InvalidArgumentError("seed", None, "in the address, as seed=7")
    return Game(**own)


def query_in(address: str) -> str:
    """Return the query of an address, which may be all that is given of it."""
    text = address.strip()
    return text.partition("?")[2].partition("#")[0] if "?" in text else text
