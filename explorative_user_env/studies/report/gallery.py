"""The pictures of a report: files beside the page, so that a code host shows them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from explorative_user_env.display.figures import as_png, can_plot

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Gallery:
    """Pictures as they are drawn, by the names of their files."""

    files: dict[str, bytes] = field(default_factory=dict)

    def shown(self, title: str, name: str, draw: "Callable[[], Figure]") -> list[str]:
        """Draw a picture and return the Markdown that shows it; nothing without Matplotlib."""
        if not can_plot():
            return []
        self.files[name] = as_png(draw())
        return [f"![{title}]({name})"]
