"""The commands of `explorative-user`, one a file."""
