"""The one sentence that a game is played for."""

from collections.abc import Sequence

from explorative_user_env.play.game import Game, Heard
from explorative_user_env.play.rivals import Rival
from explorative_user_env.tasks import ANSWERED, CENSORED


def moral_of(game: Game, heard: Heard, best_arm: int, rivals: Sequence[Rival]) -> str:
    """Return what a game with an answer teaches, in one sentence.

    Args:
        game: the game.
        heard: what was heard in it.
        best_arm: her best arm at its end.
        rivals: what agents did with her, BAIR first.
    """
    if heard.left:
        return (
            "She left before an answer: a rejection is what tells arms apart, and each may be the "
            "last that she bears."
        )
    if game.answer != best_arm:
        return _of_a_wrong_answer(game, heard, best_arm)
    if not heard.responses:
        return "Right without a single recommendation: that is luck, one time in K."
    # Who was cut off, or left, has not answered of its own accord: it was slow, and not wrong.
    wrong = [each.name for each in rivals if each.end == ANSWERED and not each.right]
    longer = [
        each.name
        for each in rivals
        if (each.right or each.end == CENSORED) and each.interactions > len(game.moves)
    ]
    if wrong:
        return (
            f"Right where {_listed(wrong)} went wrong: every agent does with a few of many users, "
            "and you never know who is one of the few."
        )
    if longer:
        return (
            f"Right in fewer interactions than {_listed(longer)}: but an agent that promises "
            "to be wrong with few users only cannot stop while luck could still explain it all."
        )
    return (
        "Right, and no sooner than the agents: only a rejection says that another arm is clearly "
        "better, so whoever waits for enough of them is hardly ever wrong."
    )


def _listed(names: Sequence[str]) -> str:
    """Return names as they are read out."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _of_a_wrong_answer(game: Game, heard: Heard, best_arm: int) -> str:
    """Return what is to be learnt from an answer that is not her best arm."""
    seen, answer = heard.seen, -1 if game.answer is None else game.answer
    never = "What is never recommended is never learnt:"
    if seen.latest[best_arm] is None:
        return f"{never} she was not asked about her best arm even once."
    if seen.latest[answer] is None:
        return f"{never} she was not asked about the arm that you named even once."
    if seen.rejected[best_arm] > seen.rejected[answer]:
        why = _why_she_may(game)
        return f"She rejected her best arm, {why}: a rejection is evidence, and no proof."
    if seen.latest[answer]:
        return (
            "She accepted what you named, but a yes only says that no other arm is clearly better "
            "yet: it is not what she likes best that she accepts, but what might be."
        )
    return "A rejected arm is one that another is clearly better than: it is hardly ever her best."


def _why_she_may(game: Game) -> str:
    """Return why she may reject her best arm."""
    if game.population.behaviour.moves_means:
        return "for her taste changes"
    if game.population.noise > 0.0:
        return "for she flips a coin now and then, or is mistaken"
    return "for she is still learning what she likes and can be mistaken"
