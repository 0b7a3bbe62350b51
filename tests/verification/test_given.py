"""Agents that the package has not are given, or their rows are said not to be checked."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tampered import by_sql, with_records, without_digests

import explorative_user_env as eu
from explorative_user_env.agents import SuccessiveElimination
from explorative_user_env.check.verify import (
    NOT_CHECKED,
    RowsChecked,
    Verification,
    named_as,
)

MET: dict[str, Any] = {"n_instances": 12, "n_arms": 3, "progress": False}


class Sweeper:
    """Recommends every arm so many times and answers the last one that was accepted."""

    def __init__(self, sweeps: int = 3) -> None:
        self.sweeps = sweeps

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        self.n_arms, self.steps, self.last = n_arms, 0, int(rng.integers(n_arms))

    def act(self) -> int | None:
        return None if self.steps == self.sweeps * self.n_arms else self.steps % self.n_arms

    def observe(self, arm: int, accepted: bool) -> None:
        self.steps += 1
        self.last = arm if accepted else self.last

    def answer(self) -> int:
        return self.last


@pytest.fixture(scope="module")
def mine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("mine") / "run.sqlite"
    eu.evaluate([Sweeper(), "SE"], store=path, **MET)
    return path


def test_rows_of_code_that_is_not_given_are_not_said_to_be_right(mine: Path) -> None:
    found = eu.verify(mine, share=1.0, progress=False)
    assert (found.differs, found.whole, found.equal) == (False, False, False)
    verdicts = {each.agent: each.verdict for each in found.checked}
    assert verdicts == {"Sweeper": NOT_CHECKED, "SE": "equal"}
    assert "Sweeper: it has to be given" in str(found.checked[0].why)
    assert "12 rows could not be checked." in str(found)
    assert "checked 12 of 12 rows: all as stated." in str(found)
    assert found.reasons() == [f"Sweeper: {found.checked[0].why}"]


def test_a_reason_is_told_once_for_all_the_cells_it_holds_in() -> None:
    checked = [RowsChecked(cell, "mine", 5, 0, 0, NOT_CHECKED, "unknown") for cell in "ab"]
    checked.append(RowsChecked("a", "other", 5, 0, 0, NOT_CHECKED, "unknown"))
    found = Verification("run.sqlite", 0, 0.5, checked, [])
    assert found.reasons() == ["mine (a, b): unknown", "other (a): unknown"]
    assert str(found).count("unknown") == found._repr_html_().count("unknown") == 2
    assert "<td>not checked</td>" in found._repr_html_()


def test_rows_of_code_that_is_given_are_run_again(mine: Path, tmp_path: Path) -> None:
    found = eu.verify(mine, own=[Sweeper()], share=1.0, progress=False)
    assert found.equal
    assert not found.notes
    edit = "UPDATE runs_bai SET answer = 2 - answer WHERE instance = 3"
    changed = without_digests(by_sql(mine, tmp_path / "run.sqlite", edit))
    named = [
        each.agent for each in eu.verify(changed, [Sweeper()], share=1.0, progress=False).findings
    ]
    assert "Sweeper" in named


def test_an_agent_with_other_options_is_told_and_its_rows_are_others(mine: Path) -> None:
    found = eu.verify(mine, own=[Sweeper(2)], share=1.0, progress=False)
    assert found.notes == [
        "Sweeper: the agent that was given has other code, options or weights than the file's; "
        "its rows are compared all the same"
    ]
    assert {each.agent for each in found.findings} == {"Sweeper"}


@pytest.mark.parametrize(
    ("agent", "line"),
    [
        (
            SuccessiveElimination(name="BAIR"),
            "BAIR: n1 is 0 there and paper of the package's BAIR",
        ),
        (
            named_as("BAIR", Sweeper()),
            "BAIR: code of somebody's own, and not the package's BAIR",
        ),
    ],
)
def test_who_goes_by_the_name_of_another_is_told(tmp_path: Path, agent: Any, line: str) -> None:
    eu.evaluate([agent], store=tmp_path / "run.sqlite", **MET)
    found = eu.verify(tmp_path / "run.sqlite", own=[agent], progress=False)
    assert (found.equal, found.notes) == (True, [line])


class Policy(Sweeper):
    """Stands for a trained policy, whose rows rest on how a processor rounds."""

    def __init__(self, moves: int = 0) -> None:
        super().__init__()
        self.options = {"weights": 1}
        self.trained_on = {"task": "bai", "n_arms": 3}
        self.moves = moves

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        super().reset(n_arms, rng, horizon)
        self.sweeps = 3 + self.moves * (rng.random() < self.share) * (-1) ** int(rng.integers(2))

    @property
    def share(self) -> float:
        """How many runs are others."""
        return 0.01 if self.moves == 1 else 0.5


def test_an_agent_is_known_by_its_options_under_another_name(tmp_path: Path) -> None:
    eu.evaluate([named_as("mine", Policy())], store=tmp_path / "run.sqlite", **MET)
    for name in ("mine", "other"):
        given = named_as(name, Policy())
        assert eu.verify(tmp_path / "run.sqlite", own=[given], progress=False).equal


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of a policy that met a hundred users."""
    path = tmp_path_factory.mktemp("policy") / "run.sqlite"
    eu.evaluate([Policy()], store=path, **MET | {"n_instances": 100})
    return path


