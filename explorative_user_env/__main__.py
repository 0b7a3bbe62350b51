"""`python -m explorative_user_env` is `explorative-user`."""

from explorative_user_env.cli import main

main()
