"""What a stranger pickles."""

import os


class Planted:
    """To read it is to make a folder."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)