def test_a_policy_a_few_of_whose_rows_move_is_alike_as_long_as_the_mean_stays(
    policy: Path,
) -> None:
    moved = eu.verify(policy, [Policy(1)], share=1.0, seed=0, progress=False)
    (checked,) = moved.checked
    assert checked.verdict == "alike"
    assert 0 < checked.n_differing <= 2
    assert "rounding may do that on another processor" in checked.why
    assert not moved.differs
    assert "alike" in str(moved)


def test_a_policy_most_of_whose_rows_are_others_is_another_though_its_mean_stays(
    policy: Path,
) -> None:
    moved = eu.verify(policy, [Policy(2)], share=1.0, seed=0, progress=False)
    assert [each.verdict for each in moved.checked] == ["differs"]


def test_a_policy_whose_mean_is_another_differs_and_so_do_users(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    eu.evaluate([Policy(0)], store=path, **MET | {"n_instances": 40})
    edit = "UPDATE runs_bai SET stopping_time = stopping_time - instance % 2"
    changed = without_digests(by_sql(path, tmp_path / "faster.sqlite", edit))
    assert eu.verify(changed, [Policy(0)], share=1.0, progress=False).differs
    edit = "UPDATE runs_bai SET best_arm = (best_arm + 1) % 3 WHERE instance = 3"
    changed = without_digests(by_sql(path, tmp_path / "users.sqlite", edit))
    found = eu.verify(changed, [Policy(0)], share=1.0, progress=False)
    assert (3, "best_arm") in [(each.instance, each.column) for each in found.findings]


@pytest.mark.slow
def test_a_shipped_model_is_known_by_its_weights(tmp_path: Path) -> None:
    pytest.importorskip("sb3_contrib", reason="a model needs the extra rl")
    from explorative_user_env.rl import load_agent

    path = tmp_path / "run.sqlite"
    model = load_agent("bai-k5", name="mine")
    eu.evaluate([model], store=path, n_instances=6, max_steps=200, progress=False)
    found = eu.verify(path, share=1.0, progress=False)
    assert [each.verdict for each in found.checked] == ["equal"]

    def other(record: Any) -> None:
        record["request"]["agents"]["mine"]["attributes"]["weights"] = "0123"

    unknown = eu.verify(with_records(path, other), share=1.0, progress=False)
    assert [each.why for each in unknown.checked] == [
        "a trained model: its weights have to be given"
    ]
