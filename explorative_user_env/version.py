"""The version of the package, which stands here alone."""

__version__ = "0.1.0"
"""What is installed."""
