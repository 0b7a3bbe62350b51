"""What the page and the terminal say of users and games, said once."""

from collections.abc import Mapping, Sequence

from explorative_user_env.play.address import as_written
from explorative_user_env.play.game import Game, Heard
from explorative_user_env.play.rivals import Rival
from explorative_user_env.tasks import ANSWERED, CENSORED, LEFT

TASK = (
    "She is still learning what she likes. You recommend an arm, she says yes or no, "
    "and you find out which arm she likes best."
)

WHAT_COUNTS = (
    "A yes does not say that she likes an arm best: only that no other arm is clearly better, as "
    "far as she knows.",
    "A no says that another arm is clearly better: that is what tells arms apart.",
    "She learns from what she accepts, and from nothing else. So an arm that you neglect stays "
    "unknown to her, too.",
    "When all other arms are rejected again and again, you are done: name the one that is left.",
)
"""A hint for beginners, a line each."""

WHAT_IS_SEEN = (
    "Each bar is what she holds possible of an arm; it narrows with each time that she accepts it.",
    "She rejects an arm if another's bar begins where that arm's bar ends, or above: the other arm "
    "is the witness.",
    "Alpha and rho widen all bars; noise makes her flip a coin now and then; the gap is how much "
    "better her best arm is than the second best.",
)
"""Of a mind, a line each."""

KINDS: Mapping[str, str] = {
    "explorative": "explorative: learns from what she accepts",
    "omniscient": "omniscient: knows her means, accepts her best arm only",
    "forgetful": "forgetful: remembers her last rewards only",
    "drifting": "drifting: her taste changes",
    "logistic": "logistic: decides by chance where the paper's user has a rule",
    "impatient": "impatient: may leave for good when she rejects",
    "varied": "varied: has an alpha, a rho, noise and a gap of her own",
}
"""What is said of each kind of user that the package has."""


def response_in_words(arm: int, accepted: bool) -> str:
    """Return what she said to a recommendation."""
    return f"Arm {arm}: {'yes, she accepts' if accepted else 'no, she rejects'}."


def tally(heard: Heard) -> str:
    """Return how often she said what."""
    n, yes = len(heard.responses), sum(heard.responses)
    told = f"{n} interaction{'s' * (n != 1)}: {yes} yes, {n - yes} no"
    return f"{told}; then she left" if heard.left else told


def is_right(game: Game, heard: Heard, best_arm: int) -> bool:
    """Return whether a game ended with the right answer, and while she was there."""
    return game.answer == best_arm and not heard.left


def verdict(game: Game, heard: Heard, best_arm: int) -> str:
    """Return whether the answer of a game is right."""
    if heard.left:
        return f"She left before an answer: her best arm is arm {best_arm}"
    if game.answer == best_arm:
        return f"Right: her best arm is arm {best_arm}"
    return f"Wrong: you named arm {game.answer}, her best arm is arm {best_arm}"


_ENDS = {ANSWERED: "", CENSORED: " (not done)", LEFT: " (she left)"}

RIVALS_HEADER = ("who", "interactions", "rejections", "named", "right")


def rows_of_rivals(
    game: Game, heard: Heard, best_arm: int, rivals: Sequence[Rival]
) -> list[tuple[str, ...]]:
    """Return what the player and the agents did with the same user, a row each."""
    n_rejected = len(heard.responses) - sum(heard.responses)
    answer = -1 if game.answer is None else game.answer
    end, right = LEFT if heard.left else ANSWERED, is_right(game, heard, best_arm)
    you = Rival("you", len(game.moves), n_rejected, answer, right, end)
    return [
        (
            each.name,
            f"{each.interactions}{_ENDS[each.end]}",
            f"{each.rejections}",
            f"arm {each.answer}",
            "yes" if each.right else "no",
        )
        for each in (you, *rivals)
    ]


def title_of_game(game: Game, heard: Heard) -> str:
    """Return the title of a page: what was heard last, and how far the game is."""
    if not game.moves:
        return "A new user"
    return f"{response_in_words(game.moves[-1], heard.responses[-1])} {tally(heard)}"


def settings_in_words(game: Game) -> str:
    """Return who the user of a game is, as far as that is no secret."""
    said = game.population.words()
    options = {name: said[name] for name in ("gap", "alpha", "noise")}
    options |= {name: value for name, value in game.options.items() if name != "n_arms"}
    shown = ", ".join(f"{name} {as_written(value)}" for name, value in options.items())
    return f"{game.n_arms} arms, {shown}, seed {game.seed}"
