"""Evaluations that keep their runs: gone on with where they were broken off, to equal rows."""

import re

import pytest
from stores import assert_same, rows_in, without_numbers
from toy_agents import Wanderer

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, Thompson, TrackAndStop, Uniform
from explorative_user_env.evaluation import runner as backends
from explorative_user_env.evaluation import workers as places
from explorative_user_env.evaluation.runner import agent_record
from explorative_user_env.results.results import Results, Sweep
from explorative_user_env.results.store import about
from explorative_user_env.validation import InvalidArgumentError

SHARED = {"n_instances": 40, "n_arms": 3, "seed": 5, "progress": False}
TASKS = {
    "regret": {"task": "regret", "horizon": 60},
    "released": {"setting": "released", "max_steps": 300},
    "theory": {"check_theory": True, "n_instances": 25},
}


class Chooser:
    """An agent that remembers its users, counts its calls and has an option."""

    def __init__(self, share=0.5, fails_with=None):
        self.share, self.fails_with, self.n_users = share, fails_with, 0

    def reset(self, n_arms, rng, horizon=None):
        self.n_arms, self.rng, self.steps = n_arms, rng, 0
        self.n_users += 1
        if self.n_users == self.fails_with:
            raise ZeroDivisionError

    def act(self):
        if self.steps == 20:
            return None
        return 0 if self.rng.random() < self.share else int(self.rng.integers(self.n_arms))

    def observe(self, arm, accepted):
        self.steps += 1

    def answer(self):
        return 0


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.sqlite"


@pytest.fixture
def met(monkeypatch):
    """How many users were met since it was last asked."""
    met = []
    done = places.done

    def counted(job, chunks, *rest):
        if getattr(job, "func", job).__name__ != "checked":  # of the theory
            met.extend(map(len, chunks))
        return done(job, chunks, *rest)

    monkeypatch.setattr(backends, "done", counted)

    def asked():
        found = sum(met)
        met.clear()
        return found

    return asked


def interrupted_at(call):
    n_calls = 0

    def tell(what, done, total):
        nonlocal n_calls
        n_calls += 1
        if n_calls == call:
            raise KeyboardInterrupt

    return tell


@pytest.mark.parametrize(("task", "call"), [*zip(TASKS, [9, 5, 4], strict=True)])
def test_it_goes_on_where_it_was_broken_off(path, met, task, call):
    options = SHARED | TASKS[task]
    agents = (
        [BAIR(), Wanderer()] if task == "theory" else [BAIR(), Uniform(), Chooser(), Wanderer()]
    )
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
    loaded = eu.load(whole, own=[each for each in agents if isinstance(each, Chooser)])
    assert_same(undisturbed, loaded)
    loaded.save(path.with_name("saved.sqlite"))
    again = eu.load(path.with_name("saved.sqlite"))
    assert_same(undisturbed, again)
    with pytest.raises(InvalidArgumentError, match="path must be a new file"):
        loaded.save(whole)


def test_what_an_agent_remembers_is_no_option_of_it():
    fresh, used = Chooser(), Chooser()
    eu.evaluate([used], n_instances=7, n_arms=4, progress=False)
    assert used.n_users == 7
    assert agent_record(fresh, 3) == agent_record(used, 3)
    told = agent_record(fresh, 3)["attributes"]
    assert {*told} - {"rng"} == {"fails_with", "n_arms", "share"}
    assert used.n_users == 7  # it was not asked itself
    assert agent_record(Chooser(fails_with=1), 3)["attributes"]["fails_with"] == 1  # nor tried
    used.options = {"share": 0.5}
    assert agent_record(used, 3)["attributes"] == {"share": 0.5}  # what it says it is


def test_the_results_of_a_sweep_are_in_one_file(path, met):
    cells = {"deltas": [0.1, 0.2], "n_arms": [2, 3], "n_instances": 12}
    cells |= {"seed": 4, "progress": False}
    made = eu.sweep([BAIR(), Thompson(horizon=30)], store=path, **cells)
    assert met() == 72  # Thompson's do not depend on delta: in each row they are the same
    again = eu.sweep([BAIR(), Thompson(horizon=30)], store=path, **cells, workers=2)
    assert met() == 0
    loaded = eu.load(path)
    assert isinstance(loaded, Sweep)
    for ours, theirs, theirs_again in zip(made.cells, loaded.cells, again.cells, strict=True):
        assert_same(ours, theirs)
        assert_same(ours, theirs_again)
    with pytest.raises(InvalidArgumentError, match=r"deltas is \[0.1, 0.2\] there"):
        eu.sweep([BAIR(), Thompson(horizon=30)], store=path, **cells | {"deltas": [0.1]})


def test_a_file_never_names_code_that_is_run(path):
    def steep(n_arms, rng):
        return [float(arm) for arm in range(n_arms)]

    made = eu.evaluate([Chooser()], store=path, means=steep, **SHARED)
    with pytest.raises(InvalidArgumentError, match=r"own must be with .*steep"):
        eu.load(path)
    loaded = eu.load(path, own=[steep, Chooser()])
    assert isinstance(loaded, Results)
    assert_same(made, loaded)
    assert loaded.replay(3) == made.replay(3)
    with pytest.raises(InvalidArgumentError, match="line_up"):
        eu.load(path, own=[steep]).replay(3)


def test_every_run_of_an_agent_in_python_is_kept_as_it_ends(path):
    with pytest.raises(InvalidArgumentError, match="reset of Chooser raised ZeroDivisionError"):
        eu.evaluate([Chooser(fails_with=8)], store=path, **SHARED)
    assert about(path).n_runs == 7


def test_another_request_is_refused_with_what_both_say(path):
    eu.evaluate([BAIR(), Chooser()], store=path, **SHARED)
    before = path.read_bytes()
    rows = [
        ([BAIR(), Chooser()], {"seed": 6}, "seed is 5 there and 6 here"),
        ([BAIR(), Chooser()], {"task": "regret"}, "task is bai there and regret here"),
        ([BAIR(), Chooser()], {"setting": "released"}, "setting.name is printed there and rel"),
        ([BAIR(), Chooser()], {"behaviour": "forgetful"}, "behaviour.name is explorative there"),
        ([BAIR(delta=0.3), Chooser()], {}, "agents.BAIR.options.delta is 0.1 there and 0.3 here"),
        ([BAIR(), Chooser(0.4)], {}, "agents.Chooser.attributes.share is 0.5 there and 0.4"),
        ([BAIR(), Chooser(), TrackAndStop()], {}, "agents.T&S"),
    ]
    for agents, changes, words in rows:
        with pytest.raises(InvalidArgumentError, match=re.escape(words)):
            eu.evaluate(agents, store=path, **SHARED | changes)
        assert path.read_bytes() == before
