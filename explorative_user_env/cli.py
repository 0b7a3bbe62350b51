"""Offer the command line as a function: `from explorative_user_env.cli import main`."""

from explorative_user_env.commands import main as main
