"""The one sentence that a game is played for."""

import functools
import math
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

from explorative_user_env.agents import BAIR, TrackAndStop
from explorative_user_env.envs.history import seen_in_lane
from explorative_user_env.envs.meeting import environment_of
from explorative_user_env.envs.user import ExplorativeUserEnv
from explorative_user_env.protocol import ANSWERED, BAI, CENSORED, LEFT, Agent, cap_of, name_of
from explorative_user_env.runs.loop import rollout
from explorative_user_env.shipped import shipped_for
from explorative_user_env.show.words import Seen
from explorative_user_env.users.hidden_state import HiddenState
from explorative_user_env.users.instances import Instance
from explorative_user_env.users.population import OPTIONS, Population
from explorative_user_env.validation import InvalidArgumentError, MissingExtraError, choice, integer

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


LONGEST_QUERY = 20_000
"""Letters at most: a move takes five, as 24x3 does with the point after it."""

Pairs = Mapping[str, str]
"""What stands in a query, by name."""

_WHOLE = re.compile(r"[0-9]{1,40}")
_NUMBER = re.compile(r"-?[0-9]{1,24}(\.[0-9]{1,24})?(e[-+]?[0-9]{1,3})?", re.IGNORECASE)
_RUN = re.compile(r"([0-9]{1,3})(?:x([1-9][0-9]{0,5}))?")


def whole_number(name: str, text: str) -> int:
    """Return the whole number that is written; digits and nothing else."""
    if not _WHOLE.fullmatch(text):
        raise InvalidArgumentError(name, text, "a whole number")
    return int(text)


def _number(name: str, text: str) -> float:
    if not _NUMBER.fullmatch(text):
        raise InvalidArgumentError(name, text, "a number, as 0.5")
    return float(text)


def _word(name: str, text: str) -> str:
    return text


def _number_or_word(name: str, text: str) -> float | str:
    return _number(name, text) if text[:1] in "-0123456789" else text


_READERS: Mapping[Any, Callable[[str, str], Any]] = {
    int: whole_number,
    float: _number,
    str: _word,
}
"""By the kind of an option."""


def option_in(name: str, text: str) -> Any:
    """Return the value of an option of the users as it stands in an address.

    Raises:
        InvalidArgumentError: if there is no such option, or it is not written like one.
    """
    kinds = {each.name: each.metadata["kind"] for each in OPTIONS}
    if name not in kinds:
        allowed = f"name=value with names of {', '.join([*kinds, *_GAMES_OWN])}"
        raise InvalidArgumentError("address", name, allowed)
    return _READERS.get(kinds[name], _number_or_word)(name, text)


def moves_in(name: str, text: str) -> tuple[int, ...]:
    """Return the arms that are written, as 2.0x3 is for 2, 0, 0, 0.

    Raises:
        InvalidArgumentError: if something else is, or too many are.
    """
    moves: list[int] = []
    for part in text.split(".") if text else ():
        run = _RUN.fullmatch(part)
        if run is None:
            raise InvalidArgumentError(name, part, "arms with points between, as 2.0x3.1")
        times = int(run[2] or 1)
        if len(moves) + times > MOST_MOVES:
            raise InvalidArgumentError(name, part, f"at most {MOST_MOVES} recommendations in all")
        moves += [int(run[1])] * times
    return tuple(moves)


def moves_as_text(moves: Iterable[int]) -> str:
    """Return arms as they are written in an address."""
    runs = [(arm, len([*same])) for arm, same in groupby(moves)]
    return ".".join(f"{arm}x{times}" if times > 1 else str(arm) for arm, times in runs)


_GAMES_OWN: Mapping[str, Callable[[str, str], Any]] = {
    "seed": whole_number,
    "moves": moves_in,
    "answer": whole_number,
}
"""What stands in an address beside the options of the users, and what reads it."""


def new_pairs(options: Mapping[str, Any]) -> dict[str, str]:
    """Return what the address of a new game says with users like these, seed left open."""
    return {name: as_written(value) for name, value in options.items()}


def pairs_of(game: Game) -> dict[str, str]:
    """Return a game as what its address says, by name; what is as usual is not said."""
    said = new_pairs(game.options)
    said["seed"] = str(game.seed)
    if game.moves:
        said["moves"] = moves_as_text(game.moves)
    if game.answer is not None:
        said["answer"] = str(game.answer)
    return said


