"""A window that shows a user to somebody who watches."""

import os
import warnings
from typing import Any

import numpy as np

from explorative_user_env.extras import require
from explorative_user_env.validation import InvalidArgumentError

WINDOW_NEEDS = ("PIL", "pygame")
CAPTION = "an explorative user"


class Window:
    """A window of pygame, which opens with its first frame.

    A copy of it, or one in another process, is a window of its own that has not been opened.
    """

    def __init__(self) -> None:
        self._clock: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        return Window, ()

    @property
    def is_open(self) -> bool:
        """Whether there is something to see."""
        return self._clock is not None

    def show(self, pixels: "np.ndarray[Any, Any]", fps: float) -> None:
        """Show a frame, and wait as long as the one before is to be seen.

        Args:
            pixels: the frame, shape (height, width, 3), uint8.
            fps: frames a second.

        Raises:
            MissingExtraError: without pygame.
            InvalidArgumentError: where there is no screen.
        """
        pygame = _pygame()
        try:
            screen = self._screen(pygame, (pixels.shape[1], pixels.shape[0]))
        except pygame.error as error:
            allowed = f"one without a window, as there is no screen ({error})"
            raise InvalidArgumentError("render_mode", "human", allowed) from error
        pygame.surfarray.blit_array(screen, pixels.swapaxes(0, 1))
        pygame.event.pump()
        self._clock.tick(fps)
        pygame.display.flip()

    def _screen(self, pygame: Any, size: tuple[int, int]) -> Any:
        """Return the window's inside, of this size."""
        if self._clock is None:
            pygame.display.init()
            pygame.display.set_caption(CAPTION)
            self._clock = pygame.time.Clock()
        screen = pygame.display.get_surface()
        if screen is None or screen.get_size() != size:
            screen = pygame.display.set_mode(size)
        return screen

    def close(self) -> None:
        """Close the window; the next frame opens another."""
        if self._clock is not None:
            self._clock = None
            _pygame().display.quit()


def _pygame() -> Any:
    """Return pygame, which greets nobody."""
    require("a window needs", "render", WINDOW_NEEDS)
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what its releases make of newer setuptools
        import pygame
    return pygame
