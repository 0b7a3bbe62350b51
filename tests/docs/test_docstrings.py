"""Docstrings of the package as the pages have them."""

import pytest
from extensions.docstrings import DocstringError, as_markdown, first_sentence

TEXT = """Return what came of it.

More of it, with `code`.

Args:
    n_arms: K, at least 2; this
        goes on.
    **user: the options.

Returns:
    Two things,
    as a pair.

Raises:
    ValueError: if not.

And a last word."""


def test_sections_become_lists_of_fields() -> None:
    assert as_markdown(TEXT).splitlines() == [
        "Return what came of it.",
        "",
        "More of it, with `code`.",
        "",
        ":param n_arms: K, at least 2; this",
        "    goes on.",
        ":param **user: the options.",
        "",
        ":returns: Two things,",
        "    as a pair.",
        "",
        ":raises ValueError: if not.",
        "",
        "And a last word.",
    ]


def test_text_without_sections_stays_as_it_is() -> None:
    assert as_markdown("Return it.\n\n- a list\n\n```python\n>>> 1\n1\n```") == (
        "Return it.\n\n- a list\n\n```python\n>>> 1\n1\n```\n"
    )


def test_an_item_without_a_name_is_an_error_that_shows_it() -> None:
    with pytest.raises(DocstringError, match="Args: an item is `name: text`, not 'what it is'"):
        as_markdown("Do it.\n\nArgs:\n    what it is\n")


def test_the_first_sentence_is_one_line() -> None:
    assert first_sentence("Return it,\nall of it.\n\nMore.") == "Return it, all of it."
