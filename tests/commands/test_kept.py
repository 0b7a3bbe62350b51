"""The runs of a command are kept while it goes on: broken off, it is gone on with by --resume."""

import itertools
import json
from pathlib import Path

import pytest
from stores import rows_in, without_numbers
from tiny_commands import WORDS, made_small

from explorative_user_env.commands.run import RUN_FILE
from explorative_user_env.evaluation import runner as backends
from explorative_user_env.evaluation import workers as places
from explorative_user_env.files import MADE_BY
from explorative_user_env.results.store import about

BENCH = "bench --n-instances 30 --agent bair --agent uni --n-arms 2 --n-arms 3 --delta 0.1"
REGRET = "bench --n-instances 30 --agent ucb1 --task regret --horizon 20 --n-arms 3"


@pytest.fixture
def broken_off_after(monkeypatch):
    usual = places.done

    def after(n_chunks):
        left = itertools.count(n_chunks, -1)

        def some_of(chunks):
            for chunk in chunks:
                if next(left) == 0:
                    raise KeyboardInterrupt
                yield chunk

        monkeypatch.setattr(backends, "done", lambda *arguments: some_of(usual(*arguments)))

    return after


def tables_in(folder):
    files = [path for path in folder.iterdir() if path.suffix in (".csv", ".md", ".json")]
    return {path.name: path.read_bytes() for path in files if path.name != MADE_BY}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.exhaustive] * (name not in ("bench", "tune-n1")))
        for name in WORDS
    ],
)
def test_what_was_broken_off_is_gone_on_with(name, run, finished, broken_off_after, output):
    whole, printed = finished(name)
    words, file, n_chunks = WORDS[name], output / RUN_FILE, 1
    asked, command = f"{words} --output {output}", words.partition(" --")[0].partition(" table2")[0]
    broken_off_after(n_chunks)
    with made_small():
        while (ended := run(asked)).code == 130:
            n_chunks *= 3
            broken_off_after(n_chunks)
            asked = f"{command} --resume {file}"
            left = f"{about(file).n_runs} runs are in {file}; to continue: explorative-user {asked}"
            assert ended.err.splitlines()[-1] == f"error: interrupted; {left}"
    assert n_chunks > 1
    assert (ended.code, ended.out) == (0, printed.replace(str(whole), str(output)))
    assert tables_in(output) == tables_in(whole)
    assert without_numbers(rows_in(file)) == without_numbers(rows_in(whole / RUN_FILE))


@pytest.fixture
def broken(run, broken_off_after, output):
    broken_off_after(2)
    assert run(BENCH, "--output", output).code == 130
    broken_off_after(10**9)
    return output / RUN_FILE


def test_other_options_are_refused_with_what_both_say(run, broken):
    before, same = broken.read_bytes(), "the file of a run with the same request "
    for words, told in {
        f"bench --seed 3 --resume {broken}": f"--resume must be {same}(seed is 0 in the file",
        f"bench --agent tas --resume {broken}": "agent is ['bair', 'uni'] in the file and ['tas']",
        f"suite --resume {broken}": "--resume must be a run of suite, not of bench",
        f"bench --resume {broken}.not": "--resume must be an existing file of runs",
    }.items():
        ended = run(words)
        assert (ended.code, told in ended.err) == (2, True)
    ended = run(BENCH, "--seed", "3", "--output", broken.parent)
    assert f"{same}(seed is 0 in the file and 3 here); --overwrite replaces it" in ended.err
    assert broken.read_bytes() == before


@pytest.mark.compiler  # which has chunks of another size
def test_the_same_command_again_goes_on_as_well_and_show_tells_of_both(run, broken):
    told = run("results show", broken).out
    assert told.splitlines()[0] == "bench: not finished, 20 runs in 1 cell"
    assert run(BENCH, "--output", broken.parent).code == 0
    assert [each["how"] for each in about(broken).sessions] == ["KeyboardInterrupt", "finished"]
    told = run("results show", broken).out
    assert told.splitlines()[0] == "bench: finished, 120 runs in 2 cells"
    assert ("(KeyboardInterrupt): " in told, "UNI" in told) == (True, True)


@pytest.mark.slow
def test_another_agent_of_the_same_name_is_refused(run, broken_off_after, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "from specimens import Honest\nclass Mine(Honest):\n    number = {}"
    Path("kept_agent.py").write_text(text.format(5))
    broken_off_after(2)
    words = "bench --agent kept_agent:Mine --n-instances 30 --n-arms 2 --delta 0.1 --output out"
    assert run(words).code == 130
    Path("kept_agent.py").write_text(text.format(6))
    ended = run(f"bench --resume out/{RUN_FILE}")
    assert (ended.code, "agents.Mine.code is" in ended.err) == (2, True)


def test_a_file_may_be_given_in_place_of_a_folder(run, broken_off_after, tmp_path):
    broken_off_after(1)
    file = tmp_path / "mine.db"
    assert run(REGRET, "--out", file).code == 130
    broken_off_after(10**9)
    assert str(file) in run("bench --resume", file).out.splitlines()[-1]
    assert run(f"bench --resume {file} --output {tmp_path / 'other'}").code == 0
    for folder in ("mine", "other"):
        assert (tmp_path / folder / "table.md").exists()


def test_a_finished_run_is_run_over_by_who_asks_for_it_alone(run, output, monkeypatch):
    assert run(REGRET, "--output", output, "--workers", "1").code == 0
    rows = rows_in(output / RUN_FILE)
    assert run(REGRET, "--output", output, "--workers", "2").code == 0
    assert rows_in(output / RUN_FILE) == rows
    assert len(about(output / RUN_FILE).sessions) == 1
    before = {path: path.read_bytes() for path in output.iterdir()}
    other = (REGRET, "--seed", "3", "--output", output)
    with monkeypatch.context() as patch:
        patch.delattr(backends, "run_cells")  # it is refused before it runs
        told = "error: --output must be a folder without another run (it has a run with seed=0); "
        assert run(*other).err.startswith(told)
    assert {path: path.read_bytes() for path in output.iterdir()} == before
    assert run(*other, "--overwrite").code == 0
    assert json.loads((output / MADE_BY).read_text())["options"]["seed"] == 3


def test_a_model_is_not_trained_over_another(run, tmp_path, monkeypatch):
    pytest.importorskip("sb3_contrib", reason="needs the extra rl")
    trained = []

    def train(*arguments, output, **options):
        trained.append(options["seed"])
        output.write({})

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("explorative_user_env.rl.train", train)
    codes = [run("train --output model --seed", seed).code for seed in (1, 2, 1)]
    assert (codes, trained) == ([0, 2, 0], [1, 1])
    assert run("train --seed 3").out.splitlines()[0] == "Model: models/regret-ppo-k5-seed3"