def as_written(value: Any) -> str:
    """Return a word or a number as it is written, in as few letters as give it back."""
    short = f"{value:g}" if isinstance(value, float) else str(value)
    return str(value) if isinstance(value, float) and float(short) != value else short


def query_of(pairs: Pairs) -> str:
    """Return what an address says as its query."""
    return urlencode(pairs)


def not_too_long(query: str) -> str:
    """Return a query that is as long as one may be.

    Raises:
        InvalidArgumentError: if it is longer.
    """
    if len(query) > LONGEST_QUERY:
        raise InvalidArgumentError("address", query[:20], f"at most {LONGEST_QUERY} letters long")
    return query


def pairs_in(query: str, more: Sequence[str] = ()) -> tuple[dict[str, str], dict[str, str]]:
    """Return what a query says, by name: of a game, and of the names in `more`.

    Raises:
        InvalidArgumentError: if it is too long, is none, or says something twice.
    """
    not_too_long(query)
    try:
        found = parse_qsl(query, keep_blank_values=True, strict_parsing=True, errors="strict")
    except ValueError as error:
        allowed = "name=value with & between, as seed=7&moves=0.1x3"
        raise InvalidArgumentError("address", query, allowed) from error
    said: dict[str, str] = {}
    for name, value in found:
        if name in said:
            raise InvalidArgumentError(name, value, "said once in an address")
        said[name] = value
    besides = {name: said.pop(name) for name in more if name in said}
    return said, besides


def game_of(pairs: Pairs) -> Game:
    """Return the game that an address says.

    Raises:
        InvalidArgumentError: naming what is unknown, is not written as it should, or is out of
            range.
    """
    own: dict[str, Any] = {"options": {}}
    for name, text in pairs.items():
        if name in _GAMES_OWN:
            own[name] = _GAMES_OWN[name](name, text)
        else:
            own["options"][name] = option_in(name, text)
    if "seed" not in own:
        raise InvalidArgumentError("seed", None, "in the address, as seed=7")
    return Game(**own)


def query_in(address: str) -> str:
    """Return the query of an address, which may be all that is given of it."""
    text = address.strip()
    return text.partition("?")[2].partition("#")[0] if "?" in text else text


SAID = {"y": True, "n": False, "-": None}
"""What the player said to each recommendation before her decision was seen, as it is written."""

GUESSED, ASKED, BY = "guesses", "asked", "by"
YOU = "you"
ANSWERS_FIRST = ("her", YOU)

MINDS_OWN = (GUESSED, ASKED, BY)
"""What stands in an address of a mind beside a game."""


@dataclass(frozen=True, kw_only=True)
class Mind:
    """A game in which the truth is seen, asked for by name.

    Attributes:
        game: who she is and what was recommended.
        guesses: what the player said to each move; None where she decided without being guessed.
        asked: the arm that is recommended now, to which the player is to say yes or no.
        foretold: whether the player says first what she will do with a recommendation.

    Raises:
        InvalidArgumentError: naming what does not fit.
    """

    game: Game
    guesses: tuple[bool | None, ...] = ()
    asked: int | None = None
    foretold: bool = False

    def __post_init__(self) -> None:
        if self.game.answer is not None:
            raise InvalidArgumentError("answer", self.game.answer, "left out where all is seen")
        known = len(self.guesses)
        if known > len(self.game.moves):
            raise InvalidArgumentError("guesses", known, "of moves that were made")
        missing = (None,) * (len(self.game.moves) - known)
        object.__setattr__(self, "guesses", (*self.guesses, *missing))
        if self.asked is not None:
            self.game.recommending((self.asked,))  # which says what is wrong with it

    def recommending(self, arms: Sequence[int]) -> "Mind":
        """Return the mind after recommendations, or in which the player is asked about one.

        Raises:
            InvalidArgumentError: for none, or several that are to be foretold at once.
        """
        if not self.foretold:
            return replace(self, game=self.game.recommending(arms), asked=None)
        if len(arms) != 1:
            raise InvalidArgumentError("more", list(arms), "one arm, where you answer")
        return replace(self, asked=arms[0])

    def guessing(self, yes: bool) -> "Mind":
        """Return the mind after the player has said yes or no to what is asked.

        Raises:
            InvalidArgumentError: if nothing is.
        """
        if self.asked is None:
            raise InvalidArgumentError("guess", yes, "given to an arm that is asked about")
        game = self.game.recommending((self.asked,))
        return replace(self, game=game, guesses=(*self.guesses, yes), asked=None)

    def undone(self) -> "Mind":
        """Return the mind before its last move, or before it asked."""
        if self.asked is not None:
            return replace(self, asked=None)
        game = replace(self.game, moves=self.game.moves[:-1])
        return replace(self, game=game, guesses=self.guesses[:-1])

    def right_guesses(self, heard: Heard) -> tuple[int, int]:
        """Return how many guesses were what she decided, and how many there are."""
        pairs = zip(self.guesses, heard.responses, strict=True)
        told = [guess == response for guess, response in pairs if guess is not None]
        return sum(told), len(told)


