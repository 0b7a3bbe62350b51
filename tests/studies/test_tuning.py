import dataclasses
import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats
from small_tuning import CELL, SMALL, TUNED, USERS

from explorative_user_env import InvalidArgumentError, evaluate
from explorative_user_env.agents import BAIR
from explorative_user_env.display.progress import silent
from explorative_user_env.seeding import tuning_seed, user_seeds
from explorative_user_env.studies import tuning as module
from explorative_user_env.studies.tuning import Estimate, NoneFoundError, TunedAgent, Tuning
from explorative_user_env.users.model import constant
from explorative_user_env.users.population import RELEASED, Population


@pytest.fixture(scope="module", autouse=True)
def few_users():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "FRONTIER_USERS", 40)
        yield


@pytest.fixture(scope="module")
def tuning(few_users):
    return module.tune_n1(**SMALL)


def evidence(failures, n, delta):
    return np.exp(module.log_evidence(np.array([failures]), np.array([n]), delta)).ravel().tolist()


@pytest.mark.parametrize("delta", [0.005, 0.6])
def test_the_evidence_is_the_mixture_of_likelihood_ratios(delta):
    law = stats.beta(0.5, 0.5 * (1 - delta) / delta)
    for failures, n in [(0, 1), (1, 1), (3, 40)]:

        def ratio(root):
            """The integrand over the root of q, which has no pole at 0."""
            q = root**2
            likelihood = (q / delta) ** failures * ((1 - q) / (1 - delta)) ** (n - failures)  # noqa: B023
            return float(likelihood * law.pdf(q) * 2 * root)

        below = integrate.quad(ratio, 0, delta**0.5, limit=200)[0] / law.cdf(delta)
        above = integrate.quad(ratio, delta**0.5, 1, limit=200)[0] / law.sf(delta)
        assert evidence(failures, n, delta) == pytest.approx([below, above], rel=1e-6)


def probability_of(decision, q, delta, error, horizon):
    """The exact probability that the test says `decision` in `horizon` trials, by all states."""
    undecided, said = np.array([1.0]), 0.0  # by the number of failures
    for n in range(1, horizon + 1):
        weights = np.append(undecided * (1 - q), 0.0) + np.append(0.0, undecided * q)
        good, bad = module.log_evidence(np.arange(n + 1), np.full(n + 1, n), delta)
        decided = np.maximum(good, bad) >= math.log(1 / error)
        said += weights[decided & ((good > bad) == (decision == "good"))].sum()
        undecided = np.where(decided, 0.0, weights)
    return said


@pytest.mark.parametrize(("decision", "q"), [("good", 0.1 + 1e-9), ("bad", 0.1)])
def test_the_exact_error_at_the_border_keeps_to_what_is_allowed(decision, q):
    wrong = probability_of(decision, q, delta=0.1, error=0.1, horizon=300)
    assert 0.02 < wrong < 0.1


def test_it_does_not_matter_how_trials_are_portioned_and_too_few_decide_nothing():
    failed = np.random.default_rng(3).random(2000) < 0.13
    whole = module.judge(failed, 0.1, 0.01)
    assert whole[0] == "bad"
    assert whole[2] == failed[: whole[1]].sum()
    verdict = module.judge(failed[:7], 0.1, 0.01)
    for start in range(7, 2000, 7):
        if verdict[0] == "undecided":
            verdict = module.judge(failed[start : start + 7], 0.1, 0.01, verdict[1:])
    assert verdict == whole
    assert module.judge(np.array([True, False, False]), 0.3, 0.05) == ("undecided", 3, 1)


def test_it_decides_as_soon_as_the_evidence_is_1_over_error():
    for side, decision in enumerate(("good", "bad")):
        said, n, _ = module.judge(np.full(500, decision == "bad"), 0.1, 0.01)
        now, before = (evidence(side * each, each, 0.1)[side] for each in (n, n - 1))
        assert said == decision
        assert before < 100 <= now


def sure(least):
    return lambda n1, candidate, portion, n_users: np.full(n_users, n1 >= least)


@pytest.mark.slow
@given(st.integers(0, 5000), st.integers(0, 5000), st.integers(0, 5000))
def test_any_least_n1_is_found_with_the_candidates_that_the_bound_counts(first, more, least):
    top = first + more
    candidates = list(module.search(sure(least), first, top, delta=0.3, error=0.1, cap=100))
    assert candidates[0].n1 == first
    assert len({c.n1 for c in candidates}) == len(candidates)
    assert len(candidates) <= 1 + max(first, top - first).bit_length()
    if least <= top:
        assert module.least_good(candidates, 0.3) == (least, (least, least))
    else:
        with pytest.raises(NoneFoundError):
            module.least_good(candidates, 0.3)


def test_each_candidate_gets_its_share_of_the_error():
    first = next(module.search(sure(0), 100, 1050, delta=0.1, error=0.05, cap=1000))
    share = 0.05 / 11  # 1 + the halvings of 950 numbers, 950 < 2^10
    assert first.n_runs == module.judge(np.zeros(1000, bool), 0.1, share)[1]
    assert first.n_runs > module.judge(np.zeros(1000, bool), 0.1, 0.05)[1]


