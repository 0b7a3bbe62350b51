"""What is asked for on the command line arrives where the work is done, and nothing else."""

from pathlib import Path

import pandas as pd
import pytest

from explorative_user_env.commands import options as shared
from explorative_user_env.results.store import Store
from explorative_user_env.studies.suite import VARIETIES
from explorative_user_env.users.behaviours import as_behaviour
from explorative_user_env.users.population import RELEASED, Population
from explorative_user_env.validation import missing_of

RUN_CELLS = "evaluation.runner.run_cells"
ROBUSTNESS = "studies.suite.robustness"
SUITE = "studies.suite.run_suite"
TUNE = "studies.tuning.tune_n1"
TRAIN = "rl.train"
REPRODUCE = "commands.paper.reproduce"
OVERLAP = "studies.lower_bound.overlap"

HER = (
    " --setting released --n-arms 4 --alpha 2 --gap 0.3 --noise 0.1 --means normal --rho 0.9"
    " --reward-law bounded --behaviour forgetful"
)
USERS = {
    **{"setting": "released", "n_arms": 4, "alpha": 2.0, "gap": 0.3, "noise": 0.1},
    **{"means": "normal", "rho": 0.9, "reward_law": "bounded", "behaviour": "forgetful"},
}
POPULATION = Population(**USERS | {"setting": RELEASED, "behaviour": as_behaviour("forgetful")})
OTHERS = {name: value for name, value in USERS.items() if name != "n_arms"}
HOW = " --n-instances 9 --seed 8 --workers 3"
WORK = {"n_instances": 9, "seed": 8, "workers": 3}
PAPERS = ["BAIR", "T&S", "UNI", "EXP3"]
OF_MANY = {"task": "population", "n_users": 3, "deviation": 0.2}

ALL = [
    (
        "bench --agent uni --agent bair --task bai --delta 0.2 --delta 0.3 --n-arms 3 "
        "--baseline-time 70 --step-cost 0.01 --until-width 0.2 --max-steps 77" + HOW + HER,
        RUN_CELLS,
        (["UNI", "BAIR"], [0.2, 0.3], [3, 4]),
        {"task": "bai", "baseline_time": 70, "step_cost": 0.01, "until_width": 0.2}
        | {"max_steps": 77, "horizon": None, "n_users": None, "deviation": None, **WORK, **OTHERS},
    ),
    (
        *("suite --agent tas --agent se --task bai-k5 --quick --seed 8 --workers 3", SUITE),
        *((["T&S", "SE"],), {"tasks": ["bai-k5"], "quick": True, "seed": 8, "workers": 3}),
    ),
    (
        "suite --agent tas --agent bair --user logistic --user alpha=2 --delta 0.05 "
        "--baseline-time 70 --max-steps 77" + HOW + HER,
        ROBUSTNESS,
        (["T&S", "BAIR"], ["logistic", "alpha=2"]),
        {"population": POPULATION, "delta": 0.05, "baseline_time": 70, "max_steps": 77, **WORK},
    ),
    (
        *("paper tune-n1 --delta 0.2 --error 0.3 --confirm 6 --max-steps 77" + HOW + HER, TUNE),
        *((), {"delta": 0.2, "error": 0.3, "confirm": 6, "max_steps": 77, **WORK, **USERS}),
    ),
    (
        "train --algo maskable-ppo --task bai --steps 77 --seed 8 --horizon 33 "
        "--observation counts --tensorboard logs" + HER,
        TRAIN,
        (),
        {"algo": "maskable-ppo", "task": "bai", "steps": 77, "seed": 8, "horizon": 33}
        | {"observation": "counts", "tensorboard": Path("logs"), **USERS},
    ),
    (
        *("paper tables table3 --setting released --agent t&s --quick" + HOW, REPRODUCE),
        *((["table3"], ["released"]), WORK),
    ),
    (
        *("paper lower-bound --delta 0.3 --n-arms 4 --alpha 0.5 --gap 0.3" + HOW, OVERLAP),
        ([4, 10, 30, 100, 300, 1000],),  # K acceptances at least
        {"n_instances": 9, "seed": 8, "n_arms": 4, "alpha": 0.5, "gap": 0.3},
    ),
]
"""Words, the function that they reach, and all that it is called with."""