def mind_of(pairs: Pairs, besides: Pairs) -> Mind:
    """Return the mind that an address says.

    Args:
        pairs: what it says of the game.
        besides: what it says by the names of `MINDS_OWN`.

    Raises:
        InvalidArgumentError: naming what is wrong.
    """
    more: dict[str, Any] = {}
    if GUESSED in besides:
        letters = besides[GUESSED]
        if not set(letters) <= set(SAID):
            raise InvalidArgumentError(GUESSED, letters, "written with y, n and -")
        more["guesses"] = tuple(SAID[letter] for letter in letters)
    if BY in besides:
        more["foretold"] = choice(BY, besides[BY], ANSWERS_FIRST) == YOU
    if ASKED in besides:
        more["asked"] = whole_number(ASKED, besides[ASKED])
    return Mind(game=game_of(pairs), **more)


def pairs_of_mind(mind: Mind) -> dict[str, str]:
    """Return what the address of a mind says, by name."""
    letters = {guess: letter for letter, guess in SAID.items()}
    said = pairs_of(mind.game)
    if any(guess is not None for guess in mind.guesses):
        said[GUESSED] = "".join(letters[guess] for guess in mind.guesses)
    if mind.foretold:
        said[BY] = YOU
    if mind.asked is not None:
        said[ASKED] = str(mind.asked)
    return said


FOLLOW = "follow"
"""Checked where rho_t follows its schedule in place of its slider."""

ENDS: Mapping[str, tuple[float, float]] = {
    "alpha": (0.05, 4.0),
    "rho": (1.0, 2.0),
    "noise": (0.0, 0.5),
    "gap": (0.05, 4.0),
}
"""Of each slider. What an address says beyond them moves them."""

STEP = 0.05

SLID = tuple(ENDS)
"""The options that have a slider."""


class Slider(NamedTuple):
    """A number that is changed by a slide."""

    name: str
    least: str
    most: str
    step: str
    value: str


def sliders_of(game: Game) -> list[Slider]:
    """Return the sliders as they stand in a game."""
    population = game.population
    schedule = population.schedule
    values = {
        "alpha": population.user.alpha,
        "rho": population.user.rho_0 if schedule.rho_0 == schedule.rho_1 else ENDS["rho"][1],
        "noise": population.user.noise,
        "gap": population.instance_law.gap or 0.0,
    }
    sliders = []
    for name, (least, most) in ENDS.items():
        value = values[name]
        ends = (as_written(min(least, value)), as_written(max(most, value)))
        # A browser moves what is between two steps to one of them: nothing may move by itself.
        on_step = abs(math.remainder(value, STEP)) < 1e-9
        step = as_written(STEP) if on_step and value >= least else "any"
        sliders.append(Slider(name, *ends, step, as_written(value)))
    return sliders


def slid(pairs: Pairs, follows: bool) -> dict[str, str]:
    """Return what an address says after a slide; a schedule that is followed needs no number."""
    return {name: text for name, text in pairs.items() if not (follows and name == "rho")}


LONGEST_RUN = 100_000
"""Steps at most of a rival that has no cap of its own; a person waits a second for it."""

_ONE_AT_A_TIME = threading.Lock()
"""A model is loaded once, and meets one user at a time."""


class Rival(NamedTuple):
    """What an agent did.

    Attributes:
        name: the agent's.
        interactions: how many recommendations it made.
        rejections: how many of them she rejected.
        answer: the arm that it named as her best.
        right: whether it is, and was named while she was there.
        end: how its run ended, as of an `Episode`: unless by itself, it answered as it was asked.
    """

    name: str
    interactions: int
    rejections: int
    answer: int
    right: bool
    end: int


