"""The colours of the package's pictures, as the switch of the theme has them."""

from pathlib import Path

from sphinx.application import Sphinx

from explorative_user_env.display.plots import COLOURS, PAGES
from explorative_user_env.show.svg import OURS

NAME = "pictures.css"


def rules() -> str:
    """Return the colours of each theme that a reader may have switched to."""
    found = []
    for page in PAGES:
        colours = (f"--{OURS}-{role}:{getattr(each, page)}" for role, each in COLOURS.items())
        found.append(f'body[data-theme="{page}"] .{OURS}-auto{{{";".join(colours)}}}\n')
    return "".join(found)


def write(app: Sphinx, failed: Exception | None) -> None:
    """Write the rules beside the other styles of a site that has been built."""
    if failed is None and app.builder.format == "html":
        (Path(app.outdir) / "_static" / NAME).write_text(rules(), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the rules."""
    app.add_css_file(NAME)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
