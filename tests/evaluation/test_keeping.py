"""Evaluations that keep their runs: gone on with where they were broken off, to equal rows."""

import re

import pytest
from stores import assert_same, rows_in, without_numbers
from toy_agents import Wanderer
from watched import Silent

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, TrackAndStop, Uniform
from explorative_user_env.evaluation import runner
from explorative_user_env.evaluation.runner import agent_record
from explorative_user_env.evaluation.workers import done
from explorative_user_env.results.results import Results, Sweep
from explorative_user_env.results.store import about
from explorative_user_env.validation import InvalidArgumentError

SHARED = {"n_instances": 40, "n_arms": 3, "seed": 5, "progress": False}
TASKS = {
    "regret": {"task": "regret", "horizon": 60},
    "theory": {"check_theory": True, "n_instances": 25},
}


class Counting(Silent):
    """Recommends at random for some steps, counts its users and fails with one of them."""

    def __init__(self, steps=20, fails_with=None):
        super().__init__(steps)
        self.fails_with, self.n_users = fails_with, 0

    def reset(self, *given):
        super().reset(*given)
        self.n_users += 1
        if self.n_users == self.fails_with:
            raise ZeroDivisionError


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.sqlite"


@pytest.fixture
def met(monkeypatch):
    """How many users were met since it was last asked."""
    found = []

    def counted(job, chunks, *rest):
        if getattr(job, "func", job).__name__ != "checked":  # of the theory
            found.extend(map(len, chunks))
        return done(job, chunks, *rest)

    def asked():
        n_met = sum(found)
        found.clear()
        return n_met

    monkeypatch.setattr(runner, "done", counted)
    return asked


def interrupted_at(call):
    calls = []

    def tell(*progress):
        calls.append(progress)
        if len(calls) == call:
            raise KeyboardInterrupt

    return tell


@pytest.mark.slow
@pytest.mark.parametrize(("task", "call"), [*zip(TASKS, [9, 4], strict=True)])
def test_it_goes_on_where_it_was_broken_off(path, met, task, call):
    options = SHARED | TASKS[task]
    agents = [BAIR(), Wanderer(), *([Uniform(), Counting()] if task != "theory" else [])]
    whole = path.with_name("whole.sqlite")
    undisturbed = eu.evaluate(agents, store=whole, **options)
    assert (n_all := met()) == options["n_instances"] * len(agents)
    with pytest.raises(KeyboardInterrupt):
        eu.evaluate(agents, store=path, **options | {"progress": interrupted_at(call)})
    met()
    left = about(path).n_runs
    assert 0 < left <= n_all
    there = eu.load(path).runs.merge(undisturbed.runs, how="left", indicator=True)
    assert (len(there), set(there["_merge"])) == (left, {"both"})
    assert_same(undisturbed, eu.evaluate(agents, store=path, **options))
    assert met() == n_all - left
    assert_same(undisturbed, eu.evaluate(agents, store=path, workers=2, **options))
    assert met() == 0
    assert without_numbers(rows_in(path)) == without_numbers(rows_in(whole))
    assert about(path).n_results == about(whole).n_results == 1
    loaded = eu.load(whole, agents=[each for each in agents if isinstance(each, Silent)])
    assert_same(undisturbed, loaded)
    loaded.save(path.with_name("saved.sqlite"))
    assert_same(undisturbed, eu.load(path.with_name("saved.sqlite")))
    with pytest.raises(InvalidArgumentError, match="path must be a new file"):
        loaded.save(whole)


def test_what_an_agent_remembers_is_no_option_of_it():
    fresh, used = Counting(), Counting()
    eu.evaluate([used], n_instances=7, n_arms=4, progress=False)
    assert used.n_users == 7
    assert agent_record(fresh, 3) == agent_record(used, 3)
    told = agent_record(fresh, 3)["attributes"]
    assert {*told} - {"rng"} == {"fails_with", "steps"}
    assert used.n_users == 7  # it was not asked itself
    assert agent_record(Counting(fails_with=1), 3)["attributes"]["fails_with"] == 1
    used.options = {"steps": 20}
    assert agent_record(used, 3)["attributes"] == {"steps": 20}  # what it says it is


@pytest.mark.slow
def test_the_results_of_a_sweep_are_in_one_file(path, met):
    cells = {"deltas": [0.1, 0.2], "n_arms": [2, 3], "n_instances": 12, "progress": False}
    line_up = [BAIR(), Uniform(horizon=30)]
    made = eu.sweep(line_up, store=path, **cells)
    assert met() == 72  # UNI's do not depend on delta: in each row they are the same
    again = eu.sweep(line_up, store=path, **cells, workers=2)
    assert met() == 0
    loaded = eu.load(path)
    assert isinstance(loaded, Sweep)
    for ours, theirs, theirs_again in zip(made.cells, loaded.cells, again.cells, strict=True):
        assert_same(ours, theirs)
        assert_same(ours, theirs_again)
    with pytest.raises(InvalidArgumentError, match=r"deltas is \[0.1, 0.2\] in the file"):
        eu.sweep(line_up, store=path, **cells | {"deltas": [0.1]})


def test_a_file_never_names_code_that_is_run(path):
    def steep(n_arms, rng):
        return [float(arm) for arm in range(n_arms)]

    made = eu.evaluate([Counting()], store=path, means=steep, **SHARED)
    with pytest.raises(InvalidArgumentError, match=r"agents must be a list with .*steep"):
        eu.load(path)
    loaded = eu.load(path, agents=[steep, Counting()])
    assert isinstance(loaded, Results)
    assert_same(made, loaded)
    assert loaded.replay(3) == made.replay(3)
    with pytest.raises(InvalidArgumentError, match="line_up"):
        eu.load(path, agents=[steep]).replay(3)


def test_every_run_of_an_agent_in_python_is_kept_as_it_ends(path):
    with pytest.raises(InvalidArgumentError, match="reset of silent raised ZeroDivisionError"):
        eu.evaluate([Counting(fails_with=8)], store=path, **SHARED)
    assert about(path).n_runs == 7


def test_another_request_is_refused_with_what_both_say(path):
    both = [BAIR(), Counting()]
    eu.evaluate(both, store=path, **SHARED)
    before = path.read_bytes()
    rows = [
        (both, {"seed": 6}, "seed is 5 in the file and 6 here"),
        (both, {"task": "regret"}, "task is bai in the file and regret here"),
        (both, {"setting": "released"}, "setting.name is printed in the file and released here"),
        (both, {"behaviour": "forgetful"}, "behaviour.name is explorative in the file"),
        ([BAIR(delta=0.3), Counting()], {}, "BAIR.options.delta is 0.1 in the file and 0.3 here"),
        ([BAIR(), Counting(9)], {}, "agents.silent.attributes.steps is 20 in the file and 9 here"),
        ([*both, TrackAndStop()], {}, "agents.T&S"),
    ]
    for agents, changes, words in rows:
        with pytest.raises(InvalidArgumentError, match=re.escape(words)):
            eu.evaluate(agents, store=path, **SHARED | changes)
        assert path.read_bytes() == before
