from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from page_client import PageClient


def needs_the_extra() -> None:
    for name in ("httpx", "jinja2", "starlette", "uvicorn"):
        pytest.importorskip(name, reason="the page needs the extra play")


@pytest.fixture(scope="session")
def client() -> "PageClient":
    """What asks the page, without a server."""
    needs_the_extra()
    from page_client import PageClient

    from explorative_user_env.play.page import application

    return PageClient(application())


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Where the page is, served by another process until SIGTERM comes."""
    needs_the_extra()
    from page_server import WITHOUT_A_MODEL, address_of, started

    server = started("--port", "0", command=WITHOUT_A_MODEL)
    yield address_of(server)
    server.terminate()
    printed, errors = server.communicate(timeout=60)
    assert (server.returncode, errors) == (0, "")
    assert printed.splitlines()[-1].startswith("The page is closed.")
