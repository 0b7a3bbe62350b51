"""Pages do what they say, from top to bottom, and lead to what is there."""

import re
import sys
from pathlib import Path

import pytest
from snippets import blocks_of, follow
from typer import rich_utils

from explorative_user_env.commands.agents import agents_called, bench_defaults
from explorative_user_env.display.progress import silent
from explorative_user_env.display.tables import markdown
from explorative_user_env.evaluation.runner import run_cells
from explorative_user_env.results.tables import table_of
from explorative_user_env.studies.paper import compared
from explorative_user_env.users import behaviours, model

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [
    *(*ROOT.glob("*.md"), *ROOT.glob("examples/*.md")),
    *(page for page in sorted(DOCS.rglob("*.md")) if "_build" not in page.parts),
]
LONG = ("watch_for_the_theorems", "write_a_compiled_agent", "meet_one_user_after_another")
LONG += ("check_your_code", "draw_plots", "train_a_model")
RUN = [
    pytest.param(page, marks=pytest.mark.exhaustive) if page.stem in LONG else page
    for page in PAGES
    if (page.name == "README.md" or DOCS in page.parents)
    and any(block.not_run is None for block in blocks_of(page.read_text("utf-8")))
]


@pytest.fixture
def as_a_reader(tmp_path, monkeypatch):
    """A new folder and session; what is registered or imported there ends with it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path.parent / "jupyter"))
    for name in ("FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(rich_utils, "FORCE_TERMINAL", None)
    for room, name in ((behaviours, "_BEHAVIOURS"), (model, "_SCHEDULES"), (model, "_REWARD_LAWS")):
        monkeypatch.setattr(room, name, dict(getattr(room, name)))
    known = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - known:
        file = getattr(sys.modules[name], "__file__", None)
        if file and tmp_path in Path(file).parents:
            del sys.modules[name]


@pytest.mark.slow
@pytest.mark.parametrize("page", RUN, ids=lambda page: page.stem)
def test_a_page_does_what_it_says(page, as_a_reader, capsys):
    follow(page, as_a_reader, capsys)


def test_links_lead_to_files_as_a_code_host_follows_them():
    lost = []
    for page in PAGES:
        prose = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
        for target in re.findall(r"\]\(([^)\s]+)\)", prose):
            file = target.partition("#")[0]
            if file and not re.match(r"[a-z]+:", file) and not (page.parent / file).exists():
                lost.append(f"{page}: {target}")
    assert lost == []


BENCHMARK = (DOCS / "benchmark.md").read_text(encoding="utf-8")


def table(name):
    """The table of the benchmark page between the marks of this name."""
    return BENCHMARK.split(f"<!-- {name} -->", 1)[1].split(f"<!-- /{name} -->", 1)[0].strip()


@pytest.mark.exhaustive
def test_the_benchmark_table_is_what_bench_prints(bench):
    assert table("bench") == markdown(table_of(bench)), "copy the table from results/bench/table.md"


@pytest.mark.exhaustive
@pytest.mark.parametrize("task", ["regret", "bai"])
def test_the_tables_with_models_are_what_bench_prints(task):
    pytest.importorskip("sb3_contrib")
    line_up = agents_called([f"sb3:{task}-k5"], None)
    usual = bench_defaults(line_up, None, None, None, None)
    options = {"task": usual.task, "setting": usual.setting, "workers": 2}
    options |= {"deltas": usual.deltas, "n_arms": usual.n_arms, "progress": silent}
    results = run_cells(line_up[:-1], n_instances=1000, **options)
    found = markdown(table_of(compared(results, None))).splitlines()
    *shown, own = table(task).splitlines()
    # The rank counts the model as well; its own row, the last, rests on how a processor rounds.
    n_cells = len(shown[0].split("|")) - (2 if task == "bai" else 0)
    for row, other in zip(shown, found, strict=True):
        assert row.split("|")[:n_cells] == other.split("|")[:n_cells], "copy the table of bench"
    few = run_cells(line_up[-1:], n_instances=150, **options)[0].summary().iloc[-1]
    figure = {"regret": "regret", "bai": "stopping_time"}[task]
    mean, error = (float(part) for part in re.findall(r"(\d+) ± (\d+)", own)[0])
    assert few[f"{figure}_low"] - error < mean < few[f"{figure}_high"] + error
