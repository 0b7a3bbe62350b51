"""Films as files and in notebooks: what is in them, and what is not."""

import re
from dataclasses import replace

import pytest
from drawn import problems
from pairs import pairs
from watched import Silent, run

import explorative_user_env as eu
from explorative_user_env import InvalidArgumentError
from explorative_user_env.agents import BAIR
from explorative_user_env.runs.films import (
    ALONE,
    ON_A_PHONE,
    TOGETHER,
    captions_of,
    page_of,
    pictures_of,
    rejected_at,
    save_films,
    steps_of_all,
    whole_run,
)
from explorative_user_env.show.shapes import Text
from explorative_user_env.show.svg import svg_of
from explorative_user_env.validation import MissingExtraError


def film(agent="bair", seed=7, reveal=True, **how):
    return run(agent, seed, **{"max_steps": 60, **how}).film(reveal)


@pairs(
    n_arms=[2, 26, 130],
    agent=["bair", "tas", "exp3", "thompson", "full-information"],
    form=[ALONE, TOGETHER, ON_A_PHONE],
)
def test_every_word_has_room_and_all_pictures_are_of_one_size(agent, n_arms, form):
    for revealed in (True, False):
        made = film(agent, n_arms=n_arms, max_steps=2 * n_arms, reveal=revealed, reward="realized")
        films = [made, made] if form == TOGETHER else [made]
        pictures = pictures_of(films, [0, n_arms, 2 * n_arms], form)
        assert len({picture[:2] for picture in pictures}) == 1
        for picture in pictures:
            assert problems(picture) == []
            assert [word for word in words(picture) if word.endswith("…")] == []


@pytest.mark.slow
def test_a_page_that_reveals_nothing_holds_nothing_that_is_secret():
    made = film(reveal=False, max_steps=140)
    assert not all(made.moments[-1].seen.latest)  # some rejection has a reason
    nothing = None
    blind = [moment._replace(hidden=nothing, decided=None) for moment in made.moments]
    page = page_of([made])
    assert page == page_of([replace(made, moments=blind)])
    assert not any(word in page for word in ("lcb", "Gamma", "true mean", "clearly better"))
    assert "clearly better" in page_of([film(max_steps=140)])


def test_a_notebook_shows_what_the_environment_was_to_show():
    for shows in (False, True):
        env = eu.ExplorativeUserEnv(n_arms=3, render_intervals=shows)
        episode = eu.rollout(env, BAIR(n1=5), 1, max_steps=40)
        assert episode.film().revealed == shows
        assert ("true mean" in str(episode._repr_html_())) == shows
        assert episode.film(reveal=True).revealed


def test_captions_say_each_step_and_the_last_what_was_named():
    made = film(BAIR(n1=3), 1, gap=3.0)
    captions = captions_of([made], steps_of_all([made]))
    assert captions[0] == "A user of 5 arms; no recommendation yet"
    assert "at t = 1" in captions[1]
    assert captions[-1].endswith(f". BAIR stopped and named arm {made.answer}")
    marks = rejected_at([made], steps_of_all([made]))
    assert [place for place, words in enumerate(captions) if " rejected arm" in words] == marks


def test_several_agents_stand_side_by_side_and_who_has_ended_stays():
    short, long = film(Silent(steps=5)), film(Silent(steps=9))
    steps = steps_of_all([short, long])
    assert steps == list(range(10))
    captions = captions_of([short, long], steps)
    assert captions[-1].count("silent: ") == 2
    assert "t = 5. silent stopped" in captions[-1]
    one, both = (pictures_of(films, steps, TOGETHER)[-1] for films in ([short], [short, long]))
    assert both.width == 2 * TOGETHER.width
    assert problems(both) == []
    assert "silent" in words(both)  # it says nothing, and is named where it has company
    assert "silent" not in words(one)


