"""On a real terminal of any width everything is to be read: no digit is lost, no line too long."""

import re
from collections import Counter
from pathlib import Path

import pytest
from processes import PACKAGE
from terminals import in_terminal, shown
from tiny_commands import MARK, WORDS

from explorative_user_env.studies.tuning import SEARCH_HEADER

pytestmark = pytest.mark.slow

WIDE = 1000
WIDTHS = (60, 80, 100, 120)
TABLES = [name for name in WORDS if name != "train"]  # that one's extra may be missing
PATHS = {"PYTHONPATH": f"{PACKAGE}:{Path(__file__).parents[1]}"}

Screens = dict[tuple[int, str], list[str]]


@pytest.fixture(scope="module")
def screens(tmp_path_factory: pytest.TempPathFactory) -> Screens:
    """The lines of every command on terminals of several widths, which one process looks at."""
    script = f"import tiny_commands; tiny_commands.tell_all({(WIDE, *WIDTHS)}, {TABLES})"
    folder = tmp_path_factory.mktemp("screens")
    code, sent = in_terminal(WIDE, "-c", script, folder=folder, variables=PATHS)
    assert code == 0, sent
    seen = {}
    for part in sent.split(MARK)[1:]:
        title, _, text = part.partition("\n")
        width, name = title.split()
        seen[int(width), name] = shown(text)
    return seen


def words(lines: list[str]) -> Counter[str]:
    return Counter(word for word in " ".join(lines).split() if not re.fullmatch("─+", word))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", [*TABLES, "results"])
def test_every_figure_is_on_the_screen_and_no_line_is_too_long(
    screens: Screens, name: str, width: int
) -> None:
    lines = screens[width, name]
    assert max(map(len, lines)) <= width
    assert not any("…" in line for line in lines)
    whole = words(screens[WIDE, name])
    assert len(whole) > 20
    assert whole - words(lines) == Counter()


@pytest.mark.parametrize("name", ["bench", "reproduce"])
def test_a_hundred_columns_do_not_part_the_tables_of_the_paper(screens: Screens, name: str) -> None:
    tables = [[line for line in screens[at, name] if "BAIR" in line] for at in (100, WIDE)]
    assert tables[0] == tables[1]
    assert len(tables[0]) >= 4


def test_what_is_printed_beside_a_bar_stands_on_lines_of_its_own(tmp_path: Path) -> None:
    arguments = ("-m", "explorative_user_env", *WORDS["tune-n1"].split(), "--output", "out")
    code, sent = in_terminal(80, *arguments, stderr=True, folder=tmp_path)
    assert code == 0, sent
    assert "0%" in sent
    # A line begins anew, too, where the terminal is told to clear it.
    lines = [line for part in re.split(r"\r|\x1b\[2K", sent) for line in shown(part)]
    assert lines.count(SEARCH_HEADER.rstrip()) == 1
    assert [line for line in lines if line.endswith("good")]
    assert all(re.fullmatch(r" +\d+ +\d+ .+  good", line) for line in lines if "good" in line)
