"""`results` draws, exports and verifies what a run has, whole or not at all."""

import shutil
from pathlib import Path

import pandas as pd
import pytest
from tampered import by_sql, without_digests

import explorative_user_env as eu
from explorative_user_env import validation as extras
from explorative_user_env.commands.results import drawings_of
from explorative_user_env.evaluation import runner as grid

RUNS = ["success", "stopping_times", "regret", "rejections", "acceptances"]
DIFFERENCES = [f"differences-{name}" for name in ("stopping-time", "p-stops-sooner", "success")]
CELLS = ["stopping_time", "success", "rejection_rate"]
SMALL = {"n_instances": 3, "n_arms": 3, "progress": False}


def written_in(folder):
    return {path.name for path in folder.iterdir()} - {"made_by.json"}


def as_both(names):
    return {f"{name}.{ending}" for name in names for ending in ("png", "svg")}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "run" / "run.sqlite"
    path.parent.mkdir()
    eu.evaluate(["BAIR", "UNI"], **SMALL, store=path)
    return path


@pytest.fixture
def _plots(monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr("explorative_user_env.commands.results.DOTS", 30)


@pytest.mark.slow
@pytest.mark.usefixtures("_plots")
def test_a_run_of_one_cell_has_all_its_plots_and_never_over_anothers(run, file, tmp_path):
    folder = file.parent / "plots"
    state, *reasons, where = run("results plot", file.parent).out.splitlines()
    assert written_in(folder) == as_both(RUNS + DIFFERENCES)
    assert state == "evaluate: finished, 6 runs in 1 cell"
    undrawn = ["rounds", "phase1_rejections", "regret_by_user"]
    assert [line.split(": ")[1] for line in reasons] == undrawn
    assert where == f"{folder}, as PNG and SVG: {', '.join(RUNS + DIFFERENCES)}"
    assert (folder / "success.png").read_bytes().startswith(b"\x89PNG")
    drawn = (folder / "success.svg").read_text("utf-8")
    assert "<title>success: printed, K = 3, δ = 0.1, gap = 0.5, 3 users</title>" in drawn
    eu.evaluate(["UNI"], baseline_time=5, **SMALL, store=tmp_path / "uni.sqlite")
    words = f"results plot {tmp_path / 'uni.sqlite'} --output {folder}"
    assert "--overwrite replaces files" in run(words).err
    assert (folder / "success.svg").read_text("utf-8") == drawn
    assert run(words, "--overwrite").code == 0
    assert written_in(folder) == as_both(RUNS)
    ended = run(f"results plot {file} --output {file.parent} --overwrite")
    assert ended.err.startswith("error: --output must be another folder, as plots")


@pytest.mark.slow
@pytest.mark.usefixtures("_plots")
def test_a_run_of_several_cells_is_drawn_over_them_and_one_cell_if_it_is_chosen(run, tmp_path):
    file = tmp_path / "a.sqlite"
    grid.sweep(["BAIR"], (0.1, 0.2), **SMALL | {"n_arms": (2, 3), "store": file})
    told = run("results plot", file).out
    assert "each needs one cell: choose it with --n-arms and --delta" in told
    assert written_in(tmp_path / "a" / "plots") == as_both(CELLS)
    told = run(f"results plot {file} --n-arms 3 --delta 0.1").out
    assert "differences: needs one of two or more agents" in told
    assert written_in(tmp_path / "a" / "plots-K3-delta0.1") == as_both(RUNS)
    assert "--n-arms must be one of 2, 3, got 7" in run(f"results plot {file} --n-arms 7").err


def test_who_interrupts_plot_or_lacks_matplotlib_has_no_file(run, file, calls_of, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(extras, "find_spec", lambda name: None)
        assert run("results plot", file).err.startswith("error: pictures need matplotlib: pip ins")
    assert not (file.parent / "plots").exists()
    pytest.importorskip("matplotlib")
    calls_of("explorative_user_env.commands.results.as_svg")
    assert run("results plot", file).err == "error: interrupted; no file was written\n"
    assert not list((file.parent / "plots").iterdir())


STUDIES = {
    "robustness": ["heat_map"],
    "suite": ["heat_map"],
    "lower-bound": ["overlap", "needed"],
    "tune-n1": ["frontier_stopping_time", "frontier_success"],
}


@pytest.mark.slow
@pytest.mark.usefixtures("_plots")
@pytest.mark.parametrize("name", STUDIES)
def test_a_study_is_drawn_while_its_files_are_as_it_has_written_them(name, finished, output, run):
    shutil.copytree(finished(name)[0], output)
    assert run("results plot", output).code == 0
    assert written_in(output / "plots") == as_both(STUDIES[name])
    if name == "lower-bound":  # whose tables are written at the end
        for path in output.glob("*.csv"):
            path.write_text(path.read_text("utf-8") + "\n", "utf-8")
        assert "a folder whose files are as its run wrote them" in run("results plot", output).err
        for path in output.glob("*.csv"):
            path.unlink()
        assert "which a finished run writes" in run("results plot", output).err


def cell(agent="UNI", **options):
    return eu.evaluate([agent], **SMALL | {"baseline_time": 4, "delta": 0.1} | options)


def names_of(*cells):
    found = drawings_of({"command": "evaluate", "options": {}}, Path(), cells)
    return [each.name for each in found if each.draw]


def test_cells_of_other_users_are_drawn_apart_and_called_by_what_they_differ_in():
    cells = [cell(n_arms=n, setting=each) for each in ("printed", "released") for n in (2, 3)]
    assert names_of(*cells) == [f"{s}-{kind}" for s in ("printed", "released") for kind in CELLS]
    assert names_of(cell(gap=2.0), cell(n_arms=2))[0] == "k-3-gap-2-success"
    # Another line-up that meets the same users has a number.
    names = names_of(cell(), cell("EXP3"))
    assert names[:1] + names[-1:] == ["1-success", "2-acceptances"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ending", "rows", "needs"),
    [("csv", "runs", "csv"), ("json", "summary", "json"), ("parquet", "runs", "pyarrow")],
)
def test_export_writes_what_others_read(ending, rows, needs, run, tmp_path):
    pytest.importorskip(needs)
    store, file = tmp_path / "a.sqlite", tmp_path / f"rows.{ending}"
    results = eu.evaluate(["BAIR", "UNI"], n_instances=9, progress=False, store=store)
    assert run(f"results export {store} {file} --rows {rows}").code == 0
    frame = getattr(pd, f"read_{ending}")(file)
    wanted = results.runs if rows == "runs" else results.summary()
    # Older pandas is a rounding off.
    pd.testing.assert_frame_equal(frame[list(wanted)], wanted, rtol=1e-14, check_dtype=False)
    assert {"alpha", "seed", "setting", "reward_law"} <= set(frame)
    assert "must be a new file; --overwrite" in run(f"results export {store} {file}").err
    assert run(f"results export {store} {file} --overwrite").code == 0


@pytest.mark.slow
def test_verify_tells_equal_from_what_differs_and_what_was_written_over(run, finished, tmp_path):
    folder = Path(shutil.copytree(finished("bench")[0], tmp_path / "bench"))
    file, words = folder / "run.sqlite", "--all --workers 1"
    ended = run(f"results verify {file} {words}")
    assert ended.code == 0
    assert ended.out.splitlines()[-1].startswith(f"{file}: equal (rows drawn with seed ")
    ended = run(f"results verify {folder} --share 0.5 --seed 3 --workers 1")
    assert "checked 16 of 32 rows: all as stated. Up to 4 edited rows could have been" in ended.out
    assert "equal (rows drawn with seed 3)" in ended.out
    with (folder / "table.md").open("a") as page:
        page.write("BAIR wins.\n")
    ended = run(f"results verify {folder} --rows 1 --workers 1")
    assert (ended.code, "table.md was changed after" in " ".join(ended.out.split())) == (1, True)
    edit = "UPDATE runs_bai SET acceptances = 1 WHERE part = 2 AND instance = 1"
    without_digests(by_sql(file, folder / "other", edit)).replace(file)
    ended = run(f"results verify {folder} {words}")
    assert (ended.code, "instance 1: acceptances is 1 there and " in ended.out) == (1, True)
    assert ended.out.splitlines()[-1].startswith(f"{folder}: differs (rows drawn with seed ")


def test_plots_are_not_drawn_through_a_link_in_the_folder(run, file, tmp_path):
    pytest.importorskip("matplotlib")
    mine = tmp_path / "mine"
    mine.mkdir()
    (file.parent / "plots").symlink_to(mine)
    told = run("results plot", file.parent)
    assert (told.code, list(mine.iterdir())) == (2, [])
    assert told.err.startswith("error: path must be a run without the link plots, got ")


def test_a_folder_stands_for_its_file_of_runs(run, tmp_path):
    out = tmp_path / "out"
    asked = "bench --agent bair --n-arms 2 --n-instances 2 --workers 1 --out"
    assert run(asked, out).code == 0
    assert len(eu.load(out).runs) == 2
    assert run("bench --resume", out).code == 0
