"""Compute a game with one user from its address, so that the server stores nothing.

The address holds the user's options and seed, the recommended arms and the player's answer. A game
shows the user's means after the answer. The page /mind shows her hidden state at any time.
"""

import functools
import math
import re
import threading
from collections import namedtuple
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

from explorative_user_env.agents import BAIR, TrackAndStop
from explorative_user_env.envs.history import seen_in_lane
from explorative_user_env.envs.user import ExplorativeUserEnv, environment_of
from explorative_user_env.protocol import ANSWERED, BAI, CENSORED, LEFT, Agent, cap_of, name_of
from explorative_user_env.runs.loop import rollout
from explorative_user_env.shipped import shipped_for
from explorative_user_env.show.words import Seen
from explorative_user_env.users.hidden_state import HiddenState
from explorative_user_env.users.instances import Instance
from explorative_user_env.users.population import OPTIONS, Population
from explorative_user_env.validation import InvalidArgumentError, MissingExtraError, choice, integer

SERVED_BY = ("jinja2", "starlette", "uvicorn")  # the packages of the extra `play`
MOST_ARMS_PLAYED = 25  # the largest K that a person can play
MOST_MOVES = 2000  # the most recommendations that an address can hold
LARGEST_PLAYED_SEED = 2**63 - 1  # seeds of users in studies are at most this
SURPRISES = 1_000_000  # random seeds are smaller than this, so a teacher can read a seed aloud
# The default user of a game; about 40 recommendations reveal her best arm.
PLAYED: Mapping[str, Any] = {"n_arms": 5, "gap": 2.0}


def usual_options() -> dict[str, Any]:
    """Return the default of each option of a user, by name; an object becomes its name."""
    return {each.name: getattr(each.default, "name", each.default) for each in OPTIONS}


@dataclass(frozen=True, kw_only=True)
class Game:
    """A game with one user.

    Attributes:
        options: the options of `Population` that differ from their defaults, by name.
        seed: seed of the user.
        moves: the recommended arms, in order.
        answer: the arm that the player named as best; None before the answer.
        guesses: the player's prediction of each response; True is yes, None is no prediction.
        pending: the recommended arm whose response the player must predict now, or None.
        predicts: whether the player predicts each response before the user responds.
        population: the distribution of the user.

    Raises:
        InvalidArgumentError: if an attribute is out of range.
    """

    options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    seed: int
    moves: tuple[int, ...] = ()
    answer: int | None = None
    guesses: tuple[bool | None, ...] = ()
    pending: int | None = None
    predicts: bool = False
    population: Population = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        integer("n_arms", self.options.get("n_arms", 2), 2, MOST_ARMS_PLAYED)
        usual = usual_options()
        changed = {n: self.options[n] for n in usual if self.options.get(n, usual[n]) != usual[n]}
        fields = {"population": Population(**self.options), "options": changed}
        fields["guesses"] = self.guesses + (None,) * (len(self.moves) - len(self.guesses))
        for name, value in fields.items():
            object.__setattr__(self, name, value)
        integer("seed", self.seed, 0, LARGEST_PLAYED_SEED)
        last = self.n_arms - 1
        if (n_moves := len(self.moves)) > MOST_MOVES:
            raise InvalidArgumentError("moves", n_moves, f"at most {MOST_MOVES} recommendations")
        for arm in (*self.moves, *(() if self.pending is None else (self.pending,))):
            if type(arm) is not int or not 0 <= arm <= last:
                raise InvalidArgumentError("moves", arm, f"arms in 0..{last}")
        if self.answer is not None:
            integer("answer", self.answer, 0, last)
        if len(self.guesses) > len(self.moves):
            raise InvalidArgumentError("guesses", len(self.guesses), "at most one for each move")

    @property
    def n_arms(self) -> int:
        """The number of arms K."""
        return self.population.user.n_arms

    def recommending(self, arms: Sequence[int]) -> "Game":
        """Return the game after recommendations of `arms`; the game ends when the user leaves.

        If the player predicts responses, the arm becomes `pending` and the user does not respond.
        """
        if self.answer is not None:
            raise InvalidArgumentError("moves", tuple(arms), "left out after the player's answer")
        if self.predicts:
            if len(arms) != 1:
                raise InvalidArgumentError("moves", arms, "one arm if you predict the response")
            return replace(self, pending=arms[0])
        longer = replace(self, moves=(*self.moves, *arms), pending=None)
        n_moves = sum(1 for _ in _played(longer)) - 1
        if n_moves == len(self.moves) < len(longer.moves):
            raise InvalidArgumentError("moves", tuple(arms), "left out after the user has left")
        return replace(self, moves=longer.moves[:n_moves], pending=None)

    def guessing(self, yes: bool) -> "Game":
        """Return the game after a prediction and the user's response to the pending arm."""
        if self.pending is None:
            raise InvalidArgumentError("guess", yes, "left out unless the user has yet to respond")
        game = replace(self, predicts=False).recommending((self.pending,))
        return replace(game, guesses=(*self.guesses, yes), predicts=self.predicts)

    def undone(self) -> "Game":
        """Return the game without the pending arm; if no arm is pending, without the last move."""
        if self.pending is not None:
            return replace(self, pending=None)
        return replace(self, moves=self.moves[:-1], guesses=self.guesses[:-1])


