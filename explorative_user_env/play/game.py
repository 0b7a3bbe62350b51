"""A game with one user: everything in it follows from its address, and no server keeps anything.

The address has her options and seed, the recommended arms, and the arm that was named as her best.
The truth is told of games with an answer only, or to a player who asks to be her mind.
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
MOST_ARMS_PLAYED = 25  # K at most: more are no game for a person
MOST_MOVES = 2000  # recommendations at most, which an address still holds
LARGEST_PLAYED_SEED = 2**63 - 1  # the users of a study have seeds up to here
SURPRISES = 1_000_000  # a drawn seed is below: few enough digits to be read out in a class
# The user of a first game: some forty recommendations tell her best arm.
PLAYED: Mapping[str, Any] = {"n_arms": 5, "gap": 2.0}


def usual_options() -> dict[str, Any]:
    """Return the default of each option of the users, as a word or a number."""
    return {each.name: getattr(each.default, "name", each.default) for each in OPTIONS}


@dataclass(frozen=True, kw_only=True)
class Game:
    """A game with one user.

    Attributes:
        options: those of `Population` that are not at their default, by name.
        seed: of everything about the user.
        moves: the arms that were recommended to her.
        answer: the arm that was named as her best, None before.
        guesses: what the player, as her mind, foretold of each move; None of a move not foretold.
        asked: the arm of which the player is to foretell her response.
        foretold: whether the player foretells each response.
        population: the users of whom she is one.

    Raises:
        InvalidArgumentError: naming what is out of range.
    """

    options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    seed: int
    moves: tuple[int, ...] = ()
    answer: int | None = None
    guesses: tuple[bool | None, ...] = ()
    asked: int | None = None
    foretold: bool = False
    population: Population = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        integer("n_arms", self.options.get("n_arms", 2), 2, MOST_ARMS_PLAYED)
        usual = usual_options()
        kept = {n: self.options[n] for n in usual if self.options.get(n, usual[n]) != usual[n]}
        made = {"population": Population(**self.options), "options": kept}
        made["guesses"] = self.guesses + (None,) * (len(self.moves) - len(self.guesses))
        for name, value in made.items():
            object.__setattr__(self, name, value)
        integer("seed", self.seed, 0, LARGEST_PLAYED_SEED)
        last = self.n_arms - 1
        if len(self.moves) > MOST_MOVES:
            allowed = f"at most {MOST_MOVES} recommendations"
            raise InvalidArgumentError("moves", len(self.moves), allowed)
        for arm in (*self.moves, *(() if self.asked is None else (self.asked,))):
            if type(arm) is not int or not 0 <= arm <= last:
                raise InvalidArgumentError("moves", arm, f"arms in 0..{last}")
        if self.answer is not None:
            integer("answer", self.answer, 0, last)
        if len(self.guesses) > len(self.moves):
            raise InvalidArgumentError("guesses", len(self.guesses), "of moves that were made")

    @property
    def n_arms(self) -> int:
        """K."""
        return self.population.user.n_arms

    def recommending(self, arms: Sequence[int]) -> "Game":
        """Return the game after recommendations, as long as she is there.

        In a game whose responses are foretold it asks about the arm first.
        """
        if self.answer is not None:
            raise InvalidArgumentError("moves", tuple(arms), "none after the answer")
        if self.foretold:
            if len(arms) != 1:
                raise InvalidArgumentError("more", list(arms), "one arm, where you answer")
            return replace(self, asked=arms[0])
        longer = replace(self, moves=(*self.moves, *arms), asked=None)
        there = sum(1 for _ in _played(longer)) - 1
        if there == len(self.moves) < len(longer.moves):
            raise InvalidArgumentError("moves", tuple(arms), "none after she has left")
        return replace(self, moves=longer.moves[:there], asked=None)

    def guessing(self, yes: bool) -> "Game":
        """Return the game after the player has foretold the response to the arm that is asked."""
        if self.asked is None:
            raise InvalidArgumentError("guess", yes, "given to an arm that is asked about")
        told = replace(self, foretold=False).recommending((self.asked,))
        return replace(told, guesses=(*self.guesses, yes), foretold=self.foretold)

    def undone(self) -> "Game":
        """Return the game before it asked, or before its last move."""
        if self.asked is not None:
            return replace(self, asked=None)
        return replace(self, moves=self.moves[:-1], guesses=self.guesses[:-1])


class Heard(NamedTuple):
    """What was heard in a game: nothing secret.

    Attributes:
        responses: to each recommendation, whether she accepted.
        seen: the same counted arm by arm, as pictures take it.
        left: whether she has left.
    """

    responses: tuple[bool, ...]
    seen: Seen
    left: bool = False


def heard_in(game: Game) -> Heard:
    """Return what was heard in a game, which is repeated to the bit."""
    steps = [*_played(game)]
    if len(steps) <= len(game.moves):
        allowed = f"at most {len(steps) - 1} recommendations, as she leaves then"
        raise InvalidArgumentError("moves", len(game.moves), allowed)
    responses = tuple(accepted for _, accepted, _ in steps[1:])
    return Heard(responses, seen_in_lane(steps[0][0].remember(), 0), steps[-1][2])


def truths_of(game: Game) -> Iterator[HiddenState]:
    """Yield the truth about the user at the start and after each move; secret before the answer."""
    return (env.hidden_state() for env, *_ in _played(game))


def instance_at_end(game: Game) -> Instance:
    """Return her true means and her best arm at the end; secret before the answer."""
    *_, (env, *_) = _played(game)
    return env.instance()


def _played(game: Game) -> Iterator[tuple[ExplorativeUserEnv, bool, bool]]:
    """Yield the environment, her response, and whether she leaves: first before any move."""
    env = ExplorativeUserEnv(population=game.population, reward="none")
    env.reset(seed=game.seed)
    env.remember()
    yield env, False, False
    for arm in game.moves:
        response, _, left, _, _ = env.step(arm)
        yield env, bool(response), left
        if left:
            return


# Letters of an address at most: a move takes five, as 24x3 does with the point after it.
LONGEST_QUERY = 20_000
Pairs = dict[str, str]  # what stands in an address, by name
GUESSED, ASKED, BY = "guesses", "asked", "by"
# The names in the address of a game in which the player is her mind.
MINDS_OWN = frozenset((GUESSED, ASKED, BY))

_WHOLE = re.compile(r"[0-9]{1,40}")
_NUMBER = re.compile(r"-?[0-9]{1,24}(\.[0-9]{1,24})?(e[-+]?[0-9]{1,3})?", re.IGNORECASE)
_RUN = re.compile(r"([0-9]{1,3})(?:x([1-9][0-9]{0,5}))?")


def whole_number(name: str, text: str) -> int:
    """Return the whole number that is written; digits and nothing else."""
    if not _WHOLE.fullmatch(text):
        raise InvalidArgumentError(name, text, "a whole number")
    return int(text)


def moves_in(name: str, text: str) -> tuple[int, ...]:
    """Return the arms that are written, as 2.0x3 is for 2, 0, 0, 0."""
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


def moves_as_text(moves: Sequence[int]) -> str:
    """Return arms as they are written in an address."""
    runs = [(arm, len([*same])) for arm, same in groupby(moves)]
    return ".".join(f"{arm}x{times}" if times > 1 else str(arm) for arm, times in runs)


def as_written(value: Any) -> str:
    """Return a word or a number as it is written, in as few letters as give it back."""
    short = f"{value:g}" if isinstance(value, float) else str(value)
    return short if short == str(value) or float(short) == value else str(value)


def pairs_of(game: Game) -> Pairs:
    """Return what the address of a game says, by name; defaults are left out."""
    guessed = "".join({True: "y", False: "n", None: "-"}[guess] for guess in game.guesses)
    pairs = {name: as_written(value) for name, value in game.options.items()} | {
        "seed": str(game.seed),
        "moves": moves_as_text(game.moves),
        "answer": "" if game.answer is None else str(game.answer),
        GUESSED: guessed if guessed.strip("-") else "",
        BY: "you" if game.foretold else "",
        ASKED: "" if game.asked is None else str(game.asked),
    }
    return {name: text for name, text in pairs.items() if text}


query_of = urlencode  # what an address says, as its query


def pairs_in(query: str) -> Pairs:
    """Return what a query says, by name."""
    if len(query) > LONGEST_QUERY:
        raise InvalidArgumentError("address", query[:20], f"at most {LONGEST_QUERY} letters long")
    try:
        found = parse_qsl(query, keep_blank_values=True, strict_parsing=True, errors="strict")
    except ValueError as error:
        allowed = "name=value with & between, as seed=7&moves=0.1x3"
        raise InvalidArgumentError("address", query, allowed) from error
    pairs: Pairs = {}
    for name, value in found:
        if name in pairs:
            raise InvalidArgumentError(name, value, "said once in an address")
        pairs[name] = value
    return pairs


def game_of(pairs: Mapping[str, str], mind: bool = False) -> Game:
    """Return the game that an address says, in which the player may be her mind."""
    kinds = {each.name: each.metadata["kind"] for each in OPTIONS}
    options: dict[str, Any] = {}
    parts: dict[str, Any] = {"options": options}
    for name, text in pairs.items():
        if name in ("seed", "answer") or (mind and name == ASKED):
            parts[name] = whole_number(name, text)
        elif name == "moves":
            parts[name] = moves_in(name, text)
        elif mind and name == BY:
            parts["foretold"] = choice(name, text, ("her", "you")) == "you"
        elif mind and name == GUESSED:
            if text.strip("yn-"):
                raise InvalidArgumentError(name, text, "written with y, n and -")
            parts[name] = tuple({"y": True, "n": False}.get(letter) for letter in text)
        elif name not in kinds:
            allowed = f"name=value with names of {', '.join([*kinds, 'seed', 'moves', 'answer'])}"
            raise InvalidArgumentError("address", name, allowed)
        elif kinds[name] is int:
            options[name] = whole_number(name, text)
        elif kinds[name] is str or (kinds[name] is not float and text[:1] not in "-0123456789"):
            options[name] = text
        elif _NUMBER.fullmatch(text):
            options[name] = float(text)
        else:
            raise InvalidArgumentError(name, text, "a number, as 0.5")
    if "seed" not in parts:
        raise InvalidArgumentError("seed", None, "in the address, as seed=7")
    if mind and "answer" in parts:
        raise InvalidArgumentError("answer", parts["answer"], "left out where all is seen")
    return Game(**parts)


def query_in(address: str) -> str:
    """Return the query of an address, which may be all that is given of it."""
    text = address.strip()
    return text.partition("?")[2].partition("#")[0] if "?" in text else text


# A checkbox: rho_t follows its schedule, unless its slider has moved from this value.
FOLLOW = "follow"
# The options that have a slider, and its ends; a value beyond them moves them.
SLIDERS = {"alpha": (0.05, 4.0), "rho": (1.0, 2.0), "noise": (0.0, 0.5), "gap": (0.05, 4.0)}
STEP = 0.05


#: A number that is changed by a slide, as it stands in the page.
Slider = namedtuple("Slider", "name least most step value")


def sliders_of(game: Game, rho: float) -> list[Slider]:
    """Return the sliders as they stand in a game, where rho_t is `rho` now."""
    user, schedule = game.population.user, game.population.schedule
    constant = schedule.rho_0 == schedule.rho_1
    rho = schedule.rho_0 if constant else round(round(rho / STEP) * STEP, 2)
    gap = game.population.instance_law.gap or 0.0
    values = {"alpha": user.alpha, "rho": rho, "noise": user.noise, "gap": gap}
    sliders = []
    for name, (least, most) in SLIDERS.items():
        value = values[name]
        # A browser moves a value between two steps to one of them: nothing may move by itself.
        on_step = value >= least and abs(math.remainder(value, STEP)) < 1e-9
        numbers = (min(least, value), max(most, value), STEP if on_step else "any", value)
        sliders.append(Slider(name, *map(as_written, numbers)))
    return sliders


def slid(pairs: Mapping[str, str]) -> Pairs:
    """Return what an address says after a slide: a schedule that is followed has no number."""
    kept = dict(pairs)
    if kept.pop(FOLLOW, None) == kept.get("rho"):
        kept.pop("rho", None)
    return kept


# Steps at most of a rival that has no cap of its own; a person waits a second for it.
LONGEST_RUN = 100_000
_ONE_AT_A_TIME = threading.Lock()  # a model is loaded once, and meets one user at a time


#: What an agent did: its name, the number of its recommendations and how many she rejected, the arm
#: that it named, whether it is right and was named while she was there, and how its run ended.
Rival = namedtuple("Rival", "name interactions rejections answer right end")


def rivals_of(game: Game) -> tuple[list[Rival], list[str]]:
    """Return what each agent did with the user of a game, and notes on them, a line each."""
    rivals = [_met(game, agent) for agent in (BAIR(), TrackAndStop())]
    users = game.population
    shipped = shipped_for(BAI, game.n_arms, behaviour=users.behaviour.name, noise=users.user.noise)
    if shipped is None:
        return rivals, [f"No trained model of the package is for {game.n_arms} arms."]
    try:
        with _ONE_AT_A_TIME:
            rivals.append(_met(game, _loaded(shipped[0])))
    except MissingExtraError as error:
        return rivals, [f"A trained model plays as well, but {error}"]
    of = ", ".join(f"{name} {value}" for name, value in shipped[1]["environment"].items())
    return rivals, [f"{rivals[-1].name} was trained with users of {of}."]


def _met(game: Game, agent: Agent) -> Rival:
    env = environment_of(game.population, agent)
    # A step of a model takes two hundred times as long, and keeps all others waiting.
    longest = min(LONGEST_RUN, cap_of(agent) or LONGEST_RUN)
    run = rollout(env, agent, game.seed, max_steps=longest)
    right = run.answer == env.instance().best_arm and not run.left
    return Rival(name_of(agent), run.stopping_time, run.rejections, run.answer, right, run.end)


@functools.cache
def _loaded(name: str) -> Agent:
    from explorative_user_env.rl.models import load_agent

    return load_agent(name)


def get_ready() -> None:
    """Load the model for a first game, if there is one, so that nobody waits for it."""
    shipped = shipped_for(BAI, PLAYED["n_arms"])
    with _ONE_AT_A_TIME, suppress(MissingExtraError):
        if shipped is not None:
            _loaded(shipped[0])


TASK = (
    "She is still learning what she likes. You recommend an arm, she says yes or no, "
    "and you find out which arm she likes best."
)

# A hint for beginners, a line each.
WHAT_COUNTS = (
    "A yes does not say that she likes an arm best: only that no other arm is clearly better, as "
    "far as she knows.",
    "A no says that another arm is clearly better: that is what tells arms apart.",
    "She learns from what she accepts, and from nothing else. So an arm that you neglect stays "
    "unknown to her, too.",
    "When all other arms are rejected again and again, you are done: name the one that is left.",
)


def response_in_words(arm: int, accepted: bool) -> str:
    """Return her response to a recommendation."""
    return f"Arm {arm}: {'yes, she accepts' if accepted else 'no, she rejects'}."


def tally(heard: Heard) -> str:
    """Return how often she said yes and no."""
    n, yes = len(heard.responses), sum(heard.responses)
    told = f"{n} interaction{'s' * (n != 1)}: {yes} yes, {n - yes} no"
    return f"{told}; then she left" if heard.left else told


def right_guesses(game: Game, heard: Heard) -> tuple[int, int]:
    """Return how many responses were foretold rightly, and how many were foretold."""
    pairs = zip(game.guesses, heard.responses, strict=True)
    told = [guess == response for guess, response in pairs if guess is not None]
    return sum(told), len(told)


def verdict(game: Game, heard: Heard, best_arm: int) -> str:
    """Return whether the answer of a game is right."""
    if heard.left:
        return f"She left before an answer: her best arm is arm {best_arm}"
    if game.answer == best_arm:
        return f"Right: her best arm is arm {best_arm}"
    return f"Wrong: you named arm {game.answer}, her best arm is arm {best_arm}"


_ENDS = {ANSWERED: "", CENSORED: " (not done)", LEFT: " (she left)"}

RIVALS_HEADER = ("who", "interactions", "rejections", "named", "right")


def rows_of_rivals(game: Game, heard: Heard, best_arm: int, rivals: Sequence[Rival]) -> list[Any]:
    """Return what the player and the agents did with the same user, a row each."""
    right, end = game.answer == best_arm and not heard.left, LEFT if heard.left else ANSWERED
    you = ("you", len(game.moves), heard.responses.count(False), game.answer, right, end)
    return [
        (name, f"{n}{_ENDS[end]}", f"{no}", f"arm {arm}", "yes" if right else "no")
        for name, n, no, arm, right, end in (you, *rivals)
    ]


def settings_in_words(game: Game) -> str:
    """Return the user of a game in words, without a secret."""
    said = game.population.words()
    options = {name: said[name] for name in ("gap", "alpha", "noise")}
    options |= {name: value for name, value in game.options.items() if name != "n_arms"}
    shown = ", ".join(f"{name} {as_written(value)}" for name, value in options.items())
    return f"{game.n_arms} arms, {shown}, seed {game.seed}"


def moral_of(game: Game, heard: Heard, best_arm: int, rivals: Sequence[Rival]) -> str:
    """Return what a game with an answer teaches, in one sentence; BAIR is the first of `rivals`."""
    seen, answer = heard.seen, game.answer or 0
    # An agent that was cut off, or that she left, has not answered of its own accord.
    wrong = [each.name for each in rivals if each.end == ANSWERED and not each.right]
    done = [each for each in rivals if each.right or each.end == CENSORED]
    longer = [each.name for each in done if each.interactions > len(game.moves)]
    names = " and ".join(", ".join(wrong or longer).rsplit(", ", 1))
    why = "she is still learning what she likes and can be mistaken"
    if game.population.behaviour.moves_means:
        why = "her taste changes"
    elif game.population.noise > 0.0:
        why = "she flips a coin now and then, or is mistaken"
    if heard.left:
        moral = "left"
    elif game.answer == best_arm:
        moral = "longer" if longer else "right"
        moral = "luck" if not heard.responses else "others wrong" if wrong else moral
    elif seen.latest[best_arm] is None or seen.latest[answer] is None:
        moral = "never best" if seen.latest[best_arm] is None else "never named"
    elif seen.rejected[best_arm] > seen.rejected[answer]:
        moral = "rejected"
    else:
        moral = "accepted" if seen.latest[answer] else "no"
    return MORALS[moral].format(names=names, why=why)


#: What games teach.
MORALS = {
    "left": "She left before an answer: a rejection is what tells arms apart, and each may be the "
    "last that she bears.",
    "luck": "Right without a single recommendation: that is luck, one time in K.",
    "others wrong": "Right where {names} went wrong: every agent does with a few of many users, "
    "and you never know who is one of the few.",
    "longer": "Right in fewer interactions than {names}: but an agent that promises "
    "to be wrong with few users only cannot stop while luck could still explain it all.",
    "right": "Right, and no sooner than the agents: only a rejection says that another arm is "
    "clearly better, so whoever waits for enough of them is hardly ever wrong.",
    "never best": "What is never recommended is never learnt: she was not asked about her best arm "
    "even once.",
    "never named": "What is never recommended is never learnt: she was not asked about the arm "
    "that you named even once.",
    "rejected": "She rejected her best arm, for {why}: a rejection is evidence, and no proof.",
    "accepted": "She accepted what you named, but a yes only says that no other arm is clearly "
    "better yet: it is not what she likes best that she accepts, but what might be.",
    "no": "A rejected arm is one that another is clearly better than: it is hardly ever her best.",
}
