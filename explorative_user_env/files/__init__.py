"""Result files: those of a folder are of one run, all there or none, and say what made them."""

from explorative_user_env.files.check import check_one_run, finished_file
from explorative_user_env.files.folder import Files, Folder
from explorative_user_env.files.manifest import MADE_BY
from explorative_user_env.files.reading import from_json

__all__ = ["MADE_BY", "Files", "Folder", "check_one_run", "finished_file", "from_json"]