class Log(NamedTuple):
    """The user's responses in a game, without her hidden state.

    Attributes:
        responses: for each recommendation, whether the user accepted.
        seen: the counts of acceptances and rejections of each arm, and the last responses.
        left: whether the user has left.
    """

    responses: tuple[bool, ...]
    seen: Seen
    left: bool = False


def log_of(game: Game) -> Log:
    """Repeat the moves of a game with its user, and return her responses."""
    steps = [*_played(game)]
    n_moves, most = len(game.moves), len(steps) - 1
    if n_moves > most:
        raise InvalidArgumentError("moves", n_moves, f"at most {most}, after which the user leaves")
    responses = tuple(accepted for _, accepted, _ in steps[1:])
    return Log(responses, seen_in_lane(steps[0][0].remember(), 0), steps[-1][2])


def truths_of(game: Game) -> Iterator[HiddenState]:
    """Yield the user's hidden state (a secret) at the start and after each move."""
    return (env.hidden_state() for env, *_ in _played(game))


def instance_at_end(game: Game) -> Instance:
    """Return the user's true means and best arm at the end of a game."""
    *_, (env, *_) = _played(game)
    return env.instance()


def _played(game: Game) -> Iterator[tuple[ExplorativeUserEnv, bool, bool]]:
    """Yield the environment, whether she accepted and whether she left, after 0, 1, ... moves."""
    env = ExplorativeUserEnv(population=game.population, reward="none")
    env.reset(seed=game.seed)
    env.remember()
    yield env, False, False
    for arm in game.moves:
        response, _, left, _, _ = env.step(arm)
        yield env, bool(response), left
        if left:
            return


# The most characters of an address; a move takes up to five, such as "24x3.".
LONGEST_QUERY = 20_000
Pairs = dict[str, str]  # the parameters of an address, by name
PREDICTED, PENDING, BY = "guesses", "asked", "by"
# The query parameters that only the page of the hidden state accepts.
TRUTH_KEYS = frozenset((PREDICTED, PENDING, BY))

_DIGITS = re.compile(r"[0-9]{1,40}")
_NUMBER = re.compile(r"-?[0-9]{1,24}(\.[0-9]{1,24})?(e[-+]?[0-9]{1,3})?", re.IGNORECASE)
_RUN = re.compile(r"([0-9]{1,3})(?:x([1-9][0-9]{0,5}))?")


def digits(name: str, text: str) -> int:
    """Parse a whole number; `text` may contain only digits."""
    if not _DIGITS.fullmatch(text):
        raise InvalidArgumentError(name, text, "a whole number")
    return int(text)


def moves_in(name: str, text: str) -> tuple[int, ...]:
    """Parse the arms in an address: the text 2.0x3 means the arms 2, 0, 0, 0."""
    moves: list[int] = []
    for part in text.split(".") if text else ():
        run = _RUN.fullmatch(part)
        if run is None:
            raise InvalidArgumentError(name, part, "arms joined by dots; 2.0x3 means 2, 0, 0, 0")
        times = int(run[2] or 1)
        if len(moves) + times > MOST_MOVES:
            raise InvalidArgumentError(name, part, f"at most {MOST_MOVES} recommendations in total")
        moves += [int(run[1])] * times
    return tuple(moves)


