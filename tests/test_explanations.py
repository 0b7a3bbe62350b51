"""What an agent says of itself is shown plain and short, and nothing else is shown."""

import numpy as np
import pytest

from explorative_user_env.protocol import Against
from explorative_user_env.show.words import explanation_of, is_flags
from explorative_user_env.validation import CallableError


class Saying:
    name = "mine"

    def __init__(self, said):
        self.said = said

    def explain(self):
        if isinstance(self.said, Exception):
            raise self.said
        return self.said


PLAIN = {
    "n": (np.int64(3), 3.0),
    "sure": (np.bool_(True), 1.0),
    "phase": ("first", "first"),
    "F": (np.array([1, 0, 1]), (1.0, 0.0, 1.0)),
    "left": ([True, False, np.True_], (True, False, True)),
    "t": (Against(1, 2.5), Against(1.0, 2.5)),
    "N": (Against([1, 2, 3], (3, 2, 1)), Against((1.0, 2.0, 3.0), (3.0, 2.0, 1.0))),
    "open": (float("inf"), float("inf")),
}


def test_numbers_words_and_numbers_by_arm_come_out_plain():
    told = explanation_of(Saying({name: said for name, (said, _) in PLAIN.items()}), 3)
    assert told == {name: shown for name, (_, shown) in PLAIN.items()}
    assert [is_flags(told[name]) for name in ("left", "F")] == [True, False]
    assert explanation_of(object(), 3) == {}


def test_what_is_said_is_one_line_of_some_length_that_commands_no_terminal():
    ((name, word),) = explanation_of(Saying({"a\nb" * 99: "c\nd" * 99}), 3).items()
    assert isinstance(word, str)
    assert max(len(name), len(word)) <= 43
    assert "\n" not in name + word
    told = explanation_of(Saying({"a\x1b[31m": "b\ud800c\u202ed"}), 3)
    assert told == {"a\\x1b[31m": "b\\ud800c\\u202ed"}


def test_what_cannot_be_shown_is_named(subtests):
    rows = [
        ({"F": [1, 0]}, "explain of mine, F must be a number, a word, 3 numbers or an Against"),
        ({"F": None}, "explain of mine, F must be"),
        ({"F": [1, 0, "x"]}, "explain of mine, F must be"),
        ({"F": Against(1, [1, 2, 3])}, "explain of mine, F must be"),
        ({"F": Against("a", "b")}, "explain of mine, F must be"),
        (7, "explain of mine must be a mapping"),
        (KeyError("state"), "explain of mine raised KeyError"),
    ]
    for said, why in rows:
        with subtests.test(why, said=said), pytest.raises(CallableError, match=f"^{why}") as caught:
            explanation_of(Saying(said), 3)
        assert "\n" not in str(caught.value)
