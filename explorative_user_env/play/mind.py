"""Being the user's mind: her intervals are seen, and her decisions are foretold."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from explorative_user_env.play.address import Pairs, game_of, pairs_of, whole_number
from explorative_user_env.play.game import Game, Heard
from explorative_user_env.validation import InvalidArgumentError

GUESSES = {"y": True, "n": False, "-": None}
"""What the player said to each recommendation before her decision was seen, as it is written."""

NAMES = ("guesses", "asked")
"""What stands in an address of a mind beside a game."""


@dataclass(frozen=True, kw_only=True)
class Mind:
    """A game in which the truth is seen, asked for by name.

    Attributes:
        game: who she is and what was recommended.
        guesses: what the player said to each move; None where she decided without being guessed.
        asked: the arm that is recommended now, to which the player is to say yes or no.

    Raises:
        InvalidArgumentError: naming what does not fit.
    """

    game: Game
    guesses: tuple[bool | None, ...] = ()
    asked: int | None = None

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
        """Return the mind after recommendations on which she decides unasked."""
        return replace(self, game=self.game.recommending(arms), asked=None)

    def asking(self, arm: int) -> "Mind":
        """Return the mind in which the player is asked about an arm."""
        return replace(self, asked=arm)

    def guessing(self, yes: bool) -> "Mind":
        """Return the mind after the player has said yes or no to what is asked.

        Raises:
            InvalidArgumentError: if nothing is.
        """
        if self.asked is None:
            raise InvalidArgumentError("guess", yes, "given to an arm that is asked about")
        game = self.game.recommending((self.asked,))
        return replace(self, game=game, guesses=(*self.guesses, yes), asked=None)

    def right_guesses(self, heard: Heard) -> tuple[int, int]:
        """Return how many guesses were what she decided, and how many there are."""
        pairs = zip(self.guesses, heard.responses, strict=True)
        told = [guess == response for guess, response in pairs if guess is not None]
        return sum(told), len(told)


def mind_of(pairs: Pairs, besides: Pairs) -> Mind:
    """Return the mind that an address says.

    Args:
        pairs: what it says of the game.
        besides: what it says by the names of `NAMES`.

    Raises:
        InvalidArgumentError: naming what is wrong.
    """
    more: dict[str, Any] = {}
    if "guesses" in besides:
        letters = besides["guesses"]
        if not set(letters) <= set(GUESSES):
            raise InvalidArgumentError("guesses", letters, "written with y, n and -")
        more["guesses"] = tuple(GUESSES[letter] for letter in letters)
    if "asked" in besides:
        more["asked"] = whole_number("asked", besides["asked"])
    return Mind(game=game_of(pairs), **more)


def pairs_of_mind(mind: Mind) -> dict[str, str]:
    """Return what the address of a mind says, by name."""
    letters = {guess: letter for letter, guess in GUESSES.items()}
    said = pairs_of(mind.game)
    if any(guess is not None for guess in mind.guesses):
        said["guesses"] = "".join(letters[guess] for guess in mind.guesses)
    if mind.asked is not None:
        said["asked"] = str(mind.asked)
    return said
