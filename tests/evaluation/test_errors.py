"""An evaluation in which something that was handed in fails: who is told of, and what is kept."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from failing import Failing, breaks_down, leaving_rule, means_of_the_wrong_type
from own_laws import often_nan
from toy_agents import Wanderer

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, AlgorithmAgent, Uniform
from explorative_user_env.display.progress import silent
from explorative_user_env.evaluation.runner import run_cells
from explorative_user_env.validation import CallableError

SMALL = {"n_arms": 3, "n_instances": 12, "seed": 1, "progress": False}
AGAIN = r"with the user of seed \d+: rollout\(env, agent, seed=\d+\) repeats the run\)$"


@pytest.mark.slow
def test_an_agent_that_fails_in_another_process_loses_nobody_elses_runs():
    options = SMALL | {"compiled": False, "n_instances": 3, "workers": 2}
    with pytest.raises(CallableError, match=r"^observe of mine raised") as caught:
        eu.evaluate([BAIR(), Failing("observe"), Uniform()], **options)
    (finished,) = caught.value.finished
    assert finished.runs.equals(eu.evaluate([BAIR()], **options).runs)
    assert finished.replay(2).seed == finished.runs["user_seed"][2]
    assert any("`finished`" in note for note in caught.value.__notes__)


def test_finished_agents_and_cells_are_not_lost_with_later_ones():
    def interrupt(what, done, total):
        if what == "UNI":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        eu.evaluate([BAIR(), Uniform(horizon=9)], **SMALL | {"progress": interrupt})
    assert [[*each.line_up] for each in caught.value.finished] == [["BAIR"]]

    def agents(delta, n_arms):
        return [Uniform(horizon=9), Failing("act" if n_arms == 4 else "never")]

    options = {"n_instances": 2, "compiled": False, "progress": silent}
    with pytest.raises(CallableError) as caught:
        run_cells(agents, [0.1], [2, 3, 4, 5], **options)
    found = [(each.cell["n_arms"], *each.line_up) for each in caught.value.finished]
    assert found == [(2, "UNI", "mine"), (3, "UNI", "mine"), (4, "UNI")]


LATER = pytest.mark.exhaustive  # kernels that nothing else needs
FAILURES = [
    ("behaviour", eu.Behaviour("hers", respond=breaks_down), r"respond of .*Lookup.*at step 21, "),
    ("means", means_of_the_wrong_type, r"means .* raised TypeError: .* \(at the start, "),
    pytest.param(
        "rho",
        eu.Schedule(leaving_rule, 1.0, 2.0),
        r"rho_t must be in .* got 5\.0 \(at step 12, ",
        marks=LATER,
    ),
    pytest.param("reward_law", often_nan, "reward of .* 'often_nan' must be .*at", marks=LATER),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "wrong", "message"), FAILURES)
def test_a_user_who_fails_is_told_of_by_the_compiled_path_as_by_the_readable(name, wrong, message):
    lines = []
    for compiled in (True, False):
        with pytest.raises(CallableError, match=f"^{message}.*{AGAIN}") as caught:
            eu.evaluate([Uniform(horizon=50)], compiled=compiled, **SMALL | {name: wrong})
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
    message = r"^wanderer raised MemoryError: too many \(with 12 users.* but with no single user\)$"
    with pytest.raises(CallableError, match=message):
        eu.evaluate([agent], max_steps=20, **SMALL)


def answer_by_dict(params, state, rng):
    counts = {arm: state.accepted[arm] for arm in range(params.n_arms)}
    return max(counts, key=counts.__getitem__)


@pytest.mark.slow
@pytest.mark.compiler
def test_what_does_not_compile_is_named_and_runs_all_the_same():
    plain = Uniform(horizon=30, ties="first", name="mine")
    own = replace(plain.algorithm, name="mine", verdict=answer_by_dict)
    with pytest.warns(UserWarning, match="^mine does not compile, so it runs in the slow"):
        slow = eu.evaluate([AlgorithmAgent(own, plain.options)], **SMALL)
    expected = eu.evaluate([plain], compiled=False, **SMALL)
    pd.testing.assert_frame_equal(slow.runs, expected.runs)
