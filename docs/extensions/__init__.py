"""Sphinx extensions that build the documentation site, one per module."""
