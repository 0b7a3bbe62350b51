"""The version of the package, which stands here alone."""

VERSION = "0.1.0"
