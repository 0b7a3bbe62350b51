"""An agent of one's own in the table beside BAIR: stop when all but one arm said no last."""

import numpy as np

import explorative_user_env as eu
from explorative_user_env.agents import BAIR

N_INSTANCES = 100


class LastOneStanding:
    """Recommend in turn; stop when K-1 arms' last response was a rejection."""

    name = "mine"

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        """Know nothing yet."""
        self.said_yes = [True] * n_arms
        self.arm = -1

    def act(self) -> int | None:
        """Go round the arms, or stop."""
        self.arm = (self.arm + 1) % len(self.said_yes)
        return None if sum(self.said_yes) == 1 else self.arm

    def observe(self, arm: int, accepted: bool) -> None:
        """Remember the last response of each arm."""
        self.said_yes[arm] = accepted

    def answer(self) -> int:
        """Name the arm that said yes."""
        return self.said_yes.index(True)


def main() -> None:
    """Compare it with BAIR on the same users."""
    print(eu.evaluate([BAIR(), LastOneStanding()], n_arms=5, n_instances=N_INSTANCES))


if __name__ == "__main__":
    main()