def rivals_of(game: Game) -> tuple[list[Rival], list[str]]:
    """Return what each agent did with the user of a game, and in a line each what to know of it."""
    agents: list[Agent] = [BAIR(), TrackAndStop()]
    rivals = [_met(game, agent) for agent in agents]
    users = game.population
    shipped = shipped_for(BAI, game.n_arms, behaviour=users.behaviour.name, noise=users.user.noise)
    if shipped is None:
        return rivals, [f"No trained model of the package is for {game.n_arms} arms."]
    try:
        with _ONE_AT_A_TIME:
            rivals.append(_met(game, _loaded(shipped.name)))
    except MissingExtraError as error:
        return rivals, [f"A trained model plays as well, but {error}"]
    trained_with = shipped.settings["environment"].items()
    of = ", ".join(f"{name} {value}" for name, value in trained_with)
    return rivals, [f"{rivals[-1].name} was trained with users of {of}."]


def _met(game: Game, agent: Agent) -> Rival:
    env = environment_of(game.population, agent)
    # A model takes two hundred times as long for a step, and keeps all others waiting.
    longest = min(LONGEST_RUN, cap_of(agent) or LONGEST_RUN)
    episode = rollout(env, agent, game.seed, max_steps=longest)
    return Rival(
        name=name_of(agent),
        interactions=episode.stopping_time,
        rejections=episode.rejections,
        answer=episode.answer,
        right=episode.answer == env.instance().best_arm and not episode.left,
        end=episode.end,
    )


@functools.cache
def _loaded(name: str) -> Agent:
    """Return a model of the package.

    Raises:
        MissingExtraError: without Stable-Baselines3.
    """
    from explorative_user_env.rl.models import load_agent

    return load_agent(name)


def get_ready() -> None:
    """Load the model for a first game now, so that nobody waits for it; without one, do nothing."""
    shipped = shipped_for(BAI, PLAYED["n_arms"])
    with _ONE_AT_A_TIME, suppress(MissingExtraError):
        if shipped is not None:
            _loaded(shipped.name)


TASK = (
    "She is still learning what she likes. You recommend an arm, she says yes or no, "
    "and you find out which arm she likes best."
)

WHAT_COUNTS = (
    "A yes does not say that she likes an arm best: only that no other arm is clearly better, as "
    "far as she knows.",
    "A no says that another arm is clearly better: that is what tells arms apart.",
    "She learns from what she accepts, and from nothing else. So an arm that you neglect stays "
    "unknown to her, too.",
    "When all other arms are rejected again and again, you are done: name the one that is left.",
)
"""A hint for beginners, a line each."""

WHAT_IS_SEEN = (
    "Each bar is what she holds possible of an arm; it narrows with each time that she accepts it.",
    "She rejects an arm if another's bar begins where that arm's bar ends, or above: the other arm "
    "is the witness.",
    "Alpha and rho widen all bars; noise makes her flip a coin now and then; the gap is how much "
    "better her best arm is than the second best.",
)
"""Of a mind, a line each."""

KINDS: Mapping[str, str] = {
    "explorative": "explorative: learns from what she accepts",
    "omniscient": "omniscient: knows her means, accepts her best arm only",
    "forgetful": "forgetful: remembers her last rewards only",
    "drifting": "drifting: her taste changes",
    "logistic": "logistic: decides by chance where the paper's user has a rule",
    "impatient": "impatient: may leave for good when she rejects",
    "varied": "varied: has an alpha, a rho, noise and a gap of her own",
}
"""What is said of each kind of user that the package has."""


def response_in_words(arm: int, accepted: bool) -> str:
    """Return what she said to a recommendation."""
    return f"Arm {arm}: {'yes, she accepts' if accepted else 'no, she rejects'}."


def tally(heard: Heard) -> str:
    """Return how often she said what."""
    n, yes = len(heard.responses), sum(heard.responses)
    told = f"{n} interaction{'s' * (n != 1)}: {yes} yes, {n - yes} no"
    return f"{told}; then she left" if heard.left else told


def is_right(game: Game, heard: Heard, best_arm: int) -> bool:
    """Return whether a game ended with the right answer, and while she was there."""
    return game.answer == best_arm and not heard.left


def verdict(game: Game, heard: Heard, best_arm: int) -> str:
    """Return whether the answer of a game is right."""
    if heard.left:
        return f"She left before an answer: her best arm is arm {best_arm}"
    if game.answer == best_arm:
        return f"Right: her best arm is arm {best_arm}"
    return f"Wrong: you named arm {game.answer}, her best arm is arm {best_arm}"


