from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from browser import chromium

if TYPE_CHECKING:
    from page_client import PageClient
    from playwright.sync_api import Browser


@pytest.fixture(scope="session")
def client() -> "PageClient":
    """What asks the page; without the extra `play` the test is skipped."""
    for name in ("httpx", "jinja2", "starlette"):
        pytest.importorskip(name, reason="the page needs the extra play")
    from page_client import PageClient

    from explorative_user_env.play.page import application

    return PageClient(application())


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Where the page is."""
    for name in ("jinja2", "starlette", "uvicorn"):
        pytest.importorskip(name, reason="the page needs the extra play")
    from page_server import served

    with served() as found:
        yield found
