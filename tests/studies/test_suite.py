import json
import math
import re
from dataclasses import replace
from zlib import crc32

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from toy_agents import scripted

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, UCB1, SuccessiveElimination
from explorative_user_env.display.tables import markdown
from explorative_user_env.studies import suite as module
from explorative_user_env.studies import suite_tasks as frozen
from explorative_user_env.studies.suite import VARIETIES, Replicates, run_suite
from explorative_user_env.studies.suite_tasks import SUITE, SuiteRun, tasks_named
from explorative_user_env.users.population import Population
from explorative_user_env.validation import InvalidArgumentError

TASKS = ("bai-k5", "regret-k5")


@pytest.fixture(scope="module", autouse=True)
def _few_users():
    small = tuple(replace(task, n_instances=24) for task in SUITE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(frozen, "SUITE", small)
        yield


@pytest.fixture(scope="module")
def found(_few_users):
    return run_suite(["BAIR", "UCB1"], tasks=TASKS, progress=False)


def test_the_records_of_a_version_never_change():
    # Whoever changes a record on purpose makes a new version: scores are compared by its name.
    assert (frozen.SUITE_VERSION, frozen.suite_digest(SUITE)) == ("v2", "1cb7f3eaa1c7d97d")
    words = [replace(task, about="Clearer.", why="Because.") for task in SUITE]
    assert frozen.suite_digest(words) == frozen.suite_digest(SUITE)


def test_tasks_have_names_and_users_of_their_own_for_each_seed():
    seeds = [task.seed for run in (3, 4) for task in SuiteRun(seed=run).records()]
    seeds += [task.seed for task in SUITE]
    assert len(set(seeds)) == 3 * len({task.name for task in SUITE}) == 3 * len(SUITE)
    assert SuiteRun(["bai-k5"], seed=3).records()[0].seed == seeds[1]
    names = {task.name: task for task in SUITE}
    for task in SUITE:
        if task.twin is not None:
            others = {"name": task.twin, "twin": None, "seed": names[task.twin].seed}
            options = {**task.options, "means": None}
            twin = replace(task, **others, options=options)
            assert twin.numbers() == names[task.twin].numbers()
            assert Population(**options) == names[task.twin].population
    quick = [replace(task, n_instances=task.n_instances // 10) for task in tasks_named(None)]
    assert SuiteRun(quick=True).records() == tuple(quick)


@pytest.mark.slow
@pytest.mark.parametrize("task", SUITE, ids=lambda task: task.name)
def test_every_task_runs_with_its_anchors_which_have_0_and_1(task):
    one = replace(task, n_instances=1)
    # Step by step: nothing has to be compiled for kinds of users that nobody else here meets.
    anchors = frozen.line_up_for(one, [])
    cell = eu.evaluate(anchors, compiled=False, progress=False, **one.arguments())
    results = module.SuiteResults(SuiteRun([task.name]), {task.name: cell})
    scores = results.scores().set_index("agent")
    for name, score in (("UNI", 0.0), (task.reference, 1.0)):
        assert scores.loc[name, ["score", "low", "high"]].tolist() == [score] * 3


SEED, N_MADE, FEW = 5, 11, 40


def stream(name):
    key = (crc32(b"bootstrap"), crc32(name.encode()))
    return np.random.default_rng(np.random.SeedSequence(SEED, spawn_key=key))


def slow_score(losses, users, trainings):
    """Return the model's score with these users and trainings, any of them several times."""
    uniform, elimination = (sum(losses[name][0][user] for user in users) for name in ("UNI", "SE"))
    all_trainings = [sum(own[user] for user in users) for own in losses["model"]]
    of_trainings = np.mean([all_trainings[one] for one in trainings])
    # Student's law with 2 degrees of freedom, and division by 2 instead of 3.
    factor = 4.302653 / 1.959964 * math.sqrt(3.0 / 2.0)
    loss = np.mean(all_trainings) + factor * (of_trainings - np.mean(all_trainings))
    return (uniform - loss) / (uniform - elimination)


def test_a_score_and_its_interval_are_those_of_a_slow_computation(monkeypatch):
    monkeypatch.setattr(module, "N_REPLICATES", FEW)
    rng, (task,) = np.random.default_rng(1), tasks_named(["bai-k5"])
    means = {"UNI": [[9.0]], "SE": [[4.0]], "model": [[3.0], [4.0], [8.0]]}
    losses = {name: rng.normal(own, 2.0, (len(own), N_MADE)) for name, own in means.items()}
    scores = module.scores_in(task, module.mean_losses(losses, SEED))
    found = scores["model"]
    users = stream("users").integers(N_MADE, size=(FEW, N_MADE)).tolist()
    trainings = stream("model").integers(3, size=(FEW, 3)).tolist()
    slow = [slow_score(losses, *drawn) for drawn in zip(users, trainings, strict=True)]
    assert found.value == pytest.approx(slow_score(losses, [*range(N_MADE)], [0, 1, 2]))
    assert found.drawn == pytest.approx(np.array(slow), rel=1e-5)
    # Of 40 replicates 2.5% is the first of them, and nothing of the next.
    ordered = sorted(slow)
    ends = (ordered[0] + 0.975 * (ordered[1] - ordered[0]), ordered[-1])
    assert found.interval()[0] == pytest.approx(ends[0], rel=1e-5)
    assert ordered[-2] < found.interval()[1] < ends[1]
    for anchor, score in (("UNI", 0.0), ("SE", 1.0)):
        assert {scores[anchor].value, *scores[anchor].drawn} == {score}
    same = np.ones((1, N_MADE))
    equal = module.scores_in(task, module.mean_losses({"UNI": same, "SE": same}, SEED))
    assert np.isnan(equal["SE"].value)  # no difference between the anchors
    fewer = module.mean_losses({name: losses[name] for name in ("model", "UNI")}, SEED)
    assert np.array_equal(fewer["model"].drawn, module.mean_losses(losses, SEED)["model"].drawn)


def scores_frame(by_agent, sees=()):
    """Return the scores of agents, a list of one score per task, as the suite has them."""
    rows = [
        {"task": f"t{place}", "agent": name, "score": score, "low": score - 1, "high": score + 1}
        for name, scores in by_agent.items()
        for place, score in enumerate(scores)
    ]
    return pd.DataFrame([row | {"sees_rewards": row["agent"] in sees} for row in rows])


def test_the_mean_is_over_tasks_with_students_interval_and_the_worse_of_twins():
    scores = scores_frame({"a": [0.5, 0.9, 0.1, 0.7], "b": [0.4]})
    totals = module.totals_of(scores, {"t2": "t1"}).set_index("agent")
    values = [0.5, 0.1, 0.7]
    expected = stats.t.interval(0.95, 2, np.mean(values), stats.sem(values))
    assert totals.loc["a", ["mean", "mean_low", "mean_high"]].tolist() == pytest.approx(
        [np.mean(values), *expected]
    )
    assert totals.loc["b", ["mean", "mean_low", "mean_high"]].tolist() == [0.4, -0.6, 1.4]
    assert totals["n_tasks"].tolist() == [3, 1]


def mean_and_error(values):
    return np.mean(values), stats.sem(values)


def test_ranks_count_only_orders_that_hold_without_any_one_task():
    rng = np.random.default_rng(0)
    noise = rng.normal(0.0, 0.02, (4, 8))
    one_task = np.where(np.arange(8) == 3, 4.0, 0.0)
    by_agent = {
        "best": 1.0 + noise[0],
        "lucky": 0.5 + noise[1] + one_task,  # good on average because of one task
        "level": 0.5 + noise[2],
        "worst": noise[3],
        "sees": 2.0 + noise[0],
    }
    totals = module.totals_of(scores_frame(by_agent, sees=["sees"]), {}).set_index("agent")
    ranks = {name: (row["rank_low"], row["rank_high"]) for name, row in totals.iterrows()}
    assert all(map(pd.isna, ranks.pop("sees")))
    assert ranks == {"best": (1, 2), "level": (2, 3), "worst": (3, 4), "lucky": (1, 4)}
    frame = scores_frame(by_agent, sees=["sees"])
    shown = markdown(module.neighbours_table(frame, module.totals_of(frame, {}), {}))
    low, high = stats.t.interval(0.95, 7, *mean_and_error(by_agent["level"] - by_agent["worst"]))
    middle = np.mean(by_agent["level"] - by_agent["worst"])
    assert f"| level | worst | {middle:.2f} [{low:.2f}, {high:.2f}] |" in shown
    for left_out in range(8):
        some = scores_frame(by_agent, sees=["sees"])
        some = some[some["task"] != f"t{left_out}"]
        means = some.groupby("agent")["score"].mean()
        assert means["worst"] < min(means["best"], means["level"], means["lucky"])


@pytest.mark.parametrize("n_runs", [400, pytest.param(4000, marks=pytest.mark.exhaustive)])
def test_intervals_cover_the_true_value_in_95_of_100_simulations(n_runs, monkeypatch):
    monkeypatch.setattr(module, "N_REPLICATES", 400)
    rng, covered = np.random.default_rng(2), {"users": 0, "trainings": 0, "tasks": 0}
    for run in range(n_runs):
        users = rng.normal(1.0, 1.0, (1, 50))
        trained = rng.normal(1.0, 0.3, (3, 1)) + rng.normal(0.0, 0.1, (3, 50))
        means = module.mean_losses({"users": users, "trainings": trained}, run)
        for name, each in means.items():
            covered[name] += each.interval()[0] <= 1.0 <= each.interval()[1]
        low, high = module.interval_over_tasks(rng.normal(1.0, 0.5, 12))
        covered["tasks"] += low <= 1.0 <= high
    spread = 3.0 * math.sqrt(0.05 * 0.95 / n_runs)
    for name, number in covered.items():
        assert number / n_runs > 0.95 - spread - 0.01, name
        assert number / n_runs < 0.99, name


def constant(arm, name, n_arms=5):
    """Recommends one arm, whatever she says, and names it after three times."""
    agent = scripted([arm] * 3, answer=arm)
    agent.name, agent.trained_on = name, {"n_arms": n_arms, "task": "bai"}
    return agent


@pytest.mark.slow
def test_each_task_is_an_evaluation_for_any_order_company_and_number_of_workers(found):
    for task in tasks_named(TASKS):
        own = task.arguments() | {"progress": False}
        alone = eu.evaluate(["BAIR", "UCB1", "UNI", "SE"], **own)
        pd.testing.assert_frame_equal(found.cells[task.name].runs, alone.runs)
        figure = "regret" if alone.over_horizon else "cost"
        losses = {name: each.value for name, each in found.losses[task.name].items()}
        assert losses == pytest.approx(dict(alone.summary().set_index("agent")[figure]))
    line_up = ["EXP3", "SE", "UCB1", "BAIR"]
    again = run_suite(line_up, tasks=TASKS[::-1], workers=2, progress=False).scores()
    by_name = again[again["agent"] != "EXP3"].set_index(["task", "agent"]).sort_index()
    expected = found.scores().set_index(["task", "agent"]).sort_index()
    pd.testing.assert_frame_equal(by_name, expected)


@pytest.mark.slow
def test_a_run_that_is_broken_off_goes_on_from_its_store(found, tmp_path):
    def ends_in_the_second_task(what, done, total):
        if what.startswith("regret-k5: UCB1"):
            raise KeyboardInterrupt

    options = {"tasks": TASKS, "store": tmp_path / "runs.sqlite"}
    with pytest.raises(KeyboardInterrupt):
        run_suite(["BAIR", "UCB1"], progress=ends_in_the_second_task, **options)
    part = module.load_suite(options["store"])
    assert [task.name for task in part.tasks] == ["bai-k5"]
    assert part.scores().equals(found.scores()[found.scores()["task"] == "bai-k5"])
    ended = run_suite(["BAIR", "UCB1"], progress=False, **options)
    for again in (ended, module.load_suite(options["store"])):
        pd.testing.assert_frame_equal(again.scores(), found.scores())
        pd.testing.assert_frame_equal(again.totals(), found.totals())


def test_who_fits_some_tasks_has_no_score_in_others_and_no_rank(found):
    one = constant(0, "one")
    results = run_suite(["BAIR", one, "UCB1"], tasks=TASKS, progress=False)
    totals = results.totals().set_index("agent")
    assert totals["n_tasks"].to_dict() == {"BAIR": 2, "one": 1, "UCB1": 2, "UNI": 2, "SE": 2}
    assert pd.isna(totals.loc["one", "rank_low"])
    assert sorted(totals["rank_high"].dropna()) == [4, 4, 4, 4]  # two tasks decide nothing
    scores = results.scores()
    assert scores[scores["agent"] == "one"]["task"].tolist() == ["bai-k5"]
    others = scores[scores["agent"] != "one"].reset_index(drop=True)
    pd.testing.assert_frame_equal(others, found.scores())


def test_trainings_of_one_model_are_one_entrant():
    models = [constant(arm, f"stubborn #{arm}") for arm in range(2)]
    entrants = [frozen.ModelsByTask("stubborn", {"bai-k5": models}), *models]
    together, *alone = (run_suite([e], tasks=["bai-k5"], progress=False) for e in entrants)
    (row,) = together.scores().query("agent == 'stubborn'").to_dict("records")
    losses = [each.losses["bai-k5"]["stubborn"].value for each in alone]
    assert row["n_trainings"] == 2
    assert row["loss"] == pytest.approx(np.mean(losses))
    assert together.agents == ("stubborn", "UNI", "SE")


def test_what_has_no_scores_is_refused(tmp_path):
    def line_up(*agents):
        return lambda: run_suite(agents, progress=False)

    one = constant(0, "c")
    none, once = tmp_path / "none.sqlite", {"tasks": ["bai-k5"], "store": tmp_path / "a.sqlite"}
    eu.evaluate(["UNI"], baseline_time=3, n_instances=2).save(none)
    run_suite(["UCB1"], **once)
    refused = [
        (line_up("BAIR", BAIR()), "agents must be agents with different names"),
        (line_up(SuccessiveElimination(delta=0.3)), "agents must be agents with other names"),
        (line_up(constant(0, "c", n_arms=7)), "agents must be trained for the kind and K of one"),
        (lambda: run_suite([UCB1(name="other")], **once), "with the same request"),
        (lambda: module.load_suite(none), "a file of runs of suite"),
        (lambda: frozen.ModelsByTask("c", {"bai-k6": [one]}), "task must be one of tiny-regret"),
        (lambda: frozen.ModelsByTask("d", {"bai-k5": [one]}), "models must be named d"),
        (lambda: SuiteRun([]), "tasks must be a non-empty list"),
        (lambda: SuiteRun(seed=-1), "seed must be"),
    ]
    for asked, told in refused:
        with pytest.raises(InvalidArgumentError, match=told):
            asked()


def test_what_another_task_ranks_otherwise_is_told_with_certainty_only():
    def around(value, spread=0.1):
        return Replicates(value, value + spread * np.linspace(-1.0, 1.0, 101))

    losses = {
        "bai-k5": {"a": around(1.0), "b": around(2.0), "c": around(3.0), "told": around(0.0)},
        "other": {"a": around(2.5), "b": around(2.0), "c": around(1.0), "told": around(9.0)},
        "unsure": {"a": around(1.0, 5.0), "b": Replicates(0.9, np.full(101, 0.9))},
    }
    found = module.rankings_of(losses, references={"told"}).set_index("task")
    assert found.loc["bai-k5", ["order", "tau", "reversed"]].tolist() == [["a", "b", "c"], 1.0, []]
    assert found.loc["other", "order"] == ["c", "b", "a"]
    assert found.loc["other", "tau"] == -1.0
    assert found.loc["other", "reversed"] == ["b > a", "c > a", "c > b"]
    assert found.loc["unsure", ["tau", "reversed"]].tolist() == [-1.0, []]


def test_the_table_has_each_score_with_its_interval_and_a_dash_for_none(found):
    cell = found.cells["regret-k5"]
    others = cell.runs[cell.runs["agent"] != "BAIR"].reset_index(drop=True)
    cells = {**found.cells, "regret-k5": replace(cell, runs=others)}
    (line,) = re.findall("regret-k5 .*", str(replace(found, cells=cells)))
    row = found.scores().set_index(["task", "agent"]).loc[("regret-k5", "UCB1")]
    half = max(row["high"] - row["score"], row["score"] - row["low"])
    shown = line.replace(" ± ", "±").split()
    assert shown[2:] == ["1", "-", f"{row['score']:.2f}±{half:.2f}", "0"]  # SE, BAIR, UCB1, UNI


def test_the_record_has_every_row_and_what_the_tasks_are(found):
    record = json.loads(json.dumps(found.record(), allow_nan=False))
    assert [task["seed"] for task in record["tasks"]] == [task.seed for task in found.tasks]
    pd.testing.assert_frame_equal(pd.DataFrame(record["scores"]), found.scores())


def test_no_two_varieties_are_alike_and_users_of_each_accept_and_reject():
    kinds = set()
    for variety in VARIETIES:
        users = replace(Population(n_arms=3), **variety.options)
        kinds.add(str(users.words()))
        env = eu.ExplorativeUserEnv(population=users)
        responses = set()
        for seed in range(10):
            env.reset(seed=seed)
            responses |= {int(env.step(step % 3)[0]) for step in range(300)}
        assert responses == {0, 1}
    assert len(kinds) == len(VARIETIES)


def test_a_cell_of_the_matrix_is_an_evaluation_whoever_works():
    small = {"n_instances": 8, "n_arms": 3, "seed": 5, "max_steps": 120}
    small |= {"delta": 0.3, "gap": 0.4, "baseline_time": 17}
    users = [variety for variety in VARIETIES if variety.name in ("paper", "bernoulli")]
    shares = []

    def progress(what, done, total):
        shares.append(done / total)

    matrix = module.robustness(["BAIR", "UNI"], users, **small)
    again = module.robustness(["BAIR", "UNI"], users[::-1], workers=2, progress=progress, **small)
    for user, reward_law in (("paper", "gaussian"), ("bernoulli", "bernoulli")):
        alone = eu.evaluate(["BAIR", "UNI"], reward_law=reward_law, **small).summary()
        for found in (matrix, again):
            own = found[found["user"] == user].drop(columns="user").reset_index(drop=True)
            pd.testing.assert_frame_equal(own, alone)
    assert list(matrix["user"]) == ["paper", "paper", "bernoulli", "bernoulli"]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)


def test_a_matrix_that_cannot_be_made_is_refused():
    for options, message in (
        ({"users": []}, "users must be a non-empty list"),
        ({"users": [VARIETIES[0], VARIETIES[0]]}, "users must be a non-empty list with"),
        ({"gap": 1.0}, "gap must be below 1 with means"),
        ({"max_steps": 0}, "max_steps must be"),
        ({"agents": ["UNI"]}, "baseline_time must be a number"),
    ):
        with pytest.raises(InvalidArgumentError, match=message):
            module.robustness(**options)
    with pytest.raises(InvalidArgumentError, match="user must be one of paper"):
        module.varieties_named(["me"])


PAPER, ODD = ["paper", 1.0, 0.9, 1.0, 550, 557, 0.0], ["odd", 0.5, 0.4, 0.6, 9000, 9007, 0.25]
FIGURES = ["success", "success_low", "success_high", "stopping_time", "stopping_time_high"]
SHOWN = pd.DataFrame([PAPER] * 7 + [ODD] * 7, columns=["user", *FIGURES, "censored"])
SHOWN["agent"] = [*"ABCDEFG"] * 2


def test_page_and_heat_map_have_agents_by_users():
    page = module.matrix_page(SHOWN, "Title")
    assert "| odd | .500 [.400–.600]<br>9000 ± 7<br>25.0% censored |" in page
    pytest.importorskip("matplotlib")
    axes = module.heat_map(SHOWN)
    assert [label.get_text() for label in axes.get_yticklabels()] == list("ABCDEFG")
    assert [label.get_text() for label in axes.get_xticklabels()] == ["paper", "odd"]
    texts = [text.get_text() for text in axes.texts]
    assert texts == ["1.00\nT 550", ".500\nT 9000\n25.0% censored"] * 7