_ENDS = {ANSWERED: "", CENSORED: " (not done)", LEFT: " (she left)"}

RIVALS_HEADER = ("who", "interactions", "rejections", "named", "right")


def rows_of_rivals(
    game: Game, heard: Heard, best_arm: int, rivals: Sequence[Rival]
) -> list[tuple[str, ...]]:
    """Return what the player and the agents did with the same user, a row each."""
    n_rejected = len(heard.responses) - sum(heard.responses)
    answer = -1 if game.answer is None else game.answer
    end, right = LEFT if heard.left else ANSWERED, is_right(game, heard, best_arm)
    you = Rival("you", len(game.moves), n_rejected, answer, right, end)
    return [
        (
            each.name,
            f"{each.interactions}{_ENDS[each.end]}",
            f"{each.rejections}",
            f"arm {each.answer}",
            "yes" if each.right else "no",
        )
        for each in (you, *rivals)
    ]


def title_of_game(game: Game, heard: Heard) -> str:
    """Return the title of a page: what was heard last, and how far the game is."""
    if not game.moves:
        return "A new user"
    return f"{response_in_words(game.moves[-1], heard.responses[-1])} {tally(heard)}"


def settings_in_words(game: Game) -> str:
    """Return who the user of a game is, as far as that is no secret."""
    said = game.population.words()
    options = {name: said[name] for name in ("gap", "alpha", "noise")}
    options |= {name: value for name, value in game.options.items() if name != "n_arms"}
    shown = ", ".join(f"{name} {as_written(value)}" for name, value in options.items())
    return f"{game.n_arms} arms, {shown}, seed {game.seed}"


def moral_of(game: Game, heard: Heard, best_arm: int, rivals: Sequence[Rival]) -> str:
    """Return what a game with an answer teaches, in one sentence.

    Args:
        game: the game.
        heard: what was heard in it.
        best_arm: her best arm at its end.
        rivals: what agents did with her, BAIR first.
    """
    if heard.left:
        return (
            "She left before an answer: a rejection is what tells arms apart, and each may be the "
            "last that she bears."
        )
    if game.answer != best_arm:
        return _of_a_wrong_answer(game, heard, best_arm)
    if not heard.responses:
        return "Right without a single recommendation: that is luck, one time in K."
    # Who was cut off, or left, has not answered of its own accord: it was slow, and not wrong.
    wrong = [each.name for each in rivals if each.end == ANSWERED and not each.right]
    longer = [
        each.name
        for each in rivals
        if (each.right or each.end == CENSORED) and each.interactions > len(game.moves)
    ]
    if wrong:
        return (
            f"Right where {_listed(wrong)} went wrong: every agent does with a few of many users, "
            "and you never know who is one of the few."
        )
    if longer:
        return (
            f"Right in fewer interactions than {_listed(longer)}: but an agent that promises "
            "to be wrong with few users only cannot stop while luck could still explain it all."
        )
    return (
        "Right, and no sooner than the agents: only a rejection says that another arm is clearly "
        "better, so whoever waits for enough of them is hardly ever wrong."
    )


def _listed(names: Sequence[str]) -> str:
    """Return names as they are read out."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _of_a_wrong_answer(game: Game, heard: Heard, best_arm: int) -> str:
    """Return what is to be learnt from an answer that is not her best arm."""
    seen, answer = heard.seen, -1 if game.answer is None else game.answer
    never = "What is never recommended is never learnt:"
    if seen.latest[best_arm] is None:
        return f"{never} she was not asked about her best arm even once."
    if seen.latest[answer] is None:
        return f"{never} she was not asked about the arm that you named even once."
    if seen.rejected[best_arm] > seen.rejected[answer]:
        why = _why_she_may(game)
        return f"She rejected her best arm, {why}: a rejection is evidence, and no proof."
    if seen.latest[answer]:
        return (
            "She accepted what you named, but a yes only says that no other arm is clearly better "
            "yet: it is not what she likes best that she accepts, but what might be."
        )
    return "A rejected arm is one that another is clearly better than: it is hardly ever her best."


def _why_she_may(game: Game) -> str:
    """Return why she may reject her best arm."""
    if game.population.behaviour.moves_means:
        return "for her taste changes"
    if game.population.noise > 0.0:
        return "for she flips a coin now and then, or is mistaken"
    return "for she is still learning what she likes and can be mistaken"
