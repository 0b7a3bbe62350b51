import itertools
import math
import re
from base64 import b64decode
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from explorative_user_env.display.progress import silent
from explorative_user_env.results.tables import PUBLISHED
from explorative_user_env.studies import paper
from explorative_user_env.studies import paper_report as module
from explorative_user_env.studies.paper import EXPERIMENTS, TABLE2, with_entrants, z_of
from explorative_user_env.studies.paper_report import verdicts
from explorative_user_env.users.population import DIFFERENCES

CELLS = replace(TABLE2, deltas=(0.1, 0.005), n_arms=(2,), entrants=TABLE2.entrants[::2])
# UNI's figure at delta = .005 cannot be had at BAIR's time.


@pytest.fixture(scope="module")
def table2():
    how = {"n_instances": 300, "seed": 0, "workers": 1, "progress": silent}
    return module.reproduce([CELLS], ["printed", "released"], **how)[0]


def test_a_figure_is_near_within_its_tolerance():
    for figure, published, near, far in (
        ("stopping_time", 1000.0, 1040.0, 1041.0),
        ("stopping_time", 1000.0, 961.0, 959.0),
        ("rejection_rate", 0.30, 0.314, 0.316),
        ("success", 1.0, 0.98, 0.979),
    ):
        assert module.is_near(figure, near, published)
        assert not module.is_near(figure, far, published)
    # Table 7 with K = 100 and delta = .01: 1% off, of which nearly all is N_1.
    assert module.is_near("stopping_time", 235_665.0, 238_579.0)
    assert not module.is_near("stopping_time", 235_665.0, 238_579.0, n1=234_872.0)


def test_n1_is_what_the_entrant_has_in_the_cell_where_it_is_half_of_the_time_or_more():
    for name, agent, setting, published, n1 in (
        ("table2", "BAIR", "printed", 1.0, 2 * 20 / 0.01),
        ("table2", "BAIR", "released", 7600.0, 3800.0),
        ("table2", "BAIR", "released", 7601.0, 0.0),
        ("table6", "BAIR", "released", 1.0, (2 * 19 / 0.01) ** 1.25),
        ("table7", "N_1 = K", "released", 1.0, 20.0),
        ("table2", "T&S", "released", 1.0, 0.0),
        ("table4", "BAIR", "released", 1.0, 0.0),  # whose Phase 1 is not counted
    ):
        row = {"delta": 0.01, "n_arms": 20, "agent": agent}
        entrants = {each.name: each for each in EXPERIMENTS[name].entrants}
        found = module.n1_if_most(EXPERIMENTS[name], setting, entrants, row, published)
        assert found == pytest.approx(n1), (name, agent)


def reasons(name, *row):
    """What each test gives that may concern a figure."""
    columns = ("delta", "n_arms", "agent", "figure", "published", "experiment")
    row = dict(zip(columns, (*row, name), strict=True))
    return {key: found for key, *found in module.reasons_for(EXPERIMENTS[name], row)}


def test_table_4s_time_of_bair_is_table_2s_less_an_arithmetic_phase_1():
    for *row, holds in (
        (0.02, 5, "BAIR", "stopping_time", 479.0, True),  # 879 - 400
        (0.02, 2, "BAIR", "stopping_time", 372.0, False),  # 422 - 100 would be 322
        (0.02, 5, "BAIR", "rejection_rate", 0.012, True),  # as in Table 2
        (0.01, 20, "T&S", "stopping_time", 3223.0, True),  # as in Table 2
        (0.01, 5, "T&S", "stopping_time", 413.0, False),
    ):
        assert reasons("table4", *row)["digits"][2] is holds
    # No reason concerns a success, or who is told its time.
    assert not reasons("table2", 0.1, 2, "BAIR", "success", 0.9)
    assert not reasons("table2", 0.1, 2, "EXP3", "stopping_time", 405.0)


def test_some_published_pairs_leave_no_room_for_the_rejections_there_must_be():
    for name, delta, n_arms, agent, room, fewest in (
        ("table2", 0.05, 20, "BAIR", 37.5, 39),
        ("table4", 0.02, 100, "T&S", 97.5, 99),
        ("table2", 0.1, 20, "BAIR", 41.2, 39),  # which is possible
    ):
        found = reasons(name, delta, n_arms, agent, "rejection_rate", math.nan)["arithmetic"]
        assert found[0] == pytest.approx(room, abs=0.07)
        assert found[1].endswith(f" of at least {fewest}")
        assert found[2] is (room < fewest)


