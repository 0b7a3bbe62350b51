"""What an agent says of itself is shown plain and short, and nothing else is shown."""

from types import SimpleNamespace

import numpy as np
import pytest

from explorative_user_env.protocol import Against
from explorative_user_env.show.words import explanation_of, is_flags
from explorative_user_env.validation import CallableError


def explained(said):
    return explanation_of(SimpleNamespace(name="mine", explain=lambda: said), 3)


PLAIN = {
    "n": (np.int64(3), 3.0),
    "sure": (np.bool_(True), 1.0),
    "phase": ("first", "first"),
    "F": (np.array([1, 0, 1]), (1.0, 0.0, 1.0)),
    "left": ([True, False, np.True_], (True, False, True)),
    "t": (Against(1, 2.5), Against(1.0, 2.5)),
    "N": (Against([1, 2, 3], (3, 2, 1)), Against((1.0, 2.0, 3.0), (3.0, 2.0, 1.0))),
}


def test_numbers_words_and_numbers_by_arm_come_out_plain():
    told = explained({name: said for name, (said, _) in PLAIN.items()})
    assert told == {name: shown for name, (_, shown) in PLAIN.items()}
    assert [is_flags(told[name]) for name in ("left", "F")] == [True, False]
    assert explanation_of(object(), 3) == {}


def test_what_is_said_is_one_line_of_some_length_that_commands_no_terminal():
    ((name, word),) = explained({"a\nb" * 99: "c\nd" * 99}).items()
    assert max(len(name), len(word)) <= 43
    assert "\n" not in name + word
    told = explained({"a\x1b[31m": "b\ud800c\u202ed"})
    assert told == {"a\\x1b[31m": "b\\ud800c\\u202ed"}


def test_what_cannot_be_shown_is_named():
    for wrong in ([1, 0], None, [1, 0, "x"], Against(1, [1, 2, 3]), Against("a", "b")):
        with pytest.raises(CallableError, match=r"^explain of mine, F must be a number, "):
            explained({"F": wrong})
    with pytest.raises(CallableError, match=r"^explain of mine must be a mapping"):
        explained(7)
    with pytest.raises(CallableError, match=r"^explain of mine raised KeyError"):
        explanation_of(SimpleNamespace(name="mine", explain={}.popitem), 3)
