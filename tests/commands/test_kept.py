"""The runs of a command are kept while it goes on: broken off, it is gone on with by --resume."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from stores import rows_in, without_numbers

from explorative_user_env.commands.run import RUN_FILE, places_around, places_of
from explorative_user_env.evaluation import runner as backends
from explorative_user_env.evaluation import workers as places
from explorative_user_env.files import MADE_BY
from explorative_user_env.results.store import about

COMMANDS = {
    "bench": "bench --n-instances 30 --agent bair --agent uni --n-arms 2 --n-arms 3 --delta 0.1",
    "regret": "bench --n-instances 30 --agent ucb1 --task regret --horizon 20 --n-arms 3",
    "robustness": "suite --n-instances 30 --agent bair --user paper --user forgetful --n-arms 2",
    "suite": "suite --quick --agent ucb1 --task bai-k2 --task regret-k5",
    "reproduce": "paper tables table6 --n-instances 20 --quick --agent bair --setting released",
    "lower-bound": "paper lower-bound --n-instances 30 --delta 0.2",
    "tune-n1": "paper tune-n1 --n-instances 400 --confirm 40 --n-arms 3 --delta 0.3 --gap 0.5",
}
"""What is asked for, by a name for it."""

Breaking = Callable[[int], None]


@pytest.fixture
def broken_off_after(monkeypatch: pytest.MonkeyPatch) -> Breaking:
    """What has the next command interrupted after so many chunks."""
    usual = places.done

    def after(n_chunks: int) -> None:
        left = n_chunks

        def some_of(chunks: Iterator[Any]) -> Iterator[Any]:
            nonlocal left
            for chunk in chunks:
                if left == 0:
                    raise KeyboardInterrupt
                left -= 1
                yield chunk

        def done(*arguments: Any) -> Iterator[Any]:
            return some_of(usual(*arguments))

        monkeypatch.setattr(backends, "done", done)

    return after


@pytest.fixture(autouse=True)
def _small_studies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("explorative_user_env.studies.tuning.FRONTIER_USERS", 40)
    monkeypatch.setattr("explorative_user_env.studies.lower_bound.DEFAULT_N0S", (3, 10))


def files_in(folder: Path) -> dict[str, bytes]:
    """Return what is in all files but the runs, and their manifest's digests of pictures."""
    names = [path.name for path in folder.iterdir() if path.suffix in (".csv", ".md", ".json")]
    return {name: (folder / name).read_bytes() for name in names if name != MADE_BY}


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_what_was_broken_off_is_gone_on_with_to_the_same_files(
    name: str,
    run: Callable[..., int],
    broken_off_after: Breaking,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    words, whole, out = COMMANDS[name].split(), tmp_path / "whole", tmp_path / "out"
    assert run(*words, "--output", str(whole)) == 0
    printed = capsys.readouterr().out.replace(str(whole), str(out))
    file, n_chunks = out / RUN_FILE, 1
    asked = [*words, "--output", str(out)]
    broken_off_after(n_chunks)
    while run(*asked) == 130:
        n_chunks *= 3
        broken_off_after(n_chunks)
        called = " ".join(words[: 1 + (words[0] == "paper")])
        again = f"explorative-user {called} --resume {file}"
        left = f"{about(file).n_runs} runs are in {file}; to go on: {again}"
        assert capsys.readouterr().err.splitlines()[-1] == f"error: interrupted; {left}"
        asked = again.split()[1:]
    assert n_chunks > 1
    assert capsys.readouterr().out == printed
    assert files_in(out) == files_in(whole)
    assert without_numbers(rows_in(out / RUN_FILE)) == without_numbers(rows_in(whole / RUN_FILE))


@pytest.fixture
def broken(
    run: Callable[..., int],
    broken_off_after: Breaking,
    capsys: pytest.CaptureFixture[str],
    output: Path,
) -> Path:
    """The file of a bench that was broken off."""
    broken_off_after(2)
    assert run(*COMMANDS["bench"].split(), "--output", str(output)) == 130
    broken_off_after(10**9)
    capsys.readouterr()
    return output / RUN_FILE


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--seed", "3"],
            "--resume must be the file of a run that was asked for the same (seed is",
        ),
        (["--n-instances", "31"], "n_instances is 30 there and 31 here"),
        (["--setting", "printed"], "setting is None there and printed here"),
        (["--alpha", "2"], "alpha is 1.0 there and 2.0 here"),
        (["--delta", "0.2"], "delta is [0.1] there and [0.2] here"),
        (["--agent", "tas"], "agent is ['bair', 'uni'] there and ['tas'] here"),
    ],
)
def test_other_options_are_refused_with_what_both_say(
    words: list[str],
    message: str,
    run: Callable[..., int],
    capsys: pytest.CaptureFixture[str],
    broken: Path,
) -> None:
    before = broken.read_bytes()
    assert run("bench", *words, "--resume", str(broken)) == 2
    said = capsys.readouterr().err
    assert message in said
    assert len(said.splitlines()) == 1
    assert broken.read_bytes() == before


