"""A game in a terminal is the game of its address, line by line."""

import re

import pytest

from explorative_user_env.play.game import Game, instance_at_end, log_of
from explorative_user_env.play.terminal import play_lines

GAME = Game(options={"n_arms": 3, "gap": 2.0}, seed=7)


def played(*lines, game=GAME):
    said = []
    return play_lines(game, iter(lines), lambda *more: said.extend(more)), said


def answers(said):
    return [": yes" in line for line in said if line.startswith("Arm ")]


def test_a_game_is_played_to_the_reveal_and_told_again():
    game, said = played("0", "1x40\n", " 2 0 ", "2x20", "best 1", "2")
    moves = (0, *(1,) * 40, 2, 0, *(2,) * 20)
    assert game == Game(options=GAME.options, seed=7, moves=moves, answer=1)
    assert answers(said) == list(log_of(game).responses)
    assert not all(answers(said))
    again, told_again = played("0", game=game)
    assert again == game
    for told in ("\n".join(said), "\n".join(told_again)):
        for mean in instance_at_end(game).means:
            assert f"true mean {mean:.2f}" in told
        assert "BAIR: interactions " in told
        assert "you: interactions 63, " in told
    assert answers(told_again) == answers(said)


def test_the_truth_is_not_told_before_the_answer_but_to_who_asks():
    game, said = played("0x20", "1x20", "2x20", "show", "undo", "address", "help", "")
    told = "\n".join(said)
    assert len(game.moves) == 59
    for secret in ("mean", "best arm is", *(f"{abs(m):.2f}" for m in instance_at_end(game).means)):
        assert secret not in told
    best = f"arm {instance_at_end(GAME).best_arm}: true mean "
    assert any(line.startswith(best) for line in played("truth")[1] if line.endswith(", her best"))


def test_what_cannot_be_done_is_a_line_and_the_game_goes_on():
    game, said = played("3", "best 3", "best", "sing", "1x9999", "0x", "best x", "1")
    assert game.moves == (1,)
    assert len([line for line in said if " must be " in line]) == 7


def test_where_she_leaves_only_what_was_asked_is_answered():
    leaving = Game(options={**GAME.options, "behaviour": "impatient(probability=1)"}, seed=7)
    whole, _ = played("0x60 1x60 2x60 0x60 1x60", game=leaving)
    *asked, last = whole.moves
    game, said = played(" ".join(map(str, asked)), f"{last}x10", game=leaving)
    assert game.moves == whole.moves
    assert answers(said) == list(log_of(game).responses)
    assert said[-4].endswith(f"{len(asked)} yes, 1 no; then she left.")


@pytest.mark.parametrize("end", ["end of input", "quit", "interrupt"])
def test_who_stops_is_told_how_to_go_on(end):
    def lines():
        yield "0x2"
        if end == "interrupt":
            raise KeyboardInterrupt
        if end == "quit":
            yield "quit"
            raise AssertionError("nothing is read after it")

    said = []
    play_lines(GAME, lines(), lambda *more: said.extend(more))
    assert said[-1].endswith("--terminal --address 'n_arms=3&gap=2&seed=7&moves=0x2'")


def test_what_help_and_the_buttons_of_the_page_say_can_be_typed():
    commands = [line.partition(":")[0] for line in played("help")[1]]
    commands = [each for each in commands if re.fullmatch(r"(best )?\d+(x\d+)?", each)]
    assert len(commands) == 3
    for typed in (commands, ["arm 1"], ["Arm 1x3"], ["arm 0 arm 1"], ["best arm 1"]):
        game, said = played(*typed)
        assert game != GAME
        assert not any("must be" in line for line in said)


def test_a_new_player_reads_what_to_type():
    assert any(line.startswith("Type the number of an arm, best with") for line in played()[1])
