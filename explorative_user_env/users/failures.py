"""A user made of code that was handed in, where it fails: whose fault it is, and with whom.

The callables are called bare, as quick as can be; who is to blame is found afterwards, from where
the error came by.
"""

import functools
from collections.abc import Iterable, Iterator, Sequence
from types import CodeType, FrameType
from typing import Any

import numpy as np

from explorative_user_env.users import explorative
from explorative_user_env.users.behaviour import Behaviour
from explorative_user_env.users.confidence import Rule, rule_name
from explorative_user_env.users.instances import InstanceLaw
from explorative_user_env.users.state import User
from explorative_user_env.validation import CallableError, InvalidArgumentError


def failed_response(
    error: Exception,
    user: User,
    rule: Rule,
    behaviour: Behaviour,
    where: str,
) -> CallableError:
    """Return the error of a response: of the rule of rho_t, of its value, or of the behaviour.

    Args:
        error: what was raised.
        user: the numbers of the user.
        rule: the rule of rho_t.
        behaviour: whose `respond` it was.
        where: with whom and when.
    """
    frames = list(_frames_of(error))
    error = _of_value(frames, user, rule) or error
    rho, law = (explorative.rho, rule), (explorative.realize, user.own_law.draw)
    part = _deepest(frames, rho=rho, law=law, respond=(behaviour.respond,))
    named = {"rho": f"rho ({rule_name(rule)})", "law": law_in_words(user)}
    whose = named.get(part or "", f"respond of behaviour {behaviour.name!r}")
    return CallableError.of(whose, error, where)


def failed_leaving(error: Exception, behaviour: Behaviour, where: str) -> CallableError:
    """Return the error of a behaviour's `leaves`.

    Args:
        error: what was raised.
        behaviour: whose it was.
        where: with whom and when.
    """
    return CallableError.of(f"leaves of behaviour {behaviour.name!r}", error, where)


def law_in_words(user: User) -> str:
    """Return what a reward law of one's own is called."""
    return f"reward_law {user.own_law.name!r}"


def not_finite(user: User, reward: Any) -> InvalidArgumentError:
    """Return the error of a reward that is no finite number."""
    return InvalidArgumentError(
        f"reward of {law_in_words(user)}", _plain(reward), "a finite number"
    )


def _plain(value: Any) -> Any:
    """Return a number of NumPy's as one of Python's, anything else as it is."""
    return value.item() if isinstance(value, np.generic) else value


def _of_value(frames: Sequence[FrameType], user: User, rule: Rule) -> Exception | None:
    """Return what is wrong with a value that came back, and cannot be asked for again."""
    last = frames[-1]
    if last.f_code is _code_of(explorative.rho) and "current" in last.f_locals:
        allowed = f"in [{user.rho_0:g}, {user.rho_1:g}], the range declared for {rule_name(rule)}"
        return InvalidArgumentError("rho_t", _plain(last.f_locals["current"]), allowed)
    return _of_reward(frames, user)


def _of_reward(frames: Sequence[FrameType], user: User) -> Exception | None:
    last = frames[-1]
    if last.f_code is _code_of(explorative.realize) and "reward" in last.f_locals:
        return not_finite(user, last.f_locals["reward"])
    return None


def failed_start(
    error: Exception, user: User, law: InstanceLaw, behaviour: Behaviour, who: str
) -> Exception:
    """Return the error of a user's start: of the callable that gives the means, or of `start`.

    Or of the reward law, by which she takes her private draws. An instance that cannot be, where no
    callable gave it, is an error as it is.
    """
    where = f"at the start of {who}"
    frames = list(_frames_of(error))
    drawing = (explorative.realize, user.own_law.draw)
    part = _deepest(frames, means=(law.own,), law=drawing, start=(behaviour.start,))
    if part == "law":
        return CallableError.of(law_in_words(user), _of_reward(frames, user) or error, where)
    if part is None and isinstance(error, InvalidArgumentError) and law.own is None:
        return error
    if part == "start":
        return CallableError.of(f"start of behaviour {behaviour.name!r}", error, where)
    return CallableError.of(f"means ({law.title})", error, where)


def met(seed: int, later: int, given: bool = False, lane: int | None = None) -> str:
    """Return in words the user of an environment, by what meets her again if anything does.

    Args:
        seed: the seed of the last reset that had one.
        later: how many users came after the one whom it met. Where a stream goes on from depends
            on how long its users were there, so that seeds alone do not meet these again.
        given: whether her means were given to the reset.
        lane: hers among many.
    """
    her = "the user" if lane is None else f"the user in lane {lane}"
    if later:
        place = f"number {later + 1} on the stream of seed {seed}"
        return f"{her}, {place}, which goes on where the one before left it"
    reset = f"env.reset(seed={seed}{', options=...' if given else ''})"
    if lane is None:
        return f"{her} that {reset} meets again"
    return f"{her}, whom {reset} of a single environment meets again"


def _frames_of(error: BaseException) -> Iterator[FrameType]:
    """Yield the frames that an error came by, the one that raised it last."""
    trace = error.__traceback__
    while trace is not None:
        yield trace.tb_frame
        trace = trace.tb_next


def _deepest(frames: Iterable[FrameType], **asked: Iterable[Any]) -> str | None:
    """Return the name of the callables whose code is nearest to where the error was raised."""
    names = {_code_of(each): name for name, functions in asked.items() for each in functions}
    found = [names[frame.f_code] for frame in frames if frame.f_code in names]
    return found[-1] if found else None


def _code_of(function: Any) -> CodeType | None:
    """Return the code of a function, a method or an object that is called; None of one in C."""
    while isinstance(function, functools.partial):
        function = function.func
    if not hasattr(function, "__code__"):
        function = type(function).__call__
    return getattr(function, "__code__", None)
