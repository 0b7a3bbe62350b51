import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import explorative_user_env as eu
from explorative_user_env.agents import BAIR
from explorative_user_env.agents.shared_phase1 import Phase1
from explorative_user_env.display.progress import silent
from explorative_user_env.studies import paper as module
from explorative_user_env.studies.paper import EXPERIMENTS, TABLE2, published_figures
from explorative_user_env.users.population import DIFFERENCES, PRINTED, RELEASED, Population

OPTIONS = {"compiled": False, "progress": silent}  # few users run faster than code compiles
LADDER = OPTIONS | {"delta": 0.2, "n_arms": 3, "n_instances": 5}


def test_published_figures_are_the_papers():
    for name, delta, n_arms, agent, published in (
        ("table2", 0.1, 20, "BAIR", (2113.0, 0.019, 1.0)),
        ("table2", 0.01, 5, "EXP3", (940.0, 0.077, 0.604)),  # BAIR's time
        ("table3", 0.05, 20, "T&S", (10097.0, 0.102, 0.97)),
        ("table4", 0.02, 100, "T&S", (4151.0, 0.023, 0.203)),
        ("table5", 0.005, 100, "EXP3", (25537.0, 0.094, 0.532)),
        ("table6", 0.01, 20, "BAIR", (29895.0, 0.002, 1.0)),
        ("table7", 0.1, 100, "N_1 of log K", (8603.0, math.nan, 0.999)),
    ):
        table = published_figures(EXPERIMENTS[name]).set_index(["delta", "n_arms", "agent"])
        row = tuple(table.loc[(delta, n_arms, agent)])
        assert row == pytest.approx(published, nan_ok=True), (name, agent)
    assert published_figures(EXPERIMENTS["figure1b"]).empty


def test_published_figures_are_found_by_the_users_they_are_of():
    assert module.published_for(Population()).equals(published_figures(TABLE2))
    assert len(module.published_for(Population(gap=0.5, noise=0.1))) == 32
    for users in ({"alpha": 1.5}, {"rho": 1.0}, {"means": "uniform"}, {"behaviour": "drifting"}):
        assert module.published_for(Population(**users)) is None


def test_entrants_are_chosen_by_name_in_their_order_with_bair_where_others_need_it():
    for experiment, asked, chosen in (
        (TABLE2, ["t&s", "BAIR"], ["BAIR", "T&S"]),
        (TABLE2, ["exp3"], ["BAIR", "EXP3"]),  # whose time it is to have
        (EXPERIMENTS["table4"], ["uni"], ["BAIR", "UNI"]),  # whose Phase 1 it shares
    ):
        assert [each.name for each in module.with_entrants(experiment, asked).entrants] == chosen
    with pytest.raises(ValueError, match="agent must be one of"):
        module.with_entrants(TABLE2, ["sarsa"])


def test_released_baselines_run_to_the_published_time_and_printed_ones_to_bairs():
    for name, setting, bair in (
        ("table2", "released", "BAIR"),
        ("table2", "printed", "BAIR"),
        ("table3", "printed", "BAIR(m) printed"),  # the first of the line-up
    ):
        cells = replace(EXPERIMENTS[name], deltas=(0.1,), n_arms=(2,))
        cells = module.with_entrants(cells, ["exp3"])
        (cell,) = module.run_experiment(cells, setting, n_instances=4, **OPTIONS)
        times = cell.runs.groupby("agent")["stopping_time"]
        time = 405 if setting == "released" else round(times.mean()[bair])  # 405 is published
        assert set(cell.runs.query("agent == 'EXP3'")["stopping_time"]) == {time}


def test_phase1_is_taken_off_user_by_user():
    columns = ["user_seed", "interactions", "acceptances", "rejections", "stopping_time"]
    runs = pd.DataFrame([[7, 50, 40, 13, 53], [8, 60, 60, 3, 63]], columns=columns)
    phase1 = pd.DataFrame([[8, 20, 20, 0, 20], [7, 30, 25, 5, 30]], columns=columns)
    left = module.without_phase1(runs, phase1)
    # Private draws are Phase 1's.
    assert left.to_numpy().tolist() == [[7, 20, 15, 5, 20], [8, 40, 40, 0, 40]]


