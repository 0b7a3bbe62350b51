"""`explorative-user transcripts` writes what `write_transcripts` does."""

from collections.abc import Callable
from pathlib import Path

import pytest

from explorative_user_env.evaluation import write_transcripts


def test_the_command_writes_what_the_function_does(
    run: Callable[..., int], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    asked = "--agent se --n-instances 2 --seed 3 --n-arms 3 --noise 0.1 --delta 0.2 --max-steps 30"
    asked += " --behaviour drifting(sigma=0.25)"
    assert run("transcripts", str(tmp_path / "a.jsonl"), *asked.split()) == 0
    n_lines = write_transcripts(
        tmp_path / "b.jsonl",
        "SE",
        n_instances=2,
        seed=3,
        delta=0.2,
        max_steps=30,
        progress=False,
        n_arms=3,
        noise=0.1,
        behaviour="drifting(sigma=0.25)",
    )
    assert capsys.readouterr().out == f"{n_lines} examples: {tmp_path / 'a.jsonl'}\n"
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    for words, wrong in {
        "": "error: path must be a new file, as it is there already",
        "--task population": "error: --task must be one of bai, regret, got 'population'",
        "--behaviour drifting(sigma=-1)": "error: sigma of behaviour 'drifting' must be a",
        "--behaviour drifting(speed=1)": "error: --behaviour must be one whose parameters",
    }.items():
        assert run("transcripts", str(tmp_path / "a.jsonl"), *words.split()) == 2
        assert wrong in capsys.readouterr().err
