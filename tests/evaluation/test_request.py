"""What an evaluation, a sweep or transcripts cannot be asked for."""

import inspect
import math
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from failing import Failing

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, EXP3, Uniform
from explorative_user_env.evaluation import write_transcripts
from explorative_user_env.evaluation.runner import run_cells
from explorative_user_env.studies.suite import robustness
from explorative_user_env.studies.suite_tasks import as_entrants

FEW = {"n_arms": 3, "n_instances": 2, "seed": 1, "progress": False}
POOL = ThreadPoolExecutor(1)
NAN = math.nan


class Model:  # as of Stable-Baselines3
    policy = None

    def predict(self, observation):
        """Say nothing."""


def named(name):
    agent = Failing("never")
    agent.name = name
    return agent


NEEDED = "baseline_time must be .*as UNI needs T"
LINE_UPS = [
    *((wrong, {}, "agents must be an agent or a list of agents") for wrong in (None, 5)),
    ([], {}, "agents must be at least one"),
    ([BAIR], {}, r"agent must be a name or have the methods .*; call it: BAIR\(\)"),
    ([Failing], {}, r"agent must be .*; call it: Failing\(\)"),
    ([Model()], {}, r"agent must be .*wrap a trained model: SB3Agent\(model\)"),
    ([object()], {}, "agent must be a name or have the methods"),
    (["bandit"], {}, "agent must be one of"),
    ([BAIR(), BAIR()], {}, "agents must .*different names"),
    *(([named(name)], {}, "agents must be agents with") for name in ("a\0b", "\udc80")),
    ([Uniform()], {}, "baseline_time must be a number, or another agent.*got None"),
    *(([BAIR(), Uniform()], {"baseline_time": name}, NEEDED) for name in ("UNI", "T&S")),
    ([BAIR(), EXP3(horizon=9)], {"baseline_time": 30}, "baseline_time must be left out, as every"),
    (["UNI"], {"horizon": 30, "baseline_time": 30}, "horizon must be left out for"),
]
REGRET = {"task": "regret", "horizon": 30}
MEMBERS = {"task": "population", "n_users": 2, "horizon": 9}
OPTIONS = [
    ({"delta": 1.0}, "delta must be a"),
    ({"task": "sleep"}, "task must be one of"),
    ({"max_steps": 0}, "max_steps must be an"),
    ({"n_instances": 0}, "n_instances must be an"),
    ({"seed": -1}, "seed must be an"),
    ({"step_cost": -1e-9}, "step_cost must be a"),
    ({"step_cost": NAN}, "step_cost must be a"),
    *(({"task": "regret", "horizon": wrong}, "horizon must be an") for wrong in (0, 2.5, "BAIR")),
    (REGRET | {"behaviour": "drifting"}, "behaviour must be one"),
    *((REGRET | {name: 0.5}, f"{name} must be left") for name in ("step_cost", "until_width")),
    *((REGRET | {name: 30}, f"{name} must be left") for name in ("baseline_time", "max_steps")),
    *(({"until_width": wide}, "until_width must be a") for wide in (0, 1.0, NAN, "x")),
    ({"workers": 0}, "workers must be an"),
    ({"executor": 7}, "executor must be a"),
    ({"executor": POOL, "workers": 2}, "workers must be left"),
    (REGRET | {"check_theory": True}, "check_theory must be False"),
    ({"behaviour": "omniscient", "check_theory": True}, "check_theory must be False"),
    ({"check_theory": 1}, "check_theory must be True"),
    (MEMBERS | {"n_users": 0}, "n_users must be "),
    (MEMBERS | {"deviation": -0.1}, "deviation must be "),
    (MEMBERS | {"max_steps": 9}, "max_steps must be left"),
    (MEMBERS | {"task": "regret"}, "n_users must be left"),
    (MEMBERS | {"behaviour": "drifting"}, "behaviour must be one"),
    (MEMBERS | {"behaviour": "impatient"}, "behaviour must be one"),
]
CELLS = [
    *(({"deltas": wrong}, "deltas must be a list of at least") for wrong in (list[int](), 5)),
    *(({"n_arms": wrong}, "n_arms must be a list of at least") for wrong in (list[int](), "12")),
    ({"n_arms": [2, 10_000_000]}, "n_arms must be at most 1000000"),
    ({"deltas": [0.1, 1.0]}, "delta must be a"),
]
TRANSCRIPTS = [
    ({"agent": Uniform()}, "agent must be an agent that stops"),
    ({"horizon": 9}, "horizon must be left"),
    ({"task": "regret", "horizon": 0}, "horizon must be an"),
    ({"task": "chess"}, "task must be one of"),
    ({"n_instances": 0}, "n_instances must be"),
    ({"n_recent": -1}, "n_recent must be"),
    ({"delta": 1}, "delta must be a"),
]


def test_what_cannot_be_asked_for_is_refused_before_any_runs(subtests, tmp_path):
    told = []
    asked = {"progress": lambda what, done, total: told.append(what)}
    write = partial(write_transcripts, tmp_path / "examples.jsonl", progress=False)
    rows = [
        *((partial(eu.evaluate, line_up, **FEW | own), says) for line_up, own, says in LINE_UPS),
        *((partial(eu.evaluate, ["BAIR"], **FEW | own), says) for own, says in OPTIONS),
        *((partial(eu.sweep, ["BAIR"], **asked | own), says) for own, says in CELLS),
        (partial(run_cells, ["bair"], [0.1, 2.0], [2], **asked), "delta must be"),
        *((partial(write, **own), says) for own, says in TRANSCRIPTS),
    ]
    for ask, message in rows:
        with (
            subtests.test(message, asked=ask),
            pytest.raises(eu.InvalidArgumentError, match=f"^{message}"),
        ):
            ask()
    assert told == []
    assert not list(tmp_path.iterdir())


def test_one_agent_or_one_name_needs_no_list(tmp_path):
    in_list = eu.evaluate(["BAIR"], **FEW).runs
    for one in ("BAIR", BAIR()):
        assert eu.evaluate(one, **FEW).runs.equals(in_list)
        several = FEW | {"n_arms": [3], "store": tmp_path / f"{type(one).__name__}.sqlite"}
        assert eu.sweep(one, **several).cells[0].runs.equals(in_list)
    (entrant,) = as_entrants("UCB1")
    assert entrant.name == "UCB1"


def test_help_shows_few_arguments_with_plain_defaults(subtests):
    assert len(inspect.signature(eu.evaluate).parameters) <= 20
    for function in (eu.evaluate, eu.sweep, eu.Population, eu.ExplorativeUserEnv, robustness):
        defaults = [each.default for each in inspect.signature(function).parameters.values()]
        kinds = {type(each) for each in defaults if each is not inspect.Parameter.empty}
        with subtests.test(function.__name__):
            assert kinds <= {str, int, float, bool, tuple, type(None)}


def test_an_unknown_keyword_names_the_nearest():
    given = {"n_instance": 3}
    with pytest.raises(TypeError, match="argument 'n_instance'; the nearest is 'n_instances'"):
        eu.evaluate(["BAIR"], **given)
    for meet in (eu.ExplorativeUserEnv, partial(eu.evaluate, "BAIR")):
        with pytest.raises(TypeError, match="argument 'n_arm'; the nearest is 'n_arms'"):
            meet(n_arm=3)
    with pytest.raises(TypeError, match="argument 'detla'; the nearest is 'delta'"):
        BAIR(detla=0.1)
    with pytest.raises(TypeError, match=r"argument 'n_jobs' \(allowed: agents, "):
        eu.evaluate(["BAIR"], n_jobs=2)