SOME = [
    (
        *("bench", RUN_CELLS, (PAPERS, [0.1], [5])),
        {"n_instances": 1000, "seed": 0, "workers": 7, "max_steps": None, "setting": "released"},
    ),
    ("bench --all", RUN_CELLS, (PAPERS, [0.1, 0.01], [2, 5, 20]), {"step_cost": None}),
    ("bench --quick", RUN_CELLS, (), {"n_instances": 100}),
    ("bench --until-width 0.1", RUN_CELLS, (), {"n_instances": 1_000_000}),
    ("bench --task regret --horizon 33", RUN_CELLS, (), {"task": "regret", "horizon": 33}),
    ("bench --task population --n-users 3 --deviation 0.2", RUN_CELLS, (), OF_MANY),
    ("bench --baseline-time 1.5", RUN_CELLS, (), {"baseline_time": "1.5"}),
    ("paper tables table2", REPRODUCE, (["table2"], ["printed", "released"]), {"seed": 0}),
    ("suite", SUITE, (), {"tasks": None, "quick": False}),
    (
        *("suite --user all", ROBUSTNESS, (None, [each.name for each in VARIETIES])),
        {"population": Population(), "delta": 0.1, "n_instances": 1000, "max_steps": 20_000},
    ),
    ("paper tune-n1", TUNE, (), {"n_arms": 20, "n_instances": 20_000, "confirm": 10_000}),
    ("paper lower-bound", OVERLAP, (), {"n_arms": 2, "alpha": 0.25, "n_instances": 2000}),
    ("train", TRAIN, (), {"algo": "ppo", "task": "regret", "steps": 2_500_000, "n_arms": 5}),
    ("train --task population --n-users 3 --deviation 0.2", TRAIN, (), OF_MANY),
]
"""Words, the function, what it is called with, if that is said, and some of its options."""


def plain(given):
    """Return agents, users and experiments by their names."""
    if isinstance(given, list | tuple):
        return [plain(each) for each in given]
    return getattr(given, "name", given)


@pytest.mark.slow
@pytest.mark.parametrize(("rows", "every"), [(ALL, True), (SOME, False)], ids=["all", "some"])
def test_what_is_asked_for_arrives(rows, every, run, calls_of, output, monkeypatch, subtests):
    monkeypatch.setattr(shared, "cores", lambda: 7)
    for words, function, arguments, expected in rows:
        if function == TRAIN and missing_of(("stable_baselines3", "sb3_contrib")):
            continue
        with subtests.test(words):
            calls = calls_of(f"explorative_user_env.{function}")
            assert run(words, "--overwrite", "--output", output).code == 130
            ((given, options),) = calls
            if every or arguments:
                assert plain(given) == plain(arguments)
            assert callable(options.pop("on_candidate" if function == TUNE else "progress"))
            if function != OVERLAP:
                assert isinstance(options.pop("store"), Store)
            if function == TRAIN:
                assert options.pop("output").path == output
            assert (options if every else {name: options[name] for name in expected}) == expected


def test_the_step_cap_is_all_agents_and_those_of_a_table_are_chosen(run, calls_of, output):
    calls = calls_of(f"explorative_user_env.{RUN_CELLS}")
    run("bench --agent uni --agent bair --max-steps 77 --output", output)
    assert [agent.max_steps for agent in calls[0].arguments[0]] == [77, 77]
    calls = calls_of(f"explorative_user_env.{REPRODUCE}")
    run("paper tables table3 --quick --agent t&s --overwrite --output", output)
    ((experiment,), _) = calls[0].arguments
    assert (experiment.n_arms, plain(experiment.entrants)) == ((2, 5, 20), ["T&S"])


def test_the_lower_bound_has_its_pair_and_all_tables_the_ladder(run, calls_of, output, monkeypatch):
    room = "explorative_user_env."
    monkeypatch.setattr(room + OVERLAP, lambda *arguments, **options: pd.DataFrame())
    monkeypatch.setattr(room + REPRODUCE, lambda *arguments, **options: [])
    calls = calls_of(room + "studies.lower_bound.success")
    words = "paper lower-bound --delta 0.3 --delta 0.05 --n-arms 4 --alpha 0.5 --gap 0.3" + HOW
    run(words, "--output", output)
    (((pair,), options),) = calls
    found = (pair.delta, pair.alpha, pair.n_arms, pair.epsilon, pair.n0)
    assert found == (0.05, 0.5, 4, 0.3, 1000)
    ladder = calls_of(room + "commands.paper.run_ladder")
    run("paper tables all --overwrite" + HOW, "--output", output)
    for given in (options, ladder[0].options):
        assert {name: given[name] for name in WORK} == WORK
