"""The manifest of a folder: what made its files, and what each of them holds."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from explorative_user_env.files.reading import from_json

MADE_BY = "made_by.json"
"""The file that says what made the others of a folder."""

RUN, FILES = "run", "files"
"""Where the manifest has an identifier of the run, and the digest of every file by name."""


def write_manifest(folder: Path, names: Iterable[str], made_by: Mapping[str, Any]) -> None:
    """Write the manifest of the files of these names beside them."""
    digests = {name: digest_of(folder / name) for name in names}
    run = hashlib.sha256(json.dumps(digests).encode()).hexdigest()[:16]
    text = json.dumps({**made_by, RUN: run, FILES: digests}, indent=2)
    (folder / MADE_BY).write_text(text + "\n", encoding="utf-8")


def digests_in(folder: Path) -> dict[str, str]:
    """Return the digests that a folder's manifest has, which are none where it has no manifest."""
    try:
        manifest = from_json((folder / MADE_BY).read_text(encoding="utf-8"))
        return {str(name): str(digest) for name, digest in manifest[FILES].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def digest_of(path: Path) -> str:
    """Return what tells a file's content from any other."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def unchanged(folder: Path) -> list[str]:
    """Return the names of the files that are as the manifest says."""
    return [name for name, digest in digests_in(folder).items() if is_as(folder / name, digest)]


def is_as(path: Path, digest: str) -> bool:
    """Return whether a file is there and has this digest."""
    try:
        return digest_of(path) == digest
    except OSError:
        return False