def test_two_agents_with_the_same_user_have_one_axis_of_rewards():
    films = [film("bair", 3, max_steps=90), film("se", 3, max_steps=40)]
    (scene,) = pictures_of(films, [40], TOGETHER)
    one, other = (
        [
            (round(text.x - number * TOGETHER.width, 6), text.text)
            for text in texts(scene)
            if text.key.startswith(f"0/{number}/0/tick-")
        ]
        for number in range(2)
    )
    assert len(one) > 2
    assert one == other


def texts(scene):
    return [shape for shape in scene.shapes if isinstance(shape, Text)]


def words(scene):
    return {text.text for text in texts(scene)}


def test_a_page_needs_no_other_file_and_no_network_and_in_a_notebook_it_is_a_frame():
    page = page_of([film()]).replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert not any(word in page for word in ("http:", "https:", " src=", "@import", "url("))
    shown = film()._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    assert "<script" not in shown


@pytest.mark.parametrize("reveal", [True, False])
def test_the_whole_run_stands_in_one_picture(reveal, tmp_path):
    one, other = (film(agent, max_steps=200, reveal=reveal) for agent in ("bair", Silent()))
    scene = whole_run([one, other])
    assert {"BAIR and the user of seed 7", "silent and the user of seed 7"} <= words(scene)
    assert problems(scene) == []
    one.save(tmp_path / "a.svg")
    svg = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert svg == svg_of(whole_run([one]))
    assert ("true mean" in svg) == reveal


def test_runs_with_one_user_are_drawn_to_one_scale():
    one, other = (film(agent, max_steps=200) for agent in ("bair", Silent()))
    scales = [
        {text.text for text in texts(scene) if re.search(r"reward-0-\d-words$", text.key)}
        for scene in (whole_run([one]), whole_run([other]), whole_run([one, other]))
    ]
    assert scales[0] != scales[1]
    assert len(scales[2]) == 2


def test_of_a_long_run_in_one_picture_it_is_said_that_steps_are_left_out():
    long = film(Silent(1500), max_steps=1500)
    assert "silent and the user of seed 7 (750 of 1500 steps)" in words(whole_run([long]))
    assert problems(whole_run([film(Silent(0))])) == []  # without a step
    page = page_of([film("bair"), film("uni")])  # what two have in common is told once
    assert page.count("BAIR, UNI: t = 0: the best of 5 arms is arm 1") == 1


def test_what_is_there_is_written_over_only_if_that_is_asked(tmp_path):
    path = tmp_path / "a.html"
    path.write_text("mine")
    with pytest.raises(InvalidArgumentError, match="path must be a new file"):
        film().save(path)
    assert path.read_text() == "mine"
    film().save(path, overwrite=True)
    assert "What happened" in path.read_text()
    assert [each.name for each in tmp_path.iterdir()] == ["a.html"]


def test_what_cannot_be_written_is_refused(tmp_path, monkeypatch):
    made = film(max_steps=3)
    for name in ("a", "a.txt", "a.htm"):
        with pytest.raises(InvalidArgumentError, match=r"path must be one of \.\w+, "):
            made.save(tmp_path / name)
    there = set[str]()
    monkeypatch.setattr(
        "explorative_user_env.validation.find_spec", lambda name: name if name in there else None
    )
    for ending, needs in (("mp4", "videos need imageio-ffmpeg and pillow"), ("png", "pillow")):
        with pytest.raises(MissingExtraError, match=f"{needs}: pip install"):
            made.save(tmp_path / f"a.{ending}")
    there.add("PIL")
    with pytest.raises(MissingExtraError, match="need imageio-ffmpeg: pip install"):
        made.save(tmp_path / "a.mp4")
    assert list(tmp_path.iterdir()) == []


def test_films_tell_how_far_they_are(tmp_path):
    told = []
    save_films([film(Silent(3))], tmp_path / "a.html", progress=lambda *each: told.append(each))
    assert [each[1:] for each in told] == [(done, 8) for done in range(8)]  # wide and for a phone
