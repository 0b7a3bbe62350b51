"""A game in a terminal: line by line, so that a screen reader and a pipe do as well."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from explorative_user_env.play import game as words
from explorative_user_env.play.game import Game, heard_in, instance_at_end
from explorative_user_env.show.scene import text_of_user
from explorative_user_env.validation import InvalidArgumentError

# What a player may type, a line each, with any arm.
HELP = (
    "{arm}: recommend arm {arm}; arm {arm} does as well",
    "{arm}x10: recommend it ten times",
    "best {arm}: name arm {arm} as her best, which ends the game",
    "undo: take back the last recommendation",
    "show: count what she said so far, arm by arm",
    "address: the address of this game",
    "truth: tell how much she likes each arm, which spoils the game",
    "help: this, and what counts",
    "quit: stop",
)
PROMPT = "> "


def play_lines(game: Game, lines: Iterable[str], say: Callable[..., None]) -> Game:
    """Play a game by lines that are typed, up to its answer or the last of them.

    What was played before is told again, to the bit.

    Args:
        game: where it begins.
        lines: what is typed; it may raise `KeyboardInterrupt`, which is the last line.
        say: called with lines to print.

    Returns:
        The game at the end; the player has been told how to go on with it, or the truth.
    """
    say(words.TASK, f"You play with a user of {words.settings_in_words(game)}.")
    if game.moves:
        say(*_responses(game, 0), *text_of_user(heard_in(game).seen).splitlines())
    try:
        for line in lines if game.answer is None else ():
            typed = re.sub(r"\barm\s+(?=\d)", "", line.strip().lower())
            if typed in ("quit", "exit"):
                break
            try:
                game = _after(game, typed, say)
            except InvalidArgumentError as error:
                say(f"{error}.")
            if game.answer is not None:
                break
    except KeyboardInterrupt:
        say("")
    if game.answer is not None:
        for line in _revealed(game):  # agents take their time, and what is known is told before
            say(line)
    else:
        query = words.query_of(words.pairs_of(game))
        say(f"Stopped. {words.tally(heard_in(game))}. To go on:")
        say(f"explorative-user play --terminal --address '{query}'")
    return game


def _after(game: Game, line: str, say: Callable[..., None]) -> Game:
    """Return the game after a line.

    Raises:
        InvalidArgumentError: for a line that is no command.
    """
    if re.fullmatch(r"[0-9x. ]+", line):
        longer = game.recommending(words.moves_in("arm", ".".join(re.split(r"[. ]+", line))))
        say(*_responses(longer, len(game.moves)))  # fewer than were typed, if she left
        return longer
    if best := re.fullmatch(r"best\s+(\S+)", line):
        return replace(game, answer=words.whole_number("best", best[1]))
    if line == "undo":
        game = game.undone()
        say(f"{words.tally(heard_in(game))}.")
    elif line == "show":
        say(*text_of_user(heard_in(game).seen).splitlines())
    elif line == "address":
        say(words.query_of(words.pairs_of(game)))
    elif line == "truth":
        say(*_truth(game))
    elif line == "help":
        say(*(each.format(arm=game.n_arms - 1) for each in HELP), "", *words.WHAT_COUNTS)
    elif line:
        raise InvalidArgumentError("what is typed", line, "an arm's number, or help")
    return game


def _responses(game: Game, first: int) -> Iterator[str]:
    """Yield her responses from a move on, and how far the game is."""
    heard = heard_in(game)
    for arm, accepted in zip(game.moves[first:], heard.responses[first:], strict=True):
        yield words.response_in_words(arm, accepted)
    yield f"{words.tally(heard)}."
    if heard.left and game.answer is None:
        yield f"All that is left is best {game.n_arms - 1}, or another arm's number, or undo."


def _truth(game: Game) -> Iterator[str]:
    instance = instance_at_end(game)
    for arm, mean in enumerate(instance.means):
        yield f"arm {arm}: true mean {mean:.2f}" + (", her best" * (arm == instance.best_arm))


def _revealed(game: Game) -> Iterator[str]:
    """Yield what is told of a game with an answer: the truth, the agents, the moral."""
    heard, best_arm = heard_in(game), instance_at_end(game).best_arm
    yield f"{words.verdict(game, heard, best_arm)}. {words.tally(heard)}."
    yield from ("", *_truth(game), "", "With the very same user:")
    rivals, notes = words.rivals_of(game)
    for name, *cells in words.rows_of_rivals(game, heard, best_arm, rivals):
        header = zip(words.RIVALS_HEADER[1:], cells, strict=True)
        yield f"{name}: {', '.join(f'{title} {cell}' for title, cell in header)}"
    yield from (*notes, "", words.moral_of(game, heard, best_arm, rivals))