def test_without_a_decision_a_candidate_is_not_good_and_ends_at_the_cap():
    calls = []

    def draw(n1, candidate, portion, n_users):
        calls.append((n1, candidate, portion, n_users))
        if n1 >= 6:
            return np.ones(n_users, bool)
        return np.asarray(np.arange(n_users) % 10 != 0)  # on the border for ever

    candidates = list(module.search(draw, 2, 8, delta=0.1, error=0.05, cap=2500))
    decisions = {candidate.n1: candidate.decision for candidate in candidates}
    assert decisions == {2: "undecided", 6: "good", 4: "undecided", 5: "undecided"}
    assert module.least_good(candidates, 0.1) == (6, (0, 6))
    assert (candidates[0].n_runs, candidates[0].failures) == (2500, 250)
    assert calls[:3] == [(2, 0, 0, 1000), (2, 0, 1, 1000), (2, 0, 2, 500)]
    assert len({call[1:3] for call in calls}) == len(calls)  # no users are met twice


@pytest.mark.slow
def test_every_candidate_and_portion_meets_users_of_its_own():
    hard = Population(n_arms=3, gap=0.02, setting=RELEASED)  # so that it fails now and then
    how = {"population": hard, "delta": 0.2, "max_steps": 2000}
    places = [(0, 0), (0, 1), (1, 0)]
    seen = [module.successes(how | {"seed": 0}, 0, *place, 100).tolist() for place in places]
    assert seen[0] != seen[1] != seen[2] != seen[0]
    seed = tuning_seed(0, 0, 1, 0)
    runs = evaluate([TunedAgent(0)], seed=seed, n_instances=100, **how).runs
    assert seen[2] == list(runs["correct"] & ~runs["censored"])
    parts = (), (1,), (2,), (0, 0, 0), (0, 0, 1), (0, 1, 0)
    seeds = [0, *(tuning_seed(0, *part) for part in parts)]
    users = [user for each in seeds for user in user_seeds(each, 50)]
    assert len(set(users)) == len(users)  # of frontier, confirmation and candidates


def test_the_frontier_is_one_evaluation_of_bair_with_each_n1():
    users = Population(n_arms=3, gap=0.4, setting=RELEASED)
    how = {"population": users, "max_steps": 900}
    found = module.frontier_of([0, 9], how | {"delta": 0.2, "seed": 9}, silent)
    agents = [BAIR(n1=n1, delta=0.2, name=f"with {n1}") for n1 in (0, 9)]
    summary = evaluate(agents, seed=tuning_seed(9, 1), n_instances=40, **how).summary()
    columns = [*module.FIGURES]
    assert found[columns].to_numpy().tolist() == summary[columns].to_numpy().tolist()
    assert found["censored"].between(0.01, 0.99).all()  # the cap cuts some off


@pytest.mark.slow
def test_search_and_frontier_begin_at_the_papers_lower_bound_and_end_at_its_n1(tuning):
    tuned = tuning.tuned
    assert tuning.candidates[0].n1 == 5  # 1 / delta
    assert tuned.paper_n1 == 30  # 2 K / delta
    assert tuned.n1 == tuned.interval[1]
    assert tuned.n1 == min(c.n1 for c in tuning.candidates if c.decision == "good")
    assert tuned.n_runs == sum(c.n_runs for c in tuning.candidates)
    words = Population(n_arms=3, gap=0.4, setting=RELEASED).words()
    assert dict(tuned.cell) == words | {"delta": 0.2, "rho": None}
    other = module.tune_n1(**SMALL | {"alpha": 2.0, "rho": constant(1.1)})
    assert other.candidates[0].n1 == 3  # (1 / .2)^(1/2) / 1.1 = 2.03
    assert other.tuned.paper_n1 == 5  # 30^(1/2) / 1.1 = 4.98
    assert other.tuned.cell["rho"] == "1.1"
    points = module.grid(137, 20, 10_000)  # with the N_1 found and the paper's
    assert points == [0, 1, 3, 8, 20, 22, 60, 137, 167, 464, 1292, 3594, 10_000]
    assert tuning.frontier["n1"].tolist() == module.grid(tuned.n1, 3, 30)
    assert tuning.frontier["stopping_time"].iloc[-1] == tuned.paper_stopping_time.value


@pytest.mark.slow
def test_the_confirmation_is_an_evaluation_that_anyone_can_repeat(tuning):
    agent, seed = tuning.tuned.agent(), tuning_seed(0, 2)
    repeated = evaluate([agent], n_instances=80, seed=seed, progress=False, **USERS).summary()
    without = module.tune_n1(**SMALL | {"confirm": 0})
    of_frontier = without.frontier.query(f"n1 == {without.tuned.n1}")
    for tuned, row in ((tuning.tuned, repeated.iloc[0]), (without.tuned, of_frontier.iloc[0])):
        assert (tuned.n_fresh, tuned.censored) == (row["n_runs"], row["censored"])
        for name in ("success", "stopping_time"):
            ends = Estimate(row[name], row[f"{name}_low"], row[f"{name}_high"])
            assert getattr(tuned, name) == ends


