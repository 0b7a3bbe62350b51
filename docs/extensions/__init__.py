"""What the documentation site is made by: each module is a small extension of Sphinx."""
