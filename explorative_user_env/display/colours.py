"""The colours of every picture, by what they stand for, on a light and on a dark page.

Blue and vermilion, green and pink are told apart with every kind of colour vision (Okabe and Ito);
nothing rests on colour alone.
"""

from typing import NamedTuple


class Colour(NamedTuple):
    """A colour on each page, as `#rrggbb`."""

    light: str
    dark: str


PAGES = Colour._fields
"""The pages that there are colours for."""

COLOURS = {
    "page": Colour("#ffffff", "#14171c"),
    "panel": Colour("#f3f5f8", "#1e232b"),
    "grid": Colour("#d3d8df", "#3a414c"),
    "ink": Colour("#1b1f24", "#e9ebee"),
    "quiet": Colour("#5b6470", "#a3acb8"),
    "accepted": Colour("#0072b2", "#56b4e9"),
    "rejected": Colour("#c44f00", "#ff8c42"),
    "interval": Colour("#a9cfe6", "#2c5f82"),
    "estimate": Colour("#1b1f24", "#e9ebee"),
    "truth": Colour("#00795a", "#2fd0a0"),
    "witness": Colour("#a8457f", "#e79fc8"),
    "recommended": Colour("#fff1c9", "#3b3420"),
    "agent": Colour("#8a6100", "#e6a532"),
}
"""By role: the page, a panel on it, thin lines, words, words that matter less; a yes, a no; her
intervals and empirical means; true means and the best arm; the arm that decides a rejection; the
arm that is recommended now; what an agent thinks."""

WORDS = ("ink", "quiet", "accepted", "rejected", "truth", "witness", "agent")
"""The roles in which words are written: they stand out from the page and from a panel."""

SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999933")
"""Of lines that are compared, in their order: those of Okabe and Ito, the yellow but for one that
is seen on white."""