def moves_as_text(moves: Sequence[int]) -> str:
    """Return the text of arms in an address, such as 2.0x3 for the arms 2, 0, 0, 0."""
    runs = [(arm, len([*same])) for arm, same in groupby(moves)]
    return ".".join(f"{arm}x{times}" if times > 1 else str(arm) for arm, times in runs)


def as_written(value: Any) -> str:
    """Return a word as it is, or a number as its shortest text that loses no digit."""
    short = f"{value:g}" if isinstance(value, float) else str(value)
    return short if short == str(value) or float(short) == value else str(value)


def pairs_of(game: Game) -> Pairs:
    """Return the query parameters of a game's address, without parameters that have defaults."""
    guesses = "".join({True: "y", False: "n", None: "-"}[guess] for guess in game.guesses)
    pairs = {name: as_written(value) for name, value in game.options.items()} | {
        "seed": str(game.seed),
        "moves": moves_as_text(game.moves),
        "answer": "" if game.answer is None else str(game.answer),
        PREDICTED: guesses if guesses.strip("-") else "",
        BY: "you" if game.predicts else "",
        PENDING: "" if game.pending is None else str(game.pending),
    }
    return {name: text for name, text in pairs.items() if text}


query_of = urlencode  # turns query parameters into the text of a query


def pairs_in(query: str) -> Pairs:
    """Return the value of each parameter in the text of a query, by name."""
    if len(query) > LONGEST_QUERY:
        raise InvalidArgumentError("address", query[:20], f"at most {LONGEST_QUERY} characters")
    try:
        values = parse_qsl(query, keep_blank_values=True, strict_parsing=True, errors="strict")
    except ValueError as error:
        raise InvalidArgumentError(
            "address", query, "name=value pairs separated by &, such as seed=7&moves=0.1x3"
        ) from error
    pairs: Pairs = {}
    for name, value in values:
        if name in pairs:
            raise InvalidArgumentError(name, value, "given at most once in the address of a game")
        pairs[name] = value
    return pairs


def game_of(pairs: Mapping[str, str], truth: bool = False) -> Game:
    """Return the game with these query parameters; `truth` means a game on the page /mind."""
    kinds = {each.name: each.metadata["kind"] for each in OPTIONS}
    options: dict[str, Any] = {}
    parts: dict[str, Any] = {"options": options}
    for name, text in pairs.items():
        if name in ("seed", "answer") or (truth and name == PENDING):
            parts["pending" if name == PENDING else name] = digits(name, text)
        elif name == "moves":
            parts[name] = moves_in(name, text)
        elif truth and name == BY:
            parts["predicts"] = choice(name, text, ("her", "you")) == "you"
        elif truth and name == PREDICTED:
            if text.strip("yn-"):
                raise InvalidArgumentError(name, text, "letters y, n and -, such as yn-y")
            parts[name] = tuple({"y": True, "n": False}.get(letter) for letter in text)
        elif name not in kinds:
            names = ", ".join([*kinds, "seed", "moves", "answer"])
            raise InvalidArgumentError("address", name, f"name=value with a name of: {names}")
        elif kinds[name] is int:
            options[name] = digits(name, text)
        elif kinds[name] is str or (kinds[name] is not float and text[:1] not in "-0123456789"):
            options[name] = text
        elif _NUMBER.fullmatch(text):
            options[name] = float(text)
        else:
            raise InvalidArgumentError(name, text, "a number, such as 0.5")
    if "seed" not in parts:
        raise InvalidArgumentError("seed", None, "in the address, such as seed=7")
    if truth and "answer" in parts:
        raise InvalidArgumentError("answer", parts["answer"], "left out on the page /mind")
    return Game(**parts)


def query_in(address: str) -> str:
    """Return the text after the question mark of an address, or all of it without the mark."""
    text = address.strip()
    return text.partition("?")[2].partition("#")[0] if "?" in text else text


# The query parameter of the checkbox "rho follows its schedule". Its value is the rho_t shown.
FOLLOW = "follow"
# The two ends of each option's slider; a value beyond an end extends the slider.
SLIDERS = {"alpha": (0.05, 4.0), "rho": (1.0, 2.0), "noise": (0.0, 0.5), "gap": (0.05, 4.0)}
STEP = 0.05


#: A slider as the page shows it; all fields are text.
Slider = namedtuple("Slider", "name least most step value")


