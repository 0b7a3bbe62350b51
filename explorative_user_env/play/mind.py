"""Being the user's mind: her intervals are seen, and her decisions are foretold."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from explorative_user_env.play.address import Pairs, game_of, pairs_of, whole_number
from explorative_user_env.play.game import Game, Heard
from explorative_user_env.validation import InvalidArgumentError, choice

SAID = {"y": True, "n": False, "-": None}
"""What the player said to each recommendation before her decision was seen, as it is written."""

GUESSED, ASKED, BY = "guesses", "asked", "by"
YOU = "you"
ANSWERS_FIRST = ("her", YOU)

MINDS_OWN = (GUESSED, ASKED, BY)
"""What stands in an address of a mind beside a game."""


@dataclass(frozen=True, kw_only=True)
class Mind:
    """A game in which the truth is seen, asked for by name.

    Attributes:
        game: who she is and what was recommended.
        guesses: what the player said to each move; None where she decided without being guessed.
        asked: the arm that is recommended now, to which the player is to say yes or no.
        foretold: whether the player says first what she will do with a recommendation.

    Raises:
        InvalidArgumentError: naming what does not fit.
    """

    game: Game
    guesses: tuple[bool | None, ...] = ()
    asked: int | None = None
    foretold: bool = False

    def __post_init__(self) -> None:
        if self.game.answer is not None:
            raise InvalidArgumentError("answer", self.game.answer, "left out where all is seen")
        known = len(self.guesses)
        if known > len(self.game.moves):
            raise InvalidArgumentError("guesses", known, "of moves that were made")
        missing = (None,) * (len(self.game.moves) - known)
        object.__setattr__(self, "guesses", (*self.guesses, *missing))
        if self.asked is not None:
            self.game.recommending((self.asked,))  # which says what is wrong with it

    def recommending(self, arms: Sequence[int]) -> "Mind":
        """Return the mind after recommendations, or in which the player is asked about one.

        Raises:
            InvalidArgumentError: for none, or several that are to be foretold at once.
        """
        if not self.foretold:
            return replace(self, game=self.game.recommending(arms), asked=None)
        if len(arms) != 1:
            raise InvalidArgumentError("more", list(arms), "one arm, where you answer")
        return replace(self, asked=arms[0])

    def guessing(self, yes: bool) -> "Mind":
        """Return the mind after the player has said yes or no to what is asked.

        Raises:
            InvalidArgumentError: if nothing is.
        """
        if self.asked is None:
            raise InvalidArgumentError("guess", yes, "given to an arm that is asked about")
        game = self.game.recommending((self.asked,))
        return replace(self, game=game, guesses=(*self.guesses, yes), asked=None)

    def undone(self) -> "Mind":
        """Return the mind before its last move, or before it asked."""
        if self.asked is not None:
            return replace(self, asked=None)
        game = replace(self.game, moves=self.game.moves[:-1])
        return replace(self, game=game, guesses=self.guesses[:-1])

    def right_guesses(self, heard: Heard) -> tuple[int, int]:
        """Return how many guesses were what she decided, and how many there are."""
        pairs = zip(self.guesses, heard.responses, strict=True)
        told = [guess == response for guess, response in pairs if guess is not None]
        return sum(told), len(told)


def mind_of(pairs: Pairs, besides: Pairs) -> Mind:
    """Return the mind that an address says.

    Args:
        pairs: what it says of the game.
        besides: what it says by the names of `MINDS_OWN`.

    Raises:
        InvalidArgumentError: naming what is wrong.
    """
    more: dict[str, Any] = {}
    if GUESSED in besides:
        letters = besides[GUESSED]
        if not set(letters) <= set(SAID):
            raise InvalidArgumentError(GUESSED, letters, "written with y, n and -")
        more["guesses"] = tuple(SAID[letter] for letter in letters)
    if BY in besides:
        more["foretold"] = choice(BY, besides[BY], ANSWERS_FIRST) == YOU
    if ASKED in besides:
        more["asked"] = whole_number(ASKED, besides[ASKED])
    return Mind(game=game_of(pairs), **more)


def pairs_of_mind(mind: Mind) -> dict[str, str]:
    """Return what the address of a mind says, by name."""
    letters = {guess: letter for letter, guess in SAID.items()}
    said = pairs_of(mind.game)
    if any(guess is not None for guess in mind.guesses):
        said[GUESSED] = "".join(letters[guess] for guess in mind.guesses)
    if mind.foretold:
        said[BY] = YOU
    if mind.asked is not None:
        said[ASKED] = str(mind.asked)
    return said
