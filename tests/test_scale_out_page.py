"""What examples/scale_out.md says can be done, and its arithmetic is right."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer
from processes import python

from explorative_user_env.commands import app, commands_of
from explorative_user_env.seeding import MOST_USERS

PAGE = (Path(__file__).parents[1] / "examples" / "scale_out.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", PAGE, flags=re.DOTALL)
RUNS = 10**9


def rows(mark: str) -> list[list[str]]:
    """The cells of the table below a mark, without its head."""
    table = PAGE.split(f"<!-- {mark} -->\n", 1)[1].split("\n\n", 1)[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()][
        2:
    ]


def test_the_hours_follow_from_the_rates() -> None:
    best = {(what, rate) for what, _, rate, *_ in rows("measured")}
    for what, rate, hours, on_many in rows("arithmetic"):
        assert (what, rate) in best
        seconds = RUNS / int(rate.replace(",", ""))
        assert (hours, on_many) == (f"{seconds / 3600:.1f}", f"{seconds / 3600 / 256:.2f}")
    taken = re.search(r"A kept run takes (\d+) bytes", PAGE)
    assert taken is not None
    assert f"{int(taken[1]) * RUNS / 1e9:.0f} GB for each agent" in PAGE
    assert f"--n-instances {MOST_USERS}`" in PAGE


def test_every_option_of_a_command_there_is_one() -> None:
    known: Any = dict(commands_of(typer.main.get_command(app())))
    lines = [line for _, text in BLOCKS for line in text.splitlines() if "explorative-user" in line]
    assert len(lines) == 4
    for line in lines:
        _, command, *words = shlex.split(line.strip(), comments=True)
        options = {name for each in known[command].params for name in each.opts}
        assert {word for word in words if word.startswith("--")} <= options


@pytest.mark.slow
def test_the_executor_of_the_page_does_the_runs(tmp_path: Path) -> None:
    (script,) = (text for kind, text in BLOCKS if kind == "python" and "ProcessPool" in text)
    (tmp_path / "script.py").write_text(script.replace("n_instances=1000", "n_instances=30"))
    printed = python(str(tmp_path / "script.py"))
    assert printed.returncode == 0, printed.stderr
    assert re.search(r"BAIR\s.*\n.*UNI\s", printed.stdout)
