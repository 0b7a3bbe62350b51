"""The command watch: what it prints, what it writes, and what it keeps secret."""

import pytest

import explorative_user_env as eu
from explorative_user_env.envs.user import environment_of
from explorative_user_env.runs.films import film_of, page_of

FEW = "watch --max-steps 20"


@pytest.fixture
def out(tmp_path):
    return tmp_path / "new" / "run.html"


def test_it_writes_the_film_and_prints_what_happened(run, out):
    asked = "watch --agent bair --n-arms 3 --seed 7 --gap 2 --delta 0.5 --out"
    told = run(asked, out)
    env = environment_of(eu.Population(n_arms=3, gap=2.0), eu.agents.BAIR())
    film = film_of(eu.rollout(env, "bair", 7, max_steps=500, delta=0.5), reveal=True)
    assert out.read_text(encoding="utf-8") == page_of([film])
    lines = ["BAIR and the user of seed 7", *film.explanation.lines, f"File: {out}"]
    assert (told.code, told.out.splitlines()) == (0, lines)


def test_agents_meet_the_same_user_side_by_side(run, out):
    told = run(f"{FEW} --agent bair --agent exp3 --horizon 7 --seed 5 --out", out).out
    begins = [line for line in told.splitlines() if line.startswith("t = 0: the best of")]
    assert (len(begins), len(set(begins))) == (2, 1)
    page = out.read_text(encoding="utf-8")
    assert "<title>BAIR, EXP3 and the user of seed 5</title>" in page
    assert "t of T: 7 / 7" in page


@pytest.mark.slow
def test_nothing_secret_is_told_where_nothing_is_to_be_revealed(run, out):
    told = run("watch --no-reveal --max-steps 200 --out", out).out.splitlines()
    cut = "BAIR reached the step cap of 200; --max-steps sets another."
    assert told == [cut, f"File: {out}"]
    assert "true mean" not in out.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ending", "begins", "needs"),
    [("gif", b"GIF89a", "PIL"), ("mp4", b"\0\0\0", "imageio_ffmpeg"), ("svg", b"<svg", "html")],
)
def test_the_ending_says_what_is_written(ending, begins, needs, run, tmp_path):
    pytest.importorskip(needs, reason="needs the extras render and video")
    out = tmp_path / f"a.{ending}"
    assert run(FEW, "--out", out).code == 0
    assert out.read_bytes().startswith(begins)
    assert list(tmp_path.iterdir()) == [out]


def test_whoever_interrupts_it_finds_no_half_of_a_file(run, output, calls_of):
    out = output / "a.html"
    output.mkdir()
    out.write_text("before")
    calls_of("explorative_user_env.runs.films.page_of")
    assert run(FEW, "--out", out, "--overwrite").code == 130
    assert (list(output.iterdir()), out.read_text()) == ([out], "before")


def test_a_second_watch_writes_a_second_film(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert [run(FEW).code for _ in range(2)] == [0, 0]
    assert {path.name for path in tmp_path.iterdir()} == {"run.html", "run-2.html"}
