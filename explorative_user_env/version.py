"""The version of the package, which stands here alone."""

#: What is installed.
__version__ = "0.1.0"
