"""The version of the package, defined only here."""

#: Version of the package.
__version__ = "0.1.0"
