"""Play a game in a terminal. All output is lines of text, which a screen reader can read."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from explorative_user_env.play import game as words
from explorative_user_env.play.game import Game, instance_at_end, log_of
from explorative_user_env.show.scene import text_of_user
from explorative_user_env.validation import InvalidArgumentError

# The commands of a player; each string describes one. {arm} is the number of an arm.
HELP = (
    "{arm}: recommend arm {arm}, which you can also type as arm {arm}",
    "{arm}x10: recommend arm {arm} ten times",
    "best {arm}: name arm {arm} as her best, which ends the game",
    "undo: take back the last recommendation",
    "show: show her responses, counted by arm",
    "address: show the address of this game",
    "truth: show how much she likes each arm, which spoils the game",
    "help: show these commands, and hints",
    "quit: stop",
)
PROMPT = "> "


def play_lines(game: Game, lines: Iterable[str], say: Callable[..., None]) -> Game:
    """Play a game with typed lines, until the player names an arm or the lines end.

    First print the responses to moves that the game already has. At the end print the true means
    or, if the player named no arm, the command that resumes the game.

    Args:
        game: the game to start from.
        lines: the typed lines; a `KeyboardInterrupt` from them ends the game.
        say: called with lines to print.

    Returns:
        The game at the end.
    """
    say(words.TASK, f"You play with a user of {words.settings_in_words(game)}.")
    if game.answer is None:
        say("Type the number of an arm, best with the number of an arm, or help.")
    if game.moves:
        say(*_responses(game, 0), *text_of_user(log_of(game).seen).splitlines())
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
        for line in _revealed(game):  # print each line at once: the agents take seconds
            say(line)
    else:
        query = words.query_of(words.pairs_of(game))
        say(f"Stopped. {words.tally(log_of(game))}. To resume:")
        say(f"explorative-user play --terminal --address '{query}'")
    return game


def _after(game: Game, line: str, say: Callable[..., None]) -> Game:
    """Obey one typed line and return the game after it.

    Raises:
        InvalidArgumentError: if the line is not a command.
    """
    if re.fullmatch(r"[0-9x. ]+", line):
        longer = game.recommending(words.moves_in("arm", ".".join(re.split(r"[. ]+", line))))
        say(*_responses(longer, len(game.moves)))  # fewer arms than typed if the user left
        return longer
    if best := re.fullmatch(r"best\s+(\S+)", line):
        return replace(game, answer=words.digits("best", best[1]))
    if line == "undo":
        game = game.undone()
        say(f"{words.tally(log_of(game))}.")
    elif line == "show":
        say(*text_of_user(log_of(game).seen).splitlines())
    elif line == "address":
        say(words.query_of(words.pairs_of(game)))
    elif line == "truth":
        say(*_truth(game))
    elif line == "help":
        say(*(each.format(arm=game.n_arms - 1) for each in HELP), "", *words.HINTS)
    elif line:
        raise InvalidArgumentError("command", line, "the number of an arm, or help")
    return game


def _responses(game: Game, first: int) -> Iterator[str]:
    """Yield the user's responses from move `first` on, and the counts of all responses."""
    log = log_of(game)
    for arm, accepted in zip(game.moves[first:], log.responses[first:], strict=True):
        yield words.response_in_words(arm, accepted)
    yield f"{words.tally(log)}."
    if log.left and game.answer is None:
        yield f"Type best {game.n_arms - 1}, or best with another arm's number, or undo."


def _truth(game: Game) -> Iterator[str]:
    instance = instance_at_end(game)
    for arm, mean in enumerate(instance.means):
        yield f"arm {arm}: true mean {mean:.2f}" + (", her best" * (arm == instance.best_arm))


def _revealed(game: Game) -> Iterator[str]:
    """Yield the verdict, the true means, the results of the agents, and the lesson, as lines."""
    log, best_arm = log_of(game), instance_at_end(game).best_arm
    yield f"{words.verdict(game, log, best_arm)}. {words.tally(log)}."
    yield from ("", *_truth(game), "", "With the same user:")
    results, notes = words.results_of(game)
    for name, *cells in words.rows_of_results(game, log, best_arm, results):
        header = zip(words.RESULTS_HEADER[1:], cells, strict=True)
        yield f"{name}: {', '.join(f'{title} {cell}' for title, cell in header)}"
    yield from (*notes, "", words.lesson_of(game, log, best_arm, results))