@pytest.mark.slow
def test_experiments_that_run_the_same_share_their_runs_and_what_is_drawn_has_no_verdicts():
    small = with_entrants(replace(TABLE2, deltas=(0.1,), n_arms=(2,)), ["bair"])
    drawn = replace(small, name="figure1a", drawn=True)
    willing = replace(EXPERIMENTS["table5"], deltas=(0.1,), n_arms=(2,), entrants=small.entrants)
    how = {"n_instances": 20, "seed": 0, "progress": silent}
    fifth, table, figure = module.reproduce([willing, small, drawn], ["released"], **how)
    assert figure.results is table.results
    alphas = [one.results["released"][0].cell["alpha"] for one in (fifth, table)]
    assert alphas == [2.0, 1.0]  # an experiment's users decide, not its name
    assert [len(one.figures) for one in (fifth, table, figure)] == [3, 3, 0]


@pytest.mark.slow
def test_there_is_a_verdict_on_every_published_figure_that_is_a_finding(table2):
    found = table2.figures
    assert len(found) == 2 * (3 + 2)  # UNI is told its time
    figures = found.set_index(["delta", "agent", "figure"])["published"]
    assert figures.loc[(0.005, "BAIR", "stopping_time")] == 512
    assert figures.loc[(0.005, "UNI", "success")] == 0.992
    for setting, summary in table2.summaries.items():
        own = summary.set_index(["delta", "agent"])
        for row in found.to_dict("records"):
            cell = own.loc[(row["delta"], row["agent"])]
            for end in ("", "_low", "_high"):
                assert row[f"{setting}{end}"] == cell[f"{row['figure']}{end}"]
            if setting == "released":
                assert row["released_z"] == z_of(row["figure"], cell, row["published"], 300)
                assert (row["verdict"] == "agrees") == (abs(row["released_z"]) <= 3)


@pytest.mark.slow
def test_the_verdict_is_that_of_the_released_code_or_of_the_one_there_is(table2):
    alone = verdicts(table2.experiment, {"printed": table2.summaries["printed"]})
    both, printed = (
        found.query("agent == 'BAIR' and figure == 'stopping_time'").set_index("delta")
        for found in (table2.figures, alone)
    )
    assert both["verdict"].tolist() == ["agrees", "agrees"]
    assert both["n1"].tolist() == [0.0, pytest.approx(400.0)]  # 20 of 405, 400 of 512
    assert both["printed_z"][0.005] > 3  # 813 for 512
    assert not both["printed_near"][0.005]
    assert printed["verdict"].tolist() == ["agrees", "differs"]


def test_one_run_is_no_ground_for_a_verdict():
    cells = replace(with_entrants(TABLE2, ["bair"]), deltas=(0.1,), n_arms=(2,))
    (one,) = module.reproduce([cells], ["released"], n_instances=1, seed=0, progress=silent)
    said = one.figures.set_index("figure")["verdict"]
    assert said.to_dict() == {"stopping_time": "", "rejection_rate": "", "success": "agrees"}


def test_a_reason_that_holds_is_the_verdict():
    rows = {"delta": [0.05, 0.1, 0.05], "published": [2421.0, 2113.0, 0.015]}
    rows |= {"figure": ["stopping_time", "stopping_time", "rejection_rate"]}
    rows |= {"verdict": ["differs", "differs", "agrees"], "experiment": "table2", "reason": ""}
    found, evidence = module.explained(TABLE2, pd.DataFrame(rows).assign(n_arms=20, agent="BAIR"))
    assert found["verdict"].tolist() == ["cannot", "differs", "agrees"]
    assert found["reason"].tolist() == ["arithmetic", "", ""]
    assert evidence["arithmetic"]["explained"].tolist() == [True, False]


@pytest.fixture(scope="module")
def simulated(table2):
    return module.calibration_of([table2], 0, draws=200, progress=silent)


