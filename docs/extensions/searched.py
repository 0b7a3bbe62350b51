"""What the search finds: the glossary for each of its words, and no page that shows the answers."""

from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

from explorative_user_env.teach.notebooks import SOLUTIONS

GLOSSARY = "glossary"


class Terms(SphinxTransform):
    """Give each word of the glossary an address, by which index and search lead to it."""

    default_priority = 500

    def apply(self, **kwargs: Any) -> None:
        """Mark the items whose first words are bold."""
        if self.env.current_document.docname != GLOSSARY:
            return
        for item in self.document.findall(nodes.list_item):
            bold = next(item.findall(nodes.strong), None)
            if bold is None:
                continue
            words = bold.astext()
            address = nodes.make_id(f"term-{words}")
            item["ids"].append(address)
            entries = [("single", word, address, "main", None) for word in words.split(", ")]
            item.insert(0, addnodes.index(entries=entries))


def hide_answers(app: Sphinx, doctree: nodes.document) -> None:
    """Leave the notebooks with the answers out of the search: each would be there twice."""
    docname = app.env.current_document.docname
    if f"/{SOLUTIONS}/" in docname:
        app.env.metadata[docname]["nosearch"] = ""


def setup(app: Sphinx) -> dict[str, bool]:
    """Register both."""
    app.add_transform(Terms)
    app.connect("doctree-read", hide_answers)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
