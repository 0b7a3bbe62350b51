"""What a command refuses: one line that spells the option as the command does, and no file."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from explorative_user_env.validation import missing_of

KEY = "--key a-most-secret-word"
REFUSED = {
    "bench --n-instances 1000000000000": "--n-instances must be an integer in 1..10000000, got",
    "bench --gap nan": "--gap must be a finite number above 0, got nan",
    "bench --horizon 9": "--horizon must be left out for the task bai, got 9",
    "bench --task regret --max-steps 9": "--max-steps must be left out for the task",
    "bench --agent bair --baseline-time 9": "--baseline-time must be left out, as every",
    "bench --agent uni": "--baseline-time must be a number, or another agent",
    "bench --until-width 2": "--until-width must be a number in (0, 1), got 2.0",
    "bench --workers -1": "--workers must be an integer of at least 0, got -1",
    "bench --seeds 1": "No such option",
    "suite --user me": "--user must be one of paper, rho=1, ",
    "suite --gap 0.3": "--gap must be left out unless --user is given, got 0.3",
    "suite --user all --task bai-k5": "--task must be left out if --user is given, got",
    "suite --task bai-k6": "--task must be one of tiny-regret, bai-k5, ",
    "paper tables table9": "target must be one of all, figure1a, figure1b, table2, ",
    "paper tune-n1 --alpha 0.05": "--alpha must be large enough for the paper's N_1 to be at",
    "paper lower-bound --n-arms 1001": "--n-arms must be an integer in 2..1000, got 1001",
    "watch --horizon 0": "--horizon must be an integer of at least 1",
    "watch --out a.txt": "--out must be one of ",
    "play --address nonsense": "--address must be name=value pairs separated by &",
    "play --address seed=7&moves=9": "moves must be arms in 0..4, got 9",
    "play --terminal --n-arms 30": "--n-arms must be an integer in 2..25, got 30",
    "check nobody": "target must be module:name, sb3:DIR, an environment's id or one of bair, ",
    "check no_such:Mine": "target must be a valid module:name (ModuleNotFoundError",
    "check uni --only is_nice": "--only must be one of accepts_horizon_or_none",
    "check uni --expect is_nice=no": "--expect must be one of accepts_horizon_or_none",
    "check uni --expect recommends_arms": "--expect must be NAME=REASON with the name",
    "check uni --kind schedule": "--kind must be left out, or a kind of object that uni is",
    "course grade one.py": "--key must be given by --key, --key-file or $EXPL",
    "course grade one.py --key-file nowhere": "--key-file must be a readable text file with the",
    f"course grade one.py {KEY} --key-file x": "--key-file must be left out with --key",
    f"course grade one.py {KEY} --horizon 9": "--horizon must be left out in the task bai",
    f"course grade one.py {KEY} --full-marks UNI": "--full-marks must be one of BAIR, SE, got",
    f"course grade one.py {KEY} --autograder x.tar": "--autograder must be a path that ends in",
    "results plot empty.sqlite": "path must be a non-empty file of runs",
    "results verify nowhere --all --share 0.1": "--all must be left out if --share or --rows",
    "results export empty.sqlite a.xlsx": "output must be one of .csv, .json, .parquet",
    "sleep": "No such command 'sleep'.",
}
if not missing_of(("stable_baselines3", "sb3_contrib")):
    REFUSED["bench --agent sb3:"] = "model must be a folder written by"
    REFUSED["train --steps 0"] = "--steps must be an integer of at least 1, got 0"


def test_what_is_wrong_is_one_line_exit_code_2_and_no_file(run, tmp_path, monkeypatch, subtests):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EXPLORATIVE_USER_KEY", raising=False)
    there = {Path("one.py"), Path("empty.sqlite")}
    for file in there:
        file.touch()
    for words, told in REFUSED.items():
        with subtests.test(words):
            code, shown, error = run(words)
            line, *more = error.splitlines()
            assert (code, shown, more) == (2, "", [])
            assert line.startswith(f"error: {told}")
            assert "most-secret" not in line
        assert {each for each in Path().rglob("*") if each.is_file()} == there


def test_where_there_is_a_file_nothing_is_begun(run, calls_of, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.html").write_text("mine")
    calls = [
        calls_of(f"explorative_user_env.{work}")
        for work in ("evaluation.runner.run_cells", "studies.tuning.tune_n1", "runs.loop.rollout")
    ]
    for words, told in {
        "bench --output a.html/out": "--output must be a folder that can be written to",
        "paper tune-n1 --output a.html": "--output must be a folder that can be written to",
        "course notebooks a.html": "folder must be a folder that can be written to",
        "watch --out a.html": "--out must be a new file; --overwrite replaces",
    }.items():
        code, _, error = run(words)
        assert (code, error.startswith(f"error: {told}")) == (2, True), error
    assert calls == [[], [], []]
    assert Path("a.html").read_text() == "mine"


@pytest.mark.skipif(find_spec("typer._click") is None, reason="an older Typer words it itself")
@pytest.mark.parametrize(("option", "kind"), [("--n-arms", "an integer"), ("--gap", "a number")])
def test_a_word_for_a_number_is_refused_as_any_other_value(run, option, kind):
    assert run(f"bench {option} x").err == f"error: {option} must be {kind}, got 'x'\n"