@pytest.mark.slow
def test_false_alarms_are_as_rare_as_the_level_says(simulated):
    assert simulated.false_alarms.shape == (10, 200)
    assert simulated.expected == pytest.approx(10 / 370, rel=0.01)
    # Of 2000 verdicts 5.4 are expected; the draws are fixed, and 14 or more have chance .002.
    assert simulated.false_alarms.sum() < 14
    # What is moved far is found, and more the farther.
    place = simulated.figures["figure"].eq("stopping_time").to_numpy()
    shares = [float(np.mean(one[place])) for one in simulated.detected]
    assert shares == sorted(shares)
    assert shares[0] < 0.5  # 5% is less than two errors of 300 users' mean
    assert shares[-1] > 0.95


@pytest.mark.slow
def test_the_draws_follow_from_the_seed_alone_and_who_is_not_judged_is_left_out(table2):
    bair, uniform = table2.experiment.entrants
    experiment = replace(table2.experiment, entrants=(bair, replace(uniform, judged=False)))
    found = verdicts(experiment, table2.summaries)
    assert len(found) == len(table2.figures)
    assert set(found.loc[found["agent"].eq("UNI"), "verdict"]) == {""}
    assert set(module.counted(found, ["agent"])["agent"]) == {"BAIR"}
    judged = [replace(table2, figures=found)]
    one, same, other = (
        module.calibration_of(judged, seed, draws=5, progress=silent) for seed in (3, 3, 4)
    )
    for name in ("false_alarms", "agreeing", "detected"):
        np.testing.assert_array_equal(getattr(one, name), getattr(same, name))
    assert (one.detected != other.detected).any()
    assert set(one.figures["agent"]) == {"BAIR"}
    none = [replace(table2, figures=pd.DataFrame())]
    assert module.calibration_of(none, 0, draws=5, progress=silent) is None


@pytest.mark.slow
def test_the_report_has_every_table_and_its_pictures_as_files_or_inside_the_html(
    table2, simulated, monkeypatch
):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(paper, "DIFFERENCES", DIFFERENCES[:2])
    few = {"n_instances": 4, "n_arms": 2, "compiled": False}
    steps = paper.run_ladder(agents=["bair", "tas"], progress=silent, **few)
    page, pictures = module.report([table2], steps, "300 users a cell", simulated)
    spread = simulated.spread(["experiment", "agent", "figure"])
    low, high = spread["table2", "BAIR", "stopping_time"]
    assert f"| Table 2 | BAIR | 2 of 2 ({low}-{high}) |" in page
    step = steps[steps["agent"] == "BAIR"].iloc[1]
    (row,) = re.findall(rf"^\| {step['point']} +\| .*±.*", page, re.M)
    assert f"| {step['stopping_time']:.0f} ± " in row
    assert f" ({step['alone_stopping_time']:.0f}) |" in row
    shown = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", page)
    assert shown == ["verdicts.svg", "ladder.svg"] == list(pictures)
    html = module.as_html(page, pictures)
    sources = re.findall(r'<img src="data:image/svg\+xml;base64,([^"]+)"', html)
    assert [b64decode(source) for source in sources] == list(pictures.values())
    monkeypatch.setattr(module, "can_plot", lambda: False)
    plain, none = module.report([table2], steps, "300 users a cell")
    assert (none, "![" in plain) == ({}, False)


@pytest.mark.slow
def test_figure_1_draws_every_figure_of_every_agent_beside_what_is_published(table2):
    pytest.importorskip("matplotlib")
    summary = table2.summaries["released"].set_index(["delta", "agent"])
    grid = module.comparison(table2.summaries["released"]).axes
    places = itertools.product(PUBLISHED.items(), (0.1, 0.005))  # a row a metric, a column a delta
    for axes, ((figure, beside), delta) in zip(grid, places, strict=True):
        agents = ["BAIR"] if figure == "stopping_time" else ["BAIR", "UNI"]
        for bars, agent in zip(axes.containers, agents, strict=True):
            own = summary.loc[(delta, agent)]
            assert list(bars.lines[0].get_ydata()) == [own[figure]]
            ((ends,),) = (each.get_segments() for each in bars.lines[2])
            assert ends[:, 1] == pytest.approx([own[f"{figure}_low"], own[f"{figure}_high"]])
        hollow = [line for line in axes.lines if line.get_markerfacecolor() == "none"]
        marks = [line.get_ydata()[0] for line in hollow]
        assert marks == [summary.loc[(delta, agent), beside] for agent in agents]
