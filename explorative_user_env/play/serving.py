"""The page on this machine: a port that nobody else hears, until the player has had enough."""

import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable

from explorative_user_env.extras import require
from explorative_user_env.validation import InvalidArgumentError, integer

SERVED_BY = ("jinja2", "starlette", "uvicorn")
"""What the extra `play` brings."""

LOOPBACK = "127.0.0.1"

USUAL_PORT = 8421
"""So that an address that was kept is found again; a free one if it is taken."""

LARGEST_PORT = 65535

LAST_WORDS = 0.5
"""Seconds that an answer may take once all is over."""

PAUSE = 0.05
"""Seconds between two looks at whether the server has begun."""


def serve(port: int | None, ready: Callable[[str], None]) -> None:
    """Answer browsers on this machine until an interrupt comes, which is then raised.

    Args:
        port: where; 0 is any that is free, None the usual one or else any.
        ready: called with the page's address once it is there.

    Raises:
        MissingExtraError: without the extra `play`.
        InvalidArgumentError: for a port that is taken, or none.
        KeyboardInterrupt: when it is over.
    """
    if port is not None:
        integer("port", port, 0, LARGEST_PORT)
    require("the page needs", "play", SERVED_BY)
    import uvicorn

    from explorative_user_env.play.rivals import get_ready
    from explorative_user_env.play.server import application

    with _listening(port) as heard:
        address = f"http://{LOOPBACK}:{heard.getsockname()[1]}/"
        told = uvicorn.Config(
            application(),
            log_level="error",
            access_log=False,
            lifespan="off",
            timeout_graceful_shutdown=1,
        )
        server = uvicorn.Server(told)
        # Interrupts come to the main thread: the server has one of its own, and is asked to end.
        thread = threading.Thread(target=server.run, args=([heard],), daemon=True)
        thread.start()
        try:
            while thread.is_alive() and not server.started:
                thread.join(PAUSE)
            threading.Thread(target=get_ready, daemon=True).start()
            ready(address)
            thread.join()
        finally:
            server.should_exit = True
            thread.join(LAST_WORDS)
            server.force_exit = True
            thread.join(LAST_WORDS)


def _listening(port: int | None) -> socket.socket:
    """Return a socket that listens on this machine.

    Raises:
        InvalidArgumentError: for a port that is taken, or none.
    """
    if port is not None:
        return _bound(port)
    try:
        return _bound(USUAL_PORT)
    except InvalidArgumentError:
        return _bound(0)


def _bound(port: int) -> socket.socket:
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if os.name == "posix":  # elsewhere it would take another's port
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((LOOPBACK, port))
        found.listen()
    except OSError as error:
        found.close()
        allowed = f"free ({error.strerror or error}); 0 is any that is"
        raise InvalidArgumentError("port", port, allowed) from error
    return found


def open_browser(address: str) -> bool:
    """Open a page in the browser that the player has; return whether there is one."""
    # What a machine without a screen calls its browser would take the terminal.
    if sys.platform.startswith("linux") and not _has_screen():
        return False
    try:
        return webbrowser.open(address)
    except (webbrowser.Error, OSError):
        return False


def _has_screen() -> bool:
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
