"""Which lanes many users run in, and when finished lanes get new users: each in turn."""

import pytest
from gymnasium.vector import AutoresetMode


@pytest.fixture(params=[False, True], ids=["plain", "compiled"])
def compiled(request):
    """Whether many users run in compiled code."""
    return bool(request.param)


@pytest.fixture(params=list(AutoresetMode), ids=lambda mode: mode.value)
def mode(request):
    """When a finished lane gets a new user."""
    assert isinstance(request.param, AutoresetMode)
    return request.param
