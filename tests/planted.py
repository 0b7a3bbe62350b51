"""What a stranger pickles."""

import os
from pathlib import Path
from typing import Any


class Planted:
    """To read it is to make a folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.path),)
