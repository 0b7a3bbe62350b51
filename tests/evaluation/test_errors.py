"""An evaluation in which something that was handed in fails: who is told of, and what is kept."""

from functools import partial
from typing import Any

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
    says_a_share,
    says_nothing,
    uncompilable_rule,
)
from own_laws import LAPLACE, laplace_reward, nothing, often_nan, raising
from toy_agents import Wanderer

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, Uniform
from explorative_user_env.display.progress import silent
from explorative_user_env.evaluation.runner import run_cells
from explorative_user_env.users.model import ACCEPTANCE_RATE, constant_rule
from explorative_user_env.validation import CallableError

SMALL: dict[str, Any] = {"n_arms": 3, "n_instances": 12, "seed": 1, "progress": False}
AGAIN = r"with the user of seed \d+: rollout\(env, agent, seed=\d+\) meets her again\)$"


@pytest.mark.parametrize("agents", ["BAIR", BAIR(), 7, None])
def test_agents_that_are_no_list_are_refused_in_a_line(agents: Any) -> None:
    with pytest.raises(eu.InvalidArgumentError, match=r"^agents must be a list of agents, as \[B"):
        eu.evaluate(agents, **SMALL)


@pytest.mark.parametrize(("agent", "call"), [(BAIR, r"BAIR\(\)"), (Failing, r"Failing\(\)")])
def test_what_makes_an_agent_is_to_be_called(agent: Any, call: str) -> None:
    message = f"agent must be a name or have the methods .*; call it: {call}, got <"
    with pytest.raises(eu.InvalidArgumentError, match=message):
        eu.evaluate([agent], **SMALL)
    with pytest.raises(eu.InvalidArgumentError, match=message):
        eu.rollout(eu.ExplorativeUserEnv(3), agent, seed=0)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_an_agent_that_fails_is_told_from_every_process(workers: int) -> None:
    with pytest.raises(CallableError, match=r"^act of mine raised KeyError: 'arm' \(at step 8, "):
        eu.evaluate([Failing("act")], workers=workers, **SMALL)


def test_an_agent_that_fails_loses_nobody_elses_runs() -> None:
    options = SMALL | {"compiled": False, "n_instances": 3}
    with pytest.raises(CallableError, match=r"^observe of mine raised") as caught:
        eu.evaluate([BAIR(), Failing("observe"), Uniform()], **options)
    (finished,) = caught.value.finished  # type: ignore[attr-defined]
    pd.testing.assert_frame_equal(finished.runs, eu.evaluate([BAIR()], **options).runs)
    assert finished.replay(2).seed == finished.runs["user_seed"][2]
    assert any("`finished`" in note for note in caught.value.__notes__)


def test_ctrl_c_loses_no_runs_and_nothing_finished_is_an_empty_list() -> None:
    def interrupt(at: str, what: str, done: int, total: int) -> None:
        if what == at:
            raise KeyboardInterrupt

    options = SMALL | {"compiled": False, "n_instances": 2}
    for at, names in (("UNI", ["BAIR"]), ("BAIR", [])):
        with pytest.raises(KeyboardInterrupt) as caught:
            eu.evaluate([BAIR(), Uniform()], **options | {"progress": partial(interrupt, at)})
        finished = [name for each in caught.value.finished for name in each.line_up]  # type: ignore[attr-defined]
        assert finished == names


def test_cells_that_are_done_are_not_lost_with_a_later_one() -> None:
    def agents(delta: float, n_arms: int) -> list[Any]:
        return [Uniform(horizon=9), Failing("act" if n_arms == 4 else "never")]

    options: dict[str, Any] = {"n_instances": 2, "compiled": False, "progress": silent}
    with pytest.raises(CallableError) as caught:
        run_cells(agents, [0.1], [2, 3, 4, 5], **options)
    finished = caught.value.finished  # type: ignore[attr-defined]
    assert [(each.cell["n_arms"], list(each.line_up)) for each in finished] == [
        (2, ["UNI", "mine"]),
        (3, ["UNI", "mine"]),
        (4, ["UNI"]),
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("users", "message"),
    [
        (
            {"behaviour": eu.Behaviour("hers", respond=says_nothing)},
            r"response of behaviour 'hers' must be True or False, got None \(at step 1, ",
        ),
        (
            {"behaviour": eu.Behaviour("hers", respond=says_a_share)},
            r"response of behaviour 'hers' must be True or False, got 0\.7 \(at step 1, ",
        ),
        (
            {"behaviour": eu.Behaviour("hers", respond=breaks_down)},
            r"respond of behaviour 'hers' raised LookupError: no such arm \(at step 21, ",
        ),
        (
            {"behaviour": eu.Behaviour("hers", start=never_begins)},
            r"start of behaviour 'hers' raised LookupError: no taste \(at the start, ",
        ),
        (
            {"means": means_of_the_wrong_type},
            r"means \(means_of_the_wrong_type\) raised TypeError: .* \(at the start, ",
        ),
        (
            {"rho": eu.Schedule(breaking_rule, 1.0, 2.0)},
            r"rho \(breaking_rule\) raised ZeroDivisionError: .* \(at step 40, ",
        ),
        (
            {"rho": eu.Schedule(leaving_rule, 1.0, 2.0)},
            r"rho_t must be in \[1, 2\], the range declared for .* got 5\.0 \(at step 12, ",
        ),
        (
            {"reward_law": often_nan},
            r"reward of reward_law 'often_nan' must be a finite number, got nan \(at step \d+, ",
        ),
        (
            {"reward_law": nothing, "setting": "released"},
            r"reward of reward_law 'nothing' must be a finite number, got None \(at the start, ",
        ),
        (
            {"reward_law": eu.RewardLaw("hers", raising)},
            r"reward_law 'hers' raised LookupError: no such taste \(at step \d+, ",
        ),
    ],
)
def test_a_user_who_fails_is_told_of_by_the_compiled_path_as_by_the_readable(
    users: dict[str, Any], message: str
) -> None:
    lines = []
    for compiled in (True, False):
        with pytest.raises(CallableError, match=f"^{message}{AGAIN}") as caught:
            eu.evaluate([Uniform(horizon=50)], compiled=compiled, **SMALL | users)
        lines.append(str(caught.value))
    assert lines[0] == lines[1]


