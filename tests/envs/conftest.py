"""Which lanes many users run in: each in turn."""

import pytest


@pytest.fixture(params=[False, True], ids=["plain", "compiled"])
def compiled(request):
    """Whether many users run in compiled code."""
    return request.param
