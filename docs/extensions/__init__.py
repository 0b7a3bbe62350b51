"""Sphinx extensions of the documentation site."""
