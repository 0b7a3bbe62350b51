"""Films as files and in notebooks: what is in them, and what is not."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pairs import pairs
from readable import problems
from watched import Silent, run

import explorative_user_env as eu
from explorative_user_env import InvalidArgumentError
from explorative_user_env.agents import BAIR
from explorative_user_env.runs.films import (
    ALONE,
    ON_A_PHONE,
    TOGETHER,
    Film,
    can_be_written,
    captions_of,
    page_of,
    pictures_of,
    rejected_at,
    save_films,
    steps_of_all,
    whole_run,
)
from explorative_user_env.show.shapes import Scene, Text
from explorative_user_env.show.svg import svg_of
from explorative_user_env.validation import MissingExtraError


def film(agent: Any = "bair", seed: int = 7, reveal: bool = True, **how: Any) -> Film:
    return run(agent, seed, **{"max_steps": 60, **how}).film(reveal)


@pytest.mark.slow
@pairs(
    n_arms=[2, 26, 130],
    agent=["bair", "tas", "full-information", Silent()],
    form=[ALONE, TOGETHER, ON_A_PHONE],
)
def test_every_word_has_room_and_all_pictures_are_of_one_size(
    agent: Any, n_arms: int, form: Any
) -> None:
    for revealed in (True, False):
        made = film(agent, n_arms=n_arms, max_steps=3 * n_arms, reveal=revealed, reward="realized")
        steps = [step for step in steps_of_all([made]) if step % n_arms == 0]
        pictures = pictures_of([made, made] if form == TOGETHER else [made], steps, form)
        assert len({picture[:2] for picture in pictures}) == 1
        for picture in pictures:
            assert problems(picture) == []


@pytest.mark.slow
def test_a_page_that_reveals_nothing_holds_nothing_that_is_secret() -> None:
    made = film(reveal=False, max_steps=200)
    assert not all(made.moments[-1].seen.latest)  # some rejection has a reason
    nothing: Any = None
    blind = [moment._replace(hidden=nothing, decided=None) for moment in made.moments]
    page = page_of([made])
    assert page == page_of([replace(made, moments=blind)])
    assert not any(word in page for word in ("lcb", "Gamma", "true mean", "clearly better"))
    assert "clearly better" in page_of([film(max_steps=200)])


def test_a_notebook_shows_what_the_environment_was_to_show() -> None:
    for shows in (False, True):
        env = eu.ExplorativeUserEnv(n_arms=3, render_intervals=shows)
        episode = eu.rollout(env, BAIR(n1=5), 1, max_steps=40)
        assert episode.film().revealed == shows
        assert ("true mean" in str(episode._repr_html_())) == shows
        assert episode.film(reveal=True).revealed


def test_in_a_notebook_it_is_a_frame_of_its_own() -> None:
    shown = film()._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    assert shown.endswith("</iframe>")
    assert "<script" not in shown.split(">")[0].replace("&lt;script", "")
    assert "&lt;script" in shown


def test_a_page_uses_no_colour_and_no_letters_that_it_does_not_name() -> None:
    page = page_of([film()])
    used = set(re.findall(r"var\((--[\w-]+)\)", page))
    assert {"--eu-font", "--eu-page"} <= used <= set(re.findall(r"(--[\w-]+):", page))


def test_captions_say_each_step_and_the_last_what_was_named() -> None:
    made = film(BAIR(n1=3), 1, gap=3.0)
    captions = captions_of([made], steps_of_all([made]))
    assert captions[0] == "A user of 5 arms; no recommendation yet"
    assert "at t = 1" in captions[1]
    assert captions[-1].endswith(f". BAIR stopped and named arm {made.answer}")
    marks = rejected_at([made], steps_of_all([made]))
    assert [place for place, words in enumerate(captions) if " rejected arm" in words] == marks


def test_several_agents_stand_side_by_side_and_who_has_ended_stays() -> None:
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


def test_two_agents_with_the_same_user_have_one_axis_of_rewards() -> None:
    films = [film("bair", 3, max_steps=90), film("se", 3, max_steps=40)]
    (scene,) = pictures_of(films, [40], TOGETHER)
    ticks = [
        [
            (round(shape.x - number * TOGETHER.width, 6), shape.text)
            for shape in scene.shapes
            if isinstance(shape, Text) and shape.key.startswith(f"0/{number}/0/tick-")
        ]
        for number in range(2)
    ]
    assert len(ticks[0]) > 2
    assert ticks[0] == ticks[1]


@pytest.mark.parametrize("form", [ALONE, TOGETHER, ON_A_PHONE])
@pytest.mark.parametrize("agent", ["bair", "se", "tas", "uni", "exp3", "ucb1", "thompson"])
def test_what_agents_of_the_package_say_is_cut_nowhere(agent: str, form: Any) -> None:
    made = film(agent, 3, max_steps=300, noise=0.1)
    for picture in pictures_of([made], [7, 150, 300], form):
        assert [word for word in words(picture) if word.endswith("…")] == []


def words(scene: Scene) -> set[str]:
    return {shape.text for shape in scene.shapes if isinstance(shape, Text)}


@pytest.mark.slow
def test_what_two_agents_have_in_common_is_told_once() -> None:
    page = page_of([film("bair"), film("uni")])
    assert page.count("BAIR, UNI: t = 0: the best of 5 arms is arm 1") == 1


def test_a_page_needs_no_other_file_and_no_network() -> None:
    page = page_of([film()]).replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert not any(word in page for word in ("http:", "https:", " src=", "@import", "url("))


@pytest.mark.slow
def test_five_hundred_steps_of_five_arms_take_less_than_two_megabytes(tmp_path: Path) -> None:
    made = film("tas", max_steps=500)
    made.save(tmp_path / "a.html")
    assert len(made.moments) == 501
    assert (tmp_path / "a.html").stat().st_size < 2_000_000
    pytest.importorskip("PIL", reason="needs the extra render")
    made.save(tmp_path / "a.gif")
    assert (tmp_path / "a.gif").stat().st_size < 4_000_000


@pytest.mark.parametrize("reveal", [True, False])
def test_the_whole_run_stands_in_one_picture(reveal: bool, tmp_path: Path) -> None:
    one, other = (film(agent, max_steps=200, reveal=reveal) for agent in ("bair", Silent()))
    scene = whole_run([one, other])
    assert {"BAIR and the user of seed 7", "silent and the user of seed 7"} <= words(scene)
    assert problems(scene) == []
    one.save(tmp_path / "a.svg")
    svg = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert svg == svg_of(whole_run([one]))
    assert ("true mean" in svg) == reveal
    strokes = [each for each in one.moments if each.seen.last]
    assert len(strokes) == 200


def test_runs_with_one_user_are_drawn_to_one_scale() -> None:
    one, other = (film(agent, max_steps=200) for agent in ("bair", Silent()))

    def scale(scene: Scene) -> set[str]:
        return {
            shape.text
            for shape in scene.shapes
            if isinstance(shape, Text) and re.search(r"reward-0-\d-words$", shape.key)
        }

    assert scale(whole_run([one])) != scale(whole_run([other]))
    assert len(scale(whole_run([one, other]))) == 2


def test_of_a_long_run_in_one_picture_it_is_said_that_steps_are_left_out() -> None:
    long = film(Silent(2500), max_steps=2500)
    assert "silent and the user of seed 7 (834 of 2500 steps)" in words(whole_run([long]))


def test_a_run_without_a_step_is_a_picture_as_well() -> None:
    assert problems(whole_run([film(Silent(0))])) == []


def test_what_is_there_is_written_over_only_if_that_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text("mine")
    with pytest.raises(InvalidArgumentError, match="path must be a new file"):
        film().save(path)
    assert path.read_text() == "mine"
    film().save(path, overwrite=True)
    assert "What happened" in path.read_text()
    assert [each.name for each in tmp_path.iterdir()] == ["a.html"]


@pytest.mark.parametrize("name", ["a", "a.txt", "a.htm"])
def test_another_ending_is_refused_with_those_that_are_known(name: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError, match=r"path must be one of \.\w+, ") as caught:
        run(max_steps=5).save(tmp_path / name)
    assert ".html" in str(caught.value)


@pytest.mark.parametrize("ending", ["gif", "png", "mp4"])
def test_one_line_tells_all_that_a_file_needs(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("explorative_user_env.validation.find_spec", lambda name: None)
    needs = "videos need imageio-ffmpeg and pillow" if ending == "mp4" else "pixels need pillow"
    with pytest.raises(MissingExtraError, match=f"{needs}: pip install"):
        can_be_written(tmp_path / f"a.{ending}", "out")


@pytest.mark.parametrize(("ending", "missing"), [("gif", "PIL"), ("mp4", "imageio_ffmpeg")])
def test_without_a_painter_it_is_said_what_is_missing(
    ending: str, missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("PIL", reason="the other painter has to be there")
    monkeypatch.setattr(
        "explorative_user_env.validation.find_spec", lambda name: None if name == missing else name
    )
    with pytest.raises(MissingExtraError, match="pip install"):
        film(max_steps=3).save(tmp_path / f"a.{ending}")
    assert list(tmp_path.iterdir()) == []


def test_films_tell_how_far_they_are(tmp_path: Path) -> None:
    pytest.importorskip("PIL", reason="needs the extra render")
    told: list[tuple[str, int, int]] = []
    made = film(Silent(steps=3))
    save_films([made], tmp_path / "a.gif", progress=lambda *each: told.append(each))
    assert told[-1] == ("GIF", 4, 4)
    assert ("pictures", 3, 4) in told
    told.clear()
    save_films([made], tmp_path / "a.html", progress=lambda *each: told.append(each))
    assert [done for _, done, _ in told] == list(range(8))  # wide ones, and those for a phone
    assert {total for _, _, total in told} == {8}
