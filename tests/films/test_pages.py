"""Films as files and in notebooks: what is in them, and what is not."""

import re
from dataclasses import replace

import pytest
from drawn import problems, texts
from pairs import pairs
from watched import Silent, run

import explorative_user_env as eu
from explorative_user_env import InvalidArgumentError
from explorative_user_env.agents import BAIR
from explorative_user_env.runs import films as filming
from explorative_user_env.runs.films import captions_of, page_of, pictures_of, run_scene
from explorative_user_env.show.svg import svg_of
from explorative_user_env.validation import MissingExtraError


def film(agent="bair", seed=7, reveal=True, **how):
    return run(agent, seed, **{"max_steps": 60, **how}).film(reveal)


def words(scene):
    return {text.text for text in texts(scene)}


@pytest.mark.slow
@pairs(
    n_arms=[2, 26, 101],
    agent=["bair", "tas", "exp3", "full-information"],
    form=["ALONE", "TOGETHER", "ON_A_PHONE"],
)
def test_every_word_has_room_and_all_pictures_are_of_one_size(agent, n_arms, form):
    made = film(agent, n_arms=n_arms, max_steps=120, reward="realized")
    for each in (made, replace(made, revealed=False)):
        films = [each] * (1 + (form == "TOGETHER"))
        pictures = pictures_of(films, [0, 40, 120], getattr(filming, form))
        assert len({picture[:2] for picture in pictures}) == 1
        for picture in pictures:
            assert problems(picture) == []
            assert not any(word.endswith("…") for word in words(picture))


@pytest.mark.slow
def test_a_page_that_reveals_nothing_holds_nothing_that_is_secret():
    made = film("uni", gap=2.0, reveal=False)
    blind = [moment._replace(hidden=None, decided=None) for moment in made.moments]
    page = page_of([made])
    assert page == page_of([replace(made, moments=blind)])
    assert not any(word in page for word in ("lcb", "Gamma", "true mean", "clearly better"))
    assert "clearly better" in page_of([replace(made, revealed=True)])


def test_a_notebook_shows_what_the_environment_was_to_show():
    for shows in (False, True):
        env = eu.ExplorativeUserEnv(n_arms=3, render_intervals=shows)
        episode = eu.rollout(env, BAIR(n1=5), 1, max_steps=40)
        assert episode.film().revealed == shows
        assert ("true mean" in str(episode._repr_html_())) == shows
        assert episode.film(reveal=True).revealed


def test_captions_say_each_step_and_the_last_what_was_named():
    made = film(BAIR(n1=3), 1, gap=3.0)
    steps = filming.steps_of_all([made])
    captions = captions_of([made], steps)
    assert captions[0] == "A user of 5 arms; no recommendation yet"
    assert "at t = 1" in captions[1]
    assert captions[-1].endswith(f". BAIR stopped and named arm {made.answer}")
    rejected = [place for place, words in enumerate(captions) if " rejected arm" in words]
    assert rejected == filming.rejected_at([made], steps)


def test_several_agents_stand_side_by_side_and_who_has_ended_stays():
    short, long = film(Silent(steps=5)), film(Silent(steps=9))
    steps = filming.steps_of_all([short, long])
    assert steps == list(range(10))
    captions = captions_of([short, long], steps)
    assert captions[-1].count("silent: ") == 2
    assert "t = 5. silent stopped" in captions[-1]
    form = filming.TOGETHER
    one, both = (pictures_of(films, steps, form)[-1] for films in ([short], [short, long]))
    assert (both.width, problems(both)) == (2 * form.width, [])
    assert "silent" in words(both)  # it says nothing, and is named where it has company
    assert "silent" not in words(one)


def test_two_agents_with_the_same_user_have_one_axis_of_rewards():
    films = [film("bair", 3, max_steps=90), film("se", 3, max_steps=40)]
    (scene,) = pictures_of(films, [40], filming.TOGETHER)
    ticks = {text.key: text.text for text in texts(scene) if "/0/tick-" in text.key}
    one, other = ([word for key, word in ticks.items() if f"0/{n}/0" in key] for n in range(2))
    assert one == other != []


def test_a_page_needs_no_other_file_and_no_network_and_in_a_notebook_it_is_a_frame():
    made = film(max_steps=9)
    page = page_of([made]).replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert not any(word in page for word in ("http:", "https:", " src=", "@import", "url("))
    shown = made._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    assert "<script" not in shown


@pytest.mark.parametrize("reveal", [True, False])
def test_the_whole_run_stands_in_one_picture(reveal, tmp_path):
    one, other = (film(agent, max_steps=200, reveal=reveal) for agent in ("bair", Silent()))
    scene = run_scene([one, other])
    assert {"BAIR and the user of seed 7", "silent and the user of seed 7"} <= words(scene)
    assert problems(scene) == problems(run_scene([film(Silent(0))])) == []
    one.save(tmp_path / "a.svg")
    svg = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert svg == svg_of(run_scene([one]))
    assert ("true mean" in svg) == reveal
    scales = [
        {text.text for text in texts(picture) if re.search(r"reward-0-\d-words$", text.key)}
        for picture in (run_scene([one]), run_scene([other]), scene)
    ]
    assert (scales[0] != scales[1]) == reveal
    assert len(scales[2]) == 2 * reveal  # both to one scale


@pytest.mark.slow
def test_what_is_left_out_of_a_long_run_is_said_and_what_runs_have_in_common_only_once():
    long = film(Silent(1001), max_steps=1001, n_arms=2)
    assert "silent and the user of seed 7 (501 of 1001 steps)" in words(run_scene([long]))
    page = page_of([film("bair"), film("uni")])
    assert page.count("BAIR, UNI: t = 0: the best of 5 arms is arm 1") == 1


def test_what_cannot_be_written_is_refused(tmp_path, monkeypatch):
    made = film(max_steps=3)
    for name in ("a", "a.txt", "a.htm"):
        with pytest.raises(InvalidArgumentError, match=r"path must be one of \.\w+, "):
            made.save(tmp_path / name)
    monkeypatch.setattr("explorative_user_env.validation.find_spec", lambda name: None)
    for ending, needs in (("mp4", "videos need imageio-ffmpeg and pillow"), ("png", "pillow")):
        with pytest.raises(MissingExtraError, match=f"{needs}: pip install"):
            made.save(tmp_path / f"a.{ending}")
    made.save(tmp_path / "a.html")
    with pytest.raises(InvalidArgumentError, match="path must be a new file"):
        made.save(tmp_path / "a.html")
    made.save(tmp_path / "a.html", overwrite=True)
    assert [each.name for each in tmp_path.iterdir()] == ["a.html"]


def test_films_tell_how_far_they_are():
    told = []
    page_of([film(Silent(3))], lambda *each: told.append(each))
    assert [each[1:] for each in told] == [(done, 8) for done in range(8)]  # wide and for a phone