def sliders_of(game: Game, rho: float) -> list[Slider]:
    """Return the sliders of a game; `rho` is the present rho_t."""
    user, schedule = game.population.user, game.population.schedule
    constant = schedule.rho_0 == schedule.rho_1
    rho = schedule.rho_0 if constant else round(round(rho / STEP) * STEP, 2)
    gap = game.population.instance_law.gap or 0.0
    values = {"alpha": user.alpha, "rho": rho, "noise": user.noise, "gap": gap}
    sliders = []
    for name, (least, most) in SLIDERS.items():
        value = values[name]
        # A browser would round a value between two steps of a slider, unless step="any".
        on_step = value >= least and abs(math.remainder(value, STEP)) < 1e-9
        numbers = (min(least, value), max(most, value), STEP if on_step else "any", value)
        sliders.append(Slider(name, *map(as_written, numbers)))
    return sliders


def after_slide(pairs: Mapping[str, str]) -> Pairs:
    """Return the parameters after a slider moved, without rho if rho_t follows its schedule."""
    rest = dict(pairs)
    if rest.pop(FOLLOW, None) == rest.get("rho"):
        rest.pop("rho", None)
    return rest


# The largest step cap of an agent in a game; a run of so many steps takes about a second.
LONGEST_RUN = 100_000
_ONE_AT_A_TIME = threading.Lock()  # only one thread may load or run a model


#: The result of an agent: its name, the interactions and rejections, its answer, whether the answer
#: is right (False if the user left before it), and how the run ended.
Result = namedtuple("Result", "name interactions rejections answer right end")


def results_of(game: Game) -> tuple[list[Result], list[str]]:
    """Run each agent with the user of a game; return the results, and one-line notes."""
    results = [_result(game, agent) for agent in (BAIR(), TrackAndStop())]
    users = game.population
    shipped = shipped_for(BAI, game.n_arms, behaviour=users.behaviour.name, noise=users.user.noise)
    if shipped is None:
        return results, [f"The package has no trained model for {game.n_arms} arms."]
    try:
        with _ONE_AT_A_TIME:
            results.append(_result(game, _loaded(shipped[0])))
    except MissingExtraError as error:
        return results, [f"The package has a trained model for this user, but {error}"]
    options = ", ".join(f"{name} {value}" for name, value in shipped[1]["environment"].items())
    return results, [f"{results[-1].name} was trained on users with {options}."]


def _result(game: Game, agent: Agent) -> Result:
    env = environment_of(game.population, agent)
    # A trained model is 200 times slower than BAIR, so its own, smaller step cap applies.
    longest = min(LONGEST_RUN, cap_of(agent) or LONGEST_RUN)
    run = rollout(env, agent, game.seed, max_steps=longest)
    right = run.answer == env.instance().best_arm and not run.left
    return Result(name_of(agent), run.stopping_time, run.rejections, run.answer, right, run.end)


@functools.cache
def _loaded(name: str) -> Agent:
    from explorative_user_env.rl.models import load_agent

    return load_agent(name)


def load_first_model() -> None:
    """Load the trained model for the default game before a player needs the model."""
    shipped = shipped_for(BAI, PLAYED["n_arms"])
    with _ONE_AT_A_TIME, suppress(MissingExtraError):
        if shipped is not None:
            _loaded(shipped[0])


TASK = (
    "The user is still learning what she likes. You recommend an arm, she says yes or no. "
    "Find out which arm she likes best."
)

# Hints for beginners; each string is one hint.
HINTS = (
    "A yes does not say that the arm is her best. It says that she knows no arm that is clearly "
    "better.",
    "A no says that she knows an arm that is clearly better. Only a no separates arms.",
    "She learns only from the arms that she accepts. If you never recommend an arm, she never "
    "learns about it.",
    "When she rejects all arms but one again and again, name the arm that is left.",
)


def response_in_words(arm: int, accepted: bool) -> str:
    """Return the user's response to a recommendation, as a sentence."""
    return f"Arm {arm}: {'yes, she accepts' if accepted else 'no, she rejects'}."


def tally(log: Log) -> str:
    """Return how often the user said yes and no, as text."""
    n, yes = len(log.responses), sum(log.responses)
    text = f"{n} interaction{'s' * (n != 1)}: {yes} yes, {n - yes} no"
    return f"{text}; then she left" if log.left else text


