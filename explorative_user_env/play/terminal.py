"""A game in a terminal: line by line, so that a screen reader and a pipe do as well."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from explorative_user_env.play import game as words
from explorative_user_env.play.game import (
    Game,
    heard_in,
    instance_at_end,
    moral_of,
    moves_in,
    pairs_of,
    query_of,
    rivals_of,
    whole_number,
)
from explorative_user_env.show.scene import text_of_user
from explorative_user_env.validation import InvalidArgumentError

Say = Callable[..., None]
"""Called with lines to print."""

COMMANDS = (
    "{arm}: recommend arm {arm}",
    "{arm}x10: recommend it ten times",
    "best {arm}: name arm {arm} as her best, which ends the game",
    "undo: take back the last recommendation",
    "show: what she said so far, arm by arm",
    "address: the address of this game",
    "help: this, and what counts",
    "quit: stop",
)
"""What a player may type, a line each, with any arm."""

PROMPT = "> "

_MOVES = re.compile(r"[0-9x. ]+")
_BEST = re.compile(r"best\s+(\S+)")


def play_lines(game: Game, lines: Iterable[str], say: Say) -> Game:
    """Play a game by lines that are typed, up to its answer or the last of them.

    Args:
        game: where it begins.
        lines: what is typed; it may raise `KeyboardInterrupt`, which is the last line.
        say: what prints.

    Returns:
        The game as it is at the end; it has been told how to go on with it, or the truth.
    """
    said = f"You play with a user of {words.settings_in_words(game)}."
    say(words.TASK, said, "Type an arm's number, or help.")
    if game.moves:
        _show(game, say)
    try:
        for line in lines:
            try:
                game, over = _after(game, line.strip().lower(), say)
            except InvalidArgumentError as error:
                say(f"{error}.")
                continue
            if over:
                break
    except KeyboardInterrupt:
        say("")
    if game.answer is None:
        say(*_how_to_go_on(game))
    return game


def _after(game: Game, line: str, say: Say) -> tuple[Game, bool]:
    """Return the game after a line, and whether the player has had enough.

    Raises:
        InvalidArgumentError: for what cannot be done.
    """
    if _MOVES.fullmatch(line):
        more = moves_in("arm", ".".join(re.split(r"[. ]+", line)))
        before = len(game.moves)
        game = game.recommending(more)
        say(*_responses(game, len(game.moves) - before))  # fewer than were typed, if she left
    elif best := _BEST.fullmatch(line):
        game = game.answering(whole_number("best", best[1]))
        for told in revealed(game):  # agents take their time, and what is known is said before
            say(told)
        return game, True
    elif line == "undo":
        game = replace(game, moves=game.moves[:-1])
        say(f"{words.tally(heard_in(game))}.")
    elif line == "show":
        _show(game, say)
    elif line == "address":
        say(query_of(pairs_of(game)))
    elif line == "help":
        say(*(line.format(arm=game.n_arms - 1) for line in COMMANDS), "", *words.WHAT_COUNTS)
    elif line in ("quit", "exit"):
        return game, True
    elif line:
        raise InvalidArgumentError("what is typed", line, "an arm's number, or help")
    return game, False


def _responses(game: Game, n_last: int) -> Iterator[str]:
    """Yield what she said to the last recommendations, and how far the game is."""
    heard = heard_in(game)
    first = len(game.moves) - n_last
    for arm, accepted in zip(game.moves[first:], heard.responses[first:], strict=True):
        yield words.response_in_words(arm, accepted)
    yield f"{words.tally(heard)}."
    if heard.left:
        yield f"All that is left is best {game.n_arms - 1}, or another arm's number, or undo."


def _show(game: Game, say: Say) -> None:
    say(*text_of_user(heard_in(game).seen).splitlines())


def _how_to_go_on(game: Game) -> Iterator[str]:
    query = query_of(pairs_of(game))
    yield f"Stopped. {words.tally(heard_in(game))}. To go on:"
    yield f"explorative-user play --terminal --address '{query}'"


def told_again(game: Game) -> Iterator[str]:
    """Yield every response of a game, which is repeated to the bit, and how often she said what."""
    heard = heard_in(game)
    for step, (arm, accepted) in enumerate(zip(game.moves, heard.responses, strict=True), 1):
        yield f"{step}  {words.response_in_words(arm, accepted)}"
    yield f"{words.tally(heard)}."


def truth_in_words(game: Game) -> Iterator[str]:
    """Yield the truth about the user of a game at its end."""
    instance = instance_at_end(game)
    for arm, mean in enumerate(instance.means):
        yield f"arm {arm}: true mean {mean:.2f}" + (", her best" * (arm == instance.best_arm))


def revealed(game: Game) -> Iterator[str]:
    """Yield what is told of a game with an answer: the truth, the agents, the moral."""
    heard = heard_in(game)
    best_arm = instance_at_end(game).best_arm
    yield f"{words.verdict(game, heard, best_arm)}. {words.tally(heard)}."
    yield ""
    yield from truth_in_words(game)
    yield ""
    yield "With the very same user:"
    rivals, notes = rivals_of(game)
    header = words.RIVALS_HEADER[1:]
    for name, *cells in words.rows_of_rivals(game, heard, best_arm, rivals):
        told = ", ".join(f"{title} {cell}" for title, cell in zip(header, cells, strict=True))
        yield f"{name}: {told}"
    yield from notes
    yield ""
    yield moral_of(game, heard, best_arm, rivals)
