"""A line for somebody who waits, where there is no progress to tell it.

The lines go to the logger of this package. Like most who print by a logger of their own, it passes
nothing on to others: `logging.getLogger("explorative_user_env").setLevel("WARNING")` turns them
off, and a handler that is added there hears them as well.
"""

import functools
import logging
import sys

from explorative_user_env.display.progress import is_notebook
from explorative_user_env.display.streams import Unfailing, is_terminal
from explorative_user_env.validation import PACKAGE


class _ForWhoWaits(logging.Handler):
    """Print on standard error, if that is a terminal or there is a notebook."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print the line of a record."""
        if is_terminal(sys.stderr) or is_notebook():
            screen = Unfailing(sys.stderr)
            screen.write(f"{record.name}: {self.format(record)}\n")
            screen.flush()


_logger = logging.getLogger(PACKAGE)
_logger.addHandler(_ForWhoWaits())
_logger.propagate = False
if _logger.level == logging.NOTSET:  # else somebody has chosen already what they want to hear
    _logger.setLevel(logging.INFO)


@functools.cache
def notice(line: str) -> None:
    """Say a line, once a process, to whoever sits at a terminal or a notebook."""
    _logger.info(line)