def right_predictions(game: Game, log: Log) -> tuple[int, int]:
    """Return the number of right predictions and the number of predictions."""
    pairs = zip(game.guesses, log.responses, strict=True)
    right = [guess == response for guess, response in pairs if guess is not None]
    return sum(right), len(right)


def verdict(game: Game, log: Log, best_arm: int) -> str:
    """Return a sentence that says whether the player named the user's best arm."""
    if log.left:
        return f"She left before an answer: her best arm is arm {best_arm}"
    if game.answer == best_arm:
        return f"Right: her best arm is arm {best_arm}"
    return f"Wrong: you named arm {game.answer}, her best arm is arm {best_arm}"


_ENDS = {ANSWERED: "", CENSORED: " (no answer)", LEFT: " (she left)"}

RESULTS_HEADER = ("player", "interactions", "rejections", "named", "right")


def rows_of_results(game: Game, log: Log, best_arm: int, results: Sequence[Result]) -> list[Any]:
    """Return one row for the player and one for each agent, all with the same user."""
    right, end = game.answer == best_arm and not log.left, LEFT if log.left else ANSWERED
    you = ("you", len(game.moves), log.responses.count(False), game.answer, right, end)
    return [
        (name, f"{n}{_ENDS[end]}", f"{no}", f"arm {arm}", "yes" if right else "no")
        for name, n, no, arm, right, end in (you, *results)
    ]


def settings_in_words(game: Game) -> str:
    """Return the options and the seed of a game's user as text, without her means."""
    values = game.population.words()
    options = {name: values[name] for name in ("gap", "alpha", "noise")}
    options |= {name: value for name, value in game.options.items() if name != "n_arms"}
    shown = ", ".join(f"{name} {as_written(value)}" for name, value in options.items())
    return f"{game.n_arms} arms, {shown}, seed {game.seed}"


def lesson_of(game: Game, log: Log, best_arm: int, results: Sequence[Result]) -> str:
    """Return one sentence on what an answered game teaches; `results` starts with BAIR."""
    seen, answer = log.seen, game.answer or 0
    # An agent that reached its step cap, or whose user left, is not wrong.
    wrong = [each.name for each in results if each.end == ANSWERED and not each.right]
    done = [each for each in results if each.right or each.end == CENSORED]
    longer = [each.name for each in done if each.interactions > len(game.moves)]
    names = " and ".join(", ".join(wrong or longer).rsplit(", ", 1))
    why = "she is still learning what she likes and can be mistaken"
    if game.population.behaviour.moves_means:
        why = "her taste changes"
    elif game.population.noise > 0.0:
        why = "she flips a coin now and then, or is mistaken"
    if log.left:
        lesson = "left"
    elif game.answer == best_arm:
        lesson = "longer" if longer else "right"
        lesson = "luck" if not log.responses else "others wrong" if wrong else lesson
    elif seen.latest[best_arm] is None or seen.latest[answer] is None:
        lesson = "never best" if seen.latest[best_arm] is None else "never named"
    elif seen.rejected[best_arm] > seen.rejected[answer]:
        lesson = "rejected"
    else:
        lesson = "accepted" if seen.latest[answer] else "no"
    return LESSONS[lesson].format(names=names, why=why)


#: What games teach, by the case that `lesson_of` finds.
LESSONS = {
    "left": "She left before an answer: only rejections separate arms, and after any rejection she "
    "may leave.",
    "luck": "Right without a single recommendation: that is luck, one time in K.",
    "others wrong": "Right where {names} went wrong: every agent is wrong with a few of many "
    "users, and you cannot know with which.",
    "longer": "Right in fewer interactions than {names}: but an agent that guarantees a small "
    "error probability cannot stop while luck could still explain the responses.",
    "right": "Right, and no sooner than the agents: only a rejection says that another arm is "
    "clearly better, so a player who waits for enough rejections is hardly ever wrong.",
    "never best": "She never learns about an arm that you never recommend: you did not recommend "
    "her best arm even once.",
    "never named": "She never learns about an arm that you never recommend: you did not recommend "
    "the arm that you named even once.",
    "rejected": "She rejected her best arm, because {why}: a rejection is evidence, not proof.",
    "accepted": "She accepted the arm that you named, but a yes only says that no other arm is "
    "clearly better yet: she accepts every arm that could be her best.",
    "no": "You named an arm she rejected: another is clearly better, so it is hardly her best.",
}
