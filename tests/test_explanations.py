from typing import Any

import numpy as np
import pytest

from explorative_user_env.protocol import Against
from explorative_user_env.show.words import explanation_of, is_flags
from explorative_user_env.validation import CallableError


class Saying:
    name = "mine"

    def __init__(self, said: Any) -> None:
        self.said = said

    def explain(self) -> Any:
        if isinstance(self.said, Exception):
            raise self.said
        return self.said


def test_who_has_no_explain_says_nothing() -> None:
    assert explanation_of(object(), 3) == {}


def test_numbers_words_and_numbers_by_arm_come_out_plain() -> None:
    told = explanation_of(
        Saying(
            {
                "n": np.int64(3),
                "sure": np.bool_(True),
                "phase": "first",
                "F": np.array([1, 0, 1]),
                "left": [True, False, np.True_],
                "t": Against(1, 2.5),
                "N": Against([1, 2, 3], (3, 2, 1)),
                "open": float("inf"),
            }
        ),
        3,
    )
    assert told == {
        "n": 3.0,
        "sure": 1.0,
        "phase": "first",
        "F": (1.0, 0.0, 1.0),
        "left": (True, False, True),
        "t": Against(1.0, 2.5),
        "N": Against((1.0, 2.0, 3.0), (3.0, 2.0, 1.0)),
        "open": float("inf"),
    }
    assert is_flags(told["left"])
    assert not is_flags(told["F"])


def test_what_is_said_is_one_line_of_some_length() -> None:
    (name, word), *_ = explanation_of(Saying({"a\nb" * 99: "c\nd" * 99}), 3).items()
    assert isinstance(word, str)
    assert max(len(name), len(word)) <= 43
    assert "\n" not in name + word


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"F": [1, 0]}, "explain of mine, F must be a number, a word, 3 numbers or an Against"),
        ({"F": None}, "F must be a number"),
        ({"F": [1, 0, "x"]}, "F must be a number"),
        ({"F": Against(1, [1, 2, 3])}, "F must be a number"),
        ({"F": Against("a", "b")}, "F must be a number"),
        ({"F": Against(Against(1, 2), 3)}, "F must be a number"),
        (7, "explain of mine must be a mapping of what is said by name, got 7"),
        (KeyError("state"), "explain of mine raised KeyError: 'state'"),
    ],
)
def test_what_cannot_be_shown_is_named(said: Any, why: str) -> None:
    with pytest.raises(CallableError, match=why) as caught:
        explanation_of(Saying(said), 3)
    assert "\n" not in str(caught.value)


def test_what_is_said_commands_neither_a_page_nor_a_terminal() -> None:
    told = explanation_of(Saying({"a\x1b[31m": "b\ud800c\u202ed"}), 3)
    assert told == {"a\\x1b[31m": "b\\ud800c\\u202ed"}
