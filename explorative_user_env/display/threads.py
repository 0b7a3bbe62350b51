"""Whether this Python can start a thread: in a browser it cannot."""

import functools
import threading


@functools.cache
def can_start_threads() -> bool:
    """Return whether threads can be started."""
    thread = threading.Thread(target=int)
    try:
        thread.start()
    except RuntimeError:
        return False
    thread.join()
    return True
