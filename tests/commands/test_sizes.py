"""Whatever number is given to an option of a command, it begins its work or says in a line why not.

What begins is ended there: the numbers may be legal and take for ever.
"""

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest

from explorative_user_env import commands as cli
from explorative_user_env.validation import missing_of

NUMBERS = {
    "2^31": str(2**31),
    "2^53": str(2**53),
    "2^53 + 1": str(2**53 + 1),
    "2^63 - 1": str(2**63 - 1),
    "2^63": str(2**63),
    "2^64": str(2**64),
    "10^9": str(10**9),
    "10^30": str(10**30),
    "-1": "-1",
    "-10^30": str(-(10**30)),
    "0": "0",
    "1e12": "1e12",
    "1e300": "1e300",
    "inf": "inf",
    "nan": "nan",
    "true": "True",
    "5000 digits": "9" * 5000,
    "empty": "",
}
"""What is given, by a name for it."""

WORK = (
    "evaluation.runner.done",
    "studies.lower_bound.histories",
    "studies.lower_bound.rejected_below",
    "rl.models.Recipe.untrained",
)
"""Where the work of the commands begins."""

FIRST = {
    "paper tables": ["table2"],
    "bench": ["--agent", "uni", "--agent", "bair"],
    "course grade": [__file__, "--key", "a-key-of-16-letters"],
}
REST = {"--horizon": {name: ["--task", "regret"] for name in ("bench", "course grade")}}
"""What a command, and an option of it, needs besides."""

LONGEST_LINE = 1500


def options() -> list[tuple[str, str]]:
    """Every option that is a whole number, with its command, and what N_1 may be written in."""
    found = [("bench", "--agent=bair-tuned:"), ("suite", "--agent=bair-tuned:")]
    for command, function in functions().items():
        for name, parameter in inspect.signature(function).parameters.items():
            kind, told = (*get_args(parameter.annotation)[:2], None, None)[:2]
            if told is not None and re.search(r"\bint\b", f"{kind} {told.metavar}"):
                found.append((command, f"--{name.replace('_', '-')}"))
    return found


def functions() -> dict[str, Any]:
    """The function of every command, by the words that call it."""
    first = [word for words in cli.WORDS.values() for word in words]
    return {words: each for word in first for words, each in cli.functions_of(word).items()}


@pytest.fixture(autouse=True)
def _begins_no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    def begin(*arguments: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    trains = not missing_of(("stable_baselines3", "sb3_contrib"))
    for where in WORK:
        if trains or not where.startswith("rl."):
            monkeypatch.setattr(f"explorative_user_env.{where}", begin)


def test_all_commands_that_run_have_such_options() -> None:
    without = {"course notebooks", "results export", "results show"}
    assert {command for command, _ in options()} == {*functions()} - without
    assert len(options()) > 25


@pytest.mark.parametrize(("command", "option"), options())
def test_a_number_is_taken_or_refused_in_one_line(
    command: str,
    option: str,
    run: Callable[..., int],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    if command == "train" and missing_of(("stable_baselines3", "sb3_contrib")):
        pytest.skip("needs Stable-Baselines3")
    needed = [*FIRST.get(command, []), *REST.get(option, {}).get(command, [])]
    refused = 0
    for shown, number in NUMBERS.items():
        given = [option + number] if option.endswith(":") else [option, number]
        output = tmp_path / shown
        code = run(command, *needed, *given, "--output", str(output))
        said = capsys.readouterr()
        assert said.out == "", shown
        assert code in (2, 130), shown
        (line,) = said.err.splitlines()
        assert line.startswith("error: "), shown
        assert len(line) < LONGEST_LINE, shown
        assert not list(tmp_path.rglob("*.*")), shown
        refused += code == 2
    assert refused > 0


TOLD = {
    f"bench --n-instances {10**12}": "--n-instances must be an integer in 1..10000000, got",
    f"bench --task regret --horizon {10**13}": "--horizon must be an integer in 1..10000000, got",
    f"bench --max-steps {2**63}": f"--max-steps must be an integer in 1..{2**53}, got {2**63}",
    f"bench --workers {10**9}": "--workers must be an integer in 0..1024, got 1000000000",
    f"bench --agent bair-tuned:{'9' * 5000}": f"n1 must be an integer in 0..{2**53}, got 99999",
    f"paper tune-n1 --confirm {10**12}": "--confirm must be an integer in 0..10000000, got",
    "paper tune-n1 --alpha 0.05": "--alpha must be large enough for the paper's N_1 to be at most",
}
if not missing_of(("stable_baselines3", "sb3_contrib")):
    TOLD[f"train --horizon {10**13}"] = "--horizon must be an integer in 1..10000000, got"


@pytest.mark.parametrize(("words", "line"), TOLD.items(), ids=range(len(TOLD)))
def test_the_largest_is_told(
    words: str,
    line: str,
    run: Callable[..., int],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    assert run(*words.split(), "--output", str(tmp_path / "out")) == 2
    assert capsys.readouterr().err.startswith(f"error: {line}")
