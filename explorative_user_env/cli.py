"""Import `main`, which runs the command line: `from explorative_user_env.cli import main`."""

from explorative_user_env.commands import main as main
