"""Whatever stops an exchange of files, and wherever: the folder has one run's files, or says not.

A kill is an exception that comes again from everything that the process does afterwards.
"""

import errno
import os
from contextlib import contextmanager, suppress
from itertools import count

import pytest

from explorative_user_env import files as exchange
from explorative_user_env.files import MADE_BY, Folder, check_one_run
from explorative_user_env.validation import InvalidArgumentError

OLD, NEW = ("first", "second", "older"), ("first", "second", "newer")
LAST = 15
"""A place that no exchange here comes to."""


class Killed(BaseException):
    pass


@contextmanager
def stopped_at(place, how, lasts=True):
    """Let the touch of this place, and all after it if that `lasts`, fail; yield nothing."""
    places = count()

    def touch(usual, *arguments, **options):
        here = next(places)
        if here == place or (lasts and here > place):
            raise how
        return usual(*arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        for name in ("mkdir", "replace", "rmdir", "unlink"):  # what changes a folder
            usual = getattr(os, name)
            patch.setattr(os, name, lambda *a, usual=usual, **o: touch(usual, *a, **o))
        yield


def write(folder, names):
    files = {name: lambda path: path.write_text(" ".join(names)) for name in names}
    Folder(folder, {"command": names[-1]}, overwrite=True).write(files)


def run_in(folder):
    shown = {path.name for path in folder.iterdir() if not path.name.startswith(exchange.PREFIX)}
    for names in (OLD, NEW):
        if shown == {*names, MADE_BY}:
            check_one_run("output", folder, names)
            assert all((folder / name).read_text() == " ".join(names) for name in names)
            return names[-1]
    return f"neither: {sorted(shown)}"


@pytest.mark.parametrize("place", range(LAST))
def test_who_is_killed_leaves_one_run_or_a_mixture_that_is_refused(place, tmp_path):
    write(tmp_path, OLD)
    with pytest.raises(Killed) if place <= 8 else suppress(Killed), stopped_at(place, Killed()):
        write(tmp_path, NEW)
    with suppress(InvalidArgumentError):
        check_one_run("output", tmp_path, OLD)
        assert run_in(tmp_path) in ("older", "newer")
    write(tmp_path, NEW)
    assert run_in(tmp_path) == "newer"


@pytest.mark.parametrize("place", range(LAST))
@pytest.mark.parametrize("how", [OSError(errno.EIO, "error"), KeyboardInterrupt()])
def test_what_fails_once_changes_nothing(place, how, tmp_path):
    path = tmp_path / "out"
    write(path, OLD)
    told = ""
    try:
        with stopped_at(place, how, lasts=False):
            write(path, NEW)
    except KeyboardInterrupt:
        assert run_in(path) in ("older", "newer")  # it may come while the old files are deleted
        return
    except InvalidArgumentError as error:
        told = str(error)
    assert run_in(path) == ("older" if told else "newer")
