"""Whether the files that are read are those that one run has written."""

from collections.abc import Iterable
from pathlib import Path

from explorative_user_env.files.exchange import is_settled, settle
from explorative_user_env.files.manifest import digests_in, is_as
from explorative_user_env.validation import InvalidArgumentError


def check_one_run(argument: str, folder: Path, names: Iterable[str]) -> None:
    """Make sure that files of a folder are as its manifest says, where it has one.

    Files that a killed process had begun to replace are put back first.

    Args:
        argument: what the folder was given as.
        folder: the folder.
        names: the files that are about to be read.

    Raises:
        InvalidArgumentError: naming a file that is another.
    """
    settle(folder)
    if not is_settled(folder):
        allowed = "a folder whose files are all of one run (its writing was cut off)"
        raise InvalidArgumentError(argument, str(folder), allowed)
    digests = digests_in(folder)
    for name in names:
        if name in digests and not is_as(folder / name, digests[name]):
            allowed = f"a folder whose files are all as its run has written them ({name} is not)"
            raise InvalidArgumentError(argument, str(folder), allowed)


def finished_file(argument: str, folder: Path, name: str) -> Path:
    """Return the place of a file that a run writes into its folder when it is finished.

    Args:
        argument: what the folder was given as.
        folder: the folder.
        name: the file's.

    Raises:
        InvalidArgumentError: if it is not there, or is another than the run has written.
    """
    settle(folder)
    if not (folder / name).exists():
        allowed = f"a folder with {name}, which is written when a run is finished"
        raise InvalidArgumentError(argument, str(folder), allowed)
    check_one_run(argument, folder, [name])
    return folder / name