@pytest.mark.slow
def test_of_those_that_succeed_the_fastest_is_named(tuning):
    n1, columns = tuning.tuned.n1, ["n1", "stopping_time", "success_low"]
    for rows, fastest in (
        ([(n1, 90.0, 0.7), (50, 80.0, 0.8), (60, 70.0, 0.79)], 50),
        ([(n1, 90.0, 0.7), (50, 95.0, 0.9)], n1),
    ):
        assert Tuning(tuning.tuned, [], pd.DataFrame(rows, columns=columns)).fastest == fastest


@pytest.mark.slow
def test_workers_change_nothing_and_what_goes_on_is_told(tuning):
    events, candidates = [], []
    how = {"workers": 2, "progress": lambda *event: events.append(event)}
    parallel = module.tune_n1(**SMALL | how, on_candidate=candidates.append)
    assert parallel.tuned == tuning.tuned
    assert parallel.candidates == tuning.candidates == candidates
    pd.testing.assert_frame_equal(parallel.frontier, tuning.frontier)
    assert (events[0], events[-1]) == (("N_1 = 5", 0, 600), ("BAIR-tuned", 80, 80))


def test_a_run_that_the_cap_ends_is_no_success():
    with pytest.raises(NoneFoundError) as none:
        module.tune_n1(**SMALL | {"max_steps": 3})
    assert {candidate.success for candidate in none.value.candidates} == {0.0}
    assert none.value.candidates[-1].n1 == 30
    with pytest.raises(NoneFoundError, match=r"\(4 undecided"):
        module.least_good(list(module.search(sure(0), 1, 8, delta=0.1, error=0.05, cap=10)), 0.1)


def test_a_wrong_option_is_named():
    wrong = {"delta": 1.0, "means": "cauchy", "error": 0.0}
    wrong |= {"n_instances": 0, "confirm": -1, "max_steps": 0}
    for name, value in wrong.items():
        with pytest.raises(InvalidArgumentError, match=f"^{name} "):
            module.tune_n1(**SMALL | {name: value})
    with pytest.raises(InvalidArgumentError, match="n1 must be"):
        TunedAgent(-1)


def test_what_was_saved_is_loaded(tmp_path):
    TUNED.save(tmp_path / "tuned.json")
    for source in (tmp_path, tmp_path / "tuned.json"):
        assert module.load_tuned(source) == TUNED
    nothing = Estimate(51.0, math.nan, math.nan)
    dataclasses.replace(TUNED, stopping_time=nothing).save(tmp_path / "tuned.json")
    assert math.isnan(module.load_tuned(tmp_path).stopping_time.low)


def test_the_agent_is_bair_with_that_n1_and_the_delta_it_was_tuned_for():
    agent = TUNED.agent()
    assert agent.trained_on == CELL | {"task": "bai"}
    options = {"n_arms": 3, "n_instances": 9, "compiled": False}
    found = evaluate([agent, BAIR(n1=7, delta=0.2)], delta=0.1, **options)
    assert found.deltas == {"BAIR-tuned": 0.2, "BAIR": 0.2}
    times = {name: list(runs["stopping_time"]) for name, runs in found.runs.groupby("agent")}
    assert times["BAIR-tuned"] == times["BAIR"]


def test_a_file_that_is_not_right_is_refused(tmp_path, subtests):
    file = tmp_path / "tuned.json"
    TUNED.save(file)
    record = json.loads(file.read_text())
    changes = [{"n1": -1}, {"more": 1}, {"interval": [1]}, {"success": {"value": 1}}]
    changes += [{"cell": CELL | {"n_arms": 1}}, {"cell": {"n_arms": 3, "delta": 0.1}}]
    for text in ("", "[]", "{}", *(json.dumps(record | change) for change in changes)):
        file.write_text(text)
        with subtests.test(text), pytest.raises(InvalidArgumentError, match="tuned must be a file"):
            module.load_tuned(tmp_path)


def test_the_page_has_the_candidates_the_frontier_and_whether_it_is_confirmed(tuning):
    rows = [line for line in module.tuning_page(tuning).splitlines() if line.startswith("|")]
    (row,) = (row for row in rows if "tuned" in row)
    figures = tuning.frontier.query(f"n1 == {tuning.tuned.n1}").iloc[0]
    assert f"| {figures['success']:.4f} [{figures['success_low']:.4f}, " in row
    for low, says in ((0.8, ": confirmed."), (0.79, ": not confirmed.")):  # 1 - delta = .8
        tuned = dataclasses.replace(tuning.tuned, success=Estimate(0.95, low, 0.97))
        assert says in "".join(module.sentences(dataclasses.replace(tuning, tuned=tuned)))
