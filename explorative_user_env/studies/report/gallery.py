"""The pictures of a report: files beside the page, so that a code host shows them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from explorative_user_env.display.figures import UndrawnError, can_plot, painted
from explorative_user_env.display.plain_text import in_markdown

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Gallery:
    """Pictures as they are drawn, by the names of their files."""

    files: dict[str, bytes] = field(default_factory=dict)

    def shown(self, title: str, name: str, draw: "Callable[[], Figure]") -> list[str]:
        """Draw a picture and return the Markdown that shows it; nothing without Matplotlib.

        Where it cannot be drawn the Markdown says why.
        """
        if not can_plot():
            return []
        try:
            self.files[name] = painted(draw)
        except UndrawnError as error:
            return [f"{title}: {in_markdown(str(error))}"]
        return [f"![{title}]({name})"]