def test_the_same_command_again_goes_on_as_well_and_another_is_refused(
    run: Callable[..., int], capsys: pytest.CaptureFixture[str], broken: Path
) -> None:
    n_runs = about(broken).n_runs
    assert run(*COMMANDS["bench"].split(), "--seed", "3", "--output", str(broken.parent)) == 2
    said = capsys.readouterr().err
    assert "the file of a run that was asked for the same (seed is 0 there and 3 here)" in said
    assert "--overwrite writes over it" in said
    assert about(broken).n_runs == n_runs
    assert run(*COMMANDS["bench"].split(), "--output", str(broken.parent)) == 0
    assert [each["how"] for each in about(broken).sessions] == ["KeyboardInterrupt", "finished"]


def test_another_command_and_what_is_not_there_are_refused(
    run: Callable[..., int], capsys: pytest.CaptureFixture[str], broken: Path
) -> None:
    assert run("suite", "--resume", str(broken)) == 2
    assert "--resume must be a run of suite (it is of bench)" in capsys.readouterr().err
    assert run("bench", "--resume", str(broken.with_name("none.sqlite"))) == 2
    assert "--resume must be a file of runs (there is none)" in capsys.readouterr().err


def test_another_agent_of_the_same_name_is_refused(
    run: Callable[..., int],
    broken_off_after: Breaking,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    agent = (
        "class Mine:\n"
        "    def reset(self, n_arms, rng, horizon=None): self.left = {}\n"
        "    def act(self):\n"
        "        self.left -= 1\n"
        "        return 0 if self.left else None\n"
        "    def observe(self, arm, accepted): pass\n"
        "    def answer(self): return 0\n"
    )
    Path("kept_agent.py").write_text(agent.format(5))
    broken_off_after(2)
    words = ["--agent", "kept_agent:Mine", "--n-instances", "30", "--n-arms", "2", "--delta", "0.1"]
    assert run("bench", *words, "--output", "out") == 130
    Path("kept_agent.py").write_text(agent.format(6))
    assert run("bench", "--resume", f"out/{RUN_FILE}") == 2
    assert "agents.Mine.code is" in capsys.readouterr().err


@pytest.mark.parametrize("ending", [".sqlite", ".sqlite3", ".db"])
def test_a_file_may_be_given_in_place_of_a_folder(
    ending: str,
    run: Callable[..., int],
    broken_off_after: Breaking,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    file = tmp_path / f"mine{ending}"
    broken_off_after(1)
    words = COMMANDS["regret"].split()
    assert run(*words, "--out", str(file)) == 130
    broken_off_after(10**9)
    assert run("bench", "--resume", str(file)) == 0
    assert str(file) in capsys.readouterr().out.splitlines()[-1]
    assert (tmp_path / "mine" / "table.md").exists()
    assert run("bench", "--resume", str(file), "--output", str(tmp_path / "other")) == 0
    assert (tmp_path / "other" / "table.md").exists()


def test_places_are_found_from_either_end(tmp_path: Path) -> None:
    for output in (tmp_path / "out", tmp_path / "mine.sqlite"):
        places = places_of(output)
        assert places_around(places[1]) == places


def test_a_finished_run_is_run_again_by_who_asks_for_it_again(
    run: Callable[..., int], output: Path
) -> None:
    words = COMMANDS["regret"].split()
    assert run(*words, "--output", str(output)) == 0
    before = rows_in(output / RUN_FILE)
    assert run(*words, "--output", str(output)) == 0
    assert rows_in(output / RUN_FILE) == before
    assert len(about(output / RUN_FILE).sessions) == 1
    assert run(*words, "--seed", "3", "--output", str(output)) == 2
    assert run(*words, "--seed", "3", "--overwrite", "--output", str(output)) == 0
    assert about(output / RUN_FILE).request["options"]["seed"] == 3


@pytest.mark.compiler  # which has chunks of another size
def test_show_says_what_is_there_and_what_made_it(
    run: Callable[..., int], capsys: pytest.CaptureFixture[str], broken: Path
) -> None:
    assert run("results show", str(broken)) == 0
    told = capsys.readouterr().out
    assert told.splitlines()[0] == "bench: not finished, 20 runs in 1 cell"
    assert "BAIR" in told
    assert run("bench", "--resume", str(broken)) == 0
    capsys.readouterr()
    assert run("results show", str(broken)) == 0
    told = capsys.readouterr().out
    assert told.splitlines()[0] == "bench: finished, 120 runs in 2 cells"
    assert "(KeyboardInterrupt): " in told
    assert "streams=" in told
    assert "UNI" in told
