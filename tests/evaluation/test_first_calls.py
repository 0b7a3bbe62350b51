"""What a first call of `evaluate` by somebody who guesses comes to."""

import inspect
from typing import Any

import pytest

import explorative_user_env as eu


@pytest.mark.parametrize(
    ("wrong", "nearest"),
    [
        ("n_instance", "n_instances"),
        ("max_step", "max_steps"),
        ("worker", "workers"),
        ("gapp", "gap"),
    ],
)
def test_an_unknown_keyword_names_the_nearest(wrong: str, nearest: str) -> None:
    given: dict[str, Any] = {wrong: 3}
    message = rf"unexpected keyword argument '{wrong}'; the nearest is '{nearest}', of agents, "
    with pytest.raises(TypeError, match=message):
        eu.evaluate(["BAIR"], **given)


def test_a_model_of_stable_baselines3_is_to_be_wrapped() -> None:
    class Model:
        policy = None

        def predict(self, observation: Any) -> Any:
            return 0, None

    with pytest.raises(eu.InvalidArgumentError, match=r"wrap a trained model: SB3Agent\(model\)"):
        eu.evaluate([Model()], progress=False)  # type: ignore[list-item]


def test_the_signature_that_help_begins_with_has_short_defaults() -> None:
    parameters = inspect.signature(eu.evaluate).parameters.values()
    assert max(len(repr(each.default)) for each in parameters) < 40
