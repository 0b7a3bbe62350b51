"""`python -m explorative_user_env` is `explorative-user`."""

from explorative_user_env.commands import main

main()
