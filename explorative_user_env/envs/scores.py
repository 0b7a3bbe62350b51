"""The range of expected returns in every environment, by K and horizon.

All other arguments have their defaults. The returns of the tiny task are exact (see `optimum`). The
others are means over 2000 users, or 300 episodes with several users, from `evaluate` with seed 0;
their standard errors are at most 2%, and at most 4% in the task with several users.
"""

from typing import NamedTuple


class Scores(NamedTuple):
    """Expected returns in one environment.

    Attributes:
        n_arms: K.
        horizon: recommendations of an episode; in the task "population", of each user.
        random: the return of random actions, including answers if the environment has such actions.
        best: the return of the package's best agent among those that see responses only.
        best_agent: the name and options of this agent.
        reference: the return of a reference agent, which sees rewards or knows the best arm.
        reference_agent: the name and options of the reference agent.
        bound: no agent has a larger expected return. It is the optimum in the tiny task, and
            elsewhere the largest return that an episode can have.
    """

    n_arms: int
    horizon: int
    random: float
    best: float
    best_agent: str
    reference: float
    reference_agent: str
    bound: float

    @property
    def threshold(self) -> float:
        """The `reward_threshold`: 95% of the way from random actions to the best agent.

        The package's best agents differ by less than 5%. So a learner above the threshold has found
        the strategy of these agents.
        """
        return round(self.random + 0.95 * (self.best - self.random), 3)


_REGRET = (
    Scores(2, 500, -125.0, -88.3, "SE", -13.1, "Full-information", 0.0),
    Scores(2, 1000, -250.0, -98.1, "SE", -15.0, "Full-information", 0.0),
    Scores(5, 500, -511.0, -186.0, "SE", -33.7, "Full-information", 0.0),
    Scores(5, 1000, -1022.0, -218.0, "SE", -37.9, "Full-information", 0.0),
    Scores(20, 500, -946.0, -515.0, "UCB1(exploration=.01)", -105.0, "Full-information", 0.0),
    Scores(20, 1000, -1892.0, -653.0, "SE", -117.0, "Full-information", 0.0),
)

_BAI = (
    Scores(5, 2000, -0.6005, 0.722, "BAIR(n1=15)", 0.738, "oracle-champion(n1=0)", 1.0),
    Scores(2, 2000, -0.0005, 0.800, "SE", 0.800, "oracle-champion(n1=0)", 1.0),
    Scores(20, 2000, -0.9005, 0.514, "SE", 0.625, "oracle-champion(n1=0)", 1.0),
)

_POPULATION = (
    Scores(5, 300, -6383.0, -999.0, "SE-transfer(caution=.1)", -611.0, "Full-information", 0.0),
    Scores(20, 300, -11779.0, -2352.0, "SE-transfer(caution=.1)", -1898.0, "Full-information", 0.0),
)

#: The scores by id; the first entry of each id has its default K and horizon.
SCORES: dict[str, tuple[Scores, ...]] = {
    "ExplorativeUser-v0": (_REGRET[3], *_REGRET[:3], *_REGRET[4:]),
    "ExplorativeUserCounts-v0": (_REGRET[2], *_REGRET[:2], *_REGRET[3:]),
    "ExplorativeUserBAI-v0": _BAI,
    "ExplorativeUserBAICounts-v0": _BAI,
    "ExplorativeUserTiny-v0": (
        Scores(2, 15, -0.02, 0.769268, "SE with the optimal answer", 0.771968, "optimum", 0.771968),
    ),
    "ExplorativePopulation-v0": _POPULATION,
    "ExplorativePopulationCounts-v0": _POPULATION,
}
