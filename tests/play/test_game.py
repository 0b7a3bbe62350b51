"""A game is played again to the same bit, is the same as its address, and ends with its moral."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy_agents import tireless

from explorative_user_env import rollout
from explorative_user_env.agents import BAIR, TrackAndStop
from explorative_user_env.envs.user import ExplorativeUserEnv
from explorative_user_env.play import game as words
from explorative_user_env.play.game import (
    FOLLOW,
    LARGEST_PLAYED_SEED,
    LONGEST_QUERY,
    MOST_MOVES,
    PLAYED,
    Game,
    Heard,
    Rival,
    game_of,
    heard_in,
    instance_at_end,
    moral_of,
    moves_as_text,
    moves_in,
    pairs_in,
    pairs_of,
    query_of,
    right_guesses,
    rivals_of,
    slid,
    sliders_of,
    truths_of,
)
from explorative_user_env.play.page import play_page
from explorative_user_env.protocol import ANSWERED, CENSORED, LEFT
from explorative_user_env.show.words import Seen
from explorative_user_env.validation import InvalidArgumentError, MissingExtraError

USERS = (
    {},
    {"n_arms": 3, "gap": 0.7, "alpha": 0.4, "noise": 0.2},
    {"setting": "released", "behaviour": "drifting", "n_arms": 2},
    {"behaviour": "logistic", "rho": 1.5},
    {"reward_law": "bounded", "behaviour": "forgetful"},
)


def test_she_answers_as_in_the_environment():
    moves = tuple(step * step % 2 for step in range(60)) + (1,) * 20
    for options in USERS:
        env = ExplorativeUserEnv(**options)
        env.reset(seed=11)
        responses = tuple(bool(env.step(arm)[0]) for arm in moves)
        game = Game(options=options, seed=11, moves=moves)
        assert heard_in(game).responses == responses
        assert instance_at_end(game) == env.instance()
        truths = [*truths_of(game)]
        assert truths[-1] == env.hidden_state()
        assert [truth.interactions for truth in truths] == [*range(81)]


def test_options_as_usual_are_not_kept():
    game = Game(options={"setting": "printed", "n_arms": 5, "gap": 0.7}, seed=1)
    assert game == Game(options={"gap": 0.7, "noise": 0.0}, seed=1)
    assert (game.options, game.n_arms) == ({"gap": 0.7}, 5)


GAME = Game(options={"gap": 2.0}, seed=7)

NUMBERS, GAPS = st.floats(1e-150, 1e150), st.floats(1e-5, 1e3)


@st.composite
def games(draw):
    """Draw a game, and whether it is one in which who plays sees her mind."""
    n_arms, mind = draw(st.integers(2, 25)), draw(st.booleans())
    options = {"n_arms": n_arms}
    more = {
        "alpha": NUMBERS,
        "gap": GAPS,
        "noise": st.floats(0, 1),
        "rho": st.one_of(NUMBERS, st.sampled_from(["acceptance_rate"])),
        "behaviour": st.sampled_from(["explorative", "drifting", "logistic"]),
        "setting": st.sampled_from(["printed", "released"]),
    }
    options |= draw(st.fixed_dictionaries({}, optional=more))
    arms, guess = st.integers(0, n_arms - 1), st.sampled_from([True, False, None])
    moves = draw(st.lists(arms, max_size=50))
    game = Game(options=options, seed=draw(st.integers(0, LARGEST_PLAYED_SEED)), moves=(*moves,))
    asked = draw(st.none() | arms)
    if not mind:
        return replace(game, answer=asked), mind
    guesses = tuple(draw(guess) for _ in moves)
    return replace(game, guesses=guesses, asked=asked, foretold=draw(st.booleans())), mind


@given(games())
def test_an_address_is_read_as_the_game_that_it_was_written_for(drawn):
    game, mind = drawn
    query = query_of(pairs_of(game))
    assert game_of(pairs_in(query), mind=mind) == game
    assert query.isascii()
    assert not set(query) & set(" '\"\\$`!")  # it stands between quotes in a shell


def test_moves_are_written_in_runs():
    moves = (0, 1, 1, 1, 24, 24, 3)
    assert moves_as_text(moves) == "0.1x3.24x2.3"
    assert moves_in("moves", "0.1x3.24x2.3") == moves_in("moves", "0.1x1.1x2.24.24.3") == moves
    assert moves_as_text(()) == "" == "".join(map(str, moves_in("moves", "")))


def test_the_longest_game_fits_into_an_address():
    moves = tuple(arm for arm in (24, 23) * MOST_MOVES)[:MOST_MOVES]
    long = {"n_arms": 25, "alpha": 0.12345678901234567, "rho": "smoothed_acceptance_rate"}
    query = query_of(pairs_of(Game(options=long, seed=LARGEST_PLAYED_SEED, moves=moves)))
    assert len(query) < LONGEST_QUERY
    assert game_of(pairs_in(query)).moves == moves


REFUSED = {
    "moves=0": "seed must be in the address",
    "nonsense": "address must be name=value",
    "seed=7&seed=8": "seed must be said once",
    **dict.fromkeys(
        ("seed=1.5", "seed=１", "seed=1_0", "seed=" + "9" * 9999), "seed must be a whole number"
    ),
    "seed=" + "9" * 30: "seed must be an integer in 0..9223372036854775807",
    "seed=7&%ff=1": "address must be name=value",
    "seed=7&best_arm=1": "address must be name=value with names of",
    "seed=7&gap=nan": "gap must be a number",
    "seed=7&gap=1e999": "gap must be a finite number above 0",
    "seed=7&rho=inf": "rho must be",
    "seed=7&n_arms=26": "n_arms must be an integer in 2..25",
    "seed=7&behaviour=__class__": "behaviour must be",
    "seed=7&moves=5": "moves must be arms in 0..4",
    **dict.fromkeys(("seed=7&moves=0..1", "seed=7&moves=0x0"), "moves must be arms with points"),
    "seed=7&moves=0x999999": "moves must be at most 2000",
    "seed=7&moves=" + "0." * LONGEST_QUERY: "address must be at most 20000 letters",
}
REFUSED_OF_PLAYERS = {"seed=7&answer=9": "answer must be an integer", "seed=7&guesses=y": "address"}
REFUSED_OF_MINDS = {
    "seed=7&answer=1": "answer must be left out where all is seen",
    "seed=7&moves=0&guesses=yy": "guesses must be of moves that were made",
    "seed=7&moves=0&guesses=q": "guesses must be written with",
    "seed=7&asked=5": "moves must be arms in 0..4",
    "seed=7&by=me": "by must be one of her, you",
}


def test_what_is_no_address_is_refused_in_one_line():
    for mind, more in ((False, REFUSED_OF_PLAYERS), (True, REFUSED_OF_MINDS)):
        for query, told in (REFUSED | more).items():
            with pytest.raises(InvalidArgumentError) as error:
                game_of(pairs_in(query), mind=mind)
            assert str(error.value).startswith(told)
            assert "\n" not in str(error.value)


def test_what_cannot_be_done_in_a_game_is_refused():
    game = replace(GAME.recommending((0, 1)), answer=1)
    assert (game.moves, game.answer) == ((0, 1), 1)
    refused = [
        (lambda: Game(seed=-1), "seed must be"),
        (lambda: Game(seed=1, moves=(True,)), "moves must be arms"),
        (lambda: game.recommending((0,)), "none after the answer"),
        (lambda: replace(GAME, foretold=True).recommending((0, 0)), "one arm"),
        (lambda: GAME.guessing(True), "asked about"),
    ]
    for act, told in refused:
        with pytest.raises(InvalidArgumentError, match=told):
            act()


def test_a_guess_becomes_her_decision_is_counted_and_is_undone_before_the_last_move():
    mind = replace(GAME, foretold=True)
    for arm, guess in ((0, True), (1, False), (2, True)):
        mind = mind.recommending((arm,))
        assert (mind.asked, len(mind.moves)) == (arm, arm)  # she has not decided yet
        mind = mind.guessing(guess)
    assert mind.moves == (0, 1, 2)
    assert right_guesses(mind, heard_in(mind)) == (2, 3)
    once = mind.recommending((3,)).undone()
    assert once == mind
    assert (once.undone().moves, once.undone().guesses) == ((0, 1), (True, False))
    unasked = GAME.recommending((3, 3))
    assert (unasked.moves, unasked.guesses, unasked.asked) == ((3, 3), (None, None), None)


def test_a_game_in_which_she_leaves_ends_there_and_says_so():
    game = Game(options={"n_arms": 2, "gap": 4.0, "behaviour": "impatient(probability=1)"}, seed=7)
    best = instance_at_end(game).best_arm
    game = game.recommending((best, 1 - best) * 100)
    heard = heard_in(game)
    assert heard.left
    assert heard.responses.index(False) == len(game.moves) - 1 < 199
    assert words.tally(heard).endswith("1 no; then she left")
    with pytest.raises(InvalidArgumentError, match="none after she has left"):
        game.recommending((best,))
    with pytest.raises(InvalidArgumentError, match="as she leaves then"):
        heard_in(replace(game, moves=(*game.moves, best)))
    named = replace(game, answer=best)
    assert words.verdict(named, heard, best).startswith("She left before an answer: ")
    you, other = words.rows_of_rivals(named, heard, best, [Rival("BAIR", 3, 1, best, False, LEFT)])
    assert you[1:] == (f"{len(game.moves)} (she left)", "1", f"arm {best}", "no")
    assert other[1] == "3 (she left)"
    assert moral_of(named, heard, best, rivals_of(named)[0]).startswith("She left")
    assert " disabled" in play_page(game, "")


def test_the_moral_is_that_of_the_game_that_was_played():
    def rival(name, interactions, right=True, end=ANSWERED):
        return Rival(name, interactions, 1, 0, right, end)

    slow, best = rival("BAIR", 99), 1
    cut = rival("BAIR", 99, False, CENSORED)  # who has not answered is not wrong
    right, wrong = ((0, 1), (True, True), best), ((1, 0), (False, True), 0)
    for (moves, responses, answer), rivals, users, told in (
        (((), (), best), [slow], {}, "luck, one time in K"),
        (right, [slow, rival("T&S", 5), rival("PPO", 9)], {}, "than BAIR, T&S and PPO: "),
        (right, [rival("BAIR", 1)], {}, "no sooner than the agents"),
        (right, [rival("BAIR", 9, right=False)], {}, "BAIR went wrong"),
        (right, [cut], {}, "Right in fewer interactions than BAIR: "),
        (((0,), (True,), 0), [slow], {}, "not asked about her best arm"),
        (((1,), (False,), 0), [slow], {}, "not asked about the arm that you named"),
        (wrong, [slow], {}, "mistaken: a rejection is evidence"),
        (wrong, [slow], {"noise": 0.1}, "she flips a coin"),
        (wrong, [slow], {"behaviour": "drifting"}, "her taste changes"),
        (((1, 0), (True, True), 0), [slow], {}, "not what she likes best that she accepts"),
        (((1, 0), (True, False), 0), [slow], {}, "hardly ever her best"),
    ):
        game = Game(options={"n_arms": 2, **users}, seed=1, moves=moves, answer=answer)
        said = [*zip(moves, responses, strict=True)]
        yes, no = ([said.count((arm, each)) for arm in range(2)] for each in (True, False))
        latest = [dict(said).get(arm) for arm in range(2)]
        seen = Seen(yes, no, latest, said[-1] if said else None, len(said))
        assert told in moral_of(game, Heard(responses, seen), best, rivals)


def test_sliders_stand_where_the_user_is():
    def sliders(**options):
        return {each.name: each for each in sliders_of(Game(options=options, seed=1), 1.83)}

    options = {"alpha": 0.35, "noise": 0.1, "gap": 2.0, "rho": 1.25}
    assert {name: float(each.value) for name, each in sliders(**options).items()} == options
    between = sliders(alpha=0.333, gap=7.0)  # two steps, or beyond the end
    assert between["alpha"].step == "any"
    assert (between["gap"].value, between["gap"].most) == ("7", "7")
    assert between["rho"].value == "1.85"  # where the schedule is now


def test_a_schedule_that_is_followed_needs_no_number_until_its_slider_moves():
    assert slid({"rho": "1.85", "gap": "1", FOLLOW: "1.85"}) == {"gap": "1"}
    assert slid({"rho": "1.2", "gap": "1", FOLLOW: "1.85"}) == {"rho": "1.2", "gap": "1"}
    assert slid({"rho": "1.5"}) == {"rho": "1.5"}


THREE = Game(options={"n_arms": 3, "gap": 2.0}, seed=7)


def test_rivals_did_what_they_do_in_the_loop(monkeypatch):
    drifting = {"n_arms": 2, "gap": 0.2, "behaviour": "drifting"}  # the best arm of the end counts
    for game in (THREE, Game(options=drifting, seed=4)):
        found, notes = rivals_of(game)
        env = ExplorativeUserEnv(**game.options)
        for rival, agent in zip(found, (BAIR(), TrackAndStop()), strict=True):
            episode = rollout(env, agent, game.seed)
            right = episode.answer == env.instance().best_arm
            mine = (episode.agent, episode.stopping_time, episode.rejections, episode.answer, right)
            assert rival == Rival(*mine, ANSWERED)
        assert notes == [f"No trained model of the package is for {game.n_arms} arms."]
    monkeypatch.setattr(words, "LONGEST_RUN", 30)
    found, _ = rivals_of(THREE)
    assert [(rival.interactions, rival.end) for rival in found] == [(30, CENSORED)] * 2


def test_a_model_has_a_cap_of_its_own_and_is_told_of_where_it_cannot_play(monkeypatch):
    def missing(name):
        raise MissingExtraError("it needs sb3-contrib: pip install it")

    game = Game(options=PLAYED, seed=7)
    monkeypatch.setattr(words, "_loaded", lambda name: tireless(20))
    (*_, model), (note,) = rivals_of(game)
    assert (model.name, model.interactions, model.end) == ("tireless", 20, CENSORED)
    assert note.startswith("tireless was trained with users of setting printed")
    monkeypatch.setattr(words, "_loaded", missing)
    found, (note,) = rivals_of(game)
    assert [rival.name for rival in found] == ["BAIR", "T&S"]
    assert note.endswith("it needs sb3-contrib: pip install it")
    words.get_ready()  # says nothing


@pytest.mark.exhaustive
def test_a_trained_model_plays_where_there_is_one_for_so_many_arms():
    pytest.importorskip("sb3_contrib", reason="models need the extra rl")
    from explorative_user_env.rl import load_agent

    found, _ = rivals_of(Game(options={"gap": 2.0}, seed=7))
    episode = rollout(ExplorativeUserEnv(gap=2.0), load_agent("bai-k5"), seed=7)
    assert found[2][:2] == (episode.agent, episode.stopping_time)
