"""The table of contents of the course: what each notebook is called, as a file and to a reader."""

from typing import NamedTuple


class Lesson(NamedTuple):
    """A notebook of the course.

    Attributes:
        number: its place in the course, from 1.
        topic: what its file is named after.
        title: its title.
    """

    number: int
    topic: str
    title: str

    @property
    def name(self) -> str:
        """What its file is called, without what it ends with."""
        return f"lesson_{self.number}_{self.topic}"

    @property
    def heading(self) -> str:
        """Its title with its number, the first line of the notebook."""
        return f"{self.number}. {self.title}"


LESSONS = (
    Lesson(1, "best_arm", "Bandits and best-arm identification"),
    Lesson(2, "explorative_user", "The explorative user"),
    Lesson(3, "why_they_struggle", "Why UNI, EXP3 and Track-and-Stop struggle"),
    Lesson(4, "bair", "BAIR, step by step"),
    Lesson(5, "revealed_preference", "The price of revealed preference"),
    Lesson(6, "learning_agents", "Learning agents against BAIR"),
)
"""The notebooks, in order."""
