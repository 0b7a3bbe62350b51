"""A game repeats bit for bit, equals its address, and ends with a lesson."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy_agents import tireless

from explorative_user_env import rollout
from explorative_user_env.agents import BAIR, TrackAndStop
from explorative_user_env.envs.user import ExplorativeUserEnv
from explorative_user_env.play import game as words
from explorative_user_env.play.game import Game, game_of, log_of, pairs_in, results_of
from explorative_user_env.protocol import ANSWERED, CENSORED
from explorative_user_env.show.words import Seen
from explorative_user_env.validation import InvalidArgumentError, MissingExtraError

GAME = Game(options={"gap": 2.0}, seed=7)


def test_she_answers_as_in_the_environment():
    moves = tuple(step * step % 2 for step in range(60)) + (1,) * 20
    for options in (
        {"n_arms": 3, "gap": 0.7, "alpha": 0.4, "noise": 0.2},
        {"setting": "released", "behaviour": "drifting", "n_arms": 2},
        {"behaviour": "logistic", "rho": 1.5},
        {"reward_law": "bounded", "behaviour": "forgetful"},
    ):
        env = ExplorativeUserEnv(**options)
        env.reset(seed=11)
        responses = tuple(bool(env.step(arm)[0]) for arm in moves)
        game = Game(options=options, seed=11, moves=moves)
        assert log_of(game).responses == responses
        assert words.instance_at_end(game) == env.instance()
        truths = [*words.truths_of(game)]
        assert truths[-1] == env.hidden_state()
        assert [truth.interactions for truth in truths] == [*range(81)]


@st.composite
def games(draw):
    """Draw a game, and whether its page shows the hidden state."""
    n_arms, truth = draw(st.integers(2, 25)), draw(st.booleans())
    more = {
        "gap": st.floats(1e-5, 1e3),
        "noise": st.floats(0, 1),
        "rho": st.floats(1e-150, 1e150) | st.just("acceptance_rate"),
        "behaviour": st.sampled_from(["explorative", "drifting", "logistic"]),
        "setting": st.sampled_from(["printed", "released"]),
    }
    options = draw(st.fixed_dictionaries({"n_arms": st.just(n_arms)}, optional=more))
    arms, seeds = st.integers(0, n_arms - 1), st.integers(0, words.LARGEST_PLAYED_SEED)
    moves = tuple(draw(st.lists(arms, max_size=50)))
    game = Game(options=options, seed=draw(seeds), moves=moves)
    pending = draw(st.none() | arms)
    if not truth:
        return replace(game, answer=pending), truth
    guesses = tuple(draw(st.sampled_from([True, False, None])) for _ in moves)
    return replace(game, guesses=guesses, pending=pending, predicts=draw(st.booleans())), truth


@given(games())
def test_an_address_is_read_as_the_game_that_it_was_written_for(drawn):
    game, truth = drawn
    query = words.query_of(words.pairs_of(game))
    assert game_of(pairs_in(query), truth=truth) == game
    assert query.isascii()
    assert not set(query) & set(" '\"\\$`!")  # it stands between quotes in a shell


def test_addresses_are_short_and_that_of_the_longest_game_is_still_one():
    usual = {"setting": "printed", "n_arms": 5, "gap": 0.7}
    game = Game(options=usual, seed=1, moves=(0, 1, 1, 1, 4, 4, 3))
    assert words.query_of(words.pairs_of(game)) == "gap=0.7&seed=1&moves=0.1x3.4x2.3"
    assert game_of(pairs_in("n_arms=5&gap=0.7&seed=1&moves=0.1x1.1x2.4.4.3")) == game
    moves = (24, 23) * (words.MOST_MOVES // 2)
    long = {"n_arms": 25, "alpha": 0.12345678901234567, "rho": "smoothed_acceptance_rate"}
    game = Game(options=long, seed=words.LARGEST_PLAYED_SEED, moves=moves)
    query = words.query_of(words.pairs_of(game))
    assert len(query) < words.LONGEST_QUERY
    assert game_of(pairs_in(query)) == game


REFUSED = {
    "moves=0": "seed must be in the address",
    "nonsense": "address must be name=value",
    "seed=7&seed=8": "seed must be given at most once",
    **dict.fromkeys(("seed=1.5", "seed=１", "seed=" + "9" * 9999), "seed must be a whole number"),
    "seed=" + "9" * 30: "seed must be an integer in 0..9223372036854775807",
    "seed=7&best_arm=1": "address must be name=value with a name of",
    "seed=7&gap=nan": "gap must be a number",
    "seed=7&gap=1e999": "gap must be a finite number above 0",
    "seed=7&n_arms=26": "n_arms must be an integer in 2..25",
    "seed=7&behaviour=__class__": "behaviour must be",
    "seed=7&moves=5": "moves must be arms in 0..4",
    **dict.fromkeys(("seed=7&moves=0..1", "seed=7&moves=0x0"), "moves must be arms joined by dots"),
    "seed=7&moves=0x999999": "moves must be at most 2000",
    "seed=7&moves=" + "0." * words.LONGEST_QUERY: "address must be at most 20000 characters",
}
REFUSED_OF_PLAYERS = {"seed=7&answer=9": "answer must be an integer", "seed=7&guesses=y": "address"}
REFUSED_OF_TRUTH = {
    "seed=7&answer=1": "answer must be left out on the page /mind",
    "seed=7&moves=0&guesses=yy": "guesses must be at most one for each move",
    "seed=7&moves=0&guesses=q": "guesses must be letters y, n",
    "seed=7&asked=5": "moves must be arms in 0..4",
    "seed=7&by=me": "by must be one of her, you",
}


def test_what_is_no_address_is_refused_in_one_line():
    for truth in (False, True):
        for query, told in (REFUSED | (REFUSED_OF_TRUTH if truth else REFUSED_OF_PLAYERS)).items():
            with pytest.raises(InvalidArgumentError, match=f"^{told}.*$"):
                game_of(pairs_in(query), truth=truth)


def test_a_guess_becomes_her_decision_is_counted_and_is_undone_before_the_last_move():
    mind = replace(GAME, predicts=True)
    for arm, guess in ((0, True), (1, False), (2, True)):
        mind = mind.recommending((arm,))
        assert (mind.pending, len(mind.moves)) == (arm, arm)  # she has not decided yet
        mind = mind.guessing(guess)
    assert mind.moves == (0, 1, 2)
    assert words.right_predictions(mind, log_of(mind)) == (2, 3)
    assert mind.recommending((3,)).undone() == mind
    assert (mind.undone().moves, mind.undone().guesses) == ((0, 1), (True, False))


def test_a_game_in_which_she_leaves_ends_there_and_says_so():
    game = Game(options={"n_arms": 2, "gap": 4.0, "behaviour": "impatient(probability=1)"}, seed=7)
    best = words.instance_at_end(game).best_arm
    game = game.recommending((best, 1 - best) * 100)
    log = log_of(game)
    assert log.left
    assert log.responses.index(False) == len(game.moves) - 1 < 199
    with pytest.raises(InvalidArgumentError, match="left out after the user has left"):
        game.recommending((best,))
    with pytest.raises(InvalidArgumentError, match="after which the user leaves"):
        log_of(replace(game, moves=(*game.moves, best)))
    named = replace(game, answer=best)
    assert words.verdict(named, log, best).startswith("She left before an answer: ")
    you = ("you", f"{len(game.moves)} (she left)", "1", f"arm {best}", "no")
    assert words.rows_of_results(named, log, best, []) == [you]
    assert words.lesson_of(named, log, best, results_of(named)[0]).startswith("She left")


def lesson(moves, responses, answer, *results, **users):
    """What a game with a user whose best arm is arm 1 teaches."""
    game = Game(options={"n_arms": 2, **users}, seed=1, moves=moves, answer=answer)
    said = [*zip(moves, responses, strict=True)]
    yes, no = ([said.count((arm, each)) for arm in range(2)] for each in (True, False))
    latest = [dict(said).get(arm) for arm in range(2)]
    seen = Seen(yes, no, latest, said[-1] if said else None, len(said))
    bair = [words.Result("BAIR", *each) for each in results or [(99, 1, 0, True, ANSWERED)]]
    return words.lesson_of(game, words.Log(responses, seen), 1, bair)


def test_the_moral_is_that_of_the_game_that_was_played():
    right, wrong = ((0, 1), (True, True), 1), ((1, 0), (False, True), 0)
    assert "luck" in lesson((), (), 1)
    assert "in fewer interactions than BAIR: " in lesson(*right)
    assert "no sooner than the agents" in lesson(*right, (1, 1, 0, True, ANSWERED))
    assert "BAIR went wrong" in lesson(*right, (9, 1, 0, False, ANSWERED))
    assert "in fewer interactions" in lesson(*right, (9, 1, 0, False, CENSORED))
    assert "did not recommend her best arm" in lesson((0,), (True,), 0)
    assert "did not recommend the arm that you named" in lesson((1,), (False,), 0)
    assert "can be mistaken" in lesson(*wrong)
    assert "she flips a coin" in lesson(*wrong, noise=0.1)
    assert "her taste changes" in lesson(*wrong, behaviour="drifting")
    assert "accepts every arm that could be her best" in lesson((1, 0), (True, True), 0)
    assert "hardly her best" in lesson((1, 0), (True, False), 0)


def test_sliders_stand_where_the_user_is_and_a_schedule_is_followed_until_its_slider_moves():
    def sliders(**options):
        return {each.name: each for each in words.sliders_of(Game(options=options, seed=1), 1.83)}

    options = {"alpha": 0.35, "noise": 0.1, "gap": 2.0, "rho": 1.25}
    assert {name: float(each.value) for name, each in sliders(**options).items()} == options
    between = sliders(alpha=0.333, gap=7.0)  # two steps, or beyond the end
    assert between["alpha"].step == "any"
    assert (between["gap"].value, between["gap"].most) == ("7", "7")
    assert between["rho"].value == "1.85"  # where the schedule is now
    assert words.after_slide({"rho": "1.85", words.FOLLOW: "1.85"}) == {}
    for moved in ({"rho": "1.2", words.FOLLOW: "1.85"}, {"rho": "1.2"}):
        assert words.after_slide(moved) == {"rho": "1.2"}


def test_rivals_did_what_they_do_in_the_loop(monkeypatch):
    three = Game(options={"n_arms": 3, "gap": 2.0}, seed=7)
    drifting = {"n_arms": 2, "gap": 0.2, "behaviour": "drifting"}  # the best arm of the end counts
    for game in (three, Game(options=drifting, seed=4)):
        found, notes = results_of(game)
        env = ExplorativeUserEnv(**game.options)
        for rival, agent in zip(found, (BAIR(), TrackAndStop()), strict=True):
            run = rollout(env, agent, game.seed)
            right = run.answer == env.instance().best_arm
            mine = (run.agent, run.stopping_time, run.rejections, run.answer, right, ANSWERED)
            assert rival == mine
        assert notes == [f"The package has no trained model for {game.n_arms} arms."]
    monkeypatch.setattr(words, "LONGEST_RUN", 30)
    assert [(each.interactions, each.end) for each in results_of(three)[0]] == [(30, CENSORED)] * 2


def test_a_model_has_a_cap_of_its_own_and_is_told_of_where_it_cannot_play(monkeypatch):
    def missing(name):
        raise MissingExtraError("it needs sb3-contrib: pip install it")

    game = Game(options=words.PLAYED, seed=7)
    monkeypatch.setattr(words, "_loaded", lambda name: tireless(20))
    (*_, model), (note,) = results_of(game)
    assert (model.name, model.interactions, model.end) == ("tireless", 20, CENSORED)
    assert note.startswith("tireless was trained on users with setting printed")
    monkeypatch.setattr(words, "_loaded", missing)
    found, (note,) = results_of(game)
    assert [rival.name for rival in found] == ["BAIR", "T&S"]
    assert note.endswith("it needs sb3-contrib: pip install it")
    words.load_first_model()  # says nothing


@pytest.mark.exhaustive
def test_a_trained_model_plays_where_there_is_one_for_so_many_arms():
    pytest.importorskip("sb3_contrib", reason="models need the extra rl")
    from explorative_user_env.rl import load_agent

    found, _ = results_of(Game(options=words.PLAYED, seed=7))
    episode = rollout(ExplorativeUserEnv(gap=2.0), load_agent("bai-k5"), seed=7)
    assert found[2][:2] == (episode.agent, episode.stopping_time)
