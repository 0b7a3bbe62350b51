"""The pages as HTML, each a function of what its address says."""

from collections.abc import Mapping
from functools import cache
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from explorative_user_env.play import words
from explorative_user_env.play.address import new_pairs, pairs_of, query_of
from explorative_user_env.play.game import (
    MOST_ARMS_PLAYED,
    MOST_MOVES,
    PLAYED,
    Game,
    Heard,
    heard_in,
    truths_of,
    usual_options,
)
from explorative_user_env.play.mind import ASKED, BY, Mind, pairs_of_mind
from explorative_user_env.play.moral import moral_of
from explorative_user_env.play.pictures import (
    picture_of_mind,
    picture_of_responses,
    picture_of_run,
    reason_of_last,
)
from explorative_user_env.play.rivals import rivals_of
from explorative_user_env.play.sliders import SLID, sliders_of
from explorative_user_env.population import OPTIONS
from explorative_user_env.settings import SETTINGS

if TYPE_CHECKING:
    from jinja2 import Environment

PLAY, MIND = "/play", "/mind"
"""Where the two modes are."""

LONGEST_RUN_SHOWN = 40
"""Of one arm, recommended over and over: so many of the last responses are written out."""

_ABOUT = {each.name: each.metadata["about"] for each in OPTIONS}


@cache
def _templates() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("explorative_user_env.play")
    kept: dict[str, Any] = {"trim_blocks": True, "lstrip_blocks": True, "autoescape": True}
    # As they were at the start: another version's, installed meanwhile, do not fit this code.
    made = Environment(loader=loader, undefined=StrictUndefined, auto_reload=False, **kept)
    made.filters["sentence"] = lambda text: f"{text[:1].upper()}{text[1:]}."
    return made


def _page(template: str, title: str, **told: Any) -> str:
    return _templates().get_template(template).render(title=title, words=words, **told)


def start_page() -> str:
    """Return the page on which a game is chosen."""
    return _page(
        "start.html",
        "Recommend to a user who is still learning",
        usual=new_pairs({**usual_options(), **PLAYED}),
        about=_ABOUT,
        most_arms=MOST_ARMS_PLAYED,
        settings=list(SETTINGS),
    )


def error_page(line: str) -> str:
    """Return the page that says in one line what is wrong."""
    return _page("error.html", "This is no game", line=line)


def play_page(game: Game, origin: str) -> str:
    """Return the page of a game: with an answer it is the reveal, and the truth is told.

    Args:
        game: what the address says.
        origin: where the page is, as in a browser.
    """
    heard = heard_in(game)
    told = _told_of(game, heard) | {"address": f"{origin}{PLAY}?{query_of(pairs_of(game))}"}
    if game.answer is not None:
        return _reveal_page(game, heard, told)
    return _page(
        "play.html",
        words.title_of_game(game, heard),
        picture=picture_of_responses(heard.seen),
        run=picture_of_run(game, heard) if game.moves else "",
        **told,
    )


def _reveal_page(game: Game, heard: Heard, told: Mapping[str, Any]) -> str:
    """Return the page that tells the truth about the user of a game with an answer."""
    truths = [*truths_of(game)]
    instance = truths[-1].instance
    rivals, notes = rivals_of(game)
    return _page(
        "reveal.html",
        words.verdict(game, heard, instance.best_arm),
        right=words.is_right(game, heard, instance.best_arm),
        moral=moral_of(game, heard, instance.best_arm, rivals),
        header=words.RIVALS_HEADER,
        rows=words.rows_of_rivals(game, heard, instance.best_arm, rivals),
        notes=notes,
        run=picture_of_run(game, heard, truths),
        picture=picture_of_mind(heard.seen, truths),
        means=[f"{mean:.2f}" for mean in instance.means],
        best_arm=instance.best_arm,
        another=query_of(new_pairs(game.options)),
        again=query_of(pairs_of(Game(options=game.options, seed=game.seed))),
        mind=query_of(pairs_of(Game(options=game.options, seed=game.seed, moves=game.moves))),
        **told,
    )


def mind_page(mind: Mind, origin: str) -> str:
    """Return the page on which the truth is seen, asked for by name."""
    game = mind.game
    heard, truths = heard_in(game), [*truths_of(game)]
    right, known = mind.right_guesses(heard)
    pairs = pairs_of_mind(mind)
    kept = {name: text for name, text in pairs.items() if name not in SLID}
    return _page(
        "mind.html",
        "Be her mind",
        picture=picture_of_mind(heard.seen, truths),
        reason=reason_of_last(heard.seen, truths),
        guess=mind.guesses[-1] if mind.guesses else None,
        right=right,
        known=known,
        asked=mind.asked,
        foretold=mind.foretold,
        sliders=sliders_of(game),
        unasked={name: text for name, text in pairs.items() if name not in (ASKED, BY)},
        about=_ABOUT,
        follows=game.population.rho is None,
        untuned=kept,
        **_told_of(game, heard) | {"pairs": pairs, "undo": query_of(pairs_of_mind(mind.undone()))},
        address=f"{origin}{MIND}?{query_of(pairs)}",
    )


def _told_of(game: Game, heard: Heard) -> dict[str, Any]:
    """Return what every page of a game tells: nothing secret."""
    row = len([*takewhile(lambda arm: arm == game.moves[-1], reversed(game.moves))])
    undone = Game(options=game.options, seed=game.seed, moves=game.moves[:-1])
    return {
        "game": game,
        "heard": heard,
        "last": heard.seen.last,
        "in_a_row": heard.responses[-row:][-LONGEST_RUN_SHOWN:] if row > 1 else (),
        "arms": range(game.n_arms),
        "pairs": pairs_of(game),
        "undo": query_of(pairs_of(undone)),
        "settings_in_words": words.settings_in_words(game),
        "left": 0 if heard.left else MOST_MOVES - len(game.moves),
    }
