"""What is finished when something fails is not lost: the error carries it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from explorative_user_env.results.results import Results


@contextmanager
def carries_finished(finished: Callable[[], Sequence[Results]]) -> Iterator[None]:
    """Let an error, or Ctrl-C, out of the block carry what is finished as its `finished`.

    Args:
        finished: what is, asked for only if the block fails; before what the error carries already.
    """
    try:
        yield
    except (Exception, KeyboardInterrupt) as error:
        inner: Sequence[Results] = getattr(error, "finished", [])
        all_of_it = [*finished(), *inner]
        if all_of_it and not inner:
            error.add_note("What had finished before is in this error's `finished`, as Results.")
        error.finished = all_of_it  # type: ignore[union-attr]
        raise