@pytest.mark.slow
@pytest.mark.parametrize("setting", ["printed", "released"])
def test_bairs_phase_2_is_its_run_without_phase_1_and_baselines_get_its_time(setting):
    cells = replace(EXPERIMENTS["table4"], deltas=(0.1,), n_arms=(3,), data=None)
    (results,) = module.run_experiment(cells, setting, n_instances=12, **OPTIONS)
    users = {"n_arms": 3, "delta": 0.1, "n_instances": 12, "setting": setting}
    runs = eu.evaluate([BAIR(), Phase1()], **OPTIONS, **users).runs.set_index("user_seed")
    both = runs.pivot(columns="agent", values="interactions")
    own = results.runs.pivot(index="user_seed", columns="agent", values="stopping_time")
    assert own["BAIR"].tolist() == (both["BAIR"] - both["Phase 1"]).tolist()
    assert own["BAIR"].min() >= 2  # two arms are still to be rejected
    times = own.mean()
    assert times["EXP3"] == max(1, round(times["BAIR"]))
    assert times["EXP3"] <= times["UNI"] < times["EXP3"] + 3  # the released code ends the pass
    tracking = results.runs[results.runs["agent"] == "T&S"]
    assert tracking["correct"].mean() >= 0.9  # 1 in the long run; the paper has .18 to .59


@pytest.mark.slow
def test_the_ladder_leads_from_printed_to_released_and_has_what_a_difference_does_alone():
    ladder = module.run_ladder(agents=["bair"], **LADDER).set_index("point")
    for setting, step in (("printed", 0), ("released", len(DIFFERENCES))):
        (row,) = eu.evaluate(["bair"], setting=setting, **LADDER).summary().to_dict("records")
        for figure in ("stopping_time", "rejection_rate", "success", "stopping_time_low"):
            assert ladder[figure].iloc[step] == row[figure]
    assert len(ladder) == 1 + len(DIFFERENCES)
    uniform = replace(PRINTED, means="uniform")
    alone = eu.evaluate(["bair"], setting=uniform, **LADDER).summary()
    first = ladder.loc["arm means"]
    assert first["stopping_time"] == first["alone_stopping_time"] == alone["stopping_time"][0]
    # The private draws counted: K steps more, from whichever setting.
    counted, times = ladder.loc["reported time"], ladder["stopping_time"]
    assert counted["alone_stopping_time"] == pytest.approx(times[module.PRINTED_STEP])
    assert counted["stopping_time"] == pytest.approx(times.shift()["reported time"] + 3)


def test_differences_are_ours_against_the_papers_and_empty_where_it_has_no_such_cell():
    options = OPTIONS | {"setting": "released", "n_arms": 2, "n_instances": 5}
    results = [eu.evaluate(["bair", "uni"], delta=delta, **options) for delta in (0.1, 0.3)]
    summary = module.compared(results, published_figures(TABLE2))
    row = summary.iloc[0]
    assert row["published_stopping_time"] == 405
    assert row["stopping_time_difference"] == pytest.approx(row["stopping_time"] / 405 - 1)
    assert row["success_difference"] == pytest.approx(row["success"] - 0.999)
    assert summary["published_success"].isna().tolist() == [False, False, True, True]
    assert "published_success" not in module.compared(results[1:], published_figures(TABLE2))


RATIO = replace(RELEASED, rejection_rate="ratio of means", drops_censored=True)
MEAN = replace(RELEASED, rejection_rate="mean of ratios", drops_censored=False)
N = 400


def sample(seed):
    """Runs of nobody: a tenth of the steps rejected, a few answers wrong, none cut off."""
    rng = np.random.default_rng(seed)
    times = rng.gamma(8.0, 100.0, N).round() + 1
    rejections = rng.binomial(times.astype(int), 0.1).astype(float)
    return times, rejections, rng.random(N) < 0.95, np.zeros(N, dtype=bool)


