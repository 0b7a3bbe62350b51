"""A trained model keeps what is asked of every agent."""

import pytest

pytest.importorskip("torch", reason="needs the extra rl")
pytest.importorskip("stable_baselines3", reason="needs the extra rl")
pytest.importorskip("sb3_contrib", reason="needs the extra rl")

from explorative_user_env.check import check_agent
from explorative_user_env.rl import load_agent

OF_OTHERS = ["meets_two_arms", "meets_many_arms", "breaks_ties_by_chance", "compiled_is_readable"]
"""What is not asked of a model, which was trained for a number of arms and never ends in a tie."""


@pytest.mark.slow
def test_a_model_passes_all_checks_that_are_asked_of_it(one_thread: None) -> None:
    report = check_agent(load_agent("bai-k5"))
    not_asked = [each.check.name for each in report.outcomes if each.verdict == "not asked"]
    assert not_asked == OF_OTHERS
