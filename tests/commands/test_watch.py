"""The command watch: what it prints, what it writes, and what it refuses."""

from collections.abc import Callable
from pathlib import Path

import pytest
from processes import python
from terminals import in_terminal, shown

import explorative_user_env as eu
from explorative_user_env.envs.user import environment_of
from explorative_user_env.runs.films import film_of, page_of

Run = Callable[..., int]
FEW = ("--max-steps", "20")


def printed(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().out.splitlines()


def test_it_writes_the_film_and_prints_what_happened(
    run: Run, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "new" / "run.html"
    asked = ("--agent", "bair", "--n-arms", "3", "--seed", "7", "--gap", "2", "--delta", "0.5")
    assert run("watch", *asked, "--out", str(out)) == 0
    population = eu.Population(n_arms=3, gap=2.0)
    env = environment_of(population, eu.agents.BAIR())
    film = film_of(eu.rollout(env, "bair", 7, max_steps=500, delta=0.5), reveal=True)
    assert out.read_text(encoding="utf-8") == page_of([film])
    assert printed(capsys) == [
        "BAIR and the user of seed 7",
        *film.explanation.lines,
        f"File: {out}",
    ]


def test_a_run_that_would_go_on_is_said_to_be_cut_off(
    run: Run, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run("watch", "--agent", "tas", *FEW, "--out", str(tmp_path / "a.html")) == 0
    lines = printed(capsys)
    assert "T&S was cut off after 20 steps: --max-steps shows more." in lines
    assert run("watch", "--agent", "uni", *FEW, "--out", str(tmp_path / "b.html")) == 0
    assert not any("cut off" in line for line in printed(capsys))  # it came to its horizon


@pytest.mark.slow
def test_its_own_options_are_explained_in_whole_words_where_there_is_little_room() -> None:
    code, sent = in_terminal(60, "-m", "explorative_user_env", "watch", "--help")
    assert code == 0
    its_own = "\n".join(shown(sent)).partition("--setting")[0]
    assert "--no-reveal" in its_own
    assert "module:Class" in its_own
    assert "…" not in its_own


def test_agents_meet_the_same_user_side_by_side(
    run: Run, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "a.html"
    asked = ("--agent", "bair", "--agent", "exp3", "--horizon", "7")
    assert run("watch", *asked, *FEW, "--seed", "5", "--out", str(out)) == 0
    begins = [line for line in printed(capsys) if line.startswith("t = 0: the best of")]
    assert len(begins) == 2
    assert len(set(begins)) == 1
    page = out.read_text(encoding="utf-8")
    assert "<title>BAIR, EXP3 and the user of seed 5</title>" in page
    assert "EXP3: She" in page
    assert "t of T: 7 / 7" in page


def test_nothing_secret_is_told_where_nothing_is_to_be_revealed(
    run: Run, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "a.html"
    assert run("watch", "--no-reveal", "--max-steps", "200", "--out", str(out)) == 0
    assert printed(capsys) == [
        "BAIR was cut off after 200 steps: --max-steps shows more.",
        f"File: {out}",
    ]
    assert "true mean" not in out.read_text(encoding="utf-8")


def test_an_agent_of_ones_own_is_watched(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_one.py").write_text(
        "class Mine:\n"
        "    def reset(self, n_arms, rng, horizon=None): self.n, self.t = n_arms, 0\n"
        "    def act(self): return self.t % self.n if self.t < 9 else None\n"
        "    def observe(self, arm, accepted): self.t += 1\n"
        "    def answer(self): return 0\n"
        "    def explain(self): return {'turns so far': self.t}\n"
    )
    assert run("watch", "--agent", "own_one:Mine", "--out", "a.html") == 0
    assert "turns so far: 9" in (tmp_path / "a.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_trained_model_is_watched_with_its_chances(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("sb3_contrib", reason="needs the extra rl")
    out = tmp_path / "a.html"
    assert run("watch", "--agent", "sb3:bai-k5", *FEW, "--seed", "2", "--out", str(out)) == 0
    page = out.read_text(encoding="utf-8")
    assert "answering" in page
    assert "value of the position" in page


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ending", "begins", "needs"),
    [
        ("gif", b"GIF89a", "PIL"),
        ("mp4", b"\x00\x00\x00", "imageio_ffmpeg"),
        ("png", b"\x89PNG", "PIL"),
        ("svg", b"<svg xmlns=", "html"),
    ],
)
def test_the_ending_says_what_is_written(
    ending: str, begins: bytes, needs: str, run: Run, tmp_path: Path
) -> None:
    pytest.importorskip(needs, reason="needs the extras render and video")
    out = tmp_path / f"a.{ending}"
    assert run("watch", *FEW, "--out", str(out)) == 0
    assert out.read_bytes().startswith(begins)
    assert list(tmp_path.iterdir()) == [out]


def test_what_it_cannot_do_is_one_line_before_any_work(
    run: Run,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    calls_of: Callable[[str], list[object]],
) -> None:
    calls = calls_of("explorative_user_env.runs.loop.rollout")
    there = tmp_path / "a.html"
    there.write_text("mine")
    for asked, words in (
        (("--out", str(tmp_path / "a.txt")), "--out must be one of "),
        (("--out", str(there)), "--out must be a new file, as it is there already; --overwrite"),
        (("--agent", "nobody", "--out", "b.html"), "--agent must be one of "),
        (("--n-arms", "1", "--out", "b.html"), "--n-arms must be an integer of at least 2"),
    ):
        assert run("watch", *asked) == 2
        error = capsys.readouterr().err
        assert error.startswith(f"error: {words}")
        assert error.count("\n") == 1
    assert calls == []
    assert there.read_text() == "mine"


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (("--max-steps", "0"), "--max-steps must be an integer of at least 1"),
        (("--horizon", "0", "--agent", "uni"), "--horizon must be an integer of at least 1"),
        (("--horizon", "0"), "--horizon must be an integer of at least 1"),
        (("--seed", "-1"), "--seed must be an integer of at least 0"),
        (("--delta", "2"), "--delta must be "),
    ],
)
def test_a_number_out_of_range_is_one_line_and_no_file(
    asked: tuple[str, ...],
    words: str,
    run: Run,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    assert run("watch", *asked, "--out", str(tmp_path / "b.html")) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"error: {words}")
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_whoever_interrupts_it_finds_no_half_of_a_file(
    run: Run,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    calls_of: Callable[[str], list[object]],
) -> None:
    (tmp_path / "a.html").write_text("before")
    calls = calls_of("explorative_user_env.runs.films.page_of")
    assert run("watch", *FEW, "--out", str(tmp_path / "a.html"), "--overwrite") == 130
    assert len(calls) == 1
    assert [each.name for each in tmp_path.iterdir()] == ["a.html"]
    assert (tmp_path / "a.html").read_text() == "before"
    assert "interrupted" in capsys.readouterr().err


@pytest.mark.slow
def test_it_prints_on_what_has_no_symbols_and_no_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    monkeypatch.delenv("HOME", raising=False)
    finished = python("-m", "explorative_user_env", "watch", *FEW, folder=tmp_path)
    assert finished.returncode == 0
    assert finished.stdout.isascii()
    assert finished.stdout.splitlines()[-1] == "File: run.html"


def test_again_it_writes_the_same(run: Run, tmp_path: Path) -> None:
    one, other = tmp_path / "1.html", tmp_path / "2.html"
    for out in (one, other, one):
        assert run("watch", *FEW, "--out", str(out), "--overwrite") == 0
    assert one.read_bytes() == other.read_bytes()