@pytest.mark.parametrize("form", [RATIO, MEAN], ids=["ratio of means", "mean of ratios"])
def test_an_error_is_the_standard_error_and_what_one_more_far_run_would_do(form):
    times, rejections, correct, _ = sample(0)
    two = [np.stack([each, other]) for each, other in zip(sample(0), sample(2), strict=True)]
    found = {name: values[0] for name, values in module.figures_of(two, form).items()}
    mean = times.mean()
    assert found["stopping_time"] == pytest.approx(mean)
    assert found["success"] == pytest.approx(correct.mean())
    far, own = (times.max() - mean) / mean, stats.sem(times) / mean
    assert found["stopping_time_error"] == pytest.approx(np.hypot(own, far / N))
    papers = np.hypot(own * (N / 1000) ** 0.5, far / 1000)
    assert found["stopping_time_published_error"] == pytest.approx(papers)
    if form is RATIO:
        rate = rejections.sum() / times.sum()
        left_over = (rejections - rate * times) / times.mean()
    else:
        left_over = rejections / times
        rate = left_over.mean()
        far = (left_over.max() - rate) / rate
    assert found["rejection_rate"] == pytest.approx(rate)
    own = stats.sem(left_over) / rate
    assert found["rejection_rate_error"] == pytest.approx(np.hypot(own, far / N), rel=1e-6)


def test_runs_cut_off_are_left_out_of_means_but_say_how_far_a_run_may_be():
    times, rejections, correct, censored = sample(1)
    cut, cap = np.arange(N) < 20, 50_000.0
    long = np.where(cut, cap, times)
    found = module.figures_of((long, rejections, correct, cut), RATIO)
    left = module.figures_of((times[20:], rejections[20:], correct[20:], censored[20:]), RATIO)
    for name in ("stopping_time", "rejection_rate"):
        assert found[name] == pytest.approx(left[name])
    assert found["success"] == pytest.approx((correct & ~cut).mean())
    mean = left["stopping_time"]
    own = np.hypot(stats.sem(times[20:]) / mean, (cap - mean) / mean / (N - 20))
    assert found["stopping_time_error"] == pytest.approx(own)


@pytest.mark.parametrize("setting", ["printed", "released"])
def test_the_figures_are_those_of_the_summary(setting):
    results = eu.evaluate(["bair", "uni"], setting=setting, n_arms=2, n_instances=9, **OPTIONS)
    for row in module.compared([results], published_figures(TABLE2)).to_dict("records"):
        figures = module.figures_of_agent(results, row["agent"])
        assert {name: row[name] for name in figures} == pytest.approx(figures)


def test_successes_are_compared_as_two_shares_are():
    for ours, published in ((0.951, 0.97), (0.7, 0.62), (0.03, 0.05)):
        counts = [[ours * N, N - ours * N], [published * 1000, 1000 - published * 1000]]
        expected = stats.chi2_contingency(counts, correction=False).statistic ** 0.5
        z = module.z_of("success", {"success": ours}, published, N)
        assert abs(z) == pytest.approx(expected, rel=1e-3)  # but for the published one's rounding
        assert (z > 0) == (ours > published)


def test_what_is_printed_alike_is_never_far_apart():
    for figure, ours, published in (
        ("stopping_time", 10.49, 10.0),
        ("rejection_rate", 0.00149, 0.001),
        ("success", 1.0, 0.9996),
    ):
        exact = {figure: ours, f"{figure}_error": 0.0, f"{figure}_published_error": 0.0}
        assert abs(module.z_of(figure, exact, published, N)) < 2
    ends = ("", "_error", "_published_error")
    none = dict.fromkeys((f"rejection_rate{end}" for end in ends), 0.0)
    assert module.z_of("rejection_rate", none, 0.02, N) < -3
