"""An evaluation in which something that was handed in fails: who is told of, and what is kept."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from failing import (
    Failing,
    breaking_rule,
    breaks_down,
    leaving_rule,
    means_of_the_wrong_type,
    never_begins,
    says_nothing,
    uncompilable_rule,
)
from own_laws import LAPLACE, often_nan, raising
from toy_agents import Wanderer

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, AlgorithmAgent, Uniform, uniform
from explorative_user_env.display.progress import silent
from explorative_user_env.evaluation.runner import run_cells
from explorative_user_env.users import model as rules
from explorative_user_env.users.model import constant_rule
from explorative_user_env.validation import CallableError

SMALL = {"n_arms": 3, "n_instances": 12, "seed": 1, "progress": False}
AGAIN = r"with the user of seed \d+: rollout\(env, agent, seed=\d+\) meets her again\)$"


@pytest.mark.slow
def test_an_agent_that_fails_in_another_process_loses_nobody_elses_runs():
    options = SMALL | {"compiled": False, "n_instances": 3, "workers": 2}
    with pytest.raises(CallableError, match=r"^observe of mine raised") as caught:
        eu.evaluate([BAIR(), Failing("observe"), Uniform()], **options)
    (finished,) = caught.value.finished
    pd.testing.assert_frame_equal(finished.runs, eu.evaluate([BAIR()], **options).runs)
    assert finished.replay(2).seed == finished.runs["user_seed"][2]
    assert any("`finished`" in note for note in caught.value.__notes__)


def test_ctrl_c_loses_no_finished_runs():
    def interrupt(what, done, total):
        if what == "UNI":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        eu.evaluate([BAIR(), Uniform(horizon=9)], **SMALL | {"progress": interrupt})
    assert [[*each.line_up] for each in caught.value.finished] == [["BAIR"]]


def test_cells_that_are_done_are_not_lost_with_a_later_one():
    def agents(delta, n_arms):
        return [Uniform(horizon=9), Failing("act" if n_arms == 4 else "never")]

    options = {"n_instances": 2, "compiled": False, "progress": silent}
    with pytest.raises(CallableError) as caught:
        run_cells(agents, [0.1], [2, 3, 4, 5], **options)
    finished = caught.value.finished
    assert [(each.cell["n_arms"], list(each.line_up)) for each in finished] == [
        (2, ["UNI", "mine"]),
        (3, ["UNI", "mine"]),
        (4, ["UNI"]),
    ]


LATER = pytest.mark.exhaustive


def user_that(**parts):
    return {"behaviour": eu.Behaviour("hers", **parts)}


def with_rule(rule):
    return {"rho": eu.Schedule(rule, 1.0, 2.0)}


FAILURES = [
    (user_that(respond=breaks_down), r"respond of .* raised LookupError.* \(at step 21, "),
    (with_rule(leaving_rule), r"rho_t must be in \[1, 2\].* got 5\.0 \(at step 12, "),
    ({"reward_law": often_nan}, r"reward of reward_law 'often_nan' must be .* \(at step \d+, "),
    ({"means": means_of_the_wrong_type}, r"means .* raised TypeError: .* \(at the start, "),
]
MORE = [
    (user_that(respond=says_nothing), r"response of .* got None \(at step 1, "),
    (user_that(start=never_begins), r"start of .* raised LookupError.* \(at the start, "),
    (with_rule(breaking_rule), r"rho .* raised ZeroDivisionError: .* \(at step 40, "),
    ({"reward_law": eu.RewardLaw("hers", raising)}, r"reward_law 'hers' raised .* \(at step \d+, "),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("users", "message"), [*FAILURES, *(pytest.param(*row, marks=LATER) for row in MORE)]
)
def test_a_user_who_fails_is_told_of_by_the_compiled_path_as_by_the_readable(users, message):
    lines = []
    for compiled in (True, False):
        with pytest.raises(CallableError, match=f"^{message}{AGAIN}") as caught:
            eu.evaluate([Uniform(horizon=50)], compiled=compiled, **SMALL | users)
        lines.append(str(caught.value))
    assert lines[0] == lines[1]


def test_an_agent_that_fails_with_many_users_is_told_with_one_if_it_can_be():
    class Wandering(Wanderer):
        fails_alone = True

        def act_all(self, users):
            if self.told[3:] and (self.fails_alone or users.size > 1):
                raise MemoryError("too many")
            return np.zeros(users.size, int)

        def reset_all(self, *arguments):
            super().reset_all(*arguments)
            self.told.clear()

    agent = Wandering()
    message = rf"^act of wanderer raised MemoryError: too many \(at step 5, {AGAIN}"
    with pytest.raises(CallableError, match=message):
        eu.evaluate([agent], max_steps=20, **SMALL)
    agent.fails_alone = False
    message = r"^wanderer raised MemoryError: too many \(with 12 users, .* and with none alone\)$"
    with pytest.raises(CallableError, match=message):
        eu.evaluate([agent], max_steps=20, **SMALL)


def test_a_progress_callable_that_fails_is_named():
    def progress(what, done, total):
        raise OSError("no disk")

    message = r"^progress raised OSError: no disk \(at UNI, 0 of 12\)$"
    with pytest.raises(CallableError, match=message) as caught:
        eu.evaluate([Uniform(horizon=5)], **SMALL | {"progress": progress})
    assert isinstance(caught.value.__cause__, OSError)


def listing(user, state, rule, arm, rng):
    return {"yes": True}.get(str(arm), rules.respond(user, state, rule, arm, rng))


def importing_reward(mean, rng):
    from own_laws import laplace_reward as same

    return same(mean, rng)


def answer_by_dict(params, state, rng):
    counts = {arm: state.accepted[arm] for arm in range(params.n_arms)}
    return max(counts, key=counts.__getitem__)


class Remembering(NamedTuple):
    accepted: list[int]
    steps: list[int]
    following: list[int]
    seen: dict[int, int]


def blank_with_dict(params):
    return Remembering([0] * params.n_arms, [0], [0], {})


def with_record(**own):
    record = replace(uniform.ALGORITHM, name="mine", **own)
    return AlgorithmAgent(record, {"horizon": 30, "ties": "first"})


EXPLORATIVE = {"behaviour": "explorative"}
CONSTANT = {"rho": eu.Schedule(constant_rule, 1.0, 2.0, (1.5,))}
IMPORTING = {"reward_law": eu.RewardLaw("hers", importing_reward)}
UNCOMPILABLE = [
    (with_record(verdict=answer_by_dict), {}, {}, "mine"),
    (BAIR(), user_that(respond=listing), EXPLORATIVE, "behaviour 'hers'"),
    (with_record(blank=blank_with_dict), {}, {}, "mine"),
    (BAIR(), with_rule(uncompilable_rule), CONSTANT, r"rho \(uncompilable_rule\)"),
    (BAIR(), IMPORTING, {"reward_law": LAPLACE}, "reward_law 'hers'"),
]


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize(
    ("agent", "own", "same", "blamed"),
    [UNCOMPILABLE[0], *(pytest.param(*row, marks=LATER) for row in UNCOMPILABLE[1:])],
)
def test_what_does_not_compile_is_named_and_runs_all_the_same(agent, own, same, blamed):
    facts = SMALL | {"max_steps": 300}
    who = "it" if blamed == "mine" else "BAIR"
    with pytest.warns(UserWarning, match=rf"^{blamed} does not compile, so {who} runs in the slow"):
        slow = eu.evaluate([agent], **facts | own)
    sound = agent if blamed != "mine" else Uniform(horizon=30, ties="first", name="mine")
    expected = eu.evaluate([sound], compiled=False, **facts | same)
    pd.testing.assert_frame_equal(slow.runs, expected.runs)