@pytest.mark.slow
def test_a_rho_that_does_not_compile_is_not_blamed_on_the_agent() -> None:
    schedule = eu.Schedule(uncompilable_rule, 1.0, 2.0)
    message = r"^rho \(uncompilable_rule\) does not compile, so BAIR runs in the slower readable"
    with pytest.warns(UserWarning, match=message):
        slow = eu.evaluate([BAIR()], rho=schedule, **SMALL)
    same = eu.Schedule(constant_rule, 1.0, 2.0, (1.5,))
    expected = eu.evaluate([BAIR()], rho=same, compiled=False, **SMALL)
    pd.testing.assert_frame_equal(slow.runs, expected.runs)


def importing_reward(mean: float, rng: Any) -> Any:
    from own_laws import laplace_reward as same

    return same(mean, rng)


@pytest.mark.slow
@pytest.mark.parametrize("draw", [partial(laplace_reward), importing_reward])
def test_a_reward_law_that_does_not_compile_is_not_blamed_on_the_agent(draw: Any) -> None:
    law = eu.RewardLaw("hers", draw)
    message = r"^reward_law 'hers' does not compile, so BAIR runs in the slower readable loop"
    with pytest.warns(UserWarning, match=message):
        slow = eu.evaluate([BAIR()], reward_law=law, max_steps=500, **SMALL)
    expected = eu.evaluate([BAIR()], reward_law=LAPLACE, max_steps=500, compiled=False, **SMALL)
    pd.testing.assert_frame_equal(slow.runs, expected.runs)
    envs, same = (
        eu.ExplorativeUserVectorEnv(2, compiled=compiled, reward_law=each)
        for compiled, each in ((True, law), (False, LAPLACE))
    )
    with pytest.warns(UserWarning, match=r"^reward_law 'hers' does not compile: "):
        envs.reset(seed=3)
    same.reset(seed=3)
    assert not envs.compiled
    for t in range(20):
        assert envs.step([t % 5, 0])[1].tolist() == same.step([t % 5, 0])[1].tolist()


def listing(user: Any, state: Any, rule: Any, arm: int, rng: Any) -> bool:
    return {"yes": True}.get(str(arm), arm == 0)


@pytest.mark.slow
def test_a_behaviour_that_does_not_compile_is_not_blamed_on_the_agent() -> None:
    users = {"behaviour": eu.Behaviour("hers", respond=listing), "rho": ACCEPTANCE_RATE}
    with pytest.warns(UserWarning, match=r"^behaviour 'hers' does not compile, so BAIR runs in"):
        eu.evaluate([BAIR()], max_steps=50, **SMALL | users)


@pytest.mark.parametrize("fails_alone", [True, False])
def test_an_agent_that_fails_with_many_users_is_told_with_one_if_it_can_be(
    fails_alone: bool,
) -> None:
    class Wandering(Wanderer):
        def act_all(self, users: Any) -> Any:
            if self.told[3:] and (fails_alone or users.size > 1):
                raise MemoryError("too many")
            return np.zeros(users.size, int)

        def reset_all(self, *arguments: Any) -> None:
            super().reset_all(*arguments)
            self.told.clear()

    message = (
        rf"^act of wanderer raised MemoryError: too many \(at step 5, {AGAIN}"
        if fails_alone
        else r"^wanderer raised MemoryError: too many \(with 12 users, .* and with none alone\)$"
    )
    with pytest.raises(CallableError, match=message):
        eu.evaluate([Wandering()], max_steps=20, **SMALL)


def test_a_progress_callable_that_fails_is_named() -> None:
    def progress(what: str, done: int, total: int) -> None:
        raise OSError("no disk")

    message = r"^progress raised OSError: no disk \(at UNI, 0 of 12\)$"
    with pytest.raises(CallableError, match=message) as caught:
        eu.evaluate([Uniform(horizon=5)], **SMALL | {"progress": progress})
    assert isinstance(caught.value.__cause__, OSError)
