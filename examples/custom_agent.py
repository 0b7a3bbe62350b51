"""Compare a custom agent with BAIR: it stops when all arms but one were rejected last."""

import numpy as np

import explorative_user_env as eu
from explorative_user_env.agents import BAIR

N_INSTANCES = 100


class LastOneStanding:
    """Recommend in turn; stop when K-1 arms' last response was a rejection."""

    name = "mine"

    def reset(self, n_arms: int, rng: np.random.Generator, horizon: int | None = None) -> None:
        """Start a run with a new user."""
        self.accepted = [True] * n_arms
        self.arm = -1

    def act(self) -> int | None:
        """Return the next arm, or None to stop."""
        self.arm = (self.arm + 1) % len(self.accepted)
        return None if sum(self.accepted) == 1 else self.arm

    def observe(self, arm: int, accepted: bool) -> None:
        """Store the last response to each arm."""
        self.accepted[arm] = accepted

    def answer(self) -> int:
        """Return the only arm whose last response was an acceptance."""
        return self.accepted.index(True)


def main() -> None:
    """Compare the agent with BAIR on the same users."""
    print(eu.evaluate([BAIR(), LastOneStanding()], n_arms=5, n_instances=N_INSTANCES))


if __name__ == "__main__":
    main()
