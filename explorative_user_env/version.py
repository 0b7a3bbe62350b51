"""The version of the package; no other file has it."""

#: Version of the package.
__version__ = "0.1.0"
