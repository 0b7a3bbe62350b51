"""A game as a record: who the user is, what was recommended to her, and the answer."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from explorative_user_env.envs.pictures import seen_in_lane
from explorative_user_env.envs.user import ExplorativeUserEnv
from explorative_user_env.population import OPTIONS, Population
from explorative_user_env.rendering.words import Seen
from explorative_user_env.users.hidden_state import HiddenState
from explorative_user_env.users.instances import Instance
from explorative_user_env.validation import InvalidArgumentError, integer

MOST_ARMS_PLAYED = 25
"""K at most: more are no game for a person."""

MOST_MOVES = 2000
"""Recommendations at most, which an address still holds."""

LARGEST_PLAYED_SEED = 2**63 - 1
"""The users of a study have seeds up to here."""

SURPRISES = 1_000_000
"""Seeds that are drawn for who has none: few enough digits to be read out in a class."""

PLAYED: Mapping[str, Any] = {"n_arms": 5, "gap": 2.0}
"""The user of a first game: some forty recommendations tell her best arm."""


def usual_options() -> dict[str, Any]:
    """Return each option of the users as it is where an address says nothing of it."""
    # A record is called by its name in an address.
    return {each.name: getattr(each.default, "name", each.default) for each in OPTIONS}


@dataclass(frozen=True, kw_only=True)
class Game:
    """A game with one user, from which everything that happens in it follows.

    Attributes:
        options: those of `Population` that are not as usual, by name, each a word or a number.
        seed: of everything about the user.
        moves: the arms that were recommended to her.
        answer: the arm that was named as her best; None as long as none was.
        population: the users of whom she is one.

    Raises:
        InvalidArgumentError: naming what is out of range.
    """

    options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    seed: int
    moves: tuple[int, ...] = ()
    answer: int | None = None
    population: Population = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        integer("n_arms", self.options.get("n_arms", 2), 2, MOST_ARMS_PLAYED)
        population = Population(**self.options)
        usual = usual_options()
        said = {name: self.options[name] for name in usual if name in self.options}
        kept = {name: value for name, value in said.items() if value != usual[name]}
        for name, value in {"options": kept, "population": population}.items():
            object.__setattr__(self, name, value)
        integer("seed", self.seed, 0, LARGEST_PLAYED_SEED)
        if len(self.moves) > MOST_MOVES:
            allowed = f"at most {MOST_MOVES} recommendations"
            raise InvalidArgumentError("moves", len(self.moves), allowed)
        last = self.n_arms - 1
        for arm in self.moves:
            if type(arm) is not int or not 0 <= arm <= last:
                raise InvalidArgumentError("moves", arm, f"arms in 0..{last}")
        if self.answer is not None:
            integer("answer", self.answer, 0, last)

    @property
    def n_arms(self) -> int:
        """K."""
        return self.population.user.n_arms

    def recommending(self, arms: Sequence[int]) -> "Game":
        """Return the game with these arms recommended to her as well, as long as she is there.

        Raises:
            InvalidArgumentError: if it is over, or would be too long.
        """
        if self.answer is not None:
            raise InvalidArgumentError("moves", tuple(arms), "none after the answer")
        longer = replace(self, moves=(*self.moves, *arms))
        if self.population.behaviour.leaves is None:
            return longer
        there = sum(1 for _ in _asked(longer, _environment(longer)))
        if there == len(self.moves):
            raise InvalidArgumentError("moves", tuple(arms), "none after she has left")
        return replace(self, moves=longer.moves[:there])

    def answering(self, arm: int) -> "Game":
        """Return the game that ends with this arm named as her best."""
        return replace(self, answer=arm)


class Heard(NamedTuple):
    """What was heard in a game, of which nothing is secret.

    Attributes:
        responses: to each recommendation, whether she accepted.
        seen: the same counted arm by arm, as pictures take it.
        left: whether she has left.
    """

    responses: tuple[bool, ...]
    seen: Seen
    left: bool = False


def heard_in(game: Game) -> Heard:
    """Return what was heard in a game: it is played again, to the same bit.

    Raises:
        InvalidArgumentError: for moves after she has left.
    """
    env = _environment(game)
    history = env.remember()
    steps = [*_asked(game, env)]
    if len(steps) < len(game.moves):
        allowed = f"at most {len(steps)} recommendations, as she leaves then"
        raise InvalidArgumentError("moves", len(game.moves), allowed)
    responses = tuple(accepted for accepted, _ in steps)
    return Heard(responses, seen_in_lane(history, 0), bool(steps) and steps[-1][1])


def truths_of(game: Game) -> Iterator[HiddenState]:
    """Yield the truth about the user at the start and after each move; secret before the answer."""
    env = _environment(game)
    yield env.hidden_state()
    for _ in _asked(game, env):
        yield env.hidden_state()


def instance_at_end(game: Game) -> Instance:
    """Return her true means and her best arm at the end; secret before the answer."""
    env = _environment(game)
    for _ in _asked(game, env):
        pass
    return env.instance()


def _asked(game: Game, env: ExplorativeUserEnv) -> Iterator[tuple[bool, bool]]:
    """Yield to each move whether she accepts and whether she leaves, up to where she does."""
    for arm in game.moves:
        response, _, left, _, _ = env.step(arm)
        yield bool(response), left
        if left:
            return


def _environment(game: Game) -> ExplorativeUserEnv:
    env = ExplorativeUserEnv(population=game.population, reward="none")
    env.reset(seed=game.seed)
    return env
