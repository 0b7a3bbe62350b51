"""What is not allowed is refused by name."""

from collections.abc import Callable

import pytest

from explorative_user_env.validation import InvalidArgumentError


def assert_refused(call: Callable[[], object], argument: str) -> None:
    with pytest.raises(InvalidArgumentError, match=f"^{argument} must be"):
        call()
